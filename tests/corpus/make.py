#!/usr/bin/env python3
"""Packs a small corpus for the tests from the full one: tiny-grpo and systems, with their labels.

    tests/corpus/make.py [CORPUS]        CORPUS: RUNDOWN_CORPUS, else ../shared/corpus

Each folder becomes tests/corpus/NAME.tar.gz, which tests/support/corpus.rs unpacks where the full corpus is missing.
What the labels do not need stays out, so that both fit into 5 MB: other logs of the same run (console, trainer state,
TensorBoard), tables of completions, and in the run files the profiling rows and console lines, and all
but the last summary. The rows of metrics are kept byte for byte. The same corpus gives the same bytes.
"""

import gzip
import io
import os
import pathlib
import struct
import sys
import tarfile
import zlib

FOLDERS = ("tiny-grpo", "systems")
LARGEST = 5_000_000
# Folders of a run that repeat what its run file holds, or that no label asks for.
LEFT_OUT = ("tensorboard/", "trainer_state.json", "output.log", "train.py", "simulate.py")
# Tables of completions, one a step.
LARGE_TABLES = ("amber-17/", "amber-18/")

BLOCK = 32768
FILE_HEADER = b":W&B\xe1\xbe\x00"
FULL, FIRST, MIDDLE, LAST = 1, 2, 3, 4

# Fields of wandb_internal.proto.
RECORD_HISTORY, RECORD_SUMMARY, RECORD_OUTPUT, RECORD_OUTPUT_RAW = 2, 3, 4, 13
HISTORY_ITEM, SUMMARY_UPDATE, ITEM_KEY, ITEM_NESTED_KEY = 1, 1, 1, 2


def records(data):
    """The records of a run file: LevelDB's log format behind W&B's header."""
    assert data.startswith(FILE_HEADER), "not a W&B run file"
    position, pending = len(FILE_HEADER), b""
    while position + 7 <= len(data):
        left = BLOCK - position % BLOCK
        if left < 7:
            position += left
            continue
        _, length, kind = struct.unpack_from("<IHB", data, position)
        part = data[position + 7 : position + 7 + length]
        position += 7 + length
        if kind == FULL:
            yield part
        elif kind == FIRST:
            pending = part
        elif kind == MIDDLE:
            pending += part
        elif kind == LAST:
            yield pending + part
        else:
            raise ValueError(f"unknown kind of block: {kind}")


def run_file(messages):
    """A run file of these records."""
    out = bytearray(FILE_HEADER)
    for message in messages:
        rest, is_first = message, True
        while is_first or rest:
            left = BLOCK - len(out) % BLOCK
            if left < 7:
                out += bytes(left)
                left = BLOCK
            part, rest = rest[: left - 7], rest[left - 7 :]
            kind = (FIRST if rest else FULL) if is_first else (MIDDLE if rest else LAST)
            out += struct.pack("<IHB", zlib.crc32(bytes([kind]) + part), len(part), kind) + part
            is_first = False
    return bytes(out)


def varint(data, position):
    value = shift = 0
    while True:
        byte = data[position]
        position += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, position


def to_varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out) + bytes([value])


def fields(message):
    """(number, content of a length-delimited field, whole field) of a protobuf message."""
    position = 0
    while position < len(message):
        start = position
        tag, position = varint(message, position)
        content = b""
        if tag & 7 == 0:
            _, position = varint(message, position)
        elif tag & 7 == 2:
            length, position = varint(message, position)
            content = message[position : position + length]
            position += length
        else:
            position += 8 if tag & 7 == 1 else 4
        yield tag >> 3, content, message[start:position]


def delimited(number, content):
    return to_varint(number << 3 | 2) + to_varint(len(content)) + content


def key(item):
    return ".".join(content.decode() for number, content, _ in fields(item) if number in (ITEM_KEY, ITEM_NESTED_KEY))


def has_metrics(history):
    """False for a row of profiling times alone."""
    keys = [key(content) for number, content, _ in fields(history) if number == HISTORY_ITEM]
    metrics = [name for name in keys if not name.startswith(("_", "profiling/")) and name != "train/global_step"]
    return bool(metrics)


def without_profiling(history):
    keep = lambda number, content: number != HISTORY_ITEM or not key(content).startswith("profiling/")
    return b"".join(field for number, content, field in fields(history) if keep(number, content))


def shortened(data, console=False):
    """The run file without profiling rows, with one summary; with the lines of the console if they are wanted."""
    kept, summary = [], {}
    for record in records(data):
        content = {number: content for number, content, _ in fields(record)}
        if RECORD_SUMMARY in content:
            for number, update, _ in fields(content[RECORD_SUMMARY]):
                name = key(update)
                if number == SUMMARY_UPDATE and not name.startswith("profiling/"):
                    summary[name] = update
            continue
        if not console and (RECORD_OUTPUT in content or RECORD_OUTPUT_RAW in content):
            continue
        if RECORD_HISTORY in content:
            if not has_metrics(content[RECORD_HISTORY]):
                continue
            whole = without_profiling(content[RECORD_HISTORY])
            record = b"".join(
                delimited(number, whole) if number == RECORD_HISTORY else field for number, _, field in fields(record)
            )
        kept.append(record)
    if summary:
        updates = b"".join(delimited(SUMMARY_UPDATE, update) for update in summary.values())
        # Before the exit record, where there is one.
        kept.insert(max(len(kept) - 1, 0), delimited(RECORD_SUMMARY, updates))
    return run_file(kept)


def pack(folder, target):
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            name = path.relative_to(folder.parent).as_posix()
            is_large_table = "/media/" in name and any(run in name for run in LARGE_TABLES)
            if is_large_table or any(part in name for part in LEFT_OUT):
                continue
            data = path.read_bytes()
            if path.suffix == ".wandb":
                data = shortened(data)
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(data), 0o644
            archive.addfile(entry, io.BytesIO(data))
    packed = gzip.compress(raw.getvalue(), compresslevel=9, mtime=0)
    target.write_bytes(packed)
    return len(packed)


def main():
    given = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("RUNDOWN_CORPUS", "../shared/corpus")
    here = pathlib.Path(__file__).parent
    total = 0
    for name in FOLDERS:
        size = pack(pathlib.Path(given) / name, here / f"{name}.tar.gz")
        print(f"{name}.tar.gz: {size} bytes")
        total += size
    if total > LARGEST:
        sys.exit(f"{total} bytes are more than {LARGEST}")


if __name__ == "__main__":
    main()

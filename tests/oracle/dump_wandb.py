#!/usr/bin/env python3
"""An independent reader of .wandb files, for comparison. Standard library only.

Prints one line per fact, each with a checksum of its canonical form, so that two readers can be compared by
their text: `python3 dump_wandb.py FILE…`. tests/wandb/oracle.rs prints the same for our reader.
"""
import json
import struct
import sys
import zlib

BLOCK = 32768


def chunks(data):
    if len(data) < 7 or data[:4] != b":W&B" or struct.unpack("<HB", data[4:7]) != (0xBEE1, 0):
        raise ValueError("not a .wandb file of version 0")
    at = 7
    while at + 7 <= len(data):
        left = BLOCK - at % BLOCK
        if left < 7:
            at += left
            continue
        crc, length, kind = struct.unpack("<IHB", data[at : at + 7])
        if crc == 0 and length == 0 and kind == 0:
            at = (at // BLOCK + 1) * BLOCK
            continue
        body = data[at + 7 : at + 7 + length]
        is_broken = not 1 <= kind <= 4 or 7 + length > left
        if not is_broken and len(body) < length:
            return
        if is_broken or zlib.crc32(bytes([kind]) + body) != crc:
            yield None, b""
            at = (at // BLOCK + 1) * BLOCK
            continue
        yield kind, body
        at += 7 + length


def records(data):
    parts = None
    for kind, body in chunks(data):
        if kind is None:
            parts = None
        elif kind == 1:
            parts = None
            yield body
        elif kind == 2:
            parts = [body]
        elif parts is not None:
            parts.append(body)
            if kind == 4:
                yield b"".join(parts)
                parts = None


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, at


def fields(data):
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        wire = tag & 7
        if wire == 0:
            value, at = varint(data, at)
        elif wire == 1:
            value = data[at : at + 8]
            at += 8
        elif wire == 5:
            value = data[at : at + 4]
            at += 4
        elif wire == 2:
            length, at = varint(data, at)
            value = data[at : at + length]
            at += length
        else:
            raise ValueError("wire type")
        yield tag >> 3, value


def item(data):
    key, nested, value = "", [], None
    for field, payload in fields(data):
        if field == 1:
            key = payload.decode()
        elif field == 2:
            nested.append(payload.decode())
        elif field == 16:
            value = payload.decode()
    return nested or [key], None if value is None else json.loads(value, strict=False)


def set_path(tree, path, value):
    for name in path[:-1]:
        if not isinstance(tree.get(name), dict):
            tree[name] = {}
        tree = tree[name]
    tree[path[-1]] = value


def remove_path(tree, path):
    for name in path[:-1]:
        tree = tree.get(name)
        if not isinstance(tree, dict):
            return
    tree.pop(path[-1], None)


def change(tree, data):
    for field, payload in fields(data):
        if field == 1:
            set_path(tree, *item(payload))
        elif field == 2:
            remove_path(tree, item(payload)[0])


def timestamp(data):
    parts = dict(fields(data))
    return parts.get(1, 0) + parts.get(2, 0) / 1e9


def canonical(value):
    if value is None:
        return "n"
    if value is True:
        return "t"
    if value is False:
        return "f"
    if isinstance(value, int) and abs(value) > 2**53:
        return f"i{value};"
    if isinstance(value, (int, float)):
        return "dnan;" if value != value else "d" + struct.pack(">d", float(value) + 0.0).hex() + ";"
    if isinstance(value, str):
        return f"s{len(value.encode())}:{value}"
    if isinstance(value, list):
        return "[" + "".join(canonical(inner) for inner in value) + "]"
    return "{" + "".join(canonical(key) + canonical(value[key]) for key in sorted(value)) + "}"


def checksum(text):
    data = text if isinstance(text, bytes) else text.encode()
    return f"{zlib.crc32(data):08x}"


def metric(value):
    if isinstance(value, bool):
        return float(value)
    if isinstance(value, (int, float)):
        return float(value)
    if value in ("NaN", "Infinity", "-Infinity"):
        return float(value.replace("Infinity", "inf"))
    return None


def numbers(prefix, value, found):
    if isinstance(value, dict):
        if "_type" not in value:
            for key, inner in value.items():
                numbers(f"{prefix}.{key}" if prefix else key, inner, found)
    elif not isinstance(value, list) and metric(value) is not None:
        found[prefix] = metric(value)


def flat(tree):
    found = {}
    numbers("", {key: value for key, value in tree.items() if key != "_wandb"}, found)
    return {key: value for key, value in found.items() if abs(value) <= 2**53 or value in (float("inf"), float("-inf")) or value != value}


def dump(path, out):
    config, summary, series, rules = {}, {}, {}, {}
    rows = stats = 0
    texts, exit_code = {0: [], 1: []}, None
    about = {}
    names = {1: "id", 2: "entity", 3: "project", 6: "group", 7: "job_type", 8: "name", 9: "notes", 12: "sweep", 13: "host"}
    for record in records(open(path, "rb").read()):
        for field, payload in fields(record):
            if field == 2:
                row = {}
                for inner, data in fields(payload):
                    if inner == 1:
                        set_path(row, *item(data))
                    elif inner == 2:
                        row.setdefault("_step", dict(fields(data)).get(1, 0))
                out(f"row {rows} {checksum(canonical(row))}")
                found = {}
                for key, value in row.items():
                    if key not in ("_step", "_timestamp", "_runtime", "_wandb"):
                        numbers(key, value, found)
                for key, value in found.items():
                    points = series.setdefault(key, [])
                    points.append(f"{rows}:{canonical(value)}")
                rows += 1
            elif field == 3:
                change(summary, payload)
            elif field == 5:
                change(config, payload)
            elif field == 17:
                for inner, data in fields(payload):
                    if inner in names and data:
                        about[names[inner]] = data.decode()
                    elif inner == 10:
                        about.setdefault("tags", []).append(data.decode())
                    elif inner == 4:
                        change(config, data)
            elif field == 7:
                row, time = {}, float("nan")
                for inner, data in fields(payload):
                    if inner == 2:
                        time = timestamp(data)
                    elif inner == 3:
                        set_path(row, *item(data))
                out(f"stats {stats} {canonical(time)} {checksum(canonical(row))}")
                stats += 1
            elif field in (4, 13):
                parts = dict(fields(payload))
                texts[parts.get(1, 0)].append(parts.get(3, b""))
            elif field == 12:
                parts = dict(fields(payload))
                name = (parts.get(1) or parts.get(2) or b"").decode()
                rules[name] = (parts.get(4, b"").decode(), parts.get(8, 0))
            elif field == 18:
                exit_code = dict(fields(payload)).get(1, 0)
    out(f"about {checksum(canonical(about))}")
    out(f"config {checksum(canonical(config))}")
    out(f"summary {checksum(canonical(summary))}")
    for name, tree in (("config", config), ("summary", summary)):
        found = flat(tree)
        text = "".join(f"{key}={canonical(found[key])}" for key in sorted(found))
        out(f"flat {name} {len(found)} {checksum(text)}")
    for stream in (0, 1):
        out(f"output {stream} {checksum(b''.join(texts[stream]))}")
    for name in sorted(rules):
        out(f"rule {name} {rules[name][0]} {rules[name][1]}")
    out(f"exit {exit_code}")
    for key in sorted(series):
        out(f"series {key} {len(series[key])} {checksum(''.join(series[key]))}")


for name in sys.argv[1:]:
    lines = []
    print(f"file {name}")
    try:
        dump(name, lines.append)
    except ValueError as error:
        print(f"refused {error}")
    sys.stdout.write("".join(line + "\n" for line in lines))

"""Rows and settings of a `.wandb` file, read with the standard library alone for `make_guides.py`.

The file is a LevelDB log (blocks of 32 KiB behind a header of 7 bytes; record head: checksum of 4 bytes, length of 2,
type of 1) of protobuf records (`wandb_internal.proto`), of which only history and config are looked at.
"""

import json
import struct

BLOCK = 32768
# Numbers of fields in wandb_internal.proto.
HISTORY, CONFIG, RUN = 2, 5, 17
RUN_CONFIG = 4
ITEM, ITEM_KEY, ITEM_NESTED_KEY, ITEM_JSON = 1, 1, 2, 16


def records(data):
    """The payloads of a LevelDB log."""
    place, parts = 7, []
    while place + 7 <= len(data):
        left = BLOCK - place % BLOCK
        if left < 7:
            place += left
            continue
        _, length, kind = struct.unpack_from("<IHB", data, place)
        parts.append(data[place + 7 : place + 7 + length])
        place += 7 + length
        # 1 is a whole record, 4 the last part of one.
        if kind in (1, 4):
            yield b"".join(parts)
            parts = []


def fields(message):
    """(number, value) of each field of a protobuf message."""
    place = 0

    def varint():
        nonlocal place
        value = shift = 0
        while True:
            byte = message[place]
            place += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while place < len(message):
        tag = varint()
        kind = tag & 7
        if kind == 0:
            yield tag >> 3, varint()
            continue
        length = {1: 8, 5: 4}.get(kind) or varint()
        yield tag >> 3, message[place : place + length]
        place += length


def items(message):
    """{key: value} of the items of a history or config record; nested keys are joined by dots."""
    found = {}
    for number, item in fields(message):
        if number != ITEM:
            continue
        parts, value = [], None
        for part, content in fields(item):
            if part in (ITEM_KEY, ITEM_NESTED_KEY):
                parts.append(content.decode())
            elif part == ITEM_JSON:
                value = json.loads(content)
        found[".".join(parts)] = value
    return found


def read(path):
    """(rows, config): what each step logged, and the settings."""
    rows, config = [], {}
    for record in records(path.read_bytes()):
        for number, message in fields(record):
            if number == HISTORY:
                rows.append(items(message))
            elif number == CONFIG:
                config.update(items(message))
            elif number == RUN:
                for part, content in fields(message):
                    if part == RUN_CONFIG:
                        config.update(items(content))
    return rows, config

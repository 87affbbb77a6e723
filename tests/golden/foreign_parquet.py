"""Parquet files of other suites with a step column put in, and what pyarrow reads in the others.

A table without a column that counts steps is no history of a run. So each file gets one: a page of its own behind the
pages of the file, which stay as they are, and a footer that lists it. The footer is read and written here as any Thrift
structure in the compact protocol, so that whatever else stands in it is kept.

    python3 foreign_parquet.py FOLDER OUT.jsonl.gz    # more files, for the ignored test `parquet::more_files`
"""
import base64, gzip, io, json, math, pathlib, struct, sys

import pyarrow as pa
import pyarrow.parquet as pq

STEP = b"step"
I32, I64, BINARY, LIST, STRUCT = 5, 6, 8, 9, 12


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def byte(self):
        self.at += 1
        return self.data[self.at - 1]

    def varint(self):
        value = shift = 0
        while True:
            byte = self.byte()
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def zigzag(self):
        value = self.varint()
        return (value >> 1) ^ -(value & 1)

    def value(self, kind):
        if kind in (1, 2):
            return kind == 1
        if kind == 3:
            return self.byte()
        if kind in (4, I32, I64):
            return self.zigzag()
        if kind == 7:
            self.at += 8
            return self.data[self.at - 8 : self.at]
        if kind == BINARY:
            length = self.varint()
            self.at += length
            return bytes(self.data[self.at - length : self.at])
        if kind in (LIST, 10):
            head = self.byte()
            length = head >> 4 if head >> 4 < 15 else self.varint()
            items = head & 15
            return [items, [self.byte() == 1 if items in (1, 2) else self.value(items) for _ in range(length)]]
        return self.struct()

    def struct(self):
        """{field id: (kind, value)}."""
        fields, last = {}, 0
        while (head := self.byte()) != 0:
            last = last + (head >> 4) if head >> 4 else self.zigzag()
            fields[last] = (head & 15, self.value(head & 15))
        return fields


def varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out) + bytes([value])


def written(kind, value):
    if kind in (1, 2):
        return b""
    if kind == 3:
        return bytes([value])
    if kind in (4, I32, I64):
        return varint((value << 1) ^ (value >> 63))
    if kind == 7:
        return value
    if kind == BINARY:
        return varint(len(value)) + value
    if kind in (LIST, 10):
        items, values = value
        head = bytes([len(values) << 4 | items]) if len(values) < 15 else bytes([0xF0 | items]) + varint(len(values))
        return head + b"".join(bytes([1 if v else 2]) if items in (1, 2) else written(items, v) for v in values)
    out, last = b"", 0
    for field in sorted(value):
        kind, inner = value[field]
        kind = (1 if inner else 2) if kind in (1, 2) else kind
        delta = field - last
        out += bytes([delta << 4 | kind]) if 0 < delta < 16 else bytes([kind]) + written(I32, field)
        out += written(kind, inner)
        last = field
    return out + b"\0"


def with_step(data):
    length = struct.unpack("<I", data[-8:-4])[0]
    footer = Reader(data[-8 - length : -8]).struct()
    out = data[: -8 - length]
    schema = footer[2][1][1]
    root = schema[0]
    root[5] = (I32, root[5][1] + 1)
    schema.append({1: (I32, 2), 3: (I32, 0), 4: (BINARY, STEP)})
    first = 1
    for group in footer[4][1][1]:
        rows = group[3][1]
        values = b"".join(struct.pack("<q", step) for step in range(first, first + rows))
        first += rows
        # PageHeader: a data page, plain, without levels, as the column is required.
        page = {1: (I32, 0), 2: (I32, len(values)), 3: (I32, len(values)), 5: (STRUCT, {1: (I32, rows), 2: (I32, 0), 3: (I32, 3), 4: (I32, 3)})}
        header = written(STRUCT, page)
        size = len(header) + len(values)
        meta = {1: (I32, 2), 2: (LIST, [I32, [0]]), 3: (LIST, [BINARY, [STEP]]), 4: (I32, 0), 5: (I64, rows), 6: (I64, size), 7: (I64, size), 9: (I64, len(out))}
        group[1][1][1].append({2: (I64, len(out)), 3: (STRUCT, meta)})
        out += header + values
    # Orders of columns are one a column: they say nothing of numbers.
    footer.pop(7, None)
    text = written(STRUCT, footer)
    return out + text + struct.pack("<I", len(text)) + b"PAR1"


def numbers(column):
    """The values of a column as a metric; None where there is none."""
    kind = column.type
    if pa.types.is_decimal(kind):
        return [None if value is None else float(value) for value in column.to_pylist()]
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind)):
        return None
    return [None if value is None else float(value) for value in column.to_pylist()]


def flat(table):
    """Columns of numbers by dotted name. Lists and maps are no metrics."""
    columns = {}
    waiting = [(name, table.column(index).combine_chunks()) for index, name in enumerate(table.column_names)]
    while waiting:
        name, column = waiting.pop(0)
        if isinstance(column, pa.ChunkedArray):
            column = column.combine_chunks()
        if pa.types.is_struct(column.type):
            waiting += [(f"{name}.{field.name}", inner) for field, inner in zip(column.type, column.flatten())]
        elif (values := numbers(column)) is not None:
            columns[name] = [str(value) if value is not None and not math.isfinite(value) else value for value in values]
    return columns


def rows(folder, row, largest=100_000):
    """"columns": the columns of numbers as pyarrow reads them."""
    out = []
    for path in sorted(folder.rglob("*.parquet*")):
        data = path.read_bytes()
        name = path.relative_to(folder).as_posix()
        if len(data) > largest:
            continue
        try:
            columns = flat(pq.ParquetFile(io.BytesIO(data)).read())
        except Exception as error:
            print(f"  {name}: {type(error).__name__}: {str(error)[:80]}")
            columns = None
        try:
            changed = with_step(data)
        except Exception as error:
            print(f"  {name}: no step column: {type(error).__name__} {error}")
            changed = data
        if columns is not None:
            check = flat(pq.ParquetFile(io.BytesIO(changed)).read())
            assert check.pop("step") == list(map(float, range(1, len(next(iter(check.values()), [])) + 1))) or not check, name
        out.append(row(name, changed, columns=columns))
    return out


def main():
    folder, target = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    found = rows(folder, lambda name, data, **expected: {"name": name, "bytes": base64.b64encode(data).decode(), **expected}, 1_000_000)
    target.write_bytes(gzip.compress("".join(json.dumps(row) + "\n" for row in found).encode(), mtime=0))


if __name__ == "__main__":
    main()

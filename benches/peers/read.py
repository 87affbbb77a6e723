"""Reads files as somebody without Rundown would, and prints as JSON who read and the seconds that it took: the peers of
benches/native.rs.

    python read.py KIND FILE...

Each function takes the paths and keeps every number, as Rundown does. Importing is not counted. Each reads twice, and the
faster time counts: the first one may also load parts of the library. What takes long is not repeated.
"""

import importlib.metadata
import json
import platform
import sys
import time


def wandb(paths):
    from wandb.proto import wandb_internal_pb2
    from wandb.sdk.internal import datastore

    def read():
        for path in paths:
            store = datastore.DataStore()
            store.open_for_scan(path)
            while True:
                try:
                    data = store.scan_data()
                except AssertionError:
                    break  # a torn tail
                if data is None:
                    break
                record = wandb_internal_pb2.Record()
                record.ParseFromString(data)
                if record.WhichOneof("record_type") == "history":
                    for item in record.history.item:
                        item.value_json  # turning it into a number is left out, in the peer's favour

    return read


def csv(paths):
    import pandas

    return lambda: [pandas.read_csv(path) for path in paths]


def csv_polars(paths):
    import polars

    return lambda: [polars.read_csv(path) for path in paths]


def csv_polars_one_thread(paths):
    import os

    os.environ["POLARS_MAX_THREADS"] = "1"
    import polars

    return lambda: [polars.read_csv(path) for path in paths]


def json_lines(paths):
    def read():
        for path in paths:
            with open(path, encoding="utf-8") as file:
                rows = [json.loads(line) for line in file]
        return rows

    return read


def json_lines_orjson(paths):
    import orjson

    def read():
        for path in paths:
            with open(path, "rb") as file:
                rows = [orjson.loads(line) for line in file]
        return rows

    return read


def json_document(paths):
    def read():
        for path in paths:
            with open(path, encoding="utf-8") as file:
                document = json.load(file)
        return document

    return read


def dictionaries(paths):
    import ast

    def read():
        rows = []
        for path in paths:
            with open(path, encoding="utf-8") as file:  # universal newlines: \r ends a line as well
                for line in file:
                    line = line.strip()
                    if line.startswith("{") and line.endswith("}"):
                        rows.append(ast.literal_eval(line))
        return rows

    return read


def verl(paths):
    import re

    pair = re.compile(r"([^\s:]+):(-?[0-9.]+(?:e-?[0-9]+)?)(?: - |$)")

    def read():
        rows = []
        for path in paths:
            with open(path, encoding="utf-8") as file:
                for line in file:
                    if "step:" in line:
                        rows.append({name: float(value) for name, value in pair.findall(line.rstrip())})
        return rows

    return read


def tensorboard(paths):
    from tensorboard.backend.event_processing.event_file_loader import EventFileLoader

    def read():
        points = []
        for path in paths:
            for event in EventFileLoader(path).Load():
                for value in event.summary.value:
                    # The loader turns plain numbers into tensors.
                    points.append((event.step, value.tag, value.tensor.float_val))
        return points

    return read


def parquet(paths):
    import pyarrow.parquet

    return lambda: [pyarrow.parquet.read_table(path) for path in paths]


def parquet_one_thread(paths):
    import pyarrow.parquet

    return lambda: [pyarrow.parquet.read_table(path, use_threads=False) for path in paths]


def mlflow(paths):
    import os
    import pathlib

    os.environ["MLFLOW_ALLOW_FILE_STORE"] = os.environ["MLFLOW_ENABLE_FILE_STORE"] = "true"
    from mlflow.store.tracking.file_store import FileStore

    def read():
        found = []
        for path in paths:
            store = FileStore(path)
            for run in pathlib.Path(path).glob("*/*/metrics"):
                for file in run.iterdir():
                    found.append(store.get_metric_history(run.parent.name, file.name))
        return found

    return read


def zipped_csv(paths):
    import zipfile

    import pandas

    def read():
        tables = []
        for path in paths:
            with zipfile.ZipFile(path) as archive:
                tables += [pandas.read_csv(archive.open(name)) for name in archive.namelist()]
        return tables

    return read


# What each is called, and the package that it is.
PEERS = {
    wandb: ("wandb's own reader", "wandb"),
    csv: ("pandas.read_csv", "pandas"),
    csv_polars: ("polars.read_csv", "polars"),
    csv_polars_one_thread: ("polars.read_csv, one thread", "polars"),
    json_lines: ("json.loads a line", None),
    json_lines_orjson: ("orjson.loads a line", "orjson"),
    json_document: ("json.load", None),
    dictionaries: ("ast.literal_eval a line", None),
    verl: ("re.findall and float", None),
    tensorboard: ("EventFileLoader", "tensorboard"),
    parquet: ("pyarrow.parquet", "pyarrow"),
    parquet_one_thread: ("pyarrow.parquet, one thread", "pyarrow"),
    mlflow: ("FileStore", "mlflow-skinny"),
    zipped_csv: ("zipfile and pandas", "pandas"),
}

kind, *files = sys.argv[1:]
read, (what, package) = next(peer for peer in PEERS.items() if peer[0].__name__ == kind)
version = f"{package} {importlib.metadata.version(package)}" if package else f"Python {platform.python_version()}"
work = read(files)
times = []
while len(times) < 2 and sum(times) < 3:
    start = time.perf_counter()
    work()
    times.append(time.perf_counter() - start)
print(json.dumps({"name": f"{what} ({version})", "seconds": min(times)}))

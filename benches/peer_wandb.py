"""Reads .wandb files with wandb's own reader and prints the seconds that it took: the peer of benches/native.rs."""
import sys
import time

from wandb.proto import wandb_internal_pb2
from wandb.sdk.internal import datastore


def read(path):
    store = datastore.DataStore()
    store.open_for_scan(path)
    rows = 0
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
            rows += 1
            for item in record.history.item:
                item.value_json  # decoded by protobuf; turning it into a number is left out, in the peer's favour
    return rows


start = time.perf_counter()
for path in sys.argv[1:]:
    read(path)
print(time.perf_counter() - start)

"""Packs a CSV table as Parquet and into a zip archive: inputs of benches/native.rs that only Python's tools write.

    python pack.py TABLE.csv OUT.parquet OUT.zip
"""

import sys
import zipfile

import pandas

table, parquet, archive = sys.argv[1:]
pandas.read_csv(table).to_parquet(parquet, compression="snappy", index=False)
with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as packed:
    packed.write(table, "runs/one/history.csv")

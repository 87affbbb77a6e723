#!/usr/bin/env python3
"""Packs the sample project, public/sample.tar.gz: six real runs of the corpus.

    tools/make-sample.py [CORPUS]        CORPUS: RUNDOWN_CORPUS, else ../shared/corpus

A visitor waits for it, so the run files are shortened as those of the tests are (tests/corpus/make.py): no profiling rows, one
summary, and console lines of the crashed run alone. The rows of metrics are kept byte for byte. The same corpus gives the same bytes.
"""

import gzip
import io
import os
import pathlib
import sys
import tarfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests/corpus"))
from make import shortened  # noqa: E402

# A conservative run, a collapsed one, one that games its reward, a crashed one, one whose reward breaks, and a healthy one.
RUNS = ("amber-03", "amber-06", "amber-07", "amber-10", "amber-12", "sweep-05")
# Its last console lines say why it ended.
CRASHED = "amber-10"


def main():
    given = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("RUNDOWN_CORPUS", HERE.parent / "../shared/corpus")
    corpus = pathlib.Path(given) / "tiny-grpo"
    raw = io.BytesIO()
    with tarfile.open(fileobj=raw, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for path in sorted(path for run in RUNS for path in (corpus / run).rglob("*.wandb")):
            name = path.relative_to(corpus).as_posix()
            data = shortened(path.read_bytes(), console=name.startswith(CRASHED))
            entry = tarfile.TarInfo(name)
            entry.size, entry.mode = len(data), 0o644
            archive.addfile(entry, io.BytesIO(data))
    packed = gzip.compress(raw.getvalue(), compresslevel=9, mtime=0)
    target = HERE.parent / "public/sample.tar.gz"
    target.write_bytes(packed)
    print(f"{target}: {len(packed)} bytes")


if __name__ == "__main__":
    main()

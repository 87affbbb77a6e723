#!/usr/bin/env python3
"""Writes yaml_dumps.jsonl.gz: settings as PyYAML, OmegaConf and Go's yaml.v3 write them, with the values that PyYAML reads.

    pip install pyyaml omegaconf
    apt-get install golang-go golang-gopkg-yaml.v3-dev
    python3 tests/golden/make_yaml.py

One line a file: {"by": writer, "yaml": the file, "values": what PyYAML reads, as JSON text (it may hold NaN)};
"with_exponents" where that differs, see WithExponents. Where PyYAML refuses the file, "values" is null, and "written" what
Go was given. Four things are not PyYAML's own
(docs/decisions/yaml.md): dates stay texts as they are written, keys too, tags of Python objects give what they are made
from, and so does !!binary.
"""
import collections, datetime, gzip, json, pathlib, random, re, string, subprocess
import yaml
from omegaconf import OmegaConf

HERE = pathlib.Path(__file__).parent
RANDOM = random.Random(22)


class Loader(yaml.SafeLoader):
    """SafeLoader, without dates, with the keys of mappings as they are written."""

    yaml_implicit_resolvers = {
        first: [rule for rule in rules if rule[0] != "tag:yaml.org,2002:timestamp"]
        for first, rules in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }

    def construct_mapping(self, node, deep=False):
        self.flatten_mapping(node)
        mapping = {}
        for key, value in node.value:
            if isinstance(key, yaml.ScalarNode):
                name = key.value
            elif isinstance(key, yaml.SequenceNode) and all(isinstance(item, yaml.ScalarNode) for item in key.value):
                name = "[" + ", ".join(item.value for item in key.value) + "]"
            else:
                raise yaml.constructor.ConstructorError(None, None, "found unhashable key", key.start_mark)
            mapping[name] = self.construct_object(value, deep=True)
        return mapping

    def any_node(self, suffix, node):
        if isinstance(node, yaml.MappingNode):
            return self.construct_mapping(node, deep=True)
        if isinstance(node, yaml.SequenceNode):
            return self.construct_sequence(node, deep=True)
        if suffix.split(":")[0] in ("name", "module") and not node.value:
            return suffix.split(":", 1)[1]
        if suffix in ("int", "long", "float", "bool", "none", "str", "unicode"):
            tag = {"long": "int", "none": "null", "unicode": "str"}.get(suffix, suffix)
            node.tag = "tag:yaml.org,2002:" + tag
            return self.construct_object(node)
        return node.value


def plain_mapping(loader, node):
    return loader.construct_mapping(node, deep=True)


Loader.add_constructor("tag:yaml.org,2002:map", plain_mapping)
Loader.add_constructor("tag:yaml.org,2002:set", plain_mapping)
Loader.add_constructor("tag:yaml.org,2002:binary", lambda loader, node: node.value)
Loader.add_constructor("tag:yaml.org,2002:timestamp", lambda loader, node: node.value)
for pairs in ("omap", "pairs"):
    Loader.add_constructor(f"tag:yaml.org,2002:{pairs}", lambda loader, node: loader.construct_sequence(node, deep=True))
Loader.add_multi_constructor("tag:yaml.org,2002:python/", Loader.any_node)

class WithExponents(Loader):
    """Loader, with the one form of numbers that Rundown adds: an exponent without a dot or a sign."""


EXPONENT = r"""^[-+]?(?:[0-9][0-9_]*[eE][-+][0-9]+
                       |[0-9]{1,3}[eE][0-9]{1,2}
                       |[0-9][0-9_]*\.[0-9_]*[eE][0-9]+)$
              |^\.[0-9][0-9_]*[eE][0-9]+$"""
WithExponents.add_implicit_resolver("tag:yaml.org,2002:float", re.compile(EXPONENT, re.X), list("-+.0123456789"))

TRICKY = """yes no on off y n Yes NO null Null ~ true False 1e5 1e-05 1E5 -1e+3 1.5e3 2.5e-7 12:30 1:30:00 190:20:30.15 0755 0889 0o17
0x1F 0b101 1_000 1_000.5 1__0 0_7 -.5 .5 5. +.5 +12 -0 00 .inf -.INF .nan nan inf = << ? - : -- --- ... | > ! & * % @ ` # , [ ] { }
'q' "d" a:b a: :a #a a#b ${a.b} ${oc.env:HOME,/tmp} ${now:%Y-%m-%d} ${.lr} 12e4567 1234e56 0000123 4e12345 1.2.3 v1 1. ._1 _1 1_ 0x 0b
2026-11-01 2026-11-01T12:00:00Z 10:10:10 C:\\path \\n /a/b http://h:1/x?y=1#z <s> </s> {{x}} {%if%} 100% 50:50 3/16 -1 +- ++ e5 1e""".split()
TRICKY += ["", " ", "  two", "two  ", "- a", "a: b", "a #b", "? x", "! x", "% x", "| x", "a\tb", "\t", "\ta", "a\n", "\na", "a\nb", "a\n\nb\n",
           "a\n  b\n c\n\n\n", " a\nb", "\n\n", "\n", "é", "日本語のプロンプト", "😀", "a\u2028b", "a\u2029 b", "a\x85b", "\ufeffa", "a\x00b", "\x07",
           "\x1b[0m", "\xa0", "a\r\nb", "a\rb", "one: 'two' \"three\"", "it's", '"', "''", "\\", "a\\\nb", "#", "a \nb", "a\n\tb", "12:30 ", "true "]
WORDS = """You are a helpful assistant. Think step by step, and put the answer in \\boxed{}. reward: 0.5 lr=1e-6 don't "quote" -- # x : y [a] {b} &
<think> </think> %d 1e5 yes: no, éà 日本 * - ? ! | > @ ` ~ 12:30""".split()


def text():
    kind = RANDOM.random()
    if kind < 0.45:
        return RANDOM.choice(TRICKY)
    if kind < 0.6:
        return "".join(RANDOM.choices(string.ascii_letters + string.digits + "_-./", k=RANDOM.randint(1, 30)))
    if kind < 0.7:
        return "".join(RANDOM.choices(" \n\t:#-'\"\\ab1,[]{}é", k=RANDOM.randint(1, 12)))
    words = RANDOM.choices(WORDS, k=RANDOM.randint(2, 30))
    return "".join(word + RANDOM.choices([" ", "\n", "\n\n", "  ", "\n  "], [80, 10, 3, 3, 2])[0] for word in words)


def number():
    return RANDOM.choice([
        lambda: RANDOM.randint(-10, 100), lambda: RANDOM.randint(-(2**70), 2**70), lambda: RANDOM.random(),
        lambda: RANDOM.choice([1e-5, 1e-06, 5e-7, 1e22, 1e16, 1.5e300, 2.0, -0.0, 1e5, 123456.0, 3e-5]),
        lambda: RANDOM.choice([float("inf"), float("-inf"), float("nan")]), lambda: RANDOM.uniform(-1e9, 1e9),
    ])()


def scalar():
    return RANDOM.choices([text, number, lambda: RANDOM.choice([True, False]), lambda: None], [6, 4, 1, 1])[0]()


def key(simple):
    if simple or RANDOM.random() < 0.8:
        return RANDOM.choice("lr beta model.name data train_batch_size actor seed env value0 desc0".split()) + str(RANDOM.randint(0, 99))
    return RANDOM.choice([text, lambda: RANDOM.randint(-5, 5000), lambda: RANDOM.random(), lambda: RANDOM.choice([True, False, None])])()


def tree(depth, python=False, simple=False):
    kind = RANDOM.random()
    if depth == 0 or kind < 0.45:
        return scalar()
    if kind < 0.65:
        return [tree(depth - 1, python, simple) for _ in range(RANDOM.randint(0, 4))]
    if python and kind < 0.75:
        return RANDOM.choice([
            lambda: tuple(tree(depth - 1, python) for _ in range(RANDOM.randint(0, 3))),
            lambda: {text() for _ in range(RANDOM.randint(0, 3))},
            lambda: datetime.date(2026, 11, RANDOM.randint(1, 30)),
            lambda: datetime.datetime(2026, 11, 1, 12, 30, RANDOM.randint(0, 59), RANDOM.choice([0, 123456])),
            lambda: pathlib.PurePosixPath("/data/runs") / "x",
            lambda: collections.OrderedDict(a=tree(depth - 1), b=1),
            lambda: RANDOM.choice([len, json.dumps, collections.OrderedDict]),
            lambda: RANDOM.choice([b"\x00\x01binary", complex(1, 2), json]),
            lambda: {(1, "a"): tree(depth - 1), (2, "b"): 1},
        ])()
    return mapping(depth, python, simple)


def mapping(depth, python=False, simple=False):
    out = {key(simple): tree(depth - 1, python, simple) for _ in range(RANDOM.randint(1, 6))}
    if python and RANDOM.random() < 0.3:
        shared = tree(2)
        out["shared1"] = shared
        out["shared2"] = [shared, {"again": shared}]
    return out


def dump(value, python):
    style = RANDOM.choices([None, '"', "'", "|", ">"], [12, 1, 1, 1, 1])[0]
    options = dict(
        default_flow_style=RANDOM.choice([False, False, True, None]), width=RANDOM.choice([20, 40, 80, 80, 1000, float("inf")]),
        allow_unicode=RANDOM.choice([True, False]), indent=RANDOM.choice([2, 2, 4, 8]), default_style=style, sort_keys=False,
        explicit_start=RANDOM.random() < 0.1, explicit_end=RANDOM.random() < 0.1, canonical=RANDOM.random() < 0.04,
        line_break=RANDOM.choice(["\n", "\n", "\n", "\r\n"]), version=RANDOM.choice([None] * 9 + [(1, 1)]),
    )
    return (yaml.dump if python else yaml.safe_dump)(value, **options)


def wandb_config(value):
    """As W&B's SDK writes config.yaml."""
    wrapped = {"wandb_version": 1, "_wandb": {"desc": None, "value": {"cli_version": "0.16.0"}}}
    wrapped |= {str(name): {"desc": None, "value": inner} for name, inner in value.items()}
    return yaml.dump(wrapped, default_flow_style=False, allow_unicode=True)


def read(text, loader=Loader):
    """What a loader reads, as JSON text; None where it refuses."""
    try:
        return json.dumps(loader(text).get_single_data(), ensure_ascii=False)
    except (yaml.YAMLError, ValueError, LookupError, TypeError, AttributeError):
        return None


def both(text):
    """What PyYAML reads, and with exponents where that differs."""
    values, with_exponents = read(text), read(text, WithExponents)
    return {"values": values} | ({"with_exponents": with_exponents} if with_exponents != values else {})


def finite(value):
    """What a Go program holds: 64-bit integers, and JSON's numbers."""
    if isinstance(value, dict):
        return {str(name): finite(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [finite(inner) for inner in value]
    if isinstance(value, int):
        return value if abs(value) < 2**63 else 7
    if isinstance(value, str) and "\n" in value:
        # yaml.v3 loses a line break and blanks at the start of a text of several lines.
        return value.lstrip()
    if isinstance(value, float):
        # Adding 0 makes 0 of -0, which yaml.v3 writes as an integer.
        return 0.25 if value != value or abs(value) == float("inf") else value + 0.0
    return value


def cases():
    for _ in range(200):
        yield "PyYAML safe_dump", dump(mapping(3), False)
    for _ in range(130):
        yield "PyYAML dump", dump(mapping(3, python=True), True)
    for _ in range(60):
        yield "W&B", wandb_config(mapping(3))
    for _ in range(60):
        yield "OmegaConf", OmegaConf.to_yaml(OmegaConf.create(mapping(3, simple=True)))
    values = [finite(mapping(3)) for _ in range(120)]
    lines = "".join(json.dumps(value, ensure_ascii=False) + "\n" for value in values)
    env = {"GO111MODULE": "off", "GOPATH": "/usr/share/gocode", "PATH": "/usr/bin:/bin", "HOME": "/tmp", "GOFLAGS": ""}
    out = subprocess.run(["go", "run", HERE / "yaml_v3.go"], input=lines, capture_output=True, text=True, check=True, env=env)
    for line, value in zip(out.stdout.splitlines(), values, strict=True):
        yield "Go yaml.v3", json.loads(line), value
    # Each form of a plain scalar, as a person writes it.
    for word in TRICKY:
        if word.strip() == word and "\n" not in word and word.isprintable():
            yield "by hand", f"a: {word}\nb: [{word}, 1]\n{word}: c\n"
            yield "by hand", f"a: !!str {word}\n"
    for tag in "int float bool null str binary timestamp".split():
        for word in ["1", "'1'", "1.5", ".inf", "yes", "''", "0x10", "12:30", "x", "{a: 1}", "[1]", "[a: 1]"]:
            yield "by hand", f"a: !!{tag} {word}\nb: 2\n"


def main():
    rows = []
    for by, text, *written in cases():
        row = {"by": by, "yaml": text, **both(text)}
        if row["values"] is None and written:
            row["written"] = json.dumps(written[0], ensure_ascii=False)
        rows.append(row)
    data = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()
    (HERE / "yaml_dumps.jsonl.gz").write_bytes(gzip.compress(data, 9, mtime=0))
    refused = sum(row["values"] is None for row in rows)
    print(f"{len(rows)} files, {len(data)} bytes; PyYAML refuses {refused}")


if __name__ == "__main__":
    main()

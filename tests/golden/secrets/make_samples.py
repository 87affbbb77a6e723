#!/usr/bin/env python3
"""Sample secrets from gitleaks' own tests, as tests/report/recall.rs reads them.

    git clone https://github.com/gitleaks/gitleaks
    python3 make_samples.py gitleaks > samples.txt

gitleaks (MIT) keeps for every rule texts that it must find; many are made from a pattern, with letters drawn anew. This
evaluates those Go expressions, draws with a fixed seed, and asks the rule's own pattern where in the text the secret
lies. Of the 28 ways to write an assignment three are kept for each secret (`--all` keeps them all).

Each line is a rule, a kind, a text and its secret, as JSON, written backwards: so that nothing takes these files for a
leak.
"""

import base64
import json
import pathlib
import random
import re
import signal
import sys
import tomllib

CLOUD = """alibaba aws azure clickhouse cloudflare confluent databricks datadog digitalocean doppler dynatrace fastly flyio
gcp github gitlab grafana harness hashicorp heroku infracost jfrog artifactory kubernetes launchdarkly netlify new-relic
npm okta openshift planetscale prefect pulumi pypi rubygems scalingo sentry snyk sonar sourcegraph sumologic vault yandex
bitbucket codecov droneci travisci octopus atlassian defined-networking private-key jwt curl age 1password generic
elastic cisco""".split()
AI = "anthropic cohere huggingface openai perplexity privateai".split()
CHAT = "discord gitter intercom mattermost microsoft-teams sendbird slack telegram twilio twitch zendesk".split()

# Samples kept of one rule.
MOST = 8

DIGITS, LOWER, UPPER = "0123456789", "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
ALNUM = LOWER + DIGITS
CLASSES = {"w": LOWER + UPPER + DIGITS + "_", "d": DIGITS, "S": LOWER + UPPER + DIGITS, "s": " "}


def kind_of(rule):
    for kind, names in (("cloud", CLOUD), ("ai", AI), ("chat", CHAT)):
        if any(rule.startswith(name) for name in names):
            return kind
    return "other"


class Draw:
    """A text that a pattern of gitleaks' tests matches."""

    def __init__(self, rng):
        self.rng = rng

    def text(self, pattern):
        parsed = re._parser.parse(python_pattern(pattern))
        return "".join(self.part(item) for item in parsed)

    def part(self, item):
        name, value = str(item[0]), item[1]
        if name == "LITERAL":
            return chr(value)
        if name == "IN":
            return self.rng.choice(sorted(self.letters(value)))
        if name == "MAX_REPEAT" or name == "MIN_REPEAT":
            low, high, inner = value
            high = min(int(high), low + 10)
            return "".join("".join(self.part(one) for one in inner) for _ in range(self.rng.randint(low, high)))
        if name == "SUBPATTERN":
            return "".join(self.part(one) for one in value[3])
        if name == "BRANCH":
            return "".join(self.part(one) for one in self.rng.choice(value[1]))
        if name == "AT":
            return ""
        raise ValueError(f"{name} in a pattern")

    def letters(self, members):
        found = set()
        for name, value in members:
            name = str(name)
            if name == "LITERAL":
                found.add(chr(value))
            elif name == "RANGE":
                found.update(chr(code) for code in range(value[0], value[1] + 1))
            elif name == "CATEGORY":
                found.update(CLASSES["w" if "WORD" in str(value) else "d" if "DIGIT" in str(value) else "s"])
            else:
                raise ValueError(f"{name} in a class")
        return found


def python_pattern(pattern):
    """A pattern of Go as Python writes it: flags within a group become a group."""
    pattern = pattern.replace("[[:alnum:]]", "[A-Za-z0-9]").replace("[:alnum:]", "A-Za-z0-9").replace(r"\z", r"\Z")
    flagged, open_groups, out, at, in_class = 0, [0], [], 0, False
    while at < len(pattern):
        if pattern[at] == "\\":
            out.append(pattern[at : at + 2])
            at += 2
            continue
        if in_class:
            in_class = pattern[at] != "]"
            out.append(pattern[at])
            at += 1
            continue
        if pattern[at] == "[":
            in_class = True
            length = 2 if pattern[at + 1] == "^" else 1
            # A bracket right after the opening one is a member of the class.
            length += pattern[at + length] == "]"
            out.append(pattern[at : at + length])
            at += length
            continue
        flag = re.match(r"\(\?([is]+)\)", pattern[at:])
        if flag:
            out.append(f"(?{flag[1]}:")
            open_groups[-1] += 1
            at += len(flag[0])
            continue
        if pattern[at] == "(":
            open_groups.append(0)
        elif pattern[at] == ")":
            out.append(")" * open_groups.pop())
        elif pattern[at] == "|" and open_groups[-1]:
            # The flags hold in the other branches too.
            pass
        out.append(pattern[at])
        at += 1
    return "".join(out) + ")" * open_groups.pop()


class Go:
    """Enough of Go to evaluate the expressions of those tests."""

    TOKEN = re.compile(r'\s+|//[^\n]*|(`[^`]*`|"(?:\\.|[^"\\])*")|([A-Za-z_]\w*(?:\.\w+)*)|(\.\.\.|:=|.)', re.S)

    def __init__(self, text, draw, templates):
        self.tokens = [m[0] for m in self.TOKEN.finditer(text) if m[0].strip() and not m[0].startswith("//")]
        self.at, self.draw, self.templates, self.names = 0, draw, templates, {}

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, wanted=None):
        token = self.peek()
        if not token:
            raise ValueError("the end is not expected")
        if wanted and token != wanted:
            raise ValueError(f"{wanted} expected, {token} found")
        self.at += 1
        return token

    def expression(self):
        value = self.operand()
        while self.peek() == "+":
            self.take()
            value = value + self.operand()
        return value

    def operand(self):
        token = self.take()
        if token[0] == "`":
            return token[1:-1]
        if token[0] == '"':
            return json.loads(token.replace("\\'", "'").replace(r"\x60", "`"))
        if token == "[" and self.tokens[self.at : self.at + 3] == ["]", "byte", "("]:
            self.at += 2
            return self.call("byte")
        if token == "[" or token == "map":
            return self.list_of()
        if token.isdigit():
            return token
        if self.peek() == "(":
            return self.call(token)
        if token in self.names:
            return self.names[token]
        raise ValueError(f"{token} is not known")

    def list_of(self):
        while self.take() != "{":
            pass
        values = []
        while self.peek() != "}":
            value = self.expression()
            if self.peek() == ":":
                self.take()
                value = self.expression()
            values.append(value)
            if self.peek() == ",":
                self.take()
        self.take("}")
        return values

    def call(self, name):
        self.take("(")
        values = []
        while self.peek() != ")":
            value = self.expression()
            if self.peek() == "...":
                self.take()
            values.append(value)
            if self.peek() == ",":
                self.take()
        self.take(")")
        short = name.split(".")[-1]
        size = values[0] if values else ""
        if short == "NewSecret":
            return self.draw.text(values[0])
        if short == "EncodeToString":
            return base64.b64encode(values[0].encode()).decode()
        if short == "byte":
            return values[0]
        if short == "Sprintf":
            return values[0].replace("%%", "%") % tuple(values[1:]) if len(values) > 1 else values[0]
        if short == "ToUpper":
            return values[0].upper()
        if short == "Repeat":
            return values[0] * int(values[1])
        if short == "GenerateSampleSecret":
            return f'{values[0]}_api_token = "{values[1]}"'
        if short == "GenerateSampleSecrets":
            fill = lambda way: way.replace("{i}", values[0]).replace("{I}", values[0].upper()).replace("{s}", values[1])
            return Ways(fill(way) for way in self.templates)
        if short == "append":
            out = list(values[0])
            for value in values[1:]:
                out.append(value)
            return out
        classes = {
            "Numeric": "[0-9]{%s}",
            "Hex": "[a-f0-9]{%s}",
            "AlphaNumeric": "[a-z0-9]{%s}",
            "AlphaNumericExtendedShort": "[a-z0-9_-]{%s}",
            "AlphaNumericExtended": r"[a-z0-9=_\-]{%s}",
            "AlphaNumericExtendedLong": r"[a-z0-9\/=_\+\-]{%s}",
            "Hex8_4_4_4_12": "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}%s",
        }
        return classes[short] % size


def too_long(*_):
    raise TimeoutError


class Ways(list):
    """The same secret in all ways to write an assignment."""


def flat(values, every):
    """The texts, of each list of ways three, not always the same."""
    if isinstance(values, str):
        yield values
        return
    if isinstance(values, Ways) and not every:
        start = sum(map(ord, "".join(values))) % len(values)
        values = [values[(start + step * 11) % len(values)] for step in range(3)]
    for value in values:
        yield from flat(value, every)


def samples_of(function, draw, templates, every):
    names = {}
    texts = []
    for name, body in re.findall(r"^\t(\w+) :?= (.*?)(?=^\t(?:\w+ :?= |return|var |if |for |//)|^\}|\Z)", function, re.M | re.S):
        if name in ("fps", "r"):
            continue
        go = Go(body, draw, templates)
        go.names = names
        try:
            names[name] = go.expression()
        except (ValueError, KeyError, TypeError, json.JSONDecodeError) as error:
            print(f"not read: {name} = {body[:60]!r}: {error}", file=sys.stderr)
    if "tps" in names:
        texts.extend(flat(names["tps"], every))
    return texts


def main():
    root, every = pathlib.Path(sys.argv[1]), "--all" in sys.argv
    rules = {rule["id"]: rule for rule in tomllib.loads((root / "config/gitleaks.toml").read_text())["rules"]}
    code = root / "cmd/generate/config"
    generator = (code / "utils/generate.go").read_text()
    ways = re.search(r"samples := map\[string\]string\{(.*?)\n\t\}", generator, re.S)[1]
    signal.signal(signal.SIGALRM, too_long)
    draw = Draw(random.Random(20260722))
    templates = [Go(way, draw, []).expression() for way in re.findall(r'^\s*"[^"]+":\s*((?:"(?:\\.|[^"\\])*"|`[^`]*`)),', ways, re.M)]
    kept, unmatched = 0, 0
    for path in sorted((code / "rules").glob("*.go")):
        for function in re.findall(r"^func \w+\(\).*?^\}", path.read_text(), re.M | re.S):
            name = re.search(r'RuleID:\s*"([^"]+)"', function)
            rule = rules.get(name[1]) if name else None
            if not rule or "regex" not in rule:
                continue
            pattern = re.compile(python_pattern(rule["regex"]), re.M if "(?m)" in rule["regex"] else 0)
            texts = samples_of(function, draw, templates, every)
            for text in texts if every else texts[:: max(1, -(-len(texts) // MOST))]:
                # A pattern that Go searches in linear time may take Python for ever.
                signal.setitimer(signal.ITIMER_REAL, 0.5)
                try:
                    found = pattern.search(text)
                except TimeoutError:
                    found = None
                signal.setitimer(signal.ITIMER_REAL, 0)
                if not found:
                    unmatched += 1
                    continue
                secret = max((group for group in found.groups() if group), key=len, default=found[0])
                line = json.dumps([rule["id"], kind_of(rule["id"]), text, secret], ensure_ascii=True)
                print(line[::-1])
                kept += 1
    print(f"{kept} samples; {unmatched} that the rule's pattern does not match", file=sys.stderr)


main()

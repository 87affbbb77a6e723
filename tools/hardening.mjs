// Writes docs/hardening.md out of what the tests printed: lines of JSON, and the names of the tests that passed.
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';

const folder = process.argv[2];
const log = (name) => readFileSync(`${folder}/${name}.log`, 'utf8');
const rows = (name) =>
  log(name)
    .split('\n')
    .map((line) => line.slice(line.indexOf('{"')))
    .filter((line) => line.startsWith('{"') && line.endsWith('}'))
    .map((line) => JSON.parse(line));
const passed = (name) => [...log(name).matchAll(/^test (\S+)(?: - should panic)? \.\.\. ok$/gm)].map((match) => match[1]);

const count = (number) => Number(number).toLocaleString('en');
const cell = (value) => String(value ?? '').replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('\n', ' ').replaceAll('\u001b', '␛');
const table = (heads, lines) =>
  [heads, heads.map(() => '---'), ...lines].map((line) => `| ${line.map(cell).join(' | ')} |`).join('\n');
const words = (name) => name.split('::').at(-1).replaceAll('_', ' ');

const counts = JSON.parse(readFileSync('fuzz/counts.json', 'utf8'));
const fuzz = Object.entries(counts);
const hours = fuzz.reduce((sum, [, run]) => sum + run.seconds, 0) / 3600;
const every = rows('damage');
// The same file may stand in two of the folders.
const attacks = [...new Map(rows('attacks').map((row) => [row.file, row])).values()];
const sum = (list, key) => list.reduce((total, row) => total + row[key], 0);
const foreign = rows('foreign');
const many = rows('faults').find((row) => row.table === 'many files');

const page = `# Hardening

What was tried against Rundown and what came of it. \`make hardening\` writes this page (on a machine with ${cpus().length} cores; times are
of an optimised build, in the browser of a development machine without a graphics card). The same checks run in \`make test\`, most of
them in a shorter form.

## Hostile servers

A server in front of a real one misbehaves in one way after the other (\`tests/e2e/servers/evil\`): the page goes on, its memory stays
small, "Cancel" ends what is under way, and the message says what the server did.

${table(
  ['server', 'does', 'seconds', 'peak of the tab, MB', 'the page says'],
  rows('network').filter((row) => row.mode).map((row) => [row.server, row.mode, row.seconds, row.peak_mb, row.says.replace(/\s+Dismiss$/, '')]),
)}

## Hostile files

Archives and compressed files that unpack to gigabytes, tables with a million columns, JSON a million levels deep. Each is read in a
process of its own (\`tests/ingest/too_large.rs\`); the longest step is how long a "Cancel" waits at most.

${table(
  ['file', 'bytes', 'runs', 'problems', 'the first one', 'peak, MB', 'seconds', 'longest step, ms'],
  attacks.map((row) => [
    row.file, count(row.bytes), row.runs, row.problems, row.first, row.peak_mb, row.seconds, row.longest_step_ms,
  ]),
)}

## Damaged files

A small file of each format, cut at every byte and with one bit flipped in every byte: what stands before the damage is read, the
damage is told, nothing panics (\`tests/ingest/every_byte.rs\`). ${count(sum(every, 'cuts') + sum(every, 'flips'))} files in all.

${table(
  ['file', 'bytes', 'cut', 'flipped', 'most problems of one'],
  every.map((row) => [row.file, count(row.bytes), count(row.cuts), count(row.flips), row.most_problems]),
)}

## Test suites of other projects

Their files are dropped as a user would drop them, and what is read is held to what the reference reader says (\`tests/foreign\`).

${table(
  ['suite', 'files', 'read as the reference does', 'refused with a clear problem', 'read otherwise on purpose', 'wrong'],
  foreign.map((row) => [
    row.suite, row.files, row.same, row.refused,
    Object.entries(row.decided).map(([why, which]) => `${why}: ${Array.isArray(which) ? which.length : which}`).join('; '), row.wrong,
  ]),
)}

## Fuzzing

libFuzzer on ${fuzz.length} targets (\`fuzz/\`), with overflow checks: no panic, memory in proportion, the same result however bytes are
sliced, reports that read back, no secret that survives. ${hours.toFixed(1)} hours of processor time so far, ${count(sum(fuzz.map(([, run]) => run), 'inputs'))} inputs;
every find is a test (${passed('seeds').length} tests of seeds and finds).

${table(
  ['target', 'processor seconds', 'inputs', 'features covered', 'peak, MB', 'finds'],
  fuzz.map(([name, run]) => [name, count(run.seconds), count(run.inputs), count(run.features), run.peak_mb, run.finds]),
)}

## Secrets

Redaction against the sample secrets of gitleaks' own rules, against what stands in a telling context, and against strings of the
field that are no secrets (\`tests/report/recall.rs\`).

${table(
  ['kind', 'samples', 'redacted'],
  rows('secrets').map((row) => [row.kind, row.samples, row.found]),
)}

## Faults of the browser and the machine

Each is a test in a browser (\`tests/e2e/faults\`): the page shows a message, and nothing else is lost.

${passed('faults').map((name) => `- ${words(name)}`).join('\n')}

A folder of ${count(many?.files ?? 0)} files with ${count(many?.runs ?? 0)} runs is read in ${many?.seconds} s; the longest task of the page from
then on took ${many?.longest_task_ms} ms.
`;
writeFileSync('docs/hardening.md', page);

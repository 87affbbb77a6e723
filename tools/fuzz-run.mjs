// Adds one run of a fuzz target, out of libFuzzer's log, to what is known in fuzz/counts.json. Prints the run.
import { readFileSync, writeFileSync } from 'node:fs';

// `seconds` are those of the processor.
const [target, seconds, found, log] = process.argv.slice(2);
const text = readFileSync(log, 'utf8');
const last = (pattern) => Number([...text.matchAll(pattern)].at(-1)?.[1] ?? 0);
const run = {
  seconds: Number(seconds),
  inputs: last(/stat::number_of_executed_units:\s+(\d+)/g) || last(/^#(\d+)/gm),
  features: last(/ft: (\d+)/g),
  peak_mb: last(/stat::peak_rss_mb:\s+(\d+)/g),
  finds: Number(found),
};
console.log(JSON.stringify({ target, ...run }));

const file = new URL('../fuzz/counts.json', import.meta.url);
let counts = {};
try {
  counts = JSON.parse(readFileSync(file, 'utf8'));
} catch {
  // The first run of all.
}
const known = counts[target] ?? { seconds: 0, inputs: 0, features: 0, peak_mb: 0, finds: 0 };
counts[target] = {
  seconds: known.seconds + run.seconds,
  inputs: known.inputs + run.inputs,
  features: Math.max(known.features, run.features),
  peak_mb: Math.max(known.peak_mb, run.peak_mb),
  finds: known.finds + run.finds,
};
const rows = Object.keys(counts).sort().map((name) => `  ${JSON.stringify(name)}: ${JSON.stringify(counts[name])}`);
writeFileSync(file, `{\n${rows.join(',\n')}\n}\n`);

// One line of JSON on one run of a fuzz target, out of libFuzzer's log.
import { readFileSync } from 'node:fs';

const [target, seconds, found, log] = process.argv.slice(2);
const text = readFileSync(log, 'utf8');
const last = (pattern) => Number([...text.matchAll(pattern)].at(-1)?.[1] ?? 0);
const run = {
  target,
  seconds: last(/Done \d+ runs in (\d+) second/g) || Number(seconds),
  inputs: last(/stat::number_of_executed_units:\s+(\d+)/g) || last(/^#(\d+)/gm),
  features: last(/ft: (\d+)/g),
  peak_mb: last(/stat::peak_rss_mb:\s+(\d+)/g),
  finds: Number(found),
};
console.log(JSON.stringify(run));

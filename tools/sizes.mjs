// Prints what a first visit downloads, and fails above the budgets of the two programs, or where dist/ holds a third one.
import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const dist = "dist";
const unoptimised = join(process.env.CARGO_TARGET_DIR ?? "target", "wasm-bindgen/release");
// docs/decisions/page-size.md says why they are not those of the design.
const budgets_kb = { page: 750, engine: 2185 };

const parts = { page: /^rundown-[0-9a-f]+(_bg\.wasm|\.js)$/, engine: /^engine(_bg\.wasm|\.js)$/, other: /\.(html|css)$/ };
const kb = (bytes) => `${(bytes / 1000).toFixed(1)} kB`.padStart(10);
let over = false;

const programs = readdirSync(dist).filter((name) => name.endsWith(".wasm"));
if (programs.length !== 2) {
  console.log(`dist/ holds ${programs.length} programs, expected the page and the engine: ${programs.join(", ")}`);
  over = true;
}
for (const [part, pattern] of Object.entries(parts)) {
  const names = readdirSync(dist).filter((name) => pattern.test(name)).sort();
  let total = 0;
  for (const name of names) {
    const content = readFileSync(join(dist, name));
    const gzipped = gzipSync(content).length;
    total += gzipped;
    const before = name.endsWith(".wasm") ? `, ${kb(statSync(join(unoptimised, `${part === "page" ? "rundown" : part}_bg.wasm`)).size).trim()} before wasm-opt` : "";
    console.log(`${name.padEnd(36)} ${kb(gzipped)} gzipped (${kb(content.length).trim()}${before})`);
  }
  const budget = budgets_kb[part];
  if (budget === undefined) continue;
  // A pattern that matches nothing would always be within budget.
  const complete = names.length === 2;
  const fits = total <= budget * 1000;
  console.log(`${part.padEnd(36)} ${kb(total)} of ${budget} kB${fits ? "" : ": over budget"}${complete ? "" : ": files are missing"}`);
  over ||= !fits || !complete;
}
process.exit(over ? 1 : 0);

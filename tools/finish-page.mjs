// Trunk's post_build hook: fills the placeholders that index.html and sw.js leave, because their values are only known once
// the page is built. Fails rather than ship a page whose policy or engine version is wrong.
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const dir = process.env.TRUNK_STAGING_DIR;
if (!dir) fail("TRUNK_STAGING_DIR is not set: this is a hook of `trunk build`");
const page = join(dir, "index.html");
// Comments explain index.html to its authors and stay out of the page.
let html = readFileSync(page, "utf8").replace(/[ \t]*<!--[\s\S]*?-->\n?/g, "");

// The engine's files keep their names, so their content's hash goes into the query string instead: into the page's
// meta element, where the scripts find it.
const engine = ["engine.js", "engine_bg.wasm"];
const engineVersion = hashOf(engine);
html = fill("index.html", html, "ENGINE-VERSION", 1, engineVersion);

// One style sheet in place of one for each part of the page: the first paint waits for all of them.
const sheets = [...html.matchAll(/[ \t]*<link rel="stylesheet" href="\.\/([^"]+\.css)"\/?>\n?/g)];
if (sheets.length === 0) fail("index.html names no style sheet");
// Without comments: a fifth of its bytes on the way, and the first paint waits for them.
const styles = sheets.map(([, name]) => readFileSync(join(dir, name), "utf8")).join("\n").replace(/[ \t]*\/\*[\s\S]*?\*\/\n?/g, "");
for (const [, name] of sheets) rmSync(join(dir, name));
const sheet = `style-${createHash("sha256").update(styles).digest("hex").slice(0, 16)}.css`;
writeFileSync(join(dir, sheet), styles);
sheets.forEach(([link], place) => {
  html = html.replace(link, place === 0 ? `    <link rel="stylesheet" href="./${sheet}">\n` : "");
});

// The program is asked for beside the style sheet. Trunk's link stands behind early.js, which blocks the parser: there it would be
// asked for a round trip later (docs/decisions/start.md).
const [preload] = html.match(/<link rel="preload"[^>]* type="application\/wasm">/) ?? fail("index.html does not ask for the program early");
html = html.replace(preload, "");
html = fill("index.html", html, `<script src="early.js">`, 1, `${preload}\n    <script src="early.js">`);

// The policy allows exactly the inline scripts that stand in the page now.
const inline = [...html.matchAll(/<script(?![^>]*\ssrc[\s=])[^>]*>([\s\S]*?)<\/script>/gi)].map((found) => found[1]);
const hashes = inline.map((text) => `'sha256-${createHash("sha256").update(text, "utf8").digest("base64")}'`);
html = fill("index.html", html, "INLINE-SCRIPTS", 1, hashes.join(" "));

if (/<[^>]+\sstyle\s*=/i.test(html) || /<style[\s>]/i.test(html)) fail("index.html has inline style, which the policy refuses");
writeFileSync(page, html);

// The service worker keeps every file of this version, by the addresses at which the page asks for them.
const worker = join(dir, "sw.js");
const names = readdirSync(dir, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name !== "sw.js")
  .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(dir.length + 1))
  .sort();
const addresses = names.map((name) => (engine.includes(name) ? `${name}?v=${engineVersion}` : name === "index.html" ? "./" : name));
let script = readFileSync(worker, "utf8");
script = fill("sw.js", script, "SW-VERSION", 1, hashOf(names));
script = fill("sw.js", script, "SW-FILES", 1, JSON.stringify(addresses));
writeFileSync(worker, script);

function hashOf(files) {
  const hash = createHash("sha256");
  for (const file of files) hash.update(file).update(readFileSync(join(dir, file)));
  return hash.digest("hex").slice(0, 16);
}

function fill(file, text, placeholder, times, value) {
  const parts = text.split(placeholder);
  if (parts.length !== times + 1) fail(`${file} has ${parts.length - 1} times ${placeholder}, expected ${times}`);
  return parts.join(value);
}

function fail(text) {
  console.error(`finish-page: ${text}`);
  process.exit(1);
}

// Trunk's post_build hook: fills the two placeholders that index.html leaves, because their values are only
// known once the page is built. Fails rather than ship a page whose policy or engine version is wrong.
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { shortenImports } from "./shorten-imports.mjs";

const dir = process.env.TRUNK_STAGING_DIR;
if (!dir) fail("TRUNK_STAGING_DIR is not set: this is a hook of `trunk build`");
const page = join(dir, "index.html");
// Comments explain index.html to its authors and stay out of the page.
let html = readFileSync(page, "utf8").replace(/[ \t]*<!--[\s\S]*?-->\n?/g, "");

// The policy allows exactly the inline scripts that Trunk wrote.
const inline = [...html.matchAll(/<script(?![^>]*\ssrc[\s=])[^>]*>([\s\S]*?)<\/script>/gi)].map((found) => found[1]);
const hashes = inline.map((text) => `'sha256-${createHash("sha256").update(text, "utf8").digest("base64")}'`);
fill("INLINE-SCRIPTS", hashes.join(" "));

// Each program's script and module agree on short names.
for (const module of readdirSync(dir).filter((name) => name.endsWith("_bg.wasm"))) {
  const [scriptPath, modulePath] = [join(dir, module.replace(/_bg\.wasm$/, ".js")), join(dir, module)];
  const short = shortenImports(readFileSync(modulePath), readFileSync(scriptPath, "utf8"));
  writeFileSync(scriptPath, short.script);
  writeFileSync(modulePath, short.module);
}

// The engine and its helpers run in one worker, and each script declares `wasm_bindgen`. A helper may also be loaded again.
const helpers = ["judge", "sources", "reports"];
for (const helper of helpers) {
  const path = join(dir, `${helper}.js`);
  const declared = /^let wasm_bindgen = /;
  const script = readFileSync(path, "utf8");
  if (!declared.test(script)) fail(`${helper}.js does not begin as wasm-bindgen used to write it`);
  writeFileSync(path, script.replace(declared, `self.rundown_${helper} = `));
}

// The engine's files keep their names, so their content's hash goes into the query string instead.
const version = createHash("sha256");
for (const name of ["engine", ...helpers]) {
  version.update(readFileSync(join(dir, `${name}.js`)));
  version.update(readFileSync(join(dir, `${name}_bg.wasm`)));
}
fill("ENGINE-VERSION", version.digest("hex").slice(0, 16));

if (/<[^>]+\sstyle\s*=/i.test(html) || /<style[\s>]/i.test(html)) fail("index.html has inline style, which the policy refuses");
writeFileSync(page, html);

function fill(placeholder, value) {
  const parts = html.split(placeholder);
  if (parts.length !== 2) fail(`index.html has ${parts.length - 1} times ${placeholder}, expected once`);
  html = parts.join(value);
}

function fail(text) {
  console.error(`finish-page: ${text}`);
  process.exit(1);
}

// Trunk's post_build hook: fills the placeholders that index.html leaves, because their values are only known once the
// page is built. Fails rather than ship a page whose policy or engine version is wrong.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const dir = process.env.TRUNK_STAGING_DIR;
if (!dir) fail("TRUNK_STAGING_DIR is not set: this is a hook of `trunk build`");
const page = join(dir, "index.html");
// Comments explain index.html to its authors and stay out of the page.
let html = readFileSync(page, "utf8").replace(/[ \t]*<!--[\s\S]*?-->\n?/g, "");

// The engine's files keep their names, so their content's hash goes into the query string instead: into the page's
// meta element, where the scripts find it.
const version = createHash("sha256");
for (const name of ["engine.js", "engine_bg.wasm"]) version.update(readFileSync(join(dir, name)));
fill("ENGINE-VERSION", 1, version.digest("hex").slice(0, 16));

// The policy allows exactly the inline scripts that stand in the page now.
const inline = [...html.matchAll(/<script(?![^>]*\ssrc[\s=])[^>]*>([\s\S]*?)<\/script>/gi)].map((found) => found[1]);
const hashes = inline.map((text) => `'sha256-${createHash("sha256").update(text, "utf8").digest("base64")}'`);
fill("INLINE-SCRIPTS", 1, hashes.join(" "));

if (/<[^>]+\sstyle\s*=/i.test(html) || /<style[\s>]/i.test(html)) fail("index.html has inline style, which the policy refuses");
writeFileSync(page, html);

function fill(placeholder, times, value) {
  const parts = html.split(placeholder);
  if (parts.length !== times + 1) fail(`index.html has ${parts.length - 1} times ${placeholder}, expected ${times}`);
  html = parts.join(value);
}

function fail(text) {
  console.error(`finish-page: ${text}`);
  process.exit(1);
}

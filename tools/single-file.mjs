// Makes dist/rundown.html of the built page: one file with both programs and the sample in it, which opens from the disk
// and needs no server. Run by `make single-file`. Its content security policy allows its own scripts and style by their
// hashes, and no file of any site.
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const dist = "dist";
const names = readdirSync(dist);
const text = (name) => readFileSync(join(dist, name), "utf8");
const only = (pattern) => {
  const found = names.filter((name) => pattern.test(name));
  if (found.length !== 1) fail(`dist/ has ${found.length} files like ${pattern}, expected 1: run make build first`);
  return found[0];
};
const page = text("index.html");

// Programs and sample, as text that no browser runs. Unpacked by the script below.
const data = {
  "data-page": only(/^rundown-[0-9a-f]+_bg\.wasm$/),
  "data-engine": "engine_bg.wasm",
  "data-engine-script": "engine.js",
  "data-sample": "sample.tar.gz",
};
const blocks = Object.entries(data).map(([id, name]) => {
  const packed = gzipSync(readFileSync(join(dist, name)), { level: 9 }).toString("base64");
  return `<script type="text/plain" id="${id}">${packed}</script>`;
});

const unpack = `
const unpacked = async (id, type) => {
  const packed = Uint8Array.from(atob(document.getElementById(id).textContent), (letter) => letter.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream, { headers: { "Content-Type": type } });
};
self.rundownEngine = unpacked("data-engine", "application/wasm").then((program) => WebAssembly.compileStreaming(program));
self.rundownEngine.catch(() => {});
self.rundownSample = unpacked("data-sample", "application/gzip")
  .then((sample) => sample.blob())
  .then((sample) => new File([sample], "sample.tar.gz"));
self.rundownPage = Promise.all([
  unpacked("data-page", "application/wasm").then((program) => WebAssembly.compileStreaming(program)),
  unpacked("data-engine-script", "text/javascript").then((script) => script.text()),
]);
`;
const start = `
const [program, script] = await self.rundownPage;
self.rundownEngineScript = script;
await __wbg_init({ module_or_path: program });
`;
const script = (body, kind) => {
  if (/<\/script|<!--/i.test(body)) fail("a script holds what would end it");
  return { tag: `<script${kind}>${body}</script>`, hash: hashOf(body) };
};
const scripts = [
  script(unpack, ""),
  script(text("early.js"), ""),
  script(text(only(/^rundown-[0-9a-f]+\.js$/)) + start, ' type="module"'),
];

const sheets = [...page.matchAll(/<link rel="stylesheet" href="\.\/([^"]+)"/g)].map((found) => text(found[1]));
if (sheets.length === 0) fail("index.html has no style sheet");
const style = sheets.join("\n");

const policy = [
  "default-src 'none'",
  `script-src 'wasm-unsafe-eval' ${scripts.map((part) => part.hash).join(" ")}`,
  `style-src ${hashOf(style)}`,
  "connect-src https: http://localhost:* http://127.0.0.1:*",
  "img-src data: blob:",
  "worker-src blob:",
  "base-uri 'none'",
  "object-src 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types rundown default",
].join("; ");

const icon = `data:image/svg+xml;base64,${Buffer.from(text("icon.svg")).toString("base64")}`;
const meta = [...page.matchAll(/<meta [^>]*>/g)].map((found) => found[0]).filter((tag) => !tag.includes("http-equiv"));
const body = page.match(/<body>([\s\S]*)<\/body>/)?.[1] ?? fail("index.html has no body");
const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
${meta.filter((tag) => !tag.includes("charset")).join("\n")}
<title>Rundown</title>
<link rel="icon" href="${icon}">
<style>${style}</style>
</head>
<body>${body}${blocks.join("\n")}
${scripts.map((part) => part.tag).join("\n")}
</body>
</html>
`;
writeFileSync(join(dist, "rundown.html"), html);
console.log(`dist/rundown.html: ${(html.length / 1e6).toFixed(1)} MB`);

function hashOf(content) {
  return `'sha256-${createHash("sha256").update(content, "utf8").digest("base64")}'`;
}

function fail(what) {
  console.error(`single-file: ${what}`);
  process.exit(1);
}

// Keeps everything of one version on this device, so that the page works offline after the first visit. The page registers
// it (src/app/browser/offline.rs). tools/finish-page.mjs writes version and files into it after each build.
const CACHE = "rundown-SW-VERSION";
const FILES = SW-FILES;

// All files or none: a version is never half there. What the browser has already is asked for, not fetched again.
addEventListener("install", (event) => {
  const requests = FILES.map((file) => new Request(file, { cache: "no-cache" }));
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(requests)));
});

addEventListener("activate", (event) => event.waitUntil(takeOver()));

// A new version waits until the user says so: it would replace files under a page that is at work.
addEventListener("message", (event) => {
  if (event.data === "take over") skipWaiting();
});

addEventListener("fetch", (event) => {
  const { method, mode, url } = event.request;
  if (method !== "GET" || !url.startsWith(registration.scope)) return;
  const path = new URL(url).pathname.replace(/index\.html$/, "");
  const isPage = mode === "navigate" && path === new URL(registration.scope).pathname;
  event.respondWith(answer(isPage ? new Request(registration.scope) : event.request));
});

async function takeOver() {
  const old = (await caches.keys()).filter((name) => name.startsWith("rundown-") && name !== CACHE);
  await Promise.all(old.map((name) => caches.delete(name)));
  await clients.claim();
}

async function answer(request) {
  const cache = await caches.open(CACHE);
  return (await cache.match(request, { ignoreVary: true })) ?? fetch(request);
}

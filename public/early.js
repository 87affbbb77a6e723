// What the page does before its own program has come: it narrows the content security policy, applies the chosen theme, says
// why the program cannot start, and keeps what is clicked, chosen or dropped on the static first screen, which the program
// then does (src/app/shell/early.rs).
(() => {
  // A second policy, which can only restrict the one in index.html: this page may ask its own site, and the hosts that the
  // user named before it was loaded (src/app/browser/named_hosts.rs), once. Workers inherit it.
  // docs/decisions/connect-src.md says why.
  let named = [];
  try {
    const isOrigin = (word) => /^https?:\/\/[a-z0-9.-]+(:[0-9]+)?$/.test(word);
    named = (sessionStorage.getItem("rundown-hosts") ?? "").split(" ").filter(isOrigin);
    sessionStorage.removeItem("rundown-hosts");
  } catch {
    // A browser that refuses storage has no named hosts.
  }
  const policy = document.createElement("meta");
  policy.id = "named-hosts";
  policy.dataset.hosts = named.join(" ");
  policy.httpEquiv = "Content-Security-Policy";
  policy.content = ["connect-src 'self'", ...named].join(" ");
  document.head.append(policy);

  const root = document.documentElement;
  try {
    const theme = localStorage.getItem("rundown-theme");
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
  } catch {
    // A browser that refuses storage has no chosen theme.
  }

  // A module with one vector instruction, which the programs have too (docs/decisions/simd.md); and what the style sheet uses.
  const simd = [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 8, 1, 6, 0, 65, 0, 253, 15, 11];
  const isSupported = () =>
    typeof WebAssembly === "object" &&
    WebAssembly.validate(new Uint8Array(simd)) &&
    CSS.supports("color", "light-dark(#fff, #000)");
  const showBanner = (text) => {
    const dropZone = document.querySelector("#static-page .drop-zone");
    if (!dropZone || document.querySelector("#static-page .banner")) return;
    const banner = document.createElement("p");
    banner.className = "banner";
    banner.role = "alert";
    banner.textContent = text;
    dropZone.before(banner);
  };
  const showTooOld = () =>
    showBanner("This browser is too old for Rundown, which needs Chrome or Edge 123, Firefox 120, Safari 17.5, or later.");
  const showFailure = ({ reason, error, message, target }) => {
    if (!isSupported()) return showTooOld();
    const cause = reason ?? error;
    const why = cause?.message ?? cause ?? message ?? `${target?.src || "a file of the page"} could not be loaded`;
    showBanner(`Rundown could not start: ${why}. Reload the page; if that does not help, please report it.`);
  };
  addEventListener("unhandledrejection", showFailure);
  // In the capture phase: the error of a script that could not be loaded does not bubble.
  addEventListener("error", showFailure, true);
  addEventListener("DOMContentLoaded", () => isSupported() || showTooOld());

  const early = { waiting: [], take: null };
  self.rundownEarly = early;
  const hand = (what) => (early.take ? early.take(what) : early.waiting.push(what));

  // On the window: this script runs before the static page is there, so that no click on it is lost.
  addEventListener("click", (event) => {
    const pressed = event.target.closest?.("#static-page [data-early]");
    const word = pressed?.dataset.early;
    if (word === "files" || word === "folder") choose(document.querySelector(`#static-page #choose-${word}`));
    else if (word && !early.waiting.some((what) => what.click === word)) {
      pressed.setAttribute("aria-busy", "true");
      hand({ click: word });
    }
  });

  const take = (input) => hand({ entries: [], files: [...input.files] });
  addEventListener("change", (event) => event.target.closest?.("#static-page") && take(event.target));
  function choose(input) {
    // The chooser may close when the program has come and the static page is gone.
    input.onchange = () => input.isConnected || take(input);
    input.click();
  }

  const brings = (event) => document.getElementById("static-page") && event.dataTransfer?.types.includes("Files");
  addEventListener("dragover", (event) => brings(event) && event.preventDefault());
  addEventListener("drop", (event) => {
    if (!brings(event)) return;
    event.preventDefault();
    const entries = [];
    const files = [];
    for (const item of event.dataTransfer.items) {
      if (item.kind !== "file") continue;
      const entry = item.webkitGetAsEntry();
      if (entry) entries.push(entry);
      else files.push(item.getAsFile());
    }
    hand({ entries, files });
  });
})();

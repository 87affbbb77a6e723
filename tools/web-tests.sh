#!/bin/sh
# Runs tests/web.rs in the browser that tools/browser.sh found.
set -eu
mkdir -p target
# The committed capabilities, with that browser's path.
node -e '
  const { readFileSync, writeFileSync } = require("node:fs");
  const capabilities = JSON.parse(readFileSync("webdriver.json", "utf8"));
  capabilities["goog:chromeOptions"].binary = process.env.CHROMIUM;
  writeFileSync("target/webdriver.json", JSON.stringify(capabilities));
'
# Generous: a busy machine is no failed test.
export WASM_BINDGEN_TEST_WEBDRIVER_JSON=target/webdriver.json
export WASM_BINDGEN_TEST_TIMEOUT=120 WASM_BINDGEN_TEST_DRIVER_TIMEOUT=60 WASM_BINDGEN_TEST_ONLY_WEB=1
# The runner takes the first driver that it finds named, and the capabilities are Chromium's.
unset GECKODRIVER
export CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER=wasm-bindgen-test-runner
exec cargo test --target wasm32-unknown-unknown --test web

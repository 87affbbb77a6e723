# make serve    install what is missing, build the page, serve it on http://localhost:8080 (PORT=… for another), and
#               build it again after a change
# make build    install what is missing, build the page into dist/
# make single-file   dist/rundown.html: the page as one file that opens from the disk
# make test     everything that must hold before a commit lands; installs Chromium and chromedriver too
# make bench    docs/performance.md: each figure beside its peer, five rounds, and how costs grow (half an hour)
# make fuzz     SECONDS of libFuzzer for each target (fuzz/README.md)
# make hardening   docs/hardening.md: what was tried against the readers, the page and its network (half an hour)
# make truth    docs/truth.md: what is found in simulated runs whose cause is known
#
# Needs Rust 1.95 or newer, Node with npm, and the package registries. Tools go to RUNDOWN_TOOLS.

SHELL := /bin/sh
PORT ?= 8080
RUNDOWN_TOOLS ?= $(HOME)/.cache/rundown-tools
STEP := tools/step.sh
WASM := --target wasm32-unknown-unknown
# One scenario more than there are processors: each waits for its browser's frames for a fifth of the time.
E2E_THREADS = $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)
# Made where dist/ is the release build of these.
PAGE := dist/.release
PAGE_SOURCES := $(shell find .cargo crates public src style -type f) \
	Cargo.lock Cargo.toml Trunk.toml index.html tools/finish-page.mjs

export RUNDOWN_TOOLS
export PATH := $(RUNDOWN_TOOLS)/bin:$(RUNDOWN_TOOLS)/node_modules/.bin:$(HOME)/.cargo/bin:$(PATH)

.PHONY: serve build single-file test bench fuzz hardening truth tools
.NOTPARALLEL:

serve: tools
	@$(STEP) "build the page (3 minutes the first time, then seconds) and serve it on http://localhost:$(PORT) (stop with Ctrl+C)" \
		trunk serve --port $(PORT)

build: $(PAGE)

# Trunk optimises both programs anew (3 minutes) even where nothing changed, and each of its builds, `make serve`'s too, removes
# this file.
$(PAGE): $(PAGE_SOURCES) | tools
	@$(STEP) "build the page (4 minutes)" trunk build --release
	@touch $@

single-file: build
	@$(STEP) "put the page into one file" node tools/single-file.mjs

test: tools
	@$(STEP) "find a browser" tools/browser.sh true
	@$(STEP) "find clippy and rustfmt" sh -c \
		'{ cargo clippy --version && cargo fmt --version; } 2>/dev/null || rustup component add clippy rustfmt'
	@$(STEP) "formatting" cargo fmt --check
	@$(STEP) "lints" cargo clippy --quiet --all-targets --features e2e -- -D warnings
	@$(STEP) "lints of the page and the engine" cargo clippy --quiet --lib --bins --test web $(WASM) -- -D warnings
	@$(STEP) "dependencies: licences, sources, duplicates, advisories" tools/deny.sh
	@$(STEP) "tests" cargo test --quiet
	@$(STEP) "tests of the page's parts, in a browser" tools/browser.sh tools/web-tests.sh
	@$(MAKE) --no-print-directory build
	@$(STEP) "download sizes" node tools/sizes.mjs
	@$(STEP) "put the page into one file" node tools/single-file.mjs
	@$(STEP) "build an engine with planted panics" tools/planted-engine.sh
	@$(STEP) "tests of the built page, in a browser" \
		tools/browser.sh cargo test --quiet --features e2e --test e2e -- --test-threads=$(E2E_THREADS)
	@echo
	@echo "== all passed"

bench: build
	@$(STEP) "benchmarks" tools/bench.sh

fuzz:
	@SECONDS_EACH="$(or $(SECONDS),60)" TARGETS="$(TARGETS)" tools/fuzz.sh

hardening: build
	@$(STEP) "hardening (half an hour)" tools/hardening.sh

truth:
	@$(STEP) "truth table (some minutes)" cargo test --quiet --test truth -- --ignored write_the_page

tools:
	@$(STEP) "check the tools, install what is missing" tools/install.sh

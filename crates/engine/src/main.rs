//! Starts the engine in its web worker.

#[cfg(target_arch = "wasm32")]
fn main() {
    rundown_engine::worker::start();
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    println!("This is the engine of a web page: `make serve` builds it and serves it on http://localhost:8080.");
}

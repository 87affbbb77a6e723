//! The part of the engine that its worker loads when it is needed: the writers of reports.

#[cfg(target_arch = "wasm32")]
fn main() {
    rundown::reports::start();
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    println!("This is a part of a web page: `make serve` builds it and serves it on http://localhost:8080.");
}

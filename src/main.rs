//! Mounts the page. Everything else is in the library.

#[cfg(target_arch = "wasm32")]
fn main() {
    rundown::app::mount();
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    println!("Rundown is a web page: run `make serve` and open the address that it prints.");
}

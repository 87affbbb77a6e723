//! The part of the engine that says what happened in a run: loaded beside it, in the same worker.
//!
//! Only a shell for [`rundown::judge::Judge`], which says what each call does.

#[cfg(target_arch = "wasm32")]
mod program {
    use rundown::judge::Judge;
    use wasm_bindgen::prelude::*;

    /// A judge.
    #[wasm_bindgen]
    #[derive(Default)]
    pub struct Judging(Judge);

    #[wasm_bindgen]
    impl Judging {
        /// One that knows no runs.
        #[wasm_bindgen(constructor)]
        pub fn new() -> Self {
            Self::default()
        }

        /// See [`Judge::take`].
        pub fn take(&mut self, case: &[u8]) -> bool {
            self.0.take(case)
        }

        /// See [`Judge::take_told`].
        pub fn take_told(&mut self, told: &[u8]) -> bool {
            self.0.take_told(told)
        }

        /// See [`Judge::set`].
        pub fn set(&mut self, settings: &[u8]) -> bool {
            self.0.set(settings)
        }

        /// See [`Judge::wants`].
        pub fn wants(&self, keys: &[u8]) -> Vec<u8> {
            self.0.wants(keys)
        }

        /// See [`Judge::list`].
        pub fn list(&mut self, listing: &[u8]) -> Vec<u8> {
            self.0.list(listing)
        }

        /// See [`Judge::view`].
        pub fn view(&self, case: &[u8]) -> Vec<u8> {
            self.0.view(case)
        }

        /// See [`Judge::entries`].
        pub fn entries(&self) -> Vec<u8> {
            self.0.entries()
        }

        /// See [`Judge::diagnosis`].
        pub fn diagnosis(&self, case: &[u8]) -> Vec<u8> {
            self.0.diagnosis(case)
        }

        /// See [`Judge::forget`].
        pub fn forget(&mut self) {
            self.0.forget();
        }
    }
}

#[cfg(target_arch = "wasm32")]
fn main() {
    console_error_panic_hook::set_once();
}

#[cfg(not(target_arch = "wasm32"))]
fn main() {
    println!("This is a part of a web page: `make serve` builds it and serves it on http://localhost:8080.");
}

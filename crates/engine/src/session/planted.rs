//! Planted panics, for the test that an engine's death costs one file or one run. Compiled into the engine that the
//! browser tests build for themselves (feature `planted-panics`), and into no other.

#[cfg(feature = "planted-panics")]
#[allow(clippy::panic, reason = "it is what this is for")]
mod enabled {
    use rundown_run::Run;

    /// A file of this name breaks its reader.
    const FILE: &str = "planted-panic-in-reader.csv";
    /// A run of this name breaks a check.
    const RUN: &str = "planted-panic-in-check";

    /// Panics while the file is read.
    pub fn panic_in_reader(path: &str) {
        assert!(!path.ends_with(FILE), "planted in the reader of {path}");
    }

    /// Panics while the run is diagnosed.
    pub fn panic_in_check(run: &Run) {
        assert!(!run.name.contains(RUN), "planted in a check of {}", run.name);
    }
}

#[cfg(feature = "planted-panics")]
pub use enabled::{panic_in_check, panic_in_reader};

/// Does nothing: no panic is planted.
#[cfg(not(feature = "planted-panics"))]
pub fn panic_in_reader(_path: &str) {}

/// Does nothing: no panic is planted.
#[cfg(not(feature = "planted-panics"))]
pub fn panic_in_check(_run: &rundown_run::Run) {}

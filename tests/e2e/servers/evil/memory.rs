//! The most memory that a browser's page had: printed, never asserted, since machines differ.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// Watches the renderer of a scenario's browser for as long as it lives.
pub struct Peak {
    bytes: Arc<AtomicU64>,
    is_over: Arc<AtomicBool>,
}

impl Peak {
    /// Watches the browser whose profile is that of the scenario `name`.
    pub fn watch(name: &str) -> Self {
        let peak = Self { bytes: Arc::default(), is_over: Arc::default() };
        let (bytes, is_over) = (Arc::clone(&peak.bytes), Arc::clone(&peak.is_over));
        let profile = format!("/e2e/{name}/profile");
        std::thread::spawn(move || {
            while !is_over.load(Ordering::Relaxed) {
                bytes.fetch_max(renderer_bytes(&profile), Ordering::Relaxed);
                std::thread::sleep(Duration::from_millis(100));
            }
        });
        peak
    }

    /// The peak in megabytes.
    pub fn megabytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed) / 1_000_000
    }
}

impl Drop for Peak {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
    }
}

/// Resident memory of the largest renderer process of a profile; 0 where the system does not tell.
fn renderer_bytes(profile: &str) -> u64 {
    let Ok(processes) = std::fs::read_dir("/proc") else { return 0 };
    let bytes = |folder: &Path| {
        let command = std::fs::read_to_string(folder.join("cmdline")).ok()?;
        if !command.contains("--type=renderer") || !command.contains(profile) {
            return None;
        }
        let pages: u64 = std::fs::read_to_string(folder.join("statm")).ok()?.split(' ').nth(1)?.parse().ok()?;
        Some(pages * 4_096)
    };
    processes.flatten().filter_map(|process| bytes(&process.path())).max().unwrap_or(0)
}

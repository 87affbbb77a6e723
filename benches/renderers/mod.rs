//! Memory of the browser's processes, from `/proc`: scripts see their own heap alone, and the engine is in a worker.

use std::fs;

/// The most memory, in MB, that one renderer among our own descendants ever had. A page and its worker share one.
/// `None` where there is no `/proc`.
pub fn peak_memory() -> Option<f64> {
    let mut parents = Vec::new();
    for entry in fs::read_dir("/proc").ok()?.flatten() {
        let Some(process) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
        // Processes end while they are counted.
        if let Some(parent) = field(process, "PPid:") {
            parents.push((process, parent as u32));
        }
    }
    let is_ours = |mut process: u32| {
        // Deeper trees than a browser's are a circle of reused numbers.
        for _ in 0..32 {
            if process == std::process::id() {
                return true;
            }
            match parents.iter().find(|(child, _)| *child == process) {
                Some((_, parent)) => process = *parent,
                None => return false,
            }
        }
        false
    };
    let is_renderer = |process: u32| {
        let command = fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
        // Chromium rewrites it, with blanks between the arguments.
        command.split(|byte| matches!(byte, 0 | b' ')).any(|argument| argument == b"--type=renderer")
    };
    let renderers = parents.iter().map(|(process, _)| *process).filter(|process| is_ours(*process));
    let peaks = renderers.filter(|process| is_renderer(*process)).filter_map(|process| field(process, "VmHWM:"));
    peaks.reduce(f64::max).map(|kib| kib * 1024.0 / 1e6)
}

/// A number in a process's status.
fn field(process: u32, name: &str) -> Option<f64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix(name))?.split_whitespace().next()?.parse().ok()
}

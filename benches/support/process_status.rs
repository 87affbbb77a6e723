//! What Linux says of a process in `/proc`.

use std::fs;

/// A number in a process's status, such as `VmHWM:` in KiB. `None` where there is no `/proc`, or no such process any more.
pub fn field(process: u32, name: &str) -> Option<f64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    status.lines().find_map(|line| line.strip_prefix(name))?.split_whitespace().next()?.parse().ok()
}

//! Faults of the machine and the browser: each leaves a message, and nothing is lost but what it struck.

mod engine;
mod files;
mod many_files;
mod planted;
mod restart;
mod storage;
mod tabs;

#![no_main]

libfuzzer_sys::fuzz_target!(|input: &[u8]| rundown_fuzz::check("swanlab", input));

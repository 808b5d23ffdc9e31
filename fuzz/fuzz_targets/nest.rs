#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| epitome_fuzz::check_nest(bytes));

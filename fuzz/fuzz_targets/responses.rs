#![no_main]

use epitome_fuzz::check_decoder;
use epitome_wire::Dialect;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| check_decoder(bytes, Dialect::OpenAiResponses));

//! The built-in engines, one a file.

pub mod compressor;

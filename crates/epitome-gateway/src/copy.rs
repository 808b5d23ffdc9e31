//! A copy of an answer, unpacked if it came packed, for whoever reads it while it passes.

use std::io::{self, Write};

use epitome_wire::answer::AnswerReader;
use epitome_wire::usage::UsageReader;
use http::header::CONTENT_TYPE;
use http::response::Parts;

use crate::encoding::{Coding, Decoder};

/// Of an answer that unpacks to more, nothing is read.
const UNPACKED: usize = 512 * 1024 * 1024;

/// Somebody who reads an answer as it comes.
pub(crate) trait Reads {
    /// The next bytes of it.
    fn push(&mut self, bytes: &[u8]);
}

impl Reads for UsageReader {
    fn push(&mut self, bytes: &[u8]) {
        UsageReader::push(self, bytes);
    }
}

impl Reads for AnswerReader {
    fn push(&mut self, bytes: &[u8]) {
        AnswerReader::push(self, bytes);
    }
}

/// Where decoders write to.
pub(crate) struct Sink<R> {
    pub(crate) reader: Option<R>,
    read: usize,
}

/// What an answer is pushed through, so that the reader made for its content type reads it; `None`: it is packed in a way
/// that we do not know.
pub(crate) fn read_by<R: Reads>(parts: &Parts, reader: impl FnOnce(&str) -> R) -> Option<Decoder<Sink<R>>> {
    let content_type = parts.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    Decoder::new(Coding::of(&parts.headers), Sink { reader: Some(reader(content_type)), read: 0 })
}

impl<R: Reads> Write for Sink<R> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.read += bytes.len();
        if self.read > UNPACKED {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        if let Some(reader) = &mut self.reader {
            reader.push(bytes);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

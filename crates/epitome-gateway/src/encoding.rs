//! Content encodings: what a body is compressed with, and what stands in it.

use std::io::{self, BufRead, Read, Write};

use bytes::{Buf, Bytes};
use flate2::{bufread, write};
use http::HeaderMap;
use http::header::CONTENT_ENCODING;

use crate::compute::{LIGHT, Reserved, on_the_pool};

/// A compression that we can read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    Gzip,
    /// Zlib as the standard says, or bare as some send it.
    Deflate,
    Brotli,
    Zstd,
}

/// How a body comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Coding {
    /// As it is.
    Plain,
    Packed(Encoding),
    /// In a way of its own, or packed twice.
    Unknown,
}

impl Coding {
    pub(crate) fn of(headers: &HeaderMap) -> Coding {
        let mut values = headers.get_all(CONTENT_ENCODING).iter();
        let Some(value) = values.next() else { return Coding::Plain };
        if values.next().is_some() {
            return Coding::Unknown;
        }
        let said = value.to_str().unwrap_or("?").trim().to_ascii_lowercase();
        match said.as_str() {
            "" | "identity" => Coding::Plain,
            "gzip" | "x-gzip" => Coding::Packed(Encoding::Gzip),
            "deflate" => Coding::Packed(Encoding::Deflate),
            "br" => Coding::Packed(Encoding::Brotli),
            "zstd" => Coding::Packed(Encoding::Zstd),
            _ => Coding::Unknown,
        }
    }
}

/// Buffers of decoders.
const BUFFER: usize = 16 * 1024;

/// What a client's body says, if it is not larger than `limit`. `None`: it is, or it cannot be read. Nobody knows how large it is
/// before it is unpacked: it is counted step by step, and what turns out to be heavy is unpacked on the pool.
pub(crate) async fn unpacked(encoding: Encoding, packed: Bytes, limit: usize, mut reserved: Reserved) -> Option<Bytes> {
    let (mut reader, mut text, mut room) = (reader(encoding, packed.reader())?, Vec::new(), LIGHT.min(limit));
    loop {
        reserved.grow_to(room).await;
        text.reserve_exact(room - text.len());
        let more = u64::try_from(room - text.len()).ok()?;
        reader.by_ref().take(more).read_to_end(&mut text).ok()?;
        if text.len() < room {
            // It is counted by its length.
            text.shrink_to_fit();
            return Some(reserved.hold(text.into()));
        }
        if room == limit {
            let ends_here = reader.read(&mut [0]).ok()? == 0;
            return ends_here.then(|| reserved.hold(text.into()));
        }
        on_the_pool(0).await;
        room = room.saturating_mul(2).min(limit);
    }
}

/// What a whole body says, if it is not larger than `limit`. `None`: it is, or it cannot be read.
pub(crate) fn decoded(encoding: Encoding, packed: &[u8], limit: usize) -> Option<Bytes> {
    let mut reader = reader(encoding, packed)?;
    let mut text = Vec::with_capacity(packed.len().saturating_mul(4).min(limit));
    let most = u64::try_from(limit).ok()?.checked_add(1)?;
    reader.by_ref().take(most).read_to_end(&mut text).ok()?;
    (text.len() <= limit).then(|| text.into())
}

fn reader<'a>(encoding: Encoding, packed: impl BufRead + Send + 'a) -> Option<Box<dyn Read + Send + 'a>> {
    let mut packed = packed;
    Some(match encoding {
        Encoding::Gzip => Box::new(bufread::MultiGzDecoder::new(packed)),
        Encoding::Deflate if is_zlib(packed.fill_buf().ok()?) => Box::new(bufread::ZlibDecoder::new(packed)),
        Encoding::Deflate => Box::new(bufread::DeflateDecoder::new(packed)),
        Encoding::Brotli => Box::new(brotli::Decompressor::new(packed, BUFFER)),
        Encoding::Zstd => Box::new(zstd::stream::read::Decoder::with_buffer(packed).ok()?),
    })
}

/// Zlib's first byte names its method, 8, and a window of at most 32 KB.
fn is_zlib(packed: &[u8]) -> bool {
    packed.first().is_some_and(|first| first & 0x0f == 8 && first >> 4 <= 7)
}

/// Decodes a body as its bytes pass, into a sink.
pub(crate) enum Decoder<W: Write> {
    Plain(W),
    Gzip(Box<write::MultiGzDecoder<W>>),
    /// Which deflate it is, its first byte will tell.
    Unopened(Option<W>),
    Zlib(Box<write::ZlibDecoder<W>>),
    Deflate(Box<write::DeflateDecoder<W>>),
    Brotli(Box<brotli::DecompressorWriter<W>>),
    Zstd(Box<zstd::stream::write::Decoder<'static, W>>),
}

impl<W: Write> Decoder<W> {
    /// `None`: nothing is known about how it comes.
    pub(crate) fn new(coding: Coding, sink: W) -> Option<Decoder<W>> {
        Some(match coding {
            Coding::Plain => Decoder::Plain(sink),
            Coding::Packed(Encoding::Gzip) => Decoder::Gzip(Box::new(write::MultiGzDecoder::new(sink))),
            Coding::Packed(Encoding::Deflate) => Decoder::Unopened(Some(sink)),
            Coding::Packed(Encoding::Brotli) => {
                Decoder::Brotli(Box::new(brotli::DecompressorWriter::new(sink, BUFFER)))
            }
            Coding::Packed(Encoding::Zstd) => Decoder::Zstd(Box::new(zstd::stream::write::Decoder::new(sink).ok()?)),
            Coding::Unknown => return None,
        })
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) -> io::Result<()> {
        if let Decoder::Unopened(sink) = self
            && !bytes.is_empty()
            && let Some(sink) = sink.take()
        {
            *self = if is_zlib(bytes) {
                Decoder::Zlib(Box::new(write::ZlibDecoder::new(sink)))
            } else {
                Decoder::Deflate(Box::new(write::DeflateDecoder::new(sink)))
            };
        }
        match self {
            Decoder::Plain(sink) => sink.write_all(bytes),
            Decoder::Gzip(decoder) => decoder.write_all(bytes),
            Decoder::Unopened(_) => Ok(()),
            Decoder::Zlib(decoder) => decoder.write_all(bytes),
            Decoder::Deflate(decoder) => decoder.write_all(bytes),
            Decoder::Brotli(decoder) => decoder.write_all(bytes),
            Decoder::Zstd(decoder) => decoder.write_all(bytes),
        }
    }

    /// The sink, when everything that can be decoded of the bytes so far is in it.
    pub(crate) fn flushed(&mut self) -> Option<&mut W> {
        // What cannot be decoded was cut off, and with it what it would have said.
        let _cut = match self {
            Decoder::Plain(sink) => sink.flush(),
            Decoder::Gzip(decoder) => decoder.flush(),
            Decoder::Unopened(_) => Ok(()),
            Decoder::Zlib(decoder) => decoder.flush(),
            Decoder::Deflate(decoder) => decoder.flush(),
            Decoder::Brotli(decoder) => decoder.flush(),
            Decoder::Zstd(decoder) => decoder.flush(),
        };
        match self {
            Decoder::Plain(sink) => Some(sink),
            Decoder::Gzip(decoder) => Some(decoder.get_mut()),
            Decoder::Unopened(sink) => sink.as_mut(),
            Decoder::Zlib(decoder) => Some(decoder.get_mut()),
            Decoder::Deflate(decoder) => Some(decoder.get_mut()),
            Decoder::Brotli(decoder) => Some(decoder.get_mut()),
            Decoder::Zstd(decoder) => Some(decoder.get_mut()),
        }
    }
}

#[cfg(test)]
mod tests {
    use flate2::Compression;
    use proptest::prelude::*;

    use super::*;

    const ALL: [Encoding; 4] = [Encoding::Gzip, Encoding::Deflate, Encoding::Brotli, Encoding::Zstd];

    fn packed(encoding: Encoding, text: &[u8]) -> Vec<u8> {
        match encoding {
            Encoding::Gzip => {
                let mut encoder = flate2::write::GzEncoder::new(Vec::new(), Compression::fast());
                encoder.write_all(text).expect("in memory");
                encoder.finish().expect("in memory")
            }
            Encoding::Deflate => {
                let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), Compression::fast());
                encoder.write_all(text).expect("in memory");
                encoder.finish().expect("in memory")
            }
            Encoding::Brotli => {
                let mut encoder = brotli::CompressorWriter::new(Vec::new(), BUFFER, 4, 20);
                encoder.write_all(text).expect("in memory");
                encoder.into_inner()
            }
            Encoding::Zstd => zstd::encode_all(text, 3).expect("in memory"),
        }
    }

    fn pushed(encoding: Encoding, parts: &[&[u8]]) -> Vec<u8> {
        let mut decoder = Decoder::new(Coding::Packed(encoding), Vec::new()).expect("known");
        for part in parts {
            drop(decoder.push(part));
        }
        decoder.flushed().expect("opened").clone()
    }

    #[test]
    fn whole_bodies_are_decoded_up_to_the_limit() {
        let text = b"hello ".repeat(1_000);
        for encoding in ALL {
            let packed = packed(encoding, &text);
            assert_eq!(decoded(encoding, &packed, text.len()).as_deref(), Some(&text[..]), "{encoding:?}");
            assert_eq!(decoded(encoding, &packed, text.len() - 1), None, "{encoding:?}");
            assert_eq!(decoded(encoding, &packed[..packed.len() / 2], text.len()), None, "{encoding:?} cut");
            assert_eq!(decoded(encoding, b"not packed at all", 100), None, "{encoding:?}");
        }
    }

    #[test]
    fn bare_deflate_is_decoded_too() {
        let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(b"hello hello hello").expect("in memory");
        let packed = encoder.finish().expect("in memory");
        assert_eq!(decoded(Encoding::Deflate, &packed, 100).as_deref(), Some(&b"hello hello hello"[..]));
        assert_eq!(pushed(Encoding::Deflate, &[&packed]), b"hello hello hello");
    }

    #[test]
    fn headers_tell_the_encoding() {
        let check = |values: &[&'static str], expected: Coding| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(CONTENT_ENCODING, http::HeaderValue::from_static(value));
            }
            assert_eq!(Coding::of(&headers), expected, "{values:?}");
        };
        check(&[], Coding::Plain);
        check(&["Identity"], Coding::Plain);
        check(&["GZIP"], Coding::Packed(Encoding::Gzip));
        check(&["br"], Coding::Packed(Encoding::Brotli));
        check(&["gzip, br"], Coding::Unknown);
        check(&["gzip", "br"], Coding::Unknown);
        check(&["snappy"], Coding::Unknown);
    }

    proptest! {
        #[test]
        fn splits_anywhere_give_the_same_text(
            text in prop::collection::vec(prop::sample::select(b"abc {}:\n".to_vec()), 0..2_000),
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
        ) {
            for encoding in ALL {
                let bytes = packed(encoding, &text);
                let mut at: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
                at.extend([0, bytes.len()]);
                at.sort_unstable();
                let parts: Vec<&[u8]> = at.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
                prop_assert_eq!(pushed(encoding, &parts), text.clone(), "{:?}", encoding);
            }
        }

        #[test]
        fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            for encoding in ALL {
                pushed(encoding, &[&bytes, &bytes]);
                decoded(encoding, &bytes, 1_000);
            }
        }
    }
}

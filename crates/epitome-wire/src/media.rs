//! What images, documents and recordings cost: the provider's rule for their size, never the length of their base64.

use epitome_core::model::{Block, Media, MediaKind};

/// What something of unknown size is taken for: the most that Anthropic charges for an image.
pub(crate) const UNKNOWN: u64 = 1_600;

/// Anthropic counts 1,500 to 3,000 tokens a page, by its density ("PDF support", "Estimate your costs").
const TOKENS_PER_PAGE: u64 = 2_000;

/// A recording. Its length is not in its first bytes; OpenAI charges 10 tokens a second, which makes this 160 seconds.
pub(crate) fn audio() -> Block {
    Block::Media(Media { kind: MediaKind::Audio, tokens: UNKNOWN })
}

/// An image for Anthropic; `data` is its base64, if the request holds it.
pub(crate) fn anthropic_image(data: Option<&str>) -> Block {
    let tokens = data.and_then(dimensions).map_or(UNKNOWN, anthropic_tokens);
    Block::Media(Media { kind: MediaKind::Image, tokens })
}

/// An image for OpenAI; `url` may be a `data:` one.
pub(crate) fn openai_image(url: Option<&str>, detail: Option<&str>) -> Block {
    let tokens = match detail {
        Some("low") => OPENAI_BASE,
        Some(_) | None => url.and_then(data_of_url).and_then(dimensions).map_or(UNKNOWN, openai_tokens),
    };
    Block::Media(Media { kind: MediaKind::Image, tokens })
}

/// A document; `data` is its base64, bare or in a `data:` URL, if the request holds it.
pub(crate) fn document(data: Option<&str>) -> Block {
    let pages = data.map(|data| data_of_url(data).unwrap_or(data)).map_or(0, pdf_pages);
    let tokens = if pages == 0 { UNKNOWN } else { pages.saturating_mul(TOKENS_PER_PAGE) };
    Block::Media(Media { kind: MediaKind::Document, tokens })
}

/// A document that is plain text: four characters a token.
pub(crate) fn text_document(text: &str) -> Block {
    Block::Media(Media { kind: MediaKind::Document, tokens: (text.chars().count() as u64).div_ceil(4) })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Dimensions {
    width: u64,
    height: u64,
}

/// "Vision", Anthropic: the long edge is brought to 1,568 pixels; width × height / 750; about 1,600 at most.
fn anthropic_tokens(image: Dimensions) -> u64 {
    let Dimensions { width, height } = fit_long_edge(image, 1_568);
    (width * height).div_ceil(750).min(UNKNOWN)
}

/// "Images and vision", OpenAI, gpt-4o family: 85, and 170 for each tile.
const OPENAI_BASE: u64 = 85;
const OPENAI_TILE: u64 = 170;

/// Brought into 2,048 × 2,048, then the short edge to 768; tiles of 512 × 512.
fn openai_tokens(image: Dimensions) -> u64 {
    let image = fit_long_edge(image, 2_048);
    let short = image.width.min(image.height);
    let scaled = |edge: u64| if short > 768 { (edge * 768).div_ceil(short) } else { edge };
    OPENAI_BASE + OPENAI_TILE * scaled(image.width).div_ceil(512) * scaled(image.height).div_ceil(512)
}

fn fit_long_edge(image: Dimensions, limit: u64) -> Dimensions {
    let long = image.width.max(image.height);
    let scaled = |edge: u64| if long > limit { (edge * limit).div_ceil(long) } else { edge };
    Dimensions { width: scaled(image.width), height: scaled(image.height) }
}

fn data_of_url(url: &str) -> Option<&str> {
    url.strip_prefix("data:")?.split_once(',').map(|(_, data)| data)
}

fn dimensions(base64: &str) -> Option<Dimensions> {
    // PNG, GIF and WebP say it within 30 bytes. A JPEG may hold previews and colour profiles before its frame; their
    // segments are 64 KiB at most, and a handful is all that is seen.
    const HEAD: usize = 32;
    const JPEG_HEAD: usize = 512 * 1024;
    let head = decode(base64.bytes(), HEAD);
    let found = png(&head).or_else(|| gif(&head)).or_else(|| webp(&head));
    let found = found.or_else(|| {
        head.starts_with(&[0xff, 0xd8]).then(|| decode(base64.bytes(), JPEG_HEAD)).and_then(|bytes| jpeg(&bytes))
    });
    found.filter(|image| image.width > 0 && image.height > 0)
}

fn png(bytes: &[u8]) -> Option<Dimensions> {
    let header = bytes.strip_prefix(b"\x89PNG\r\n\x1a\n")?;
    Some(Dimensions { width: big_endian(header.get(8..12)?), height: big_endian(header.get(12..16)?) })
}

fn gif(bytes: &[u8]) -> Option<Dimensions> {
    let header = bytes.strip_prefix(b"GIF87a").or_else(|| bytes.strip_prefix(b"GIF89a"))?;
    Some(Dimensions { width: little_endian(header.get(0..2)?), height: little_endian(header.get(2..4)?) })
}

fn webp(bytes: &[u8]) -> Option<Dimensions> {
    if !bytes.starts_with(b"RIFF") || bytes.get(8..12)? != b"WEBP" {
        return None;
    }
    match bytes.get(12..16)? {
        b"VP8X" => Some(Dimensions {
            width: little_endian(bytes.get(24..27)?) + 1,
            height: little_endian(bytes.get(27..30)?) + 1,
        }),
        b"VP8L" => {
            let bits = little_endian(bytes.get(21..25)?);
            Some(Dimensions { width: (bits & 0x3fff) + 1, height: ((bits >> 14) & 0x3fff) + 1 })
        }
        b"VP8 " => Some(Dimensions {
            width: little_endian(bytes.get(26..28)?) & 0x3fff,
            height: little_endian(bytes.get(28..30)?) & 0x3fff,
        }),
        _ => None,
    }
}

/// Walks the segments of a JPEG to its frame header.
fn jpeg(bytes: &[u8]) -> Option<Dimensions> {
    let mut at = 2;
    loop {
        let (mark, kind) = (*bytes.get(at)?, *bytes.get(at + 1)?);
        match (mark, kind) {
            // Fill bytes may stand before any marker.
            (0xff, 0xff) => at += 1,
            // Markers without a length.
            (0xff, 0x01 | 0xd0..=0xd8) => at += 2,
            // Frame headers; 0xc4, 0xc8 and 0xcc are tables among them.
            (0xff, 0xc0..=0xc3 | 0xc5..=0xc7 | 0xc9..=0xcb | 0xcd..=0xcf) => {
                return Some(Dimensions {
                    height: big_endian(bytes.get(at + 5..at + 7)?),
                    width: big_endian(bytes.get(at + 7..at + 9)?),
                });
            }
            (0xff, _) => at += 2 + usize::try_from(big_endian(bytes.get(at + 2..at + 4)?)).ok()?,
            _ => return None,
        }
    }
}

fn big_endian(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

fn little_endian(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// Counts the page objects of a PDF: `/Type /Page`, but not `/Pages`. 0 where they are in compressed streams.
fn pdf_pages(base64: &str) -> u64 {
    const PIECE: usize = 48 * 1024;
    // The longest stretch we look for, spaces included, that two pieces may part.
    const OVERLAP: usize = 32;
    if decode(base64.bytes(), 5) != b"%PDF-" {
        return 0;
    }
    let mut symbols = base64.bytes();
    let mut pages = 0;
    let mut window: Vec<u8> = Vec::with_capacity(PIECE + OVERLAP);
    loop {
        let piece = decode(symbols.by_ref().take(PIECE / 3 * 4), PIECE);
        let last = piece.is_empty();
        window.extend(piece);
        // A page that may go on in the next piece is counted there.
        let sure = if last { window.len() } else { window.len().saturating_sub(OVERLAP) };
        pages += memchr::memmem::find_iter(&window, b"/Type").filter(|at| *at < sure && is_page(&window, *at)).count();
        if last {
            return pages as u64;
        }
        window.drain(..sure);
    }
}

fn is_page(bytes: &[u8], at: usize) -> bool {
    let behind = bytes.get(at + b"/Type".len()..).unwrap_or_default().trim_ascii_start();
    behind.strip_prefix(b"/Page").is_some_and(|rest| !rest.first().is_some_and(u8::is_ascii_alphanumeric))
}

/// The first `most` bytes that base64 says, in either alphabet. Stops at what is not base64; skips white space.
fn decode(symbols: impl Iterator<Item = u8>, most: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut bits: u32 = 0;
    let mut number_of_bits = 0;
    for symbol in symbols {
        let value = match symbol {
            b'A'..=b'Z' => symbol - b'A',
            b'a'..=b'z' => symbol - b'a' + 26,
            b'0'..=b'9' => symbol - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            b' ' | b'\n' | b'\r' | b'\t' => continue,
            _ => break,
        };
        bits = bits << 6 | u32::from(value);
        number_of_bits += 6;
        if number_of_bits >= 8 {
            number_of_bits -= 8;
            bytes.push((bits >> number_of_bits) as u8);
            if bytes.len() == most {
                break;
            }
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn base64(bytes: &[u8]) -> String {
        const SYMBOLS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let symbols = bytes.chunks(3).flat_map(|chunk| {
            let word = chunk.iter().fold(0u32, |word, byte| word << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
            (0..=chunk.len()).map(move |index| SYMBOLS[(word >> (18 - 6 * index) & 63) as usize] as char)
        });
        symbols.collect()
    }

    fn png_of(width: u32, height: u32) -> Vec<u8> {
        [b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", &width.to_be_bytes()[..], &height.to_be_bytes()[..], b"\x08\x06\0\0\0"]
            .concat()
    }

    #[track_caller]
    fn check_size(bytes: &[u8], expected: Option<(u64, u64)>) {
        let expected = expected.map(|(width, height)| Dimensions { width, height });
        assert_eq!(dimensions(&base64(bytes)), expected);
    }

    #[test]
    fn sizes_are_read_from_the_first_bytes() {
        check_size(&png_of(640, 480), Some((640, 480)));
        check_size(b"GIF89a\x40\x01\xf0\x00rest", Some((320, 240)));
        check_size(b"RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\x7f\x02\0\xdf\x01\0", Some((640, 480)));
        check_size(b"RIFF\0\0\0\0WEBPVP8 \0\0\0\0\0\0\0\x9d\x01\x2a\x80\x02\xe0\x01", Some((640, 480)));
        check_size(b"RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f\x7f\xc2\x77\x00", Some((640, 480)));
        let profile = [&[0xff, 0xe2, 0x27, 0x12][..], &vec![7; 10_000]].concat();
        check_size(
            &[b"\xff\xd8", &profile[..], b"\xff\xff\xc2\0\x11\x08\x01\xe0\x02\x80\x03"].concat(),
            Some((640, 480)),
        );
        check_size(b"\xff\xd8\xff\xe0", None);
        check_size(&png_of(0, 480), None);
        check_size(b"not an image", None);
    }

    #[test]
    fn images_cost_what_the_provider_says() {
        let image = |width, height| Dimensions { width, height };
        assert_eq!(anthropic_tokens(image(200, 200)), 54);
        assert_eq!(anthropic_tokens(image(1000, 1000)), 1_334);
        assert_eq!(anthropic_tokens(image(4000, 4000)), 1_600);
        assert_eq!(openai_tokens(image(1024, 1024)), 765);
        assert_eq!(openai_tokens(image(2048, 4096)), 1_105);
        assert_eq!(openai_tokens(image(100, 100)), 255);
    }

    #[test]
    fn low_detail_and_unknown_sizes_have_a_price() {
        let tokens = |block| match block {
            Block::Media(media) => media.tokens,
            Block::Text(_) | Block::Thinking(_) | Block::ToolCall(_) | Block::ToolResult(_) | Block::Opaque(_) => 0,
        };
        assert_eq!(tokens(openai_image(None, Some("low"))), 85);
        assert_eq!(tokens(openai_image(Some("https://example.invalid/a.png"), None)), 1_600);
        assert_eq!(tokens(anthropic_image(Some("!!!"))), 1_600);
        assert_eq!(tokens(document(Some("JVBERi0"))), 1_600);
        assert_eq!(tokens(text_document("eight ch")), 2);
    }

    #[test]
    fn pages_are_counted_across_pieces() {
        let mut pdf = b"%PDF-1.4 /Type /Pages /Type/Font".to_vec();
        for page in 0..1_000u32 {
            pdf.extend(std::iter::repeat_n(b'x', 90 + page as usize % 77));
            pdf.extend(b"/Type  /Page\n/Parent");
        }
        assert_eq!(pdf_pages(&base64(&pdf)), 1_000);
    }

    proptest! {
        #[test]
        fn no_bytes_are_a_panic(head in 0..6usize, bytes in prop::collection::vec(any::<u8>(), 0..200), text in any::<String>()) {
            let heads: [&[u8]; 6] =
                [b"", b"\x89PNG\r\n\x1a\n", b"GIF89a", b"RIFF\0\0\0\0WEBPVP8L", b"\xff\xd8\xff", b"%PDF-"];
            let encoded = base64(&[heads[head], &bytes].concat());
            anthropic_image(Some(&encoded));
            openai_image(Some(&format!("data:image/x;base64,{encoded}")), None);
            document(Some(&encoded));
            document(Some(&text));
            anthropic_image(Some(&text));
        }
    }
}

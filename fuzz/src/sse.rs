//! Answers of models, as they stream in.

use epitome_wire::asking::{AskDialect, complaint};
use epitome_wire::sse::EventReader;

const DIALECTS: [AskDialect; 2] = [AskDialect::OpenAiChat, AskDialect::AnthropicMessages];

/// A stream says the same however it is cut into pieces, and nothing in it is more than the dialect can refuse.
pub fn check_sse(bytes: &[u8]) {
    let Some((cut, stream)) = bytes.split_first() else { return };
    let whole = EventReader::new(1 << 16).push(stream);
    let mut reader = EventReader::new(1 << 16);
    let mut pieces = Vec::new();
    let mut too_large = false;
    for piece in stream.chunks(usize::from(*cut).max(1)) {
        match reader.push(piece) {
            Ok(events) => pieces.extend(events),
            Err(_) => {
                too_large = true;
                break;
            }
        }
    }
    match whole {
        Ok(events) => {
            assert!(!too_large, "in pieces it is too large");
            assert_eq!(events, pieces, "cut by {cut}");
            for dialect in DIALECTS {
                events.iter().for_each(|event| drop(dialect.pieces(event)));
            }
        }
        Err(_) => assert!(too_large, "in pieces it is not too large"),
    }
    for dialect in DIALECTS {
        dialect.whole(stream);
    }
    complaint(stream);
}

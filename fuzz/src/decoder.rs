//! A dialect reads or refuses any bytes; what it reads leaves as it came.

use epitome_core::edit::apply;
use epitome_core::model::Pairing;
use epitome_wire::{Dialect, DuplicateKeys, Format, Request, Spliced, convert};

pub fn check_decoder(bytes: &[u8], dialect: Dialect) {
    let refusing = Request::read(bytes.to_vec(), Format::Given(dialect), DuplicateKeys::Refuse);
    let detected = Request::read(bytes.to_vec(), Format::Detect, DuplicateKeys::Carry);
    if let Ok(detected) = &detected {
        check_untouched(detected);
    }
    let request = match Request::read(bytes.to_vec(), Format::Given(dialect), DuplicateKeys::Carry) {
        Ok(request) => request,
        Err(error) => {
            assert!(refusing.is_err(), "read with {error} only if duplicates are refused");
            let position = error.position().map_or(0, |position| position.offset);
            assert!(position <= bytes.len() && !error.to_string().is_empty(), "{error}");
            return;
        }
    };
    assert_eq!((request.dialect(), request.bytes()), (dialect, bytes));
    if let Ok(refusing) = refusing {
        assert_eq!(refusing.conversation(), request.conversation(), "no duplicates, and another conversation");
    }
    if let Ok(detected) = detected.as_ref().ok().filter(|detected| detected.dialect() == dialect).ok_or(()) {
        assert_eq!(detected.conversation(), request.conversation(), "the same dialect, and another conversation");
    }
    check_untouched(&request);
    check_pairing(&request);
    for other in Dialect::ALL {
        let written = convert::write(request.conversation(), other);
        let read = Request::read(written, Format::Given(other), DuplicateKeys::Refuse);
        let read = read.expect("what is converted can be read");
        assert_eq!(read.conversation().tools.len(), request.conversation().tools.len(), "a tool was lost");
    }
    let again = Request::read(request.clone().into_bytes(), Format::Given(dialect), DuplicateKeys::Carry);
    let again = again.expect("what was read can be read");
    assert_eq!(again.conversation(), request.conversation());
}

fn check_untouched(request: &Request) {
    let nothing = apply(request.conversation(), Vec::new()).expect("no edits break nothing");
    let spliced = request.splice(&nothing).expect("no edits have their place");
    assert_eq!(spliced, Spliced { bytes: request.bytes().to_vec(), patches: Vec::new() });
    assert!(request.cache_markers() <= request.bytes().len());
}

/// Segments cover the messages in order, and every call and result is paired or named.
fn check_pairing(request: &Request) {
    let messages = &request.conversation().messages;
    let pairing = Pairing::of(messages);
    let mut next = 0;
    for segment in pairing.segments() {
        assert!(segment.start == next && segment.end > next, "{segment:?}");
        next = segment.end;
    }
    assert_eq!(next, messages.len());
    let calls: usize = messages.iter().map(|message| message.calls().count()).sum();
    let results: usize = messages.iter().map(|message| message.results().count()).sum();
    assert_eq!(calls, pairing.unanswered_calls.len() + pairing.answers.len());
    assert_eq!(results, pairing.orphan_results.len() + pairing.answers.len());
}

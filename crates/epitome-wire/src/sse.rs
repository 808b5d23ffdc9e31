//! Server-sent events, read as they arrive: push bytes in, take events out.
//!
//! Splits anywhere give the same events. Nothing is allocated that the other side has not sent, and an event that never
//! ends is refused.

/// One event.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Event {
    /// Its type; empty where none was given.
    pub name: String,
    /// Its data, lines joined.
    pub data: String,
}

/// An event is larger than allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an event of the stream is larger than {limit} bytes")]
pub struct TooLarge {
    /// What was allowed.
    pub limit: usize,
}

/// Reads a stream of events.
#[derive(Debug, Clone)]
pub struct EventReader {
    scanner: Scanner,
    limit: usize,
}

impl EventReader {
    /// Refuses events that are larger than `limit` bytes.
    pub fn new(limit: usize) -> EventReader {
        EventReader { scanner: Scanner::new(limit), limit }
    }

    /// The events that end in these bytes.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Vec<Event>, TooLarge> {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let mut events = Vec::new();
        let mut too_large = false;
        self.scanner.push(bytes, &mut |scanned| match scanned {
            Scanned::Event { name, data } => events.push(Event { name: text(name), data: text(data) }),
            Scanned::TooLarge => too_large = true,
        });
        if too_large { Err(TooLarge { limit: self.limit }) } else { Ok(events) }
    }
}

/// What stands in a stream.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Scanned<'a> {
    /// An event that has ended.
    Event {
        /// Its type; empty where none was given.
        name: &'a [u8],
        /// Its data, lines joined.
        data: &'a [u8],
    },
    /// An event that is larger than allowed. The rest of it is skipped.
    TooLarge,
}

/// Finds the events of a stream. Its memory is used again for every event.
#[derive(Debug, Clone)]
pub(crate) struct Scanner {
    /// Bytes of a line that has not ended; of a skipped line, one.
    line: Vec<u8>,
    /// The last line ended with a carriage return; a line feed right behind it belongs to it.
    after_return: bool,
    /// Nothing was read: a byte order mark may open the stream.
    at_start: bool,
    name: Vec<u8>,
    data: Vec<u8>,
    has_data: bool,
    /// The event is too large: nothing of it is kept until it ends.
    skipping: bool,
    limit: usize,
}

impl Scanner {
    /// Skips events that are larger than `limit` bytes.
    pub(crate) fn new(limit: usize) -> Scanner {
        Scanner {
            line: Vec::new(),
            after_return: false,
            at_start: true,
            name: Vec::new(),
            data: Vec::new(),
            has_data: false,
            skipping: false,
            limit,
        }
    }

    /// Tells what ends in these bytes.
    pub(crate) fn push(&mut self, bytes: &[u8], seen: &mut dyn FnMut(Scanned<'_>)) {
        let mut rest = bytes;
        while !rest.is_empty() {
            if std::mem::take(&mut self.after_return) {
                rest = rest.strip_prefix(b"\n").unwrap_or(rest);
                continue;
            }
            let end = memchr::memchr2(b'\n', b'\r', rest);
            let (part, after) = rest.split_at(end.unwrap_or(rest.len()));
            if !self.skipping && self.line.len() + part.len() + self.data.len() > self.limit {
                self.skipping = true;
                self.data.clear();
                seen(Scanned::TooLarge);
            }
            let Some((ending, after)) = after.split_first() else {
                self.hold(part);
                return;
            };
            self.after_return = *ending == b'\r';
            if self.line.is_empty() {
                self.end_line(part, seen);
            } else {
                self.hold(part);
                let mut line = std::mem::take(&mut self.line);
                self.end_line(&line, seen);
                line.clear();
                self.line = line;
            }
            rest = after;
        }
    }

    /// Whether nothing is held of an event.
    pub(crate) fn is_between_events(&self) -> bool {
        self.line.is_empty() && self.name.is_empty() && !self.has_data && !self.skipping
    }

    /// Bytes that end an event were not pushed.
    pub(crate) fn skip_events(&mut self) {
        self.at_start = false;
        self.after_return = false;
    }

    /// Bytes that wait for the end of their event.
    #[cfg(test)]
    pub(crate) fn held(&self) -> usize {
        self.line.len() + self.data.len()
    }

    fn hold(&mut self, part: &[u8]) {
        if self.skipping {
            // Whether the line is empty is all that will be asked.
            let any = self.line.first().or(part.first()).copied();
            self.line.clear();
            self.line.extend(any);
        } else {
            self.line.extend_from_slice(part);
        }
    }

    fn end_line(&mut self, line: &[u8], seen: &mut dyn FnMut(Scanned<'_>)) {
        const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();
        let at_start = std::mem::take(&mut self.at_start);
        let line = if at_start { line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(line) } else { line };
        if line.is_empty() {
            if self.has_data && !self.skipping {
                seen(Scanned::Event { name: &self.name, data: &self.data });
            }
            self.name.clear();
            self.data.clear();
            self.has_data = false;
            self.skipping = false;
            return;
        }
        if self.skipping {
            return;
        }
        let (field, value) = match memchr::memchr(b':', line) {
            Some(colon) => line.split_at(colon),
            None => (line, &[][..]),
        };
        let value = value.strip_prefix(b":").unwrap_or(value);
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"event" => {
                self.name.clear();
                self.name.extend_from_slice(value);
            }
            b"data" => {
                if std::mem::replace(&mut self.has_data, true) {
                    self.data.push(b'\n');
                }
                self.data.extend_from_slice(value);
            }
            // A comment, an id, a time to wait before asking again, or nothing that is known.
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(parts: &[&[u8]]) -> Result<Vec<Event>, TooLarge> {
        let mut reader = EventReader::new(1_000);
        let mut events = Vec::new();
        for part in parts {
            events.extend(reader.push(part)?);
        }
        Ok(events)
    }

    fn event(name: &str, data: &str) -> Event {
        Event { name: name.to_owned(), data: data.to_owned() }
    }

    #[test]
    fn events_are_read_as_the_standard_says() {
        let stream = "\u{feff}: hello\nevent: delta\ndata: {\"a\":\ndata:1}\n\ndata\n\nid: 7\nretry: 3\n\ndata:  two\r\n\r\ndata: x\r\rdata: never ended";
        let expected = vec![event("delta", "{\"a\":\n1}"), event("", ""), event("", " two"), event("", "x")];
        assert_eq!(read(&[stream.as_bytes()]), Ok(expected));
    }

    #[test]
    fn an_event_that_never_ends_is_refused() {
        assert_eq!(read(&[b"data: ".as_slice(), &[b'x'; 600], &[b'x'; 600]]), Err(TooLarge { limit: 1_000 }));
        let lines = "data: 0123456789\n".repeat(200);
        assert_eq!(read(&[lines.as_bytes()]), Err(TooLarge { limit: 1_000 }));
        let many = "data: 0123456789\n\n".repeat(200);
        assert_eq!(read(&[many.as_bytes()]).map(|events| events.len()), Ok(200));
    }

    proptest! {
        #[test]
        fn splits_anywhere_give_the_same_events(
            stream in "((data|event|id|: c)?(: ?)?[a-zé{}]{0,6}(\n|\r\n|\r|\n\n|\r\n\r\n)){0,20}",
            cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
        ) {
            let bytes = stream.as_bytes();
            let mut at: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
            at.extend([0, bytes.len()]);
            at.sort_unstable();
            let parts: Vec<&[u8]> = at.windows(2).map(|pair| &bytes[pair[0]..pair[1]]).collect();
            prop_assert_eq!(read(&parts), read(&[bytes]));
        }

        #[test]
        fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            prop_assert!(read(&[&bytes]).is_ok());
        }
    }
}

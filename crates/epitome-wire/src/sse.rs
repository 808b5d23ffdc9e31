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
    /// Bytes of a line that has not ended.
    line: Vec<u8>,
    /// The last line ended with a carriage return; a line feed right behind it belongs to it.
    after_return: bool,
    /// Nothing was read: a byte order mark may open the stream.
    at_start: bool,
    event: Event,
    has_data: bool,
    limit: usize,
}

impl EventReader {
    /// Refuses events that are larger than `limit` bytes.
    pub fn new(limit: usize) -> EventReader {
        EventReader {
            line: Vec::new(),
            after_return: false,
            at_start: true,
            event: Event::default(),
            has_data: false,
            limit,
        }
    }

    /// The events that end in these bytes.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Vec<Event>, TooLarge> {
        let mut events = Vec::new();
        let mut rest = bytes;
        while !rest.is_empty() {
            if self.after_return {
                self.after_return = false;
                rest = rest.strip_prefix(b"\n").unwrap_or(rest);
                continue;
            }
            let end = memchr::memchr2(b'\n', b'\r', rest);
            let (part, after) = rest.split_at(end.unwrap_or(rest.len()));
            self.line.extend_from_slice(part);
            if self.line.len() + self.event.data.len() > self.limit {
                return Err(TooLarge { limit: self.limit });
            }
            if let Some((ending, after)) = after.split_first() {
                self.after_return = *ending == b'\r';
                events.extend(self.end_line());
                rest = after;
            } else {
                rest = after;
            }
        }
        Ok(events)
    }

    fn end_line(&mut self) -> Option<Event> {
        let line = std::mem::take(&mut self.line);
        let line = String::from_utf8_lossy(&line);
        let line = if std::mem::take(&mut self.at_start) { line.trim_start_matches('\u{feff}') } else { &line };
        if line.is_empty() {
            let event = std::mem::take(&mut self.event);
            return std::mem::take(&mut self.has_data).then_some(event);
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => self.event.name = value.to_owned(),
            "data" => {
                if std::mem::replace(&mut self.has_data, true) {
                    self.event.data.push('\n');
                }
                self.event.data.push_str(value);
            }
            // A comment, an id, a time to wait before asking again, or nothing that is known.
            _ => {}
        }
        None
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

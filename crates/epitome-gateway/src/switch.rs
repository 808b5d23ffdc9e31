//! What a client wishes for one request, in the header `x-epitome`.

use http::HeaderMap;

/// What a client wishes for one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Switch {
    /// Nothing out of the ordinary; also where the header says something that we do not know.
    Usual,
    /// That it is left alone.
    Off,
    /// That everything is computed and nothing changed.
    Observe,
}

impl Switch {
    /// What the headers of a request say, in any case of the letters.
    pub(crate) fn of(headers: &HeaderMap) -> Switch {
        let told = headers.get("x-epitome").map(|told| told.as_bytes().trim_ascii()).unwrap_or_default();
        if told.eq_ignore_ascii_case(b"off") {
            Switch::Off
        } else if told.eq_ignore_ascii_case(b"observe") {
            Switch::Observe
        } else {
            Switch::Usual
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(told: Option<&'static str>, expected: Switch) {
        let headers = told.into_iter().map(|told| ("x-epitome".parse().unwrap(), told.parse().unwrap())).collect();
        assert_eq!(Switch::of(&headers), expected, "{told:?}");
    }

    #[test]
    fn wishes_are_read_in_any_case() {
        check(Some("off"), Switch::Off);
        check(Some(" OFF "), Switch::Off);
        check(Some("observe"), Switch::Observe);
        check(Some("Observe"), Switch::Observe);
        check(Some("on"), Switch::Usual);
        check(None, Switch::Usual);
    }
}

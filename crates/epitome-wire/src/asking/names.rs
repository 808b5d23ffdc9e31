//! Names of errors that may be repeated. A provider may put anything into its error, even the key that it was asked with; so
//! only a name that is made of words of this list is told to people.

/// Words that names of errors are made of, as the errors of providers have them.
const WORDS: &[&str] = &[
    "access",
    "account",
    "algo",
    "allowed",
    "already",
    "api",
    "arguments",
    "arrearage",
    "auth",
    "authentication",
    "authorization",
    "availability",
    "available",
    "bad",
    "balance",
    "billing",
    "blocked",
    "body",
    "busy",
    "cancelled",
    "capacity",
    "client",
    "code",
    "cognitive",
    "concurrency",
    "conflict",
    "connection",
    "content",
    "context",
    "credit",
    "credits",
    "daily",
    "data",
    "deadline",
    "denied",
    "deployment",
    "disabled",
    "duplicate",
    "engine",
    "entity",
    "error",
    "exceed",
    "exceeded",
    "exception",
    "exhausted",
    "expired",
    "external",
    "failed",
    "failure",
    "feature",
    "file",
    "filter",
    "flagged",
    "forbidden",
    "format",
    "found",
    "free",
    "function",
    "gateway",
    "image",
    "incorrect",
    "inspection",
    "insufficient",
    "internal",
    "invalid",
    "ip",
    "json",
    "key",
    "large",
    "length",
    "limit",
    "limited",
    "limits",
    "long",
    "max",
    "maximum",
    "message",
    "messages",
    "method",
    "minute",
    "missing",
    "mode",
    "model",
    "moderation",
    "must",
    "no",
    "not",
    "object",
    "of",
    "operation",
    "or",
    "organization",
    "overloaded",
    "parameter",
    "parse",
    "payload",
    "payment",
    "per",
    "permission",
    "plan",
    "policy",
    "precondition",
    "processable",
    "project",
    "prompt",
    "provider",
    "quota",
    "range",
    "rate",
    "reached",
    "ready",
    "refused",
    "region",
    "request",
    "requests",
    "required",
    "resource",
    "response",
    "restricted",
    "safety",
    "server",
    "service",
    "size",
    "spending",
    "status",
    "stream",
    "string",
    "support",
    "supported",
    "suspended",
    "system",
    "temporarily",
    "throttled",
    "throttling",
    "timeout",
    "token",
    "tokens",
    "too",
    "tool",
    "tools",
    "type",
    "unauthenticated",
    "unauthorized",
    "unavailable",
    "unexpected",
    "unknown",
    "unprocessable",
    "unsupported",
    "upstream",
    "usage",
    "user",
    "validation",
    "value",
    "violation",
    "with",
];

/// A number that is a name has no more digits: the codes of some providers are `400` or `11210`.
const MOST_DIGITS: usize = 5;

/// Whether a name can be repeated: words of the list, in any spelling (`rate_limit_error`, `RateLimitError`), and short
/// numbers.
pub(super) fn is_a_name(name: &str) -> bool {
    let separate = |c: char| matches!(c, '_' | '-' | '.' | ' ');
    !name.is_empty() && name.split(separate).all(is_a_part)
}

fn is_a_part(part: &str) -> bool {
    let is_number = part.bytes().all(|byte| byte.is_ascii_digit());
    if is_number {
        return !part.is_empty() && part.len() <= MOST_DIGITS;
    }
    let lower = part.to_lowercase();
    WORDS.contains(&lower.as_str()) || humps(part).iter().all(|word| WORDS.contains(&word.to_lowercase().as_str()))
}

/// `RateLimitError` is three words.
fn humps(part: &str) -> Vec<&str> {
    let starts = part.char_indices().filter(|(at, c)| *at > 0 && c.is_uppercase()).map(|(at, _)| at);
    let ends: Vec<usize> = starts.chain([part.len()]).collect();
    let mut from = 0;
    ends.into_iter().map(|end| &part[std::mem::replace(&mut from, end)..end]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_errors_are_repeated() {
        for name in [
            "authentication_error",
            "rate_limit_exceeded",
            "context_length_exceeded",
            "insufficient_quota",
            "overloaded_error",
            "invalid_api_key",
            "model_not_found",
            "RESOURCE_EXHAUSTED",
            "ThrottlingException",
            "DeploymentNotFound",
            "InternalError.Algo.InvalidParameter",
            "exceed_context_size_error",
            "server_error",
            "400",
            "11210",
            "BadRequestError",
        ] {
            assert!(is_a_name(name), "{name}");
        }
    }

    #[test]
    fn a_credential_is_no_name() {
        for name in [
            "sk-ant-api03-AbC123",
            "sk-proj-abcdefgh",
            "secret-of-the-client",
            "gsk_abcdef",
            "theirs",
            "AIzaSyA1",
            "123456789",
            "rate_limit_error_sk1",
            "key-swordfish",
            "",
            "_",
        ] {
            assert!(!is_a_name(name), "{name}");
        }
    }
}

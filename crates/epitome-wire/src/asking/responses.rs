//! Asking in OpenAI's Responses dialect, and what its events mean.

use serde_json::{Value, json};

use super::{Ending, LimitKey, Piece, Question, complaint_of, openai_cached};

/// The request's body. What is asked is not kept by the provider.
pub(super) fn body(question: &Question<'_>) -> Value {
    let mut body = json!({
        "instructions": question.system,
        "input": [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": question.user}]}],
        "stream": true,
        "store": false,
    });
    match question.limit_key {
        LimitKey::MaxTokens | LimitKey::MaxCompletionTokens => body["max_output_tokens"] = json!(question.most_tokens),
        LimitKey::Unsaid => {}
    }
    body
}

/// What an event of the stream says.
pub(super) fn event(event: &Value) -> Option<Vec<Piece>> {
    let response = event.get("response");
    Some(match event.get("type")?.as_str()? {
        "response.output_text.delta" => {
            event.get("delta").and_then(Value::as_str).map(|text| Piece::Text(text.to_owned())).into_iter().collect()
        }
        "response.completed" | "response.incomplete" => response.map(ended).unwrap_or_default(),
        "response.failed" => vec![failed(response.and_then(|response| response.get("error")))],
        "error" => vec![failed(Some(event.get("error").unwrap_or(event)))],
        // What began, what is being done, and what may come one day.
        _ => Vec::new(),
    })
}

/// What an answer says that came in one piece.
pub(super) fn whole(answer: &Value) -> Option<Vec<Piece>> {
    if let Some(error) = answer.get("error").filter(|error| !error.is_null()) {
        return Some(vec![failed(Some(error))]);
    }
    let items = answer.get("output")?.as_array()?.iter();
    let parts = items.filter_map(|item| item.get("content")?.as_array()).flatten();
    let texts = parts.filter(|part| part.get("type").and_then(Value::as_str) == Some("output_text"));
    let texts = texts.filter_map(|part| part.get("text").and_then(Value::as_str));
    let mut pieces: Vec<Piece> = texts.map(|text| Piece::Text(text.to_owned())).collect();
    pieces.extend(ended(answer));
    Some(pieces)
}

fn failed(error: Option<&Value>) -> Piece {
    Piece::Failed(complaint_of(error.unwrap_or(&Value::Null)))
}

/// How a response ended, and what it took.
fn ended(response: &Value) -> Vec<Piece> {
    let reason = response.pointer("/incomplete_details/reason").and_then(Value::as_str);
    let items = response.get("output").and_then(Value::as_array).into_iter().flatten();
    let mut kinds = items.filter_map(|item| item.get("type")?.as_str());
    let wants_tool = kinds.any(|kind| kind.ends_with("_call"));
    let ending = match reason {
        Some("max_output_tokens") => Ending::Limit,
        Some(_) => Ending::Declined,
        None if wants_tool => Ending::Declined,
        None => Ending::Complete,
    };
    let mut pieces = vec![Piece::Ended(ending)];
    if let Some(usage) = response.get("usage").filter(|usage| usage.is_object()) {
        let tokens = |key: &str| usage.get(key).and_then(Value::as_u64);
        pieces.push(Piece::Usage { input: tokens("input_tokens"), output: tokens("output_tokens") });
        pieces.extend(openai_cached(usage.get("input_tokens_details")));
    }
    pieces
}

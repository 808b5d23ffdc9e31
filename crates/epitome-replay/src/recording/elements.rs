//! JSON of messages and items, as messages of our model.

use epitome_core::model::Message;
use epitome_wire::{Dialect, DuplicateKeys, Format, Request};
use serde_json::Value;

use super::RecordingError;

/// Reads a list of messages or items.
pub(super) fn messages(dialect: Dialect, elements: &[&Value]) -> Result<Vec<Message>, RecordingError> {
    let request =
        read(&Value::Array(elements.iter().map(|element| (*element).clone()).collect()), Format::Given(dialect))?;
    Ok(request.conversation().messages.clone())
}

/// Reads a whole request.
pub(super) fn read(value: &Value, format: Format) -> Result<Request, RecordingError> {
    Request::read(value.to_string().into_bytes(), format, DuplicateKeys::Carry).map_err(RecordingError::Messages)
}

/// Whether an item of the Responses dialect was said by the model.
pub(super) fn is_said_by_model(item: &Value) -> bool {
    let kind = item.get("type").and_then(Value::as_str).unwrap_or("message");
    match kind {
        "message" => item.get("role").and_then(Value::as_str) == Some("assistant"),
        "reasoning" => true,
        _ => kind.ends_with("_call"),
    }
}

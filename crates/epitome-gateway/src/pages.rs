//! Our own pages: what is remembered of sessions, and compaction by hand. Each tenant is told of its own alone.

use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Extension, Path, State};
use axum::response::Response;
use axum::routing::{get, post};
use epitome_store::records::{SessionId, Tenant, Wish};
use epitome_store::store::{Store, StoreError};
use http::header::CONTENT_TYPE;
use http::{HeaderValue, StatusCode, Uri};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::clock;
use crate::respond::Trouble;
use crate::story::{Story, current, session_json};

/// What comes with a wish.
#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct Wanted {
    focus: Option<String>,
}

/// Of a list, unless `?most=` says otherwise.
const MOST: usize = 100;

/// A focus is a few words; what is longer is no focus.
const LONGEST_FOCUS: usize = 2_000;

/// The pages at `/epitome` and below.
pub fn router(store: Arc<dyn Store>) -> Router {
    Router::new()
        .route("/epitome/sessions", get(list))
        .route("/epitome/sessions/{id}", get(show))
        .route("/epitome/sessions/{id}/compact", post(compact))
        .fallback(nothing_here)
        .with_state(store)
}

async fn list(State(store): State<Arc<dyn Store>>, Extension(tenant): Extension<Tenant>, uri: Uri) -> Response {
    let pairs = uri.query().unwrap_or_default().split('&').filter_map(|pair| pair.split_once('='));
    let most = pairs.filter(|(name, _)| *name == "most").find_map(|(_, value)| value.parse().ok());
    match store.sessions(&tenant, most.unwrap_or(MOST)).await {
        Ok(sessions) => {
            let sessions: Vec<Value> = sessions.iter().map(session_json).collect();
            told(StatusCode::OK, &json!({"tenant": tenant.as_str(), "sessions": sessions}))
        }
        Err(error) => failed(&error),
    }
}

async fn show(
    State(store): State<Arc<dyn Store>>,
    Extension(tenant): Extension<Tenant>,
    Path(id): Path<String>,
) -> Response {
    match Story::of(&*store, &tenant, &SessionId::new(id)).await {
        Ok(Some(story)) => told(StatusCode::OK, &story.to_json()),
        Ok(None) => trouble(&Trouble::NoSession),
        Err(error) => failed(&error),
    }
}

async fn compact(
    State(store): State<Arc<dyn Store>>,
    Extension(tenant): Extension<Tenant>,
    Path(id): Path<String>,
    body: Bytes,
) -> Response {
    let wanted = if body.iter().all(u8::is_ascii_whitespace) {
        Some(Wanted::default())
    } else {
        serde_json::from_slice(&body).ok()
    };
    let Some(Wanted { focus }) = wanted else { return trouble(&Trouble::NotAWish) };
    let focus = focus.map(|focus| focus.trim().to_owned()).filter(|focus| !focus.is_empty());
    if focus.as_ref().is_some_and(|focus| focus.len() > LONGEST_FOCUS) {
        return trouble(&Trouble::NotAWish);
    }
    let wish = Wish { at_ms: clock::now_ms(), focus };
    match put_wish(&*store, &tenant, &SessionId::new(id), &wish).await {
        Ok(Some(session)) => told(StatusCode::ACCEPTED, &wished(session.as_str(), &wish)),
        Ok(None) => trouble(&Trouble::NoSession),
        Err(error) => failed(&error),
    }
}

/// Asks for a compaction of a session, or of the one that continues it by now. Which it is; `None`: there is none.
pub async fn put_wish(
    store: &dyn Store,
    tenant: &Tenant,
    id: &SessionId,
    wish: &Wish,
) -> Result<Option<SessionId>, StoreError> {
    let Some(session) = store.session(tenant, id).await? else { return Ok(None) };
    let session = current(store, tenant, session).await?;
    Ok(store.put_wish(tenant, &session.id, wish).await?.then_some(session.id))
}

async fn nothing_here() -> Response {
    trouble(&Trouble::NotFound)
}

/// What is answered to a wish, here and by `epitome sessions compact --json`.
pub fn wished(session: &str, wish: &Wish) -> Value {
    json!({
        "session": session,
        "asked_for": {"at_ms": wish.at_ms, "focus": wish.focus},
        "when": "with the next request of the session",
    })
}

fn told(status: StatusCode, value: &Value) -> Response {
    let mut response = Response::new(value.to_string().into());
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

fn trouble(trouble: &Trouble) -> Response {
    trouble.response(None).map(axum::body::Body::new)
}

fn failed(error: &StoreError) -> Response {
    tracing::warn!(%error, "a page could not be made");
    trouble(&Trouble::NoStore)
}

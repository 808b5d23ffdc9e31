//! Who writes the summaries of a request (M4).

use std::sync::Arc;

use epitome_core::summary::Summarizer;
use epitome_core::tokens::Tokens;
use epitome_provider::{Endpoint, OwnModels, Sent};

use crate::auth;
use crate::forward::passed_on;
use crate::received::{Kind, Received};

/// Who writes the summaries.
pub enum Writer {
    /// No model: the local summariser does.
    Local,
    /// One model for all requests.
    Model(Arc<dyn Summarizer>),
    /// The model of each request, at the request's own upstream and with its credential.
    OfRequest {
        /// What is known of such models.
        models: Box<OwnModels>,
        /// Which requests it is asked for.
        asked: Asked,
    },
}

/// Which requests' own models are asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// All that name one.
    Always,
    /// Those that bring a credential too: without one, nothing tells that a call more is wanted.
    WithCredential,
}

impl Writer {
    /// The model that writes a request's summary, and may be asked behind what it has read before; `None`: the local
    /// summariser does.
    ///
    /// What is made for a question about a session is not remembered, so that no model is paid for it.
    pub(crate) fn of(&self, received: &Received, window: Tokens, sent: Option<Sent>) -> Option<Arc<dyn Summarizer>> {
        match (self, received.kind) {
            (Writer::Local, _) | (_, Kind::Aside) => None,
            (Writer::Model(summarizer), Kind::Turn) => Some(summarizer.clone()),
            (Writer::OfRequest { models, asked }, Kind::Turn) => {
                let incoming = &received.incoming;
                let model = asked.model_of(received)?;
                let (dialect, url) = (incoming.dialect.into(), incoming.upstream.clone());
                let endpoint = Endpoint::of_request(dialect, url, &passed_on(&incoming.headers));
                match models.of_request(incoming.tenant.as_str(), model, window, endpoint, sent) {
                    Ok(summarizer) => Some(Arc::new(summarizer)),
                    Err(error) => {
                        tracing::warn!(session = %received.session, %error, "no model can be asked for a summary");
                        None
                    }
                }
            }
        }
    }

    /// The name of the model that is asked for a request's summary; `None`: nobody is.
    pub(crate) fn asked_for<'a>(&'a self, received: &'a Received) -> Option<&'a str> {
        match self {
            Writer::Local => None,
            Writer::Model(summarizer) => Some(summarizer.name()),
            Writer::OfRequest { models, asked } => asked.model_of(received).map(|model| models.writes_for(model)),
        }
    }

    /// Whether that model has read the conversation, and can be asked behind it.
    pub(crate) fn forks(&self, received: &Received) -> bool {
        match self {
            Writer::Local | Writer::Model(_) => false,
            Writer::OfRequest { .. } => self.asked_for(received) == received.request.model(),
        }
    }

    /// Whether a model is asked at all.
    pub(crate) fn asks_models(&self) -> bool {
        match self {
            Writer::Local => false,
            Writer::Model(_) | Writer::OfRequest { .. } => true,
        }
    }
}

impl Asked {
    /// The model of a request, if it is one of those.
    fn model_of(self, received: &Received) -> Option<&str> {
        let may_ask = match self {
            Asked::Always => true,
            Asked::WithCredential => auth::credential(&received.incoming.headers).is_some(),
        };
        received.request.model().filter(|model| may_ask && !model.is_empty())
    }
}

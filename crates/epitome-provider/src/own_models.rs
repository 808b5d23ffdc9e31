//! The models that clients ask for themselves, asked by us with the clients' own credentials.
//!
//! A summariser is made for each request, as each brings its own credential. What was learnt by asking is shared: windows,
//! failures, and what was spent.

use std::collections::HashMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use epitome_core::catalogue::Catalogue;
use epitome_core::tokens::{BpeCounter, ScaledCounter, Tokens, prior_factor};

use crate::endpoint::Endpoint;
use crate::fork::Sent;
use crate::http::Http;
use crate::summarizer::{Learnt, ModelSummarizer, Purse, Settings, State, known_window};

/// So many models are remembered; then all are forgotten, which costs a lesson each.
const MOST: usize = 4_096;

/// Makes summarisers of the models that clients ask for.
pub struct OwnModels {
    settings: Settings,
    catalogue: Catalogue,
    plain: Mutex<Option<Http>>,
    encrypted: Mutex<Option<Http>>,
    learnt: Mutex<HashMap<Whose, Learnt>>,
    purse: Purse,
}

/// A model, as one client may ask it: a credential that is refused is no failure of others.
#[derive(PartialEq, Eq, Hash)]
struct Whose {
    client: String,
    host: String,
    model: String,
}

impl OwnModels {
    /// Asks as `settings` say. Where they name no model and no window, those are each request's own.
    pub fn new(settings: Settings, catalogue: Catalogue) -> OwnModels {
        OwnModels {
            settings,
            catalogue,
            plain: Mutex::default(),
            encrypted: Mutex::default(),
            learnt: Mutex::default(),
            purse: Purse::default(),
        }
    }

    /// The name of the model that writes summaries for a request of `model`.
    pub fn writes_for<'a>(&'a self, model: &'a str) -> &'a str {
        self.settings.model.as_deref().unwrap_or(model)
    }

    /// The model of a request, or the one of the same endpoint that the settings name; asked behind `sent` if it has read
    /// that. `client` tells apart who asks, and holds no secret. An error: https is spoken there, and this machine has no
    /// certificates.
    pub fn of_request(
        &self,
        client: &str,
        model: &str,
        window: Tokens,
        endpoint: Endpoint,
        sent: Option<Sent>,
    ) -> io::Result<ModelSummarizer> {
        let http = self.http(&endpoint)?;
        let named = self.settings.model.as_deref().filter(|named| *named != model);
        let (model, window, sent) = match named {
            Some(named) => (named, known_window(&self.catalogue, named), None),
            None => (model, window, sent),
        };
        let window = self.settings.context_length.unwrap_or(window);
        let whose = Whose { client: client.to_owned(), host: endpoint.host().to_owned(), model: model.to_owned() };
        let state = self.learnt_of(whose, window);
        let settings = Settings { model: Some(model.to_owned()), ..self.settings.clone() };
        let facts = self.catalogue.lookup(model).facts().clone();
        let counter = Arc::new(ScaledCounter::new(BpeCounter, prior_factor(model)));
        let summarizer = ModelSummarizer::sharing(endpoint, settings, facts, counter, http, state, self.purse.clone());
        Ok(match sent {
            Some(sent) => summarizer.behind(sent),
            None => summarizer,
        })
    }

    fn learnt_of(&self, whose: Whose, window: Tokens) -> Learnt {
        let mut learnt = lock(&self.learnt);
        if learnt.len() >= MOST {
            learnt.clear();
        }
        learnt.entry(whose).or_insert_with(|| State::of(window)).clone()
    }

    /// A client with a pool of connections for all. Certificates are read when they are needed first.
    fn http(&self, endpoint: &Endpoint) -> io::Result<Http> {
        let (made, make): (_, fn() -> io::Result<Http>) = if endpoint.is_encrypted() {
            (&self.encrypted, Http::encrypted)
        } else {
            (&self.plain, || Ok(Http::plain()))
        };
        let mut made = lock(made);
        match &*made {
            Some(http) => Ok(http.clone()),
            None => Ok(made.insert(make()?).clone()),
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

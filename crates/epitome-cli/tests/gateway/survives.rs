//! What a compaction leaves of the provider's cache (M11, M21): a gateway before a provider that caches as documented.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::Asked;
use crate::process::Gateway;
use crate::prompt_cache::{Keeper, PromptCache, Used, blocks};
use crate::provider::{Does, Provider};

/// A call as the provider got it.
struct Call {
    body: Value,
    used: Used,
    /// What the gateway says that it did.
    action: String,
}

/// How a session is sent.
struct Way {
    keeper: Keeper,
    model: &'static str,
    settings: &'static [&'static str],
}

const MESSAGES: Way =
    Way { keeper: Keeper::Messages, model: "claude-sonnet-4-5", settings: &["prompt_caching.strategy=auto"] };
const OPENROUTER: Way = Way {
    keeper: Keeper::OpenRouter,
    model: "anthropic/claude-sonnet-4.5",
    settings: &["prompt_caching.strategy=auto", "prompt_caching.rules=openrouter"],
};
const RESPONSES: Way = Way { keeper: Keeper::Responses, model: "gpt-5.1", settings: &["prompt_caching.strategy=auto"] };

/// 2,500 tokens as the provider counts.
fn system() -> String {
    (0..250).map(|rule| format!("Rule {rule:3}: mind the \"{:04x}\" one.\n", rule * 7919)).collect()
}

impl Way {
    fn request(&self, exchanges: usize) -> Value {
        let text = |what: &str, number: usize| format!("{what} {number}: {}", "some words of it, ".repeat(60));
        let mut messages = vec![json!({"role": "user", "content": text("question", 0)})];
        for number in 1..=exchanges {
            messages.push(json!({"role": "assistant", "content": text("answer", number)}));
            messages.push(json!({"role": "user", "content": text("question", number)}));
        }
        match self.keeper {
            Keeper::Messages => {
                json!({"model": self.model, "max_tokens": 100, "system": system(), "messages": messages})
            }
            Keeper::OpenRouter => {
                messages.insert(0, json!({"role": "system", "content": system()}));
                json!({"model": self.model, "messages": messages})
            }
            Keeper::Responses => {
                json!({"model": self.model, "instructions": system(), "input": messages, "store": false})
            }
        }
    }

    fn path(&self) -> &'static str {
        match self.keeper {
            Keeper::Messages => "POST /v1/messages",
            Keeper::OpenRouter => "POST /v1/chat/completions",
            Keeper::Responses => "POST /v1/responses",
        }
    }

    /// Plays a session through a gateway, which compacts it at 12,000 tokens.
    fn played(&self, calls: usize) -> Vec<Call> {
        let home = TempDir::new().expect("a directory");
        let seen: Arc<Mutex<Vec<(Value, Used)>>> = Arc::default();
        let cache = Mutex::new(PromptCache::new(self.keeper));
        let noted = seen.clone();
        let provider = Provider::start(Does::AnswersBy(Arc::new(move |body| {
            let body: Value = serde_json::from_slice(body).expect("JSON");
            let mut cache = cache.lock().expect("nobody panicked");
            let used = cache.call(&body);
            noted.lock().expect("nobody panicked").push((body, used));
            cache.answer(used)
        })));
        let settings = [
            &["model.context_length=24000", "compression.protect_last_n=3", "auxiliary.compression.provider=local"],
            self.settings,
        ]
        .concat();
        let gateway = Gateway::start(home.path(), &provider.url(), &settings);
        let play = |exchanges| {
            let body = self.request(exchanges).to_string();
            let answer = Asked::begin(gateway.address, self.path(), body.as_bytes()).answer();
            assert_eq!(answer.status, Some(200), "{}", answer.text());
            answer.action().to_owned()
        };
        let actions: Vec<String> = (0..calls).map(play).collect();
        let seen = std::mem::take(&mut *seen.lock().expect("nobody panicked"));
        assert_eq!(seen.len(), actions.len());
        seen.into_iter().zip(actions).map(|((body, used), action)| Call { body, used, action }).collect()
    }

    #[track_caller]
    fn check(&self) {
        let calls = self.played(40);
        let compacted: Vec<usize> = (0..calls.len()).filter(|call| calls[*call].action == "compacted").collect();
        assert!(compacted.len() > 1, "{compacted:?}");
        // In steps of 128 tokens, where the provider reads so.
        let system = system().len() / 4 / 128 * 128;
        for call in &compacted {
            let Used { prompt, read, .. } = calls[*call].used;
            assert!(read >= system, "call {call} reads {read} of {prompt}");
            // Warm again with the next call (M21).
            let Some(next) = calls.get(call + 1) else { continue };
            assert!(next.used.read * 10 >= prompt * 9, "{} of {prompt} read in the next call", next.used.read);
        }
        // The prefix stays between two compactions.
        let texts = |call: &Call| blocks(&call.body).into_iter().map(|block| block.text).collect::<Vec<_>>();
        for pair in calls.windows(2).filter(|pair| pair[1].action != "compacted") {
            assert!(texts(&pair[1]).starts_with(&texts(&pair[0])), "the prefix moved");
        }
    }
}

#[test]
fn the_system_prompt_is_read_from_the_cache_after_a_compaction_in_messages() {
    MESSAGES.check();
}

#[test]
fn the_system_prompt_is_read_from_the_cache_after_a_compaction_in_chat_through_openrouter() {
    OPENROUTER.check();
}

#[test]
fn the_system_prompt_is_read_from_the_cache_after_a_compaction_in_responses() {
    RESPONSES.check();
}

/// How the system prompt is sent after a compaction.
fn system_after_a_compaction(way: &Way) -> Value {
    let calls = way.played(24);
    let compacted = calls.iter().find(|call| call.action == "compacted").expect("one is compacted");
    match way.keeper {
        Keeper::Messages => compacted.body["system"].clone(),
        Keeper::OpenRouter => compacted.body["messages"][0]["content"].clone(),
        Keeper::Responses => compacted.body["instructions"].clone(),
    }
}

#[test]
fn where_markers_are_written_the_note_stands_behind_the_clients_text_and_its_marker() {
    for way in [MESSAGES, OPENROUTER] {
        let sent = system_after_a_compaction(&way);
        let parts = sent.as_array().expect("a list");
        let own = json!({"type": "text", "text": system(), "cache_control": {"type": "ephemeral"}});
        assert_eq!(parts[0], own, "{:?}", way.keeper);
        let note = parts[1]["text"].as_str().expect("a text");
        assert!(note.starts_with("[Note: Some earlier conversation turns have been compacted"), "{note}");
        assert_eq!((parts.len(), parts[1].as_object().map(|note| note.len())), (2, Some(2)), "it carries no marker");
    }
}

#[test]
fn elsewhere_the_note_is_appended_to_the_text() {
    let left_to_the_client = &["prompt_caching.strategy=client"];
    for way in [
        Way { settings: left_to_the_client, ..MESSAGES },
        Way { model: "kimi-k2", ..MESSAGES },
        Way { settings: &["prompt_caching.strategy=client", "prompt_caching.rules=openrouter"], ..OPENROUTER },
        // At 127.0.0.1 nobody knows who takes a list.
        Way { settings: &["prompt_caching.strategy=auto"], ..OPENROUTER },
        RESPONSES,
    ] {
        let sent = system_after_a_compaction(&way);
        let text = sent.as_str().unwrap_or_else(|| panic!("{} {:?} got {sent}", way.model, way.settings));
        let note = text.strip_prefix(&system()).expect("the client's text comes first");
        assert!(note.starts_with("\n\n[Note: Some earlier conversation turns have been compacted"), "{note}");
    }
}

//! What providers do with markers for their caches, as a table.

use epitome_core::cache::{Caching, Rules, Unmarkable};
use epitome_core::catalogue::ModelFacts;
use epitome_core::tokens::Tokens;
use epitome_wire::caching::Layout;
use epitome_wire::{Dialect, NoteInString};

/// What a provider does with markers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Support {
    /// Where it reads them.
    pub layout: Layout,
    /// What it accepts and promises.
    pub rules: Rules,
    /// Whether we set any.
    pub marks: Marks,
    /// How our note gets into a system prompt that is a string, where we set markers: the provider must take a list there.
    pub note: NoteInString,
}

/// Whether markers are set for a model at a provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Marks {
    /// They are; the words say for whom.
    Set(String),
    /// They are not; the words say why.
    Unset(String),
}

/// What is known of the models of a dialect at a host.
struct Row {
    dialect: Dialect,
    /// This domain, and those below it. `None`: any.
    domain: Option<&'static str>,
    models: Models,
    layout: Layout,
    rules: Rules,
    marks: Why,
    note: NoteInString,
}

/// Which models a row is about.
#[derive(Clone, Copy)]
enum Models {
    Claude,
    /// Those whose writes to the cache are charged for: they take markers.
    ChargedForWrites,
    Any,
}

/// Whether and why models are marked.
#[derive(Clone, Copy)]
enum Why {
    /// They are; this is what the status line calls them.
    Set(&'static str),
    /// They are; the status line names the provider.
    Claude,
    /// They are not, as they are not Claude.
    NotClaude,
    /// They are not, as the provider takes none.
    NoneTaken,
}

/// A shorter prefix is not cached by most models.
const USUAL_MINIMUM: Tokens = Tokens(1_024);
const ANTHROPIC: Rules = Rules::anthropic(USUAL_MINIMUM);
const OPENROUTER: Rules = Rules { unmarkable: Unmarkable::Counted, ..ANTHROPIC };

/// The first row that fits counts.
const ROWS: [Row; 8] = {
    use Dialect::{AnthropicMessages, OpenAiChat, OpenAiResponses};
    use Models::{Any, ChargedForWrites, Claude};
    use NoteInString::{AsPart, Inside};
    const fn row(
        dialect: Dialect,
        domain: Option<&'static str>,
        models: Models,
        layout: Layout,
        rules: Rules,
        marks: Why,
        note: NoteInString,
    ) -> Row {
        Row { dialect, domain, models, layout, rules, marks, note }
    }
    let (openai, openrouter) = (Some("openai.com"), Some("openrouter.ai"));
    let (asked, automatic) = (Rules::openai_marked(), Rules::automatic());
    let breakpoints = Why::Set("breakpoints at OpenAI");
    [
        row(AnthropicMessages, None, Claude, Layout::Messages, ANTHROPIC, Why::Claude, AsPart),
        row(AnthropicMessages, None, Any, Layout::Messages, ANTHROPIC, Why::NotClaude, Inside),
        row(OpenAiChat, openrouter, Claude, Layout::OpenRouter, OPENROUTER, Why::Claude, AsPart),
        row(OpenAiChat, openrouter, Any, Layout::OpenRouter, automatic, Why::NotClaude, Inside),
        row(OpenAiChat, openai, ChargedForWrites, Layout::OpenAi, asked, breakpoints, AsPart),
        row(OpenAiChat, None, Any, Layout::OpenRouter, automatic, Why::NoneTaken, Inside),
        row(OpenAiResponses, openai, ChargedForWrites, Layout::OpenAi, asked, breakpoints, AsPart),
        row(OpenAiResponses, None, Any, Layout::OpenAi, automatic, Why::NoneTaken, Inside),
    ]
};

/// What people call the providers at some domains.
const NAMES: [(&str, &str); 2] = [("anthropic.com", "Anthropic"), ("openrouter.ai", "OpenRouter")];

impl Support {
    /// What the provider at `host` does with markers in requests of this dialect for this model.
    pub fn of(dialect: Dialect, host: &str, model: &str, facts: &ModelFacts) -> Support {
        let is_at = |domain: &str| host == domain || host.ends_with(&format!(".{domain}"));
        let is_claude = model.to_ascii_lowercase().contains("claude");
        let is_about = |row: &&Row| {
            let models = match row.models {
                Models::Claude => is_claude,
                // Claude's markers are not OpenAI's.
                Models::ChargedForWrites => !is_claude && facts.prices.cache_write_5m.is_some(),
                Models::Any => true,
            };
            models && row.dialect == dialect && row.domain.is_none_or(is_at)
        };
        let [.., anywhere] = &ROWS;
        let row = ROWS.iter().find(is_about).unwrap_or(anywhere);
        let named = NAMES.into_iter().find(|(domain, _)| is_at(domain)).map(|(_, name)| name);
        let provider = named.unwrap_or(if host.is_empty() { "a provider that is not named" } else { host });
        let marks = match row.marks {
            Why::Set(whom) => Marks::Set(whom.to_owned()),
            Why::Claude => Marks::Set(format!("Claude via {provider}")),
            // Clients name models as they like, and this is read in a terminal.
            Why::NotClaude => Marks::Unset(format!("{} is no Claude model", model.escape_debug())),
            Why::NoneTaken => Marks::Unset(format!("{provider} takes none in this dialect, or caches by itself")),
        };
        let minimum = match row.rules.caching {
            Caching::Marked { .. } => facts.cache_min.unwrap_or(row.rules.minimum),
            Caching::Automatic { .. } | Caching::None => row.rules.minimum,
        };
        Support { layout: row.layout, rules: Rules { minimum, ..row.rules }, marks, note: row.note }
    }
}

#[cfg(test)]
mod tests {
    use epitome_core::catalogue::Catalogue;
    use epitome_wire::Dialect::{AnthropicMessages, OpenAiChat, OpenAiResponses};

    use super::*;
    use crate::caching::PromptCaching;

    /// The status line, and where a note in a string stands.
    #[track_caller]
    fn check(dialect: Dialect, host: &str, model: &str, note: NoteInString, expected: &str) {
        let lookup = Catalogue::embedded().lookup(model);
        let support = Support::of(dialect, host, model, lookup.facts());
        let caching = PromptCaching::default();
        assert_eq!(caching.status(&support), format!("💾 Prompt caching: {expected}"));
        assert_eq!(caching.note(&support), note);
    }

    const CLAUDE: &str = "anthropic/claude-sonnet-4.6";

    #[test]
    fn messages_to_claude_are_marked_anywhere() {
        let check = |host, model, note, expected| check(AnthropicMessages, host, model, note, expected);
        use NoteInString::{AsPart, Inside};
        check("api.anthropic.com", "claude-opus-4-8", AsPart, "ENABLED (Claude via Anthropic, 5m TTL)");
        check("10.0.0.1", "claude-opus-4-8", AsPart, "ENABLED (Claude via 10.0.0.1, 5m TTL)");
        check("openrouter.ai", CLAUDE, AsPart, "ENABLED (Claude via OpenRouter, 5m TTL)");
        check("", CLAUDE, AsPart, "ENABLED (Claude via a provider that is not named, 5m TTL)");
        check("10.0.0.1", "kimi-k2", Inside, "NO MARKERS (kimi-k2 is no Claude model)");
    }

    #[test]
    fn chat_is_marked_for_claude_through_openrouter_and_for_models_of_openai_that_charge_for_writes() {
        let check = |host, model, note, expected| check(OpenAiChat, host, model, note, expected);
        use NoteInString::{AsPart, Inside};
        check("openrouter.ai", CLAUDE, AsPart, "ENABLED (Claude via OpenRouter, 5m TTL)");
        check("openrouter.ai", "z-ai/glm-5", Inside, "NO MARKERS (z-ai/glm-5 is no Claude model)");
        check("api.openai.com", "gpt-6-luna", AsPart, "ENABLED (breakpoints at OpenAI, 5m TTL)");
        let none = "NO MARKERS (notopenrouter.ai takes none in this dialect, or caches by itself)";
        check("notopenrouter.ai", CLAUDE, Inside, none);
        // Its writes are charged for, and OpenAI's breakpoints are nothing to it.
        let none = "NO MARKERS (api.openai.com takes none in this dialect, or caches by itself)";
        check("api.openai.com", CLAUDE, Inside, none);
    }

    #[test]
    fn responses_are_marked_for_models_of_openai_that_charge_for_writes() {
        let check = |host, model, note, expected| check(OpenAiResponses, host, model, note, expected);
        use NoteInString::{AsPart, Inside};
        check("api.openai.com", "gpt-6-luna", AsPart, "ENABLED (breakpoints at OpenAI, 5m TTL)");
        let none = "NO MARKERS (api.openai.com takes none in this dialect, or caches by itself)";
        check("api.openai.com", "gpt-4.1", Inside, none);
    }

    #[test]
    fn every_dialect_has_a_row_for_any_model_anywhere() {
        for dialect in Dialect::ALL {
            let any = |row: &&Row| row.dialect == dialect && row.domain.is_none() && matches!(row.models, Models::Any);
            assert_eq!(ROWS.iter().filter(any).count(), 1, "{dialect}");
        }
    }
}

//! What is known of models: how much fits their window, and what a token costs.
//!
//! The embedded table comes from LiteLLM's public price catalogue (MIT), reduced by `bench/tokens/catalogue.py`. Sources
//! conflict here and there and prices change, so that anything in it can be overridden.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::tokens::Tokens;

/// The facts of a model.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelFacts {
    /// How many tokens fit the window; [`DEFAULT_CONTEXT_LENGTH`] where it is not known.
    pub context_length: Tokens,
    /// How many tokens an answer may have, where known.
    pub max_output: Option<Tokens>,
    /// What tokens cost.
    pub prices: Prices,
    /// A prefix shorter than this is silently not cached, where known.
    pub cache_min: Option<Tokens>,
    /// Long prompts cost more; lowest bound first.
    pub tiers: Vec<Tier>,
}

/// US dollars for a million tokens, where known.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Prices {
    /// Of the prompt, when no cache is involved.
    pub input: Option<f64>,
    /// Of the answer.
    pub output: Option<f64>,
    /// Of the prompt, read from the cache.
    pub cache_read: Option<f64>,
    /// Of the prompt, written to the cache for five minutes (or however long, where there is no choice).
    pub cache_write_5m: Option<f64>,
    /// Of the prompt, written to the cache for an hour.
    pub cache_write_1h: Option<f64>,
}

/// What tokens cost in a request whose prompt is longer than a bound.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tier {
    /// Prompts longer than this cost so much.
    pub above: Tokens,
    /// All tokens of such a request cost this.
    pub prices: Prices,
}

/// What is known of a name, and how surely.
#[derive(Debug, Clone, PartialEq)]
pub enum Lookup {
    /// The catalogue has this very name.
    Known(ModelFacts),
    /// It has this model under another name, the second value: without provider, date or tag, or another provider's.
    Family(ModelFacts, String),
    /// The window is a guess: [`DEFAULT_CONTEXT_LENGTH`]. Prices are there if the catalogue has them.
    Unknown(ModelFacts),
}

/// The window of a model nobody knows: four in five of the catalogue's have at least this much, and it is their commonest
/// small size. Less would compact needlessly, more would overflow too many.
pub const DEFAULT_CONTEXT_LENGTH: Tokens = Tokens(128_000);

/// The models that are known: the embedded ones, and what the user says about them.
#[derive(Debug, Clone, Default)]
pub struct Catalogue {
    overrides: BTreeMap<String, Entry>,
}

/// Overrides that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CatalogueError {
    /// It cannot be read.
    #[error("the overrides are no JSON object of models")]
    Syntax(#[source] serde_json::Error),
    /// A key that means nothing.
    #[error("{model}: unknown key {key:?}\nhint: {hint}")]
    UnknownKey {
        /// The model it stands under.
        model: String,
        /// The key.
        key: String,
        /// The key that was probably meant, or all there are.
        hint: String,
    },
    /// A value that cannot be.
    #[error("{model}: {key} is {value}, but must be {expected}")]
    OutOfRange {
        /// The model it stands under.
        model: String,
        /// Its key.
        key: String,
        /// The value.
        value: String,
        /// What it may be.
        expected: String,
    },
}

impl Catalogue {
    /// What we ship. Costs nothing: the table is searched where it lies.
    pub fn embedded() -> Self {
        Catalogue::default()
    }

    /// With what the user says, which wins: a JSON object of models, each an object with any of `context`, `max_output`,
    /// `input`, `output`, `cache_read`, `cache_write_5m`, `cache_write_1h`, `cache_min` and
    /// `above: {"200000": {prices}}`. What an entry does not say stays as we ship it.
    pub fn with_overrides(mut self, json: &str) -> Result<Catalogue, CatalogueError> {
        let models: serde_json::Map<String, serde_json::Value> =
            serde_json::from_str(json).map_err(CatalogueError::Syntax)?;
        for (model, said) in &models {
            let mut entry = self.entry(model).unwrap_or_default();
            entry.overlay(model, said)?;
            self.overrides.insert(model.clone(), entry);
        }
        Ok(self)
    }

    /// What is known of a model, by whatever name a client calls it.
    pub fn lookup(&self, model: &str) -> Lookup {
        if let Some(entry) = self.entry(model) {
            return match entry.context {
                Some(_) => Lookup::Known(entry.facts()),
                None => Lookup::Unknown(entry.facts()),
            };
        }
        let other_names = other_names(model);
        let known = other_names.iter().find_map(|name| Some((name.clone(), self.entry(name)?)));
        let offered = || std::iter::once(model).chain(other_names.iter().map(String::as_str)).find_map(elsewhere);
        match known.or_else(offered) {
            Some((name, entry)) if entry.context.is_some() => Lookup::Family(entry.facts(), name),
            Some((_, entry)) => Lookup::Unknown(entry.facts()),
            None => Lookup::Unknown(Entry::default().facts()),
        }
    }

    fn entry(&self, name: &str) -> Option<Entry> {
        self.overrides.get(name).cloned().or_else(|| bisect(TABLE, name).map(Entry::of_line))
    }
}

impl Lookup {
    /// The facts, however sure.
    pub fn facts(&self) -> &ModelFacts {
        match self {
            Lookup::Known(facts) | Lookup::Family(facts, _) | Lookup::Unknown(facts) => facts,
        }
    }
}

impl ModelFacts {
    /// What tokens cost in a request with a prompt of this length.
    ///
    /// A price that the tier does not name rises as the input's does: such cliffs raise all prices of a model alike.
    pub fn prices_at(&self, prompt: Tokens) -> Prices {
        let Some(tier) = self.tiers.iter().rev().find(|tier| prompt > tier.above) else { return self.prices };
        let rise = match (self.prices.input, tier.prices.input) {
            (Some(below), Some(above)) if below > 0.0 => above / below,
            (_, _) => 1.0,
        };
        let price = |above: Option<f64>, below: Option<f64>| above.or_else(|| below.map(|price| price * rise));
        Prices {
            input: price(tier.prices.input, self.prices.input),
            output: price(tier.prices.output, self.prices.output),
            cache_read: price(tier.prices.cache_read, self.prices.cache_read),
            cache_write_5m: price(tier.prices.cache_write_5m, self.prices.cache_write_5m),
            cache_write_1h: price(tier.prices.cache_write_1h, self.prices.cache_write_1h),
        }
    }
}

/// Sorted by name; see `bench/tokens/catalogue.py` for the columns.
static TABLE: &str = include_str!("catalogue/models.tsv");

/// What is written about a model; nothing need be.
#[derive(Debug, Clone, Default)]
struct Entry {
    context: Option<u64>,
    max_output: Option<u64>,
    prices: Prices,
    cache_min: Option<u64>,
    tiers: Vec<Tier>,
}

impl Entry {
    fn of_line(line: &str) -> Self {
        let mut columns = line.split('\t').skip(1);
        let mut next = || columns.next().unwrap_or_default();
        Entry {
            context: next().parse().ok(),
            max_output: next().parse().ok(),
            prices: Prices::of_columns(&mut next),
            cache_min: next().parse().ok(),
            tiers: next().split(',').filter_map(Tier::of_text).collect(),
        }
    }

    fn facts(&self) -> ModelFacts {
        ModelFacts {
            context_length: self.context.map_or(DEFAULT_CONTEXT_LENGTH, Tokens),
            max_output: self.max_output.map(Tokens),
            prices: self.prices,
            cache_min: self.cache_min.map(Tokens),
            tiers: self.tiers.clone(),
        }
    }

    fn overlay(&mut self, model: &str, said: &serde_json::Value) -> Result<(), CatalogueError> {
        for (key, value) in object(model, "the entry", said)? {
            match key.as_str() {
                "context" => self.context = Some(whole(model, key, value, 512)?),
                "max_output" => self.max_output = Some(whole(model, key, value, 1)?),
                "cache_min" => self.cache_min = Some(whole(model, key, value, 0)?),
                "above" => {
                    self.tiers.clear();
                    for (above, prices) in object(model, key, value)? {
                        let bound = above.parse().map_err(|_| CatalogueError::OutOfRange {
                            model: model.to_owned(),
                            key: key.clone(),
                            value: above.clone(),
                            expected: "a number of tokens".to_owned(),
                        })?;
                        let mut tier = Tier { above: Tokens(bound), prices: Prices::default() };
                        for (key, value) in object(model, above, prices)? {
                            *tier.prices.named(key).ok_or_else(|| unknown(model, key, &PRICE_KEYS))? =
                                Some(price(model, key, value)?);
                        }
                        self.tiers.push(tier);
                    }
                    self.tiers.sort_by_key(|tier| tier.above);
                }
                // Said in the shipped file for people; decides nothing.
                "provider" => {}
                other => {
                    let slot = self.prices.named(other).ok_or_else(|| unknown(model, key, &KEYS))?;
                    *slot = Some(price(model, key, value)?);
                }
            }
        }
        Ok(())
    }
}

impl Prices {
    fn of_columns<'a>(next: &mut impl FnMut() -> &'a str) -> Self {
        let mut price = || next().parse().ok();
        Prices {
            input: price(),
            output: price(),
            cache_read: price(),
            cache_write_5m: price(),
            cache_write_1h: price(),
        }
    }

    fn named(&mut self, key: &str) -> Option<&mut Option<f64>> {
        match key {
            "input" => Some(&mut self.input),
            "output" => Some(&mut self.output),
            "cache_read" => Some(&mut self.cache_read),
            "cache_write_5m" => Some(&mut self.cache_write_5m),
            "cache_write_1h" => Some(&mut self.cache_write_1h),
            _ => None,
        }
    }
}

impl Tier {
    fn of_text(text: &str) -> Option<Self> {
        let mut columns = text.split(':');
        let above = Tokens(columns.next()?.parse().ok()?);
        Some(Tier { above, prices: Prices::of_columns(&mut || columns.next().unwrap_or_default()) })
    }
}

const PRICE_KEYS: [&str; 5] = ["input", "output", "cache_read", "cache_write_5m", "cache_write_1h"];
const KEYS: [&str; 10] = [
    "context",
    "max_output",
    "input",
    "output",
    "cache_read",
    "cache_write_5m",
    "cache_write_1h",
    "cache_min",
    "above",
    "provider",
];

/// No window and no answer is longer, by far: a number above it is a slip.
const TOKENS_AT_MOST: u64 = 1_000_000_000;

/// Dollars a million tokens. The dearest in the table is 9,710.
const PRICE_AT_MOST: f64 = 100_000.0;

fn object<'a>(
    model: &str,
    key: &str,
    value: &'a serde_json::Value,
) -> Result<&'a serde_json::Map<String, serde_json::Value>, CatalogueError> {
    value.as_object().ok_or_else(|| out_of_range(model, key, value, "an object".to_owned()))
}

fn whole(model: &str, key: &str, value: &serde_json::Value, at_least: u64) -> Result<u64, CatalogueError> {
    value.as_u64().filter(|number| (at_least..=TOKENS_AT_MOST).contains(number)).ok_or_else(|| {
        out_of_range(model, key, value, format!("a whole number from {at_least} to {}", Tokens(TOKENS_AT_MOST)))
    })
}

fn price(model: &str, key: &str, value: &serde_json::Value) -> Result<f64, CatalogueError> {
    value.as_f64().filter(|price| (0.0..=PRICE_AT_MOST).contains(price)).ok_or_else(|| {
        out_of_range(model, key, value, format!("dollars per million tokens, from 0 to {PRICE_AT_MOST}"))
    })
}

fn out_of_range(model: &str, key: &str, value: &serde_json::Value, expected: String) -> CatalogueError {
    CatalogueError::OutOfRange { model: model.to_owned(), key: key.to_owned(), value: value.to_string(), expected }
}

fn unknown(model: &str, key: &str, keys: &[&str]) -> CatalogueError {
    let nearest = keys.iter().min_by_key(|known| distance(key, known));
    let hint = match nearest.filter(|known| distance(key, known) <= 1 + known.len() / 3) {
        Some(known) => format!("did you mean {known:?}?"),
        None => format!("known keys are {}", keys.join(", ")),
    };
    CatalogueError::UnknownKey { model: model.to_owned(), key: key.to_owned(), hint }
}

/// How many letters must be put in, taken out or changed to make one word of the other.
fn distance(one: &str, other: &str) -> usize {
    let mut row: Vec<usize> = (0..=other.chars().count()).collect();
    for (line, letter) in one.chars().enumerate() {
        let mut diagonal = line;
        let mut left = line + 1;
        if let Some(first) = row.first_mut() {
            *first = left;
        }
        for (cell, against) in row.iter_mut().skip(1).zip(other.chars()) {
            let here = (diagonal + usize::from(letter != against)).min(left + 1).min(*cell + 1);
            diagonal = std::mem::replace(cell, here);
            left = here;
        }
    }
    row.last().copied().unwrap_or(0)
}

/// The line of a name in a sorted table.
fn bisect<'a>(table: &'a str, name: &str) -> Option<&'a str> {
    let (mut low, mut high) = (0, table.len());
    while low < high {
        let middle = low + (high - low) / 2;
        let start = table.get(..middle)?.rfind('\n').map_or(0, |end| end + 1).max(low);
        let rest = table.get(start..)?;
        let line = rest.get(..rest.find('\n')?)?;
        match line_name(line).cmp(name) {
            std::cmp::Ordering::Less => low = start + line.len() + 1,
            std::cmp::Ordering::Equal => return Some(line),
            std::cmp::Ordering::Greater => high = start,
        }
    }
    None
}

fn line_name(line: &str) -> &str {
    line.split('\t').next().unwrap_or_default()
}

/// The same model at some provider, where nobody has it by its bare name. Providers cut windows, so the smallest of those
/// that say one is taken: too small costs a compaction, too large a failed request.
fn elsewhere(name: &str) -> Option<(String, Entry)> {
    let suffix = format!("/{name}");
    let offers = TABLE.lines().filter(|line| line_name(line).ends_with(&suffix));
    let offers = offers.map(|line| (line_name(line).to_owned(), Entry::of_line(line)));
    offers.min_by_key(|(_, entry)| entry.context.unwrap_or(u64::MAX))
}

/// Other spellings of a name, the nearest first: without providers, tags, dates and versions, with dots for dashes.
fn other_names(model: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let lower = model.to_ascii_lowercase();
    for base in std::iter::once(model).chain(without_providers(&lower)) {
        let untagged = without_tag(base);
        let undated = without_date(untagged);
        for name in [base, untagged, undated] {
            for spelling in [Cow::Borrowed(name), name.replace('.', "-").into(), dotted(name).into()] {
                if !spelling.is_empty() && spelling != model && !names.iter().any(|known| *known == spelling) {
                    names.push(spelling.into_owned());
                }
            }
        }
    }
    names
}

/// A name in small letters, and the same without its providers: `openrouter/anthropic/claude-…`, Bedrock's
/// `us.anthropic.claude-…`.
pub(crate) fn without_providers(lower: &str) -> impl Iterator<Item = &str> {
    let behind =
        |marker: &'static str| lower.match_indices(marker).filter_map(|(at, found)| lower.get(at + found.len()..));
    std::iter::once(lower).chain(behind("/")).chain(behind("anthropic."))
}

/// Without `:free`, `:thinking` and `-v1:0`, `-latest`.
fn without_tag(name: &str) -> &str {
    let name = name.split_once(':').map_or(name, |(name, _)| name);
    let name = name.strip_suffix("-latest").unwrap_or(name);
    match name.rsplit_once("-v") {
        Some((base, version)) if !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_digit()) => base,
        Some(_) | None => name,
    }
}

/// Without `-20251101`, `@20250929` and `-2026-03-05`.
fn without_date(name: &str) -> &str {
    let digits = |text: &str, length: usize| text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit());
    match name.rsplit_once(['-', '@']) {
        Some((base, date)) if digits(date, 8) => base,
        Some((base, day)) if digits(day, 2) => match base.rsplit_once('-') {
            Some((base, month)) if digits(month, 2) => match base.rsplit_once('-') {
                Some((base, year)) if digits(year, 4) => base,
                Some(_) | None => name,
            },
            Some(_) | None => name,
        },
        Some(_) | None => name,
    }
}

/// `gpt-5-4` as `gpt-5.4`: a dash between two digits becomes a dot.
fn dotted(name: &str) -> String {
    let bytes = name.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let turn = |(at, letter): (usize, char)| {
        if letter == '-' && at > 0 && digit(at - 1) && digit(at + 1) { '.' } else { letter }
    };
    name.char_indices().map(turn).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How a name was found: `known`, the name it was found under, or `unknown`; and its window.
    #[track_caller]
    fn check(model: &str, expected: &str, window: u64) {
        let lookup = Catalogue::embedded().lookup(model);
        let found = match &lookup {
            Lookup::Known(_) => "known",
            Lookup::Family(_, name) => name,
            Lookup::Unknown(_) => "unknown",
        };
        assert_eq!((found, lookup.facts().context_length), (expected, Tokens(window)), "{model}");
    }

    #[test]
    fn a_model_is_found_by_whatever_name_clients_give_it() {
        check("claude-opus-4-6", "known", 1_000_000);
        check("claude-opus-4-5-20251101", "known", 200_000);
        check("claude-opus-4.6", "claude-opus-4-6", 1_000_000);
        check("anthropic/claude-opus-4.6", "claude-opus-4-6", 1_000_000);
        check("openrouter/anthropic/claude-opus-4-6:thinking", "claude-opus-4-6", 1_000_000);
        check("claude-opus-4-6@20991231", "claude-opus-4-6", 1_000_000);
        check("claude-opus-4-5-20991231", "claude-opus-4-5", 200_000);
        check("ap.anthropic.claude-opus-4-5-20251101-v9:0", "claude-opus-4-5-20251101", 200_000);
        check("gpt-5-4", "gpt-5.4", 1_050_000);
        check("gpt-5.4-2099-01-02", "gpt-5.4", 1_050_000);
    }

    #[test]
    fn a_name_nobody_knows_is_never_guessed() {
        for name in ["", "/", "claude", "claude-opus-99", "gpt-", "my-model:free", "é", "\t", "-20251101", "zzz"] {
            check(name, "unknown", 128_000);
        }
    }

    #[test]
    fn every_line_is_found_and_read() {
        let catalogue = Catalogue::embedded();
        let mut looked_at = 0;
        for line in TABLE.lines() {
            let name = line_name(line);
            let entry = catalogue.entry(name).unwrap_or_else(|| panic!("{name} is not found"));
            assert_eq!(Entry::of_line(line).facts(), entry.facts());
            assert!(entry.context.is_none_or(|context| context >= 512), "{line}");
            looked_at += 1;
        }
        assert!(looked_at > 3_000);
    }

    #[test]
    fn facts_are_those_of_the_source() {
        let prices = |input, output, cache_read, cache_write_5m, cache_write_1h| Prices {
            input: Some(input),
            output: Some(output),
            cache_read: Some(cache_read),
            cache_write_5m: Some(cache_write_5m),
            cache_write_1h,
        };
        let haiku = ModelFacts {
            context_length: Tokens(1_000_000),
            max_output: Some(Tokens(128_000)),
            prices: prices(0.1, 0.5, 0.01, 0.125, Some(0.2)),
            cache_min: Some(Tokens(512)),
            tiers: vec![Tier { above: Tokens(100_000), prices: prices(0.5, 2.5, 0.05, 0.625, None) }],
        };
        assert_eq!(Catalogue::embedded().lookup("claude-haiku-5-5"), Lookup::Known(haiku));
    }

    #[test]
    fn long_prompts_cost_more_where_the_catalogue_says_so() {
        let facts = Catalogue::embedded().lookup("claude-haiku-5-5").facts().clone();
        assert_eq!(facts.prices_at(Tokens(100_000)), facts.prices);
        let above = facts.prices_at(Tokens(100_001));
        // The last one is not named there and rises fivefold as the input does.
        assert_eq!((above.input, above.cache_write_1h), (Some(0.5), Some(1.0)));
    }

    #[test]
    fn what_the_user_says_wins_and_the_rest_stays() {
        let said = r#"{"claude-opus-4-6": {"context": 200000}, "mine": {"input": 1, "above": {"9000": {"input": 2}}}}"#;
        let catalogue = Catalogue::embedded().with_overrides(said).unwrap();
        let opus = catalogue.lookup("anthropic/claude-opus-4.6");
        assert_eq!(opus.facts().context_length, Tokens(200_000));
        assert_eq!(opus.facts().prices, Catalogue::embedded().lookup("claude-opus-4-6").facts().prices);
        let mine = catalogue.lookup("mine");
        assert!(matches!(&mine, Lookup::Unknown(facts) if facts.context_length == DEFAULT_CONTEXT_LENGTH), "{mine:?}");
        assert_eq!(mine.facts().prices_at(Tokens(9_001)).input, Some(2.0));
    }

    #[test]
    fn overrides_that_mean_nothing_are_refused_with_a_reason() {
        let refused = |said: &str| Catalogue::embedded().with_overrides(said).map(|_| ()).unwrap_err().to_string();
        assert_eq!(
            [
                r#"{"m": {"contxt": 1000}}"#,
                r#"{"m": {"context": 3}}"#,
                r#"{"m": {"input": -1}}"#,
                r#"{"m": 5}"#,
                r#"{"m": {"above": {"x": {}}}}"#,
                "[]",
            ]
            .map(refused),
            [
                "m: unknown key \"contxt\"\nhint: did you mean \"context\"?",
                "m: context is 3, but must be a whole number from 512 to 1,000,000,000",
                "m: input is -1, but must be dollars per million tokens, from 0 to 100000",
                "m: the entry is 5, but must be an object",
                "m: above is x, but must be a number of tokens",
                "the overrides are no JSON object of models",
            ]
        );
    }

    proptest::proptest! {
        #[test]
        fn no_name_breaks_the_lookup(name in "\\PC*|[a-z0-9./:@-]{0,40}") {
            let facts = Catalogue::embedded().lookup(&name).facts().clone();
            proptest::prop_assert!(facts.context_length >= Tokens(512));
        }
    }
}

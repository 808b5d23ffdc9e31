//! The summariser that asks a model: chunk by chunk, within its window, its price and its patience.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use epitome_core::catalogue::{Catalogue, Lookup, ModelFacts};
use epitome_core::money::{self, Dollars, Usage};
use epitome_core::summary::audit::names_nothing;
use epitome_core::summary::prompt::{self, Chunk, Place, Transcript};
use epitome_core::summary::template::Section;
use epitome_core::summary::{Answer, Refusal, SummarizeError, Summarizer, SummaryRequest, Work};
use epitome_core::tokens::{TokenCounter, Tokens};
use epitome_wire::asking::{LimitKey, Question, TooLong};
use tokio::time::{Instant, sleep};

use crate::call::{self, Billed, Reply, Unanswered};
use crate::cooldown::{Cooldown, Record};
use crate::endpoint::Endpoint;
use crate::error::{AskError, ProviderError};
use crate::fork::Sent;
use crate::http::Http;
use crate::retry::Retry;
use crate::spend;

/// The window of a model that nobody knows. Most such models run on somebody's own machine, where windows are small.
pub const DEFAULT_WINDOW: Tokens = Tokens(16_384);

/// How a model is asked.
#[derive(Clone)]
pub struct Settings {
    /// `None`: the endpoint has one.
    pub model: Option<String>,
    /// The model's window, if somebody said; otherwise it is known by the model's name.
    pub context_length: Option<Tokens>,
    /// Given up when nothing comes for so long.
    pub progress: Duration,
    /// How often a call is made again.
    pub retry: Retry,
    /// When it is not asked at all.
    pub cooldown: Cooldown,
    /// US dollars that all summaries of this summariser may cost.
    pub max_spend: Option<f64>,
}

/// What a summary is waiting for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stage {
    /// A call is made.
    Asking {
        /// Which chunk, from 1 on.
        chunk: usize,
        /// How many there will be, as far as can be told.
        of: usize,
    },
    /// A call failed and is made again.
    Waiting {
        /// For so long.
        pause: Duration,
    },
}

/// Is told what a summary is waiting for.
pub type Watch = Arc<dyn Fn(&Stage) + Send + Sync>;

/// Asks a model for summaries.
pub struct ModelSummarizer {
    name: String,
    endpoint: Endpoint,
    http: Http,
    settings: Settings,
    facts: ModelFacts,
    counter: Arc<dyn TokenCounter>,
    watch: Option<Watch>,
    state: Learnt,
    purse: Purse,
    /// What the model has just read, if it can be asked behind that.
    pub(crate) sent: Option<Sent>,
}

/// What was learnt by asking.
pub(crate) struct State {
    window: Tokens,
    /// The model's tokens for each of ours.
    scale: f64,
    record: Record,
}

/// What was learnt about a model, by all who ask it.
pub(crate) type Learnt = Arc<Mutex<State>>;
/// US dollars that were spent.
pub(crate) type Purse = Arc<Mutex<f64>>;

impl State {
    pub(crate) fn of(window: Tokens) -> Learnt {
        Arc::new(Mutex::new(State { window, scale: 1.0, record: Record::default() }))
    }
}

/// More calls than this are not made for one summary.
const MOST_CHUNKS: usize = 48;
/// How often a window may turn out to be smaller while one summary is made.
const MOST_LESSONS: usize = 4;
/// Of the window, what is used: our count of the model's tokens is an estimate.
const USED_SHARE: f64 = 0.92;
/// Of the window, what an answer may take.
pub(crate) const ANSWER_SHARE: f64 = 0.25;
/// A model that says a little more than it was asked for can still finish.
const ANSWER_LEEWAY: f64 = 1.3;
/// OpenAI's models think within their limit.
const ROOM_FOR_THOUGHTS: u64 = 6_000;
/// Less transcript than this in a call is not worth the call.
const LEAST_ROOM: Tokens = Tokens(200);
/// A prompt of which an endpoint reports less than this share was cut by it without a word.
const CUT_SILENTLY: f64 = 0.5;

impl ModelSummarizer {
    /// Asks the model at `endpoint`. The certificates of this machine are read here if they are needed.
    pub fn new(
        endpoint: Endpoint,
        settings: Settings,
        catalogue: &Catalogue,
        counter: Arc<dyn TokenCounter>,
    ) -> std::io::Result<ModelSummarizer> {
        let http = if endpoint.is_encrypted() { Http::encrypted()? } else { Http::plain() };
        let model = settings.model.as_deref().unwrap_or_default();
        let state = State::of(settings.context_length.unwrap_or_else(|| known_window(catalogue, model)));
        let facts = catalogue.lookup(model).facts().clone();
        Ok(ModelSummarizer::sharing(endpoint, settings, facts, counter, http, state, Purse::default()))
    }

    /// Asks as all others do who share what was learnt.
    pub(crate) fn sharing(
        endpoint: Endpoint,
        settings: Settings,
        facts: ModelFacts,
        counter: Arc<dyn TokenCounter>,
        http: Http,
        state: Learnt,
        purse: Purse,
    ) -> ModelSummarizer {
        let name = settings.model.clone().unwrap_or_else(|| format!("the model at {}", endpoint.host()));
        ModelSummarizer { name, endpoint, http, settings, facts, counter, watch: None, state, purse, sent: None }
    }

    /// Tells `watch` what it is waiting for.
    #[must_use]
    pub fn watched(mut self, watch: Watch) -> ModelSummarizer {
        self.watch = Some(watch);
        self
    }

    pub(crate) fn counter(&self) -> &dyn TokenCounter {
        &*self.counter
    }

    pub(crate) fn window(&self) -> Tokens {
        self.state().window
    }

    fn purse(&self) -> MutexGuard<'_, f64> {
        self.purse.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // What a panicking thread left there is still a window and a sum.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, stage: &Stage) {
        if let Some(watch) = &self.watch {
            watch(stage);
        }
    }

    async fn run(&self, request: &SummaryRequest, work: &mut Work) -> Result<String, ProviderError> {
        if let Some((failures, left)) = self.state().record.left(Instant::now()) {
            return Err(ProviderError::Cooling { failures, left });
        }
        let summary = match self.ask_behind(request, work).await {
            Ok(Some(summary)) => Ok(summary),
            Ok(None) => self.refine(request, work).await,
            Err(error) => Err(error),
        };
        let mut state = self.state();
        match &summary {
            Ok(_) => state.record.answered(),
            Err(ProviderError::Ask(_)) => state.record.failed(&self.settings.cooldown, Instant::now()),
            // The model has not failed: it was not asked.
            Err(
                ProviderError::Cooling { .. }
                | ProviderError::SpendCap { .. }
                | ProviderError::NoPrice { .. }
                | ProviderError::WindowTooSmall { .. }
                | ProviderError::TooManyChunks { .. }
                | ProviderError::Nothing,
            ) => {}
        }
        summary
    }

    /// Each chunk updates the summary made of the ones before it.
    async fn refine(&self, request: &SummaryRequest, work: &mut Work) -> Result<String, ProviderError> {
        let transcript = Transcript::of(request, &*self.counter);
        let mut so_far = request.previous.clone();
        let (mut start, mut lessons, mut share) = (0, 0, 1.0);
        if transcript.is_empty() {
            return Err(ProviderError::Nothing);
        }
        while start < transcript.len() {
            let call = self.plan(request, &transcript, start, so_far.as_deref(), share)?;
            if work.chunks + call.left > MOST_CHUNKS {
                return Err(ProviderError::TooManyChunks { most: MOST_CHUNKS, window: self.state().window });
            }
            self.tell(&Stage::Asking { chunk: work.chunks + 1, of: work.chunks + call.left });
            match self.ask_and_learn(&call, work).await {
                Ok(reply) => match whole_lines(&reply) {
                    Some(text) => {
                        so_far = Some(text.to_owned());
                        start = call.chunk.end;
                        work.chunks += 1;
                        share = 1.0;
                    }
                    // It did not finish: it is asked once more, for less.
                    None if share == 1.0 => share = 0.6,
                    None => {
                        let (host, limit) = (self.endpoint.host().to_owned(), Tokens(call.asking.most_tokens));
                        return Err(AskError::Unfinished { host, limit }.into());
                    }
                },
                Err(ProviderError::Ask(AskError::TooLong { told, .. })) if lessons < MOST_LESSONS => {
                    lessons += 1;
                    self.learn(told.window.map(Tokens));
                }
                Err(error) => return Err(error),
            }
        }
        so_far.ok_or(ProviderError::Nothing)
    }

    /// The next call: as much of the transcript as fits beside the summary so far and the answer.
    fn plan(
        &self,
        request: &SummaryRequest,
        transcript: &Transcript,
        start: usize,
        so_far: Option<&str>,
        share: f64,
    ) -> Result<Call, ProviderError> {
        let (window, scale) = {
            let state = self.state();
            (state.window, state.scale)
        };
        let usable = window.share(USED_SHARE / scale);
        let too_small = ProviderError::WindowTooSmall { window };
        let aim = request.budget.min(usable.share(ANSWER_SHARE)).share(share);
        let answer = room_for(aim);
        let empty = transcript.nothing(start);
        let frame = prompt::write(request, &empty, so_far, aim, Place::MoreFollows).weight(&*self.counter);
        let room = usable - answer - frame;
        if room < LEAST_ROOM {
            return Err(too_small);
        }
        let Some(chunk) = transcript.chunk(start, room, &*self.counter) else { return Err(ProviderError::Nothing) };
        let place = if chunk.end < transcript.len() { Place::MoreFollows } else { Place::Last };
        let prompt = prompt::write(request, &chunk, so_far, aim, place);
        let left = usize::try_from(transcript.weight_from(start).0.div_ceil(room.0)).unwrap_or(usize::MAX).max(1);
        let most_tokens = self.most_tokens(answer);
        let question = Question {
            model: self.settings.model.as_deref(),
            system: &prompt.system,
            user: &prompt.user,
            most_tokens,
            limit_key: self.endpoint.limit_key,
        };
        let body = Bytes::from(self.endpoint.dialect.body(&question));
        let asking = Asking { body, weight: prompt.weight(&*self.counter), scale, most_tokens };
        Ok(Call { asking, chunk, left })
    }

    /// What an answer may take, what is thought before it included.
    pub(crate) fn most_tokens(&self, answer: Tokens) -> u64 {
        let thoughts = match self.endpoint.limit_key {
            LimitKey::MaxCompletionTokens | LimitKey::Unsaid => ROOM_FOR_THOUGHTS,
            LimitKey::MaxTokens => 0,
        };
        (answer.0 + thoughts).min(self.facts.max_output.map_or(u64::MAX, |most| most.0))
    }

    async fn ask_and_learn(&self, call: &Call, work: &mut Work) -> Result<Reply, ProviderError> {
        let reply = self.ask_again_and_again(&call.asking, work).await?;
        self.learn_scale(&call.asking, &reply);
        Ok(self.unless_cut(&call.asking, reply)?)
    }

    /// Asks, and asks again if that may help.
    pub(crate) async fn ask_again_and_again(&self, asking: &Asking, work: &mut Work) -> Result<Reply, ProviderError> {
        let mut failed = 0;
        loop {
            let reserved = self.reserve(asking)?;
            work.calls += 1;
            let (body, most_tokens) = (asking.body.clone(), asking.most_tokens);
            let answer = call::ask(&self.http, &self.endpoint, body, most_tokens, self.settings.progress).await;
            self.settle(self.took(asking, &answer), reserved, work);
            match answer {
                Ok(reply) => return Ok(reply),
                // What it says is learnt only as far as it can be true.
                Err(Unanswered { why: AskError::TooLong { host, told }, .. }) => {
                    let told = told.believed(asking.weight.share(asking.scale).0).unwrap_or_default();
                    return Err(AskError::TooLong { host, told }.into());
                }
                Err(Unanswered { why, .. }) => {
                    failed += 1;
                    let Some(pause) = self.settings.retry.wait(failed, &why) else { return Err(why.into()) };
                    self.tell(&Stage::Waiting { pause });
                    sleep(pause).await;
                }
            }
        }
    }

    /// Counts what a call may cost at most as spent, before it is made: whoever stops waiting for it has paid for it too.
    fn reserve(&self, asking: &Asking) -> Result<f64, ProviderError> {
        let mut spent = self.purse();
        let (input, output) = (asking.weight.share(asking.scale), Tokens(asking.most_tokens));
        spend::allow(&self.name, &self.facts, self.settings.max_spend, *spent, input, output)?;
        let reserved = spend::cost(&self.facts, input, output).unwrap_or(0.0);
        *spent += reserved;
        Ok(reserved)
    }

    /// What a call took, or may have taken.
    fn took(&self, asking: &Asking, answer: &Result<Reply, Unanswered>) -> Work {
        let said = |text: &str| self.counter.estimate(text);
        let (input, output, estimated) = match answer {
            Ok(reply) => {
                let output = reply.output.map_or_else(|| said(&reply.text), Tokens);
                (reply.input, output, reply.input.is_none() || reply.output.is_none())
            }
            Err(Unanswered { billed: Billed::Nothing, .. }) => return Work::default(),
            Err(Unanswered { billed: Billed::Perhaps { so_far, ended }, .. }) => {
                // Whoever thinks unseen may have thought up to the limit.
                let is_seen = self.endpoint.limit_key == LimitKey::MaxTokens && !so_far.text.is_empty();
                match so_far.output.map(Tokens) {
                    Some(output) if *ended => (so_far.input, output, so_far.input.is_none()),
                    output if is_seen => (so_far.input, said(&so_far.text).max(output.unwrap_or_default()), true),
                    Some(_) | None => (so_far.input, Tokens(asking.most_tokens), true),
                }
            }
        };
        let input = input.map_or(asking.weight, Tokens);
        let reply = match answer {
            Ok(reply) | Err(Unanswered { billed: Billed::Perhaps { so_far: reply, .. }, .. }) => Some(reply),
            Err(Unanswered { billed: Billed::Nothing, .. }) => None,
        };
        let cached = |of: fn(&Reply) -> u64| reply.map(of).unwrap_or_default();
        let usage = Usage {
            prompt: input.0,
            cache_read: cached(|reply| reply.cache_read),
            cache_write: cached(|reply| reply.cache_write),
            cache_write_long: cached(|reply| reply.cache_write_long),
            output: output.0,
        };
        let cost_usd = money::cost(&usage, &self.facts).map(Dollars::as_f64);
        Work { chunks: 0, calls: 0, input, output, cost_usd, estimated }
    }

    /// Notes what a call took in place of what was reserved for it.
    fn settle(&self, took: Work, reserved: f64, work: &mut Work) {
        *self.purse() += took.cost_usd.unwrap_or(0.0) - reserved;
        *work += &took;
    }

    /// Notes how the model counts.
    fn learn_scale(&self, asking: &Asking, reply: &Reply) {
        let input = reply.input.map_or(asking.weight, Tokens);
        let found = input.0 as f64 / asking.weight.0.max(1) as f64;
        let mut state = self.state();
        state.scale = state.scale.max(found.min(4.0));
    }

    /// Some endpoints cut what does not fit and say nothing; the tokens they report give them away.
    fn unless_cut(&self, asking: &Asking, reply: Reply) -> Result<Reply, AskError> {
        /// A short prompt may be counted in many ways.
        const SURE: Tokens = Tokens(1_000);
        match reply.input.map(Tokens) {
            Some(seen) if asking.weight > SURE && seen < asking.weight.share(CUT_SILENTLY) => {
                let window = Some(seen.0 + asking.most_tokens);
                Err(AskError::TooLong {
                    host: self.endpoint.host().to_owned(),
                    told: TooLong { window, ..TooLong::default() },
                })
            }
            Some(_) | None => Ok(reply),
        }
    }

    /// The window is smaller than was thought.
    fn learn(&self, told: Option<Tokens>) {
        const GUESS: f64 = 0.6;
        let mut state = self.state();
        match told {
            Some(told) if told < state.window => state.window = told,
            // It is as large as was thought, so that the prompt was larger than was thought.
            Some(_) => state.scale *= 1.4,
            None => state.window = state.window.share(GUESS),
        }
    }
}

/// One call, ready to be made.
pub(crate) struct Asking {
    /// In the endpoint's dialect.
    pub(crate) body: Bytes,
    /// What the prompt takes, by our count.
    pub(crate) weight: Tokens,
    /// The model's tokens for each of ours.
    pub(crate) scale: f64,
    /// What the answer may take.
    pub(crate) most_tokens: u64,
}

/// A call about a chunk of the transcript.
struct Call {
    asking: Asking,
    chunk: Chunk,
    /// Chunks that are left, this one included.
    left: usize,
}

/// A model's window, as far as its name tells.
pub(crate) fn known_window(catalogue: &Catalogue, model: &str) -> Tokens {
    match catalogue.lookup(model) {
        Lookup::Known(facts) | Lookup::Family(facts, _) => facts.context_length,
        Lookup::Unknown(_) => DEFAULT_WINDOW,
    }
}

/// What an answer of about this length may take.
pub(crate) fn room_for(aim: Tokens) -> Tokens {
    aim.share(ANSWER_LEEWAY).max(Tokens(64))
}

/// The answer; without its last line if it was cut there. `None`: it was cut before it came to its last section.
pub(crate) fn whole_lines(reply: &Reply) -> Option<&str> {
    if !reply.at_limit {
        return Some(&reply.text);
    }
    let (whole, _) = reply.text.rsplit_once('\n')?;
    let last = Section::Critical.heading().trim_start_matches('#').trim();
    whole.contains(last).then_some(whole)
}

#[async_trait]
impl Summarizer for ModelSummarizer {
    fn name(&self) -> &str {
        &self.name
    }

    async fn summarize(&self, request: &SummaryRequest) -> Result<String, SummarizeError> {
        self.ask(request).await.body
    }

    async fn ask(&self, request: &SummaryRequest) -> Answer {
        let mut work = Work::default();
        let body = self.run(request, &mut work).await.map_err(SummarizeError::from);
        let body = body.and_then(|body| match names_nothing(request, &body) {
            Some(names) => Err(Refusal::NamesNothing { names }.into()),
            None => Ok(body),
        });
        Answer { body, work }
    }
}

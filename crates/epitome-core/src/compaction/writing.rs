//! Has a summary written: asks, accepts or refuses, looks over what a model claims, and adds what models lose.

use std::future::Future;
use std::pin::pin;
use std::task::Poll;

use super::{Author, Tools};
use crate::summary::audit::{Audit, audit, without_marked_lines};
use crate::summary::template::{KEPT, parts};
use crate::summary::tidy::{check_structure, said, tidy};
use crate::summary::{Answer, LOCAL, Refusal, SummarizeError, SummaryRequest, Work, accept, appendix, local};
use crate::tokens::{TokenCounter, Tokens};

/// Of the budget, what a model is asked for. The rest is for what it loses, and for models that say a little more.
const MODELS_SHARE: f64 = 0.70;
/// Less room than this is left empty.
const LEAST_APPENDIX: Tokens = Tokens(60);
/// Parts are estimated one by one, and their sum is a little off.
const SAFETY: f64 = 0.97;

/// Writes the summaries of one compaction. A plan that was aimed too high is made again, and then a summary of the same
/// messages is not asked for again if the one at hand still fits.
pub(super) struct Writer<'a> {
    tools: Tools<'a>,
    answered: Option<Answered>,
    work: Work,
}

/// The last answer, and the messages it was about.
struct Answered {
    trace: String,
    answer: Result<String, SummarizeError>,
}

impl<'a> Writer<'a> {
    pub(super) fn new(tools: Tools<'a>) -> Writer<'a> {
        Writer { tools, answered: None, work: Work::default() }
    }

    pub(super) fn counter(&self) -> &'a dyn TokenCounter {
        self.tools.counter
    }

    /// Asks the summariser; whatever it does, there is a summary within the budget afterwards.
    pub(super) async fn write(&mut self, request: &SummaryRequest, trace: &str) -> (String, Author) {
        let name = self.tools.summarizer.name().to_owned();
        if local::is_too_short_for_models(request) {
            let body = local::write(request, self.tools.counter);
            return (body, Author::Asked { name: LOCAL.to_owned(), work: self.work.clone(), audit: None });
        }
        let written =
            if name == LOCAL { self.write_locally(request).await } else { self.ask_model(request, trace).await };
        match written {
            Ok((body, audit)) => (body, Author::Asked { name, work: self.work.clone(), audit }),
            Err(error) => {
                let body = local::write(request, self.tools.counter);
                (body, Author::StoodIn { name, why: error.to_string(), work: self.work.clone() })
            }
        }
    }

    async fn write_locally(&mut self, request: &SummaryRequest) -> Result<(String, Option<Audit>), SummarizeError> {
        // Its words are the transcript's, so that it is no echo, and it keeps to its budget.
        Ok((self.ask(request).await?, None))
    }

    async fn ask_model(
        &mut self,
        request: &SummaryRequest,
        trace: &str,
    ) -> Result<(String, Option<Audit>), SummarizeError> {
        if let Some(answered) = self.answered.take().filter(|answered| answered.trace == trace) {
            let finished = match &answered.answer {
                Ok(answer) => finish(request, answer, self.tools.counter),
                // Whoever failed at these messages a moment ago is not asked for them again.
                Err(error) => Err(error.clone()),
            };
            let asks_again = matches!(finished, Err(SummarizeError::Refused(Refusal::TooLong { .. })));
            if !asks_again || answered.answer.is_err() {
                self.answered = Some(answered);
                return finished;
            }
        }
        let previous = request.previous.as_deref().map(|previous| parts(previous).told);
        let budget = request.budget.share(MODELS_SHARE);
        let answer = self.ask(&SummaryRequest { budget, previous, ..request.clone() }).await;
        let finished = match &answer {
            Ok(answer) => finish(request, answer, self.tools.counter),
            Err(error) => Err(error.clone()),
        };
        self.answered = Some(Answered { trace: trace.to_owned(), answer });
        finished
    }

    async fn ask(&mut self, request: &SummaryRequest) -> Result<String, SummarizeError> {
        let mut answer = self.tools.summarizer.ask(request);
        let mut waiting = pin!(self.tools.patience.runs_out());
        let answer = std::future::poll_fn(|context| match answer.as_mut().poll(context) {
            Poll::Ready(answer) => Poll::Ready(Some(answer)),
            Poll::Pending => waiting.as_mut().poll(context).map(|()| None),
        });
        let Answer { body, work } = answer.await.ok_or(SummarizeError::TimedOut)?;
        self.work += &work;
        body
    }
}

/// Makes a model's answer a body of ours: accepted, looked over, and completed within the budget.
fn finish(
    request: &SummaryRequest,
    answer: &str,
    counter: &dyn TokenCounter,
) -> Result<(String, Option<Audit>), SummarizeError> {
    accept(request, said(answer), counter)?;
    check_structure(answer)?;
    let body = tidy(request, answer, counter);
    let audited = audit(request, &body);
    if audited.audit.is_invented() {
        let (checked, unverified) = (audited.audit.checked, audited.audit.unverified.len());
        return Err(Refusal::Invented { checked, unverified }.into());
    }
    let fits = |body: &str| counter.estimate(body) <= request.budget;
    let body = without_marked_lines(&audited.body, fits);
    let body = within_words(request, body, counter)?;
    let found = counter.estimate(&body);
    if found > request.budget {
        return Err(Refusal::TooLong { found, budget: request.budget }.into());
    }
    Ok((with_appendix(request, body, counter), Some(audited.audit)))
}

fn within_words(request: &SummaryRequest, body: String, counter: &dyn TokenCounter) -> Result<String, SummarizeError> {
    if request.words.is_some_and(|limit| body.split_whitespace().count() > limit) {
        return Err(Refusal::TooLong { found: counter.estimate(&body), budget: request.budget }.into());
    }
    Ok(body)
}

/// Models lose the trail of artefacts: what room they leave is filled from the transcript itself.
fn with_appendix(request: &SummaryRequest, body: String, counter: &dyn TokenCounter) -> String {
    let room = request.budget.share(SAFETY) - counter.estimate(&body) - counter.estimate(KEPT) - Tokens(2);
    if room < LEAST_APPENDIX || request.words.is_some() {
        return body;
    }
    let kept = request.previous.as_deref().map(|previous| parts(previous).kept).filter(|kept| !kept.is_empty());
    let added = appendix::write(request, kept, &body, room, counter);
    if added.trim().is_empty() {
        return body;
    }
    let whole = format!("{}\n{KEPT}\n{}\n", body.trim_end(), added.trim_end());
    if counter.estimate(&whole) <= request.budget { whole } else { body }
}

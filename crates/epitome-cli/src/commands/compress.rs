//! `epitome compress`: a session goes in, a smaller and still valid one comes out.

use std::process::ExitCode;

use epitome_core::budget::{Budget, Trigger};
use epitome_core::cache::Ttl;
use epitome_core::compaction::{Author, Compaction, Endless, Tools, Weight, compact};
use epitome_core::cost::recorded;
use epitome_core::cost::trigger::{Decision, Rates, Reading, Rule, ShadowPrices};
use epitome_core::edit::Edit;
use epitome_core::engine::{ContextEngine, Occasion, Plan, Reason};
use epitome_core::tokens::Precision;
use epitome_core::tokens::Tokens;
use epitome_wire::Spliced;

use super::{configuration, print, print_json, say, say_json, serve};
use crate::arguments::{Common, CompressArguments};
use crate::config::Loaded;
use crate::engine::{Chosen, choose_engine};
use crate::failure::Failure;
use crate::files;
use crate::originals::Originals;
use crate::progress::Progress;
use crate::session::{Session, policy};
use crate::summaries::{self, Writer};

mod report;

/// Exit code with `--strict` when the trigger was not reached.
const NOT_REACHED: u8 = 3;

/// Compresses a session.
pub(crate) fn run(arguments: &CompressArguments, common: &Common) -> Result<ExitCode, Failure> {
    let (loaded, sources) = configuration(common, arguments.session.flags())?;
    let engine = choose_engine(&loaded, &sources)?;
    let progress = Progress::start("compressing");
    let session = Session::read(&arguments.session, &loaded)?;
    if let Some(warning) = session.window.warning.as_ref().filter(|_| arguments.target_tokens.is_none()) {
        say(&format!("warning: {warning}"));
    }
    let mut work = Work::new(arguments, engine, &loaded, &session);
    if let (Trigger::Cost(thrift), None, true) = (policy(&loaded.config).trigger, work.reason, work.enabled) {
        let reading = summaries::price(&loaded.config.auxiliary.compression, &sources.environment, &session);
        let kept = serve::prompt_caching(&loaded.config.prompt_caching).ttl;
        work.compare_prices(&session, kept, thrift.shadow, reading);
    }
    let Some(reason) = work.reason else {
        drop(progress);
        return leave_alone(arguments, common, &session, &work);
    };
    if arguments.plan {
        let plan = work.engine.plan(
            session.conversation(),
            &session.sizes,
            &work.budget,
            &work.occasion(reason),
            &*session.counter,
        );
        drop(progress);
        return show_plan(arguments, common, &session, &work, &plan);
    }
    let writer = Writer::of(&loaded.config.auxiliary.compression, &sources.environment, &session, progress.said())?;
    let counter = &*session.counter;
    // A model that is silent is given up by its own clock.
    let tools = Tools { engine: &*work.engine, summarizer: writer.summarizer(), patience: &Endless, counter };
    let occasion = work.occasion(reason);
    let compaction =
        writer.wait_for(compact(session.conversation(), &session.sizes, &work.budget, &occasion, tools))?;
    let compaction = compaction.map_err(|error| {
        Failure::input(format!("the engine {:?} proposed an edit that was refused: {error}", work.engine.name()))
    })?;
    let spliced = session.request.splice(&compaction.applied);
    let spliced = spliced.map_err(|error| Failure::input(format!("{}: {error}", session.name)))?;
    drop(progress);
    keep_originals(arguments, &session, &spliced, compaction.applied.edits())?;
    files::write(arguments.output.as_deref(), &spliced.bytes)?;
    finish(arguments, common, &sources.environment, &session, &work, &compaction)
}

/// What is to be done, and with what.
struct Work {
    engine: std::sync::Arc<dyn ContextEngine>,
    /// What was configured and does not exist.
    missing_engine: Option<String>,
    weight: Weight,
    budget: Budget,
    /// `None`: there is nothing to do.
    reason: Option<Reason>,
    focus: Option<String>,
    enabled: bool,
    /// What prices say, where they decide.
    decision: Option<Decision>,
}

impl Work {
    fn new(arguments: &CompressArguments, chosen: Chosen, loaded: &Loaded, session: &Session) -> Work {
        let policy = session.policy(&loaded.config);
        let Chosen { engine, missing } = chosen;
        let enabled = loaded.config.compression.enabled;
        let (weight, budget) = match arguments.target_tokens {
            Some(target) => {
                let weight = session.weigh(Tokens(target));
                (weight, Budget::forced(Tokens(target), weight.tokens, &policy))
            }
            None => {
                let trigger = Budget::new(session.window.length, Tokens(0), &policy).trigger;
                let weight = session.weigh(trigger);
                (weight, Budget::new(session.window.length, weight.tokens, &policy))
            }
        };
        let reason = match (arguments.force, enabled || arguments.target_tokens.is_some()) {
            (true, _) => Some(Reason::Asked),
            (false, true) => engine.should_compress(&budget),
            (false, false) => None,
        };
        let missing_engine = missing.map(|missing| missing.name);
        Work { engine, missing_engine, weight, budget, reason, focus: arguments.focus.clone(), enabled, decision: None }
    }

    /// Below the ceiling, prices decide (`compression.trigger: cost`).
    fn compare_prices(&mut self, session: &Session, kept: Ttl, shadow: ShadowPrices, reading: Reading) {
        let rates = Rates::of(&session.facts.prices, kept).unwrap_or(Rates::USUAL);
        let rule = Rule { shadow, reading, ..Rule::new(rates) };
        let (conversation, sizes) = (session.conversation(), &session.sizes);
        let decision = recorded::decide(conversation, sizes, &self.budget, &rule, &*self.engine, &*session.counter);
        if let Some(action) = decision.action {
            self.reason = Some(Reason::Pays);
            self.budget = self.budget.clone().paying(action);
        }
        self.decision = Some(decision);
    }

    fn occasion(&self, reason: Reason) -> Occasion {
        Occasion { focus: self.focus.clone(), ..Occasion::new(reason) }
    }
}

fn leave_alone(
    arguments: &CompressArguments,
    common: &Common,
    session: &Session,
    work: &Work,
) -> Result<ExitCode, Failure> {
    if arguments.plan {
        if common.json {
            print_json(&report::nothing_json(session, work))?;
        } else {
            print(&format!("{}\n", report::nothing(session, work)))?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let untouched = Spliced { bytes: session.request.bytes().to_vec(), patches: Vec::new() };
    keep_originals(arguments, session, &untouched, &[])?;
    files::write(arguments.output.as_deref(), &untouched.bytes)?;
    if arguments.report && common.json {
        say_json(&report::nothing_json(session, work));
    } else if arguments.report {
        say(&report::nothing(session, work));
    }
    Ok(ExitCode::SUCCESS)
}

fn show_plan(
    arguments: &CompressArguments,
    common: &Common,
    session: &Session,
    work: &Work,
    plan: &Plan,
) -> Result<ExitCode, Failure> {
    if common.json {
        print_json(&report::plan_json(session, work, plan))?;
    } else {
        print(&report::plan(session, work, plan))?;
    }
    Ok(verdict(plan.shortfall.is_some(), arguments))
}

fn verdict(fell_short: bool, arguments: &CompressArguments) -> ExitCode {
    if fell_short && arguments.strict { ExitCode::from(NOT_REACHED) } else { ExitCode::SUCCESS }
}

/// What was removed is safe before the result exists.
fn keep_originals(
    arguments: &CompressArguments,
    session: &Session,
    spliced: &Spliced,
    edits: &[Edit],
) -> Result<(), Failure> {
    let Some(directory) = &arguments.originals else { return Ok(()) };
    let originals = Originals::create(directory)?;
    originals.keep(session.request.bytes(), spliced, &epitome_core::originals::cited(session.conversation(), edits))
}

fn finish(
    arguments: &CompressArguments,
    common: &Common,
    environment: &crate::config::Environment,
    session: &Session,
    work: &Work,
    compaction: &Compaction,
) -> Result<ExitCode, Failure> {
    if arguments.report && common.json {
        say_json(&report::done_json(session, work, compaction));
    } else if arguments.report {
        let style = crate::terminal::Style::of_stderr(environment);
        say(&report::done(session, work, compaction, style));
    }
    if let (false, Some(Author::StoodIn { name, why, .. })) = (arguments.report, &compaction.author) {
        say(&format!("warning: the local summariser stood in for {name}: {why}"));
    }
    let fell_short = compaction.after.tokens >= work.budget.trigger;
    if let (true, Some(shortfall)) = (fell_short, &compaction.plan.shortfall) {
        say(&report::shortfall(shortfall, work));
    } else if compaction.applied.edits().is_empty() {
        say("nothing was compacted: everything is in the protected head or tail (compression.protect_last_n)");
    }
    Ok(verdict(fell_short, arguments))
}

/// A weight as people read it: `≈` says that it is an estimate.
fn shown(weight: Weight) -> String {
    match weight.precision {
        Precision::Exact => weight.tokens.to_string(),
        Precision::Estimate => format!("≈ {}", weight.tokens),
    }
}

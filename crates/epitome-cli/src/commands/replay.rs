//! `epitome replay`: what each policy would have cost on recorded sessions.

mod gather;
mod output;

use std::path::PathBuf;
use std::process::ExitCode;

use epitome_core::cache::Ttl;
use epitome_replay::policies::{CostSettings, Name};
use epitome_replay::prices::PriceSet;
use epitome_replay::provider::{Messages, Strategy};
use epitome_replay::report::page;
use epitome_replay::study::{Settings, Study};

use super::{configuration, print, print_json, say};
use crate::arguments::{BreakpointsName, Common, ReplayArguments};
use crate::config::{Loaded, Origin};
use crate::failure::{Failure, LEFT_OUT, shown};
use crate::files;
use crate::session::{catalogue, policy, thrift};
use crate::terminal::Style;

/// Replays sessions.
pub(crate) fn run(arguments: &ReplayArguments, common: &Common) -> Result<ExitCode, Failure> {
    let (loaded, sources) = configuration(common, Vec::new())?;
    let settings = settings(arguments, &loaded)?;
    let paths = gather::files(&arguments.sessions)?;
    let gathered = gather::studies(&paths, &settings)?;
    for (path, why) in &gathered.left_out {
        say(&format!("warning: {}: {why}; left out", shown(path)));
    }
    if let Some(path) = &arguments.plan_out {
        let plan: String = gathered.studies.iter().map(|study| study.plan.as_str()).collect();
        files::write(Some(path), plan.as_bytes())?;
    }
    if let Some(path) = &arguments.html {
        files::write(Some(path), page(&gathered.studies, &settings).as_bytes())?;
    }
    if common.json {
        print_json(&output::as_json(&gathered.studies, &settings))?;
    } else {
        print(&output::as_text(&gathered.studies, &settings, Style::of_stdout(&sources.environment)))?;
    }
    // Whatever else lies in a directory was not asked for.
    let any_named = gathered.left_out.iter().any(|(path, _)| arguments.sessions.contains(path));
    Ok(if any_named { ExitCode::from(LEFT_OUT) } else { ExitCode::SUCCESS })
}

fn settings(arguments: &ReplayArguments, loaded: &Loaded) -> Result<Settings, Failure> {
    let prices = PriceSet::named(&arguments.prices, &catalogue(arguments.models.as_deref())?).map_err(|error| {
        Failure::input(format!("--prices: {error}"))
            .hint("r0.10, r0.05, or a model of the catalogue such as claude-opus-4-6; add others with --models FILE")
    })?;
    let mut policies = if arguments.policy.is_empty() { Name::ALL.to_vec() } else { arguments.policy.clone() };
    policies.sort();
    policies.dedup();
    let plan_of = match (&arguments.plan_out, &policies[..]) {
        (None, _) => None,
        (Some(_), [only]) => Some(*only),
        (Some(_), _) => {
            return Err(Failure::input("--plan-out writes the decisions of one policy").hint("add --policy cost"));
        }
    };
    let strategy = strategy(arguments.breakpoints);
    let mut cost = CostSettings { thrift: thrift(&loaded.config), ..CostSettings::default() };
    // What somebody said about outputs and threshold holds for the cost rule, too; what nobody said is its own.
    let said = |key: &str| loaded.origins.get(key).is_some_and(|origin| *origin != Origin::Default);
    let wanted = policy(&loaded.config);
    if said("compression.outputs") {
        cost.policy.outputs = wanted.outputs;
    }
    if said("compression.threshold") {
        cost.policy.threshold = wanted.threshold;
    }
    cost.policy.threshold_tokens = wanted.threshold_tokens;
    cost.policy.model_thresholds = wanted.model_thresholds;
    Ok(Settings { policies, window: arguments.window, prices, strategy, cost, plan_of })
}

fn strategy(name: BreakpointsName) -> Strategy {
    match name {
        BreakpointsName::Stateful => Strategy::Stateful { prefix_after_pause: Ttl::Long },
        BreakpointsName::Stateful5m => Strategy::Stateful { prefix_after_pause: Ttl::Short },
        BreakpointsName::SystemAnd3 => Strategy::SystemAnd3 { messages: Messages::Merged },
        BreakpointsName::SystemAnd3Openai => Strategy::SystemAnd3 { messages: Messages::Single },
        BreakpointsName::Client => Strategy::Client { ttl: Ttl::Short },
        BreakpointsName::Unlimited => Strategy::Unlimited,
        BreakpointsName::Automatic => Strategy::Automatic,
    }
}

/// What was found out, and why some sessions are not in it.
struct Gathered {
    studies: Vec<Study>,
    left_out: Vec<(PathBuf, String)>,
}

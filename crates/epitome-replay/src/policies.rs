//! What may be done about a session that grows: the list of policies, one a file.

mod cost;
mod largest_first;
mod masking;
mod none;
mod optimum;
mod provider_clearing;
mod threshold;

pub use cost::CostSettings;

use crate::prices::PriceSet;
use crate::trace::{Piece, Trace};

/// Decides, before each call of a session, what becomes of the request.
///
/// It is asked for every call in order, and knows nothing of what comes later; hindsight excepted.
pub trait Policy {
    /// The request of the next call, after whatever was done about it.
    fn request(&mut self, moment: &Moment) -> Request;

    /// What is done when the session pauses for good.
    fn at_the_end(&mut self) -> Option<Deed>;
}

/// What is known before a call.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Moment {
    /// The pause before this call outlasted what the cache holds of the messages.
    pub paused: bool,
    /// Tokens at the beginning of the last request that the provider's cache still holds.
    pub cached: u64,
}

/// A request that leaves.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// Its blocks.
    pub pieces: Vec<Piece>,
    /// The last block of the newest summary, or of what was shortened last.
    pub boundary: Option<usize>,
    /// What was done.
    pub deeds: Vec<Deed>,
}

/// Something that was done to a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deed {
    /// Outputs were shortened.
    Trimmed,
    /// A summary was written.
    Summarized {
        /// So long.
        written: u64,
        /// When.
        when: When,
        /// What stayed verbatim behind it.
        tail: u64,
    },
}

/// When a summary was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// Before a call.
    AtCall,
    /// In the pause before it, while the cache was warm.
    InPause,
}

/// The policies, as they are typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Name {
    /// Nothing, until the window overflows.
    None,
    /// Half of the window (M6).
    Threshold,
    /// The largest outputs first, from three quarters of the window to half (M15).
    LargestFirst,
    /// Results older than ten calls are masked, at every call.
    Masking,
    /// What a provider offers: clearing all results but three above 100,000 tokens.
    ProviderClearing,
    /// The cost rule.
    Cost,
    /// What hindsight would have done.
    Optimum,
}

impl Name {
    /// All of them, in the order of a table.
    pub const ALL: [Name; 7] = [
        Name::None,
        Name::Threshold,
        Name::LargestFirst,
        Name::Masking,
        Name::ProviderClearing,
        Name::Cost,
        Name::Optimum,
    ];

    /// As it is typed.
    pub fn typed(self) -> &'static str {
        match self {
            Name::None => "none",
            Name::Threshold => "threshold",
            Name::LargestFirst => "largest-first",
            Name::Masking => "masking",
            Name::ProviderClearing => "provider-clearing",
            Name::Cost => "cost",
            Name::Optimum => "optimum",
        }
    }

    /// As a person says it.
    pub fn says(self) -> &'static str {
        match self {
            Name::None => "nothing, until the window overflows",
            Name::Threshold => "summary at 50 % of the window",
            Name::LargestFirst => "largest outputs first, 75 → 50 %",
            Name::Masking => "rolling masks, 10 calls kept",
            Name::ProviderClearing => "provider clears results, 3 kept",
            Name::Cost => "cost rule",
            Name::Optimum => "offline optimum (hindsight)",
        }
    }

    /// The policy of this name, for a session.
    pub fn build<'a>(
        self,
        trace: &'a Trace,
        window: u64,
        prices: &PriceSet,
        cost: &CostSettings,
    ) -> Box<dyn Policy + 'a> {
        match self {
            Name::None => Box::new(none::Nothing::new(trace, window)),
            Name::Threshold => Box::new(threshold::Threshold::new(trace, window)),
            Name::LargestFirst => Box::new(largest_first::new(trace, window)),
            Name::Masking => Box::new(masking::Masking::new(trace, window)),
            Name::ProviderClearing => Box::new(provider_clearing::Clearing::new(trace, window)),
            Name::Cost => Box::new(cost::CostRule::new(trace, window, prices, cost)),
            Name::Optimum => Box::new(optimum::Hindsight::new(trace, window, prices)),
        }
    }
}

impl std::str::FromStr for Name {
    type Err = ();

    fn from_str(typed: &str) -> Result<Name, ()> {
        Name::ALL.into_iter().find(|name| name.typed() == typed).ok_or(())
    }
}

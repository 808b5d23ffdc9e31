//! The controller of M15: above three quarters of the window the largest old outputs are shortened, until half is reached.

use epitome_core::budget::{Controller, Policy};

use super::threshold::Threshold;
use crate::trace::Trace;

pub(super) fn new(trace: &Trace, window: u64) -> Threshold<'_> {
    Threshold::following(trace, window, Policy { controller: Controller::LargestFirst, ..Policy::default() })
}

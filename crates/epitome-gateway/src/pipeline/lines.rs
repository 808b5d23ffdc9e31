//! What the log says of compactions and calls (M16): numbers and names, and nothing that anybody said.

use epitome_core::budget::Budget;
use epitome_core::engine::Reason;
use epitome_core::statistics::CompactionRecord;
use epitome_store::records::{SessionId, TurnUsage};

use crate::turn::Passed;

/// A compaction is made now.
pub(super) fn compaction_starts(session: &SessionId, budget: &Budget, reason: Reason) {
    let (tokens, window) = (budget.used.0, budget.context_length.0);
    tracing::info!(
        target: "epitome::compaction",
        %session,
        tokens,
        window,
        usage_percent = percent(tokens as f64 / window.max(1) as f64),
        reason = %reason,
        "compaction starts"
    );
}

/// It is made. One that makes nothing smaller is not carried out.
pub(super) fn compaction_ended(session: &SessionId, record: &CompactionRecord) {
    tracing::info!(
        target: "epitome::compaction",
        %session,
        before = record.before.0,
        after = record.after.0,
        ratio_percent = percent(record.ratio()),
        messages_compressed = record.compressed(),
        "compaction ended"
    );
}

/// A call was answered. Of one that we did not understand, nothing is known but what its provider reported.
pub(crate) fn call(passed: Option<&Passed>, usage: Option<&TurnUsage>) {
    tracing::info!(
        target: "epitome::call",
        session = passed.map(|passed| passed.session.as_str()),
        model = passed.map(|passed| passed.model.as_str()),
        action = passed.map(|passed| passed.report.action_name()),
        input = usage.map(|usage| usage.prompt.saturating_sub(usage.cache_read).saturating_sub(usage.cache_write)),
        cache_read = usage.map(|usage| usage.cache_read),
        cache_write = usage.map(|usage| usage.cache_write),
        output = usage.map(|usage| usage.output),
        "call"
    );
}

/// With one digit behind the point.
fn percent(share: f64) -> f64 {
    (share * 1_000.0).round() / 10.0
}

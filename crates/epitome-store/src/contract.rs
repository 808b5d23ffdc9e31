//! What every store must do, said once and asked of all three.
//!
//! Each promise is a function that gets a store which others use at the same time; a promise has tenants of its own.

mod agreement;
pub(crate) mod archives;
mod deeds;
pub(crate) mod ledger;
pub(crate) mod originals;
pub(crate) mod sessions;
pub(crate) mod speed;
pub(crate) mod tenants;
pub(crate) mod wishes;

pub(crate) use agreement::{agrees_with_memory, deeds};
pub(crate) use deeds::*;

use std::sync::Arc;

use crate::store::Store;

/// A store that can be given to many tasks.
pub(crate) type Shared = Arc<dyn Store>;

/// Hands the list of all promises to a macro, which makes tests of them.
macro_rules! promises {
    ($make:ident) => {
        $make! {
            ledger::the_deepest_match_comes_first,
            ledger::no_more_matches_are_given_than_are_of_use,
            ledger::of_one_anchor_the_latest_comes_first,
            ledger::a_fork_finds_the_edits_it_shares_and_its_own,
            ledger::a_rewound_history_finds_what_is_left_of_it,
            ledger::an_empty_history_matches_nothing,
            ledger::who_is_overtaken_at_the_same_anchor_gets_the_winner,
            ledger::who_is_overtaken_at_a_deeper_anchor_gets_the_winner,
            ledger::a_deeper_match_that_was_seen_does_not_overtake,
            ledger::the_same_compaction_twice_is_one_entry,
            ledger::an_entry_stays_when_its_parent_is_forgotten,
            ledger::of_many_at_once_one_is_stored_and_the_others_get_it,
            ledger::appends_to_many_histories_at_once_lose_nothing,
            ledger::thousands_of_messages_are_no_trouble,
            ledger::large_edits_come_back_whole,
            ledger::a_lease_has_one_owner_until_it_ends,
            ledger::of_many_who_want_a_lease_one_gets_it,
            ledger::what_is_prepared_is_found_and_the_latest_stays,
            ledger::what_was_prepared_goes_when_it_is_used,
            archives::an_archived_session_and_the_one_that_continues_it_know_each_other,
            archives::a_client_that_went_back_is_in_the_old_session_again,
            archives::the_same_archiving_twice_makes_one_session,
            archives::no_two_archived_histories_share_a_continuation,
            archives::a_link_goes_with_either_session_and_a_number_is_not_given_again,
            archives::what_is_continued_is_kept_as_long_as_what_continues_it,
            originals::an_original_comes_back_to_the_byte,
            originals::an_original_is_found_by_the_beginning_of_its_name,
            originals::what_a_compaction_removed_comes_in_its_order,
            originals::the_same_original_is_stored_once,
            originals::every_literal_is_found,
            originals::a_literal_is_no_pattern,
            originals::patterns_are_found_and_bad_ones_refused,
            originals::found_things_come_newest_session_first_and_no_more_than_asked,
            originals::an_excerpt_is_one_line,
            sessions::calls_are_counted_and_summed,
            sessions::summaries_cost_and_are_no_calls_of_the_client,
            sessions::absurd_numbers_do_no_harm,
            sessions::what_was_learnt_stays_until_something_new_is,
            sessions::sessions_come_latest_first,
            sessions::compactions_come_oldest_first_with_their_logs,
            sessions::logs_come_without_edits_of_one_session_or_of_all,
            sessions::what_would_be_pruned_is_what_is_pruned,
            sessions::a_history_grows_at_its_end_alone,
            sessions::of_many_who_extend_a_history_one_does,
            sessions::the_end_of_a_history_is_taken_back_if_it_is_what_was_added,
            sessions::kept_messages_can_be_searched_and_fetched,
            sessions::a_deleted_session_is_gone_with_what_it_alone_had,
            sessions::a_deleted_session_can_begin_again,
            sessions::deleting_and_appending_at_once_leaves_nothing_half_done,
            sessions::what_is_old_is_pruned_first,
            sessions::what_is_too_much_is_pruned_oldest_first,
            sessions::nothing_is_pruned_that_need_not_be,
            sessions::names_may_hold_any_character,
            sessions::a_secret_is_one_for_all,
            sessions::it_says_that_it_is_ready,
            tenants::nobody_sees_anything_of_another,
            tenants::what_one_deletes_another_keeps,
            tenants::everybody_who_has_sessions_is_listed,
            wishes::a_wish_waits_until_it_is_fulfilled,
            wishes::a_later_wish_takes_the_place_of_an_earlier_one,
            wishes::what_is_forgotten_is_that_wish_and_no_other,
            wishes::nothing_is_wished_for_what_is_not_there,
            wishes::a_wish_goes_with_its_session,
            wishes::who_is_overtaken_leaves_the_wish,
        }
    };
}
pub(crate) use promises;

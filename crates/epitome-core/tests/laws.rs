//! What holds for every conversation, every window and every summariser.

mod support;

use std::collections::BTreeSet;

use epitome_core::budget::{Budget, Controller, Outputs, Policy, Tail, Thrift, Trigger};
use epitome_core::cost::trigger::Action;
use epitome_core::engine::{BUILT_IN, Registry, Rung};
use epitome_core::live;
use epitome_core::model::{Block, Conversation, Message, Pairing, ResultStyle, Role};
use epitome_core::summary::{NOTE, requests};
use epitome_core::tokens::{Sizes, Tokens};
use proptest::prelude::*;
use support::{Behaviour, Quarter, budget, call, compacted, message, result, weight};

/// What happens in a turn, before it is written in a dialect's style.
#[derive(Debug, Clone)]
enum Event {
    User(String),
    Says(String),
    /// Outputs of parallel calls.
    Calls(Vec<String>),
    Instruction(String),
    /// An instruction that differs from others in a number.
    Countdown(u32),
    /// A harness says something as the user: behind results, where those stand in a user's message.
    Reminder(String),
    /// Something is said beside results without a harness' tags.
    Aside(String),
}

/// What a conversation may end with.
#[derive(Debug, Clone)]
struct End {
    /// Calls that are made last, and how many of them are answered.
    batch: Option<(usize, usize)>,
    /// Instructions behind everything.
    countdowns: Vec<u32>,
}

fn words() -> impl Strategy<Value = String> {
    let sizes = prop_oneof![6 => 1..40_usize, 3 => 40..400_usize, 1 => 400..3_000_usize];
    (sizes, "[a-z]{2,9}( error)?").prop_map(|(repeats, word)| {
        let line = |n| format!("{word} {n} src/{word}_{n}.rs\n");
        (0..repeats / 4 + 1).map(line).collect()
    })
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        2 => words().prop_map(Event::User),
        3 => words().prop_map(Event::Says),
        8 => prop::collection::vec(words(), 1..4).prop_map(Event::Calls),
        1 => words().prop_map(Event::Instruction),
        2 => any::<u32>().prop_map(Event::Countdown),
        1 => words().prop_map(Event::Reminder),
        1 => words().prop_map(Event::Aside),
    ]
}

fn ends() -> impl Strategy<Value = End> {
    let batch = (1..5_usize).prop_flat_map(|calls| (Just(calls), 0..calls));
    (prop::option::weighted(0.3, batch), prop::collection::vec(any::<u32>(), 0..3))
        .prop_map(|(batch, countdowns)| End { batch, countdowns })
}

/// Valid conversations of every style: with and without a system prompt, ending in every way a request can end.
fn conversations() -> impl Strategy<Value = Conversation> {
    let style = prop_oneof![Just(ResultStyle::OwnMessage), Just(ResultStyle::NextUserMessage)];
    (style, any::<bool>(), words(), words(), prop::collection::vec(event(), 0..60), ends()).prop_map(
        |(style, prompted, prompt, request, events, end)| {
            let mut conversation = Conversation { results: style, ..Conversation::default() };
            match (prompted, style) {
                (true, ResultStyle::NextUserMessage) => conversation.system = vec![Block::Text(prompt.into())],
                (true, ResultStyle::OwnMessage) => conversation.messages.push(Message::text(Role::System, prompt)),
                (false, _) => {}
            }
            conversation.messages.push(Message::text(Role::User, request));
            for (turn, event) in events.into_iter().enumerate() {
                push(&mut conversation, turn, event);
            }
            push_end(&mut conversation, end);
            conversation
        },
    )
}

fn countdown(left: u32) -> Message {
    Message::text(
        Role::System,
        format!("{left} tokens left before the context is full; keep it short and to the point"),
    )
}

fn push_end(conversation: &mut Conversation, end: End) {
    let speaks = |message: &&Message| message.role != Role::System;
    let last = conversation.messages.iter().rev().find(speaks).map(|last| last.role);
    let batch = end.batch.filter(|_| last != Some(Role::Assistant));
    if let Some((calls, answered)) = batch {
        let ids: Vec<String> = (0..calls).map(|n| format!("pending_{n}")).collect();
        let calls = ids.iter().map(|id| call(id, "bash", r#"{"command":"make"}"#)).collect();
        conversation.messages.push(message(Role::Assistant, calls));
        let results = ids.iter().take(answered).map(|id| result(id, "made"));
        match conversation.results {
            ResultStyle::OwnMessage => {
                conversation.messages.extend(results.map(|result| message(Role::Tool, vec![result])));
            }
            ResultStyle::NextUserMessage if answered > 0 => {
                conversation.messages.push(message(Role::User, results.collect()));
            }
            ResultStyle::NextUserMessage => {}
        }
    }
    for left in end.countdowns {
        if takes_instruction(conversation) {
            conversation.messages.push(countdown(left));
        }
    }
}

/// Where results are a user's, an instruction stands behind a user's message and before an assistant's.
fn takes_instruction(conversation: &Conversation) -> bool {
    conversation.results == ResultStyle::OwnMessage
        || conversation.messages.last().is_some_and(|last| last.role == Role::User)
}

fn misplaced(conversation: &Conversation) -> usize {
    let role = |index: usize| conversation.messages.get(index).map(|message| message.role);
    let is_misplaced = |index: &usize| {
        role(*index) == Some(Role::System)
            && !(index.checked_sub(1).and_then(role) == Some(Role::User)
                && role(index + 1).is_none_or(|next| next == Role::Assistant))
    };
    match conversation.results {
        ResultStyle::OwnMessage => 0,
        ResultStyle::NextUserMessage => (0..conversation.messages.len()).filter(is_misplaced).count(),
    }
}

/// Adds an event, and nothing that two neighbours of one role would come of.
fn push(conversation: &mut Conversation, turn: usize, event: Event) {
    let last = conversation.messages.iter().rev().find(|message| message.role != Role::System).map(|last| last.role);
    let style = conversation.results;
    let takes_instruction = takes_instruction(conversation);
    let messages = &mut conversation.messages;
    match event {
        Event::User(text) if last != Some(Role::User) => messages.push(Message::text(Role::User, text)),
        Event::Says(text) if last != Some(Role::Assistant) => messages.push(Message::text(Role::Assistant, text)),
        Event::Calls(outputs) if last != Some(Role::Assistant) => {
            let ids: Vec<String> = (0..outputs.len()).map(|n| format!("call_{turn}_{n}")).collect();
            let calls = ids.iter().map(|id| call(id, "bash", r#"{"command":"make"}"#)).collect();
            messages.push(message(Role::Assistant, calls));
            let results = ids.iter().zip(&outputs).map(|(id, output)| result(id, output));
            match style {
                ResultStyle::OwnMessage => messages.extend(results.map(|result| message(Role::Tool, vec![result]))),
                ResultStyle::NextUserMessage => messages.push(message(Role::User, results.collect())),
            }
        }
        Event::Instruction(text) if takes_instruction => messages.push(Message::text(Role::System, text)),
        Event::Countdown(left) if takes_instruction => messages.push(countdown(left)),
        Event::Reminder(text) => {
            let text = format!("<system-reminder>\n{text}\n</system-reminder>");
            match messages.last_mut() {
                Some(last) if last.role == Role::User => last.blocks.push(Block::Text(text.into())),
                Some(_) if last != Some(Role::User) => messages.push(Message::text(Role::User, text)),
                Some(_) | None => {}
            }
        }
        Event::Aside(text) => {
            if let Some(answers) =
                messages.last_mut().filter(|last| last.role == Role::User && last.results().next().is_some())
            {
                answers.blocks.push(Block::Text(text.into()));
            }
        }
        Event::User(_) | Event::Says(_) | Event::Calls(_) | Event::Instruction(_) | Event::Countdown(_) => {}
    }
}

fn policies() -> impl Strategy<Value = Policy> {
    let outputs = prop_oneof![Just(Outputs::Digest), Just(Outputs::Clear)];
    let controller = prop_oneof![3 => Just(Controller::Off), 1 => Just(Controller::LargestFirst)];
    let tail = prop_oneof![Just(Tail::Fixed), Just(Tail::Adaptive)];
    let trigger = prop_oneof![3 => Just(Trigger::Threshold), 1 => thrifts().prop_map(Trigger::Cost)];
    (0.2..0.9, 0.1..0.8, 0..6_usize, 1..30_usize, outputs, controller, tail, trigger).prop_map(
        |(threshold, target_ratio, protect_first_n, protect_last_n, outputs, controller, tail, trigger)| Policy {
            threshold,
            target_ratio,
            protect_first_n,
            protect_last_n,
            outputs,
            controller,
            tail,
            trigger,
            ..Policy::default()
        },
    )
}

fn thrifts() -> impl Strategy<Value = Thrift> {
    let tokens = |range: std::ops::Range<u64>| range.prop_map(Tokens);
    (tokens(1..3_000), tokens(100..1_000)).prop_map(|(tail, summary)| Thrift { tail, summary, ..Thrift::default() })
}

fn behaviours() -> impl Strategy<Value = Behaviour> {
    (0..Behaviour::ALL.len()).prop_map(|at| Behaviour::ALL[at])
}

fn same_role_neighbours(conversation: &Conversation) -> usize {
    let pairs = conversation.messages.windows(2);
    pairs.filter(|pair| pair[0].role == pair[1].role && matches!(pair[0].role, Role::User | Role::Assistant)).count()
}

fn prompt(conversation: &Conversation) -> Vec<Message> {
    let leading = conversation.messages.iter().take(conversation.leading_system_messages()).cloned();
    let outside = Message { blocks: conversation.system.clone(), ..Message::text(Role::System, "") };
    let mut prompt: Vec<Message> = leading.chain([outside]).collect();
    for message in &mut prompt {
        message.blocks.retain(|block| block.as_text().is_none_or(|text| &**text != NOTE));
    }
    prompt
}

fn instructions(conversation: &Conversation) -> Vec<Message> {
    let behind = conversation.messages.iter().skip(conversation.leading_system_messages());
    behind.filter(|message| message.role == Role::System).cloned().collect()
}

/// The newest instruction of each form, and what they weigh together.
fn holding(conversation: &Conversation) -> (Vec<Message>, Tokens) {
    let overtaken = live::overtaken(conversation);
    let leading = conversation.leading_system_messages();
    let behind = conversation.messages.iter().enumerate().skip(leading);
    let holding = behind.filter(|(index, message)| message.role == Role::System && !overtaken.contains(index));
    let (indices, messages): (Vec<usize>, Vec<Message>) =
        holding.map(|(index, message)| (index, message.clone())).unzip();
    let sizes = Sizes::of(conversation, &Quarter).messages;
    (messages, indices.into_iter().map(|index| sizes[index]).sum())
}

fn newest_input(conversation: &Conversation) -> &[Message] {
    let start = live::newest_input(&conversation.messages, &Pairing::of(&conversation.messages));
    &conversation.messages[start..]
}

fn unanswered(conversation: &Conversation) -> Vec<String> {
    let place = |(message, block): (usize, usize)| match &conversation.messages[message].blocks[block] {
        Block::ToolCall(call) => call.id.to_string(),
        other @ (Block::Text(_) | Block::Thinking(_) | Block::ToolResult(_) | Block::Media(_) | Block::Opaque(_)) => {
            panic!("{other:?} is no call")
        }
    };
    Pairing::of(&conversation.messages).unanswered_calls.into_iter().map(place).collect()
}

/// What must stay whatever a size is forced to, with the newest request.
fn least(conversation: &Conversation) -> Tokens {
    let sizes = Sizes::of(conversation, &Quarter);
    let leading = conversation.leading_system_messages();
    let input = live::newest_input(&conversation.messages, &Pairing::of(&conversation.messages));
    let first = conversation.first_user_message().into_iter().chain(requests::first(conversation));
    let kept: BTreeSet<usize> = (0..leading)
        .chain(first)
        .chain(live::request(conversation).into_iter().flatten())
        .chain(input..conversation.messages.len())
        .collect();
    // The shortest summary comes on top.
    sizes.prefix + kept.into_iter().map(|index| sizes.messages[index]).sum() + Tokens(200)
}

fn check_laws(
    before: &Conversation,
    budget: &Budget,
    policy: &Policy,
    summarizer: Behaviour,
) -> Result<(), TestCaseError> {
    let untouched = before.clone();
    let compaction = compacted(before, budget, policy, summarizer);
    let after = compaction.applied.conversation();
    prop_assert_eq!(before, &untouched, "the input is never changed");
    let pairing = Pairing::of(&after.messages);
    prop_assert_eq!(pairing.orphan_results, vec![], "every result keeps its call");
    prop_assert_eq!(
        unanswered(before),
        unanswered(after),
        "every call keeps its result, and gets none that is invented"
    );
    prop_assert_eq!(same_role_neighbours(after), same_role_neighbours(before), "no new neighbours of one role");
    prop_assert_eq!((misplaced(before), misplaced(after)), (0, 0), "instructions stand where they may");
    check_instructions(before, after, budget)?;
    let first = |conversation: &Conversation| {
        conversation.first_user_message().and_then(|first| conversation.messages.get(first).cloned())
    };
    prop_assert_eq!(first(before), first(after), "the first request is verbatim");
    // Where a size was asked for, or the window is too small, the outputs of the newest input may be shortened; nothing
    // else of it.
    let shortens = budget.forced || compaction.plan.rungs.iter().any(|climbed| climbed.rung == Rung::ShortenNewest);
    let newest = |conversation: &Conversation| -> Vec<Message> {
        let newest = newest_input(conversation).iter();
        newest.map(|newest| if shortens { newest.without_outputs() } else { newest.clone() }).collect()
    };
    prop_assert_eq!(newest(before), newest(after), "the newest input is untouched");
    let request: Vec<&Message> = live::request(before).into_iter().flatten().map(|at| &before.messages[at]).collect();
    let stays = request.iter().all(|request| after.messages.contains(request));
    let has_no_room = budget.forced && least(before) > budget.context_length;
    prop_assert!(stays || has_no_room, "the newest request of a person is a user's message, verbatim");
    prop_assert_eq!(compaction.after.tokens, weight(after), "what is reported is what is there");
    if compaction.after.tokens >= budget.trigger {
        prop_assert!(compaction.plan.shortfall.is_some(), "above the trigger without a reason");
    }
    prop_assert!(compaction.after.tokens <= compaction.before, "never larger than before");
    let again = compacted(before, budget, policy, summarizer);
    prop_assert_eq!(&again, &compaction, "same input, same output");
    Ok(())
}

fn check_instructions(before: &Conversation, after: &Conversation, budget: &Budget) -> Result<(), TestCaseError> {
    prop_assert_eq!(prompt(before), prompt(after), "the system prompt is verbatim");
    let mut all = instructions(before).into_iter();
    let left = instructions(after);
    prop_assert!(left.iter().all(|left| all.any(|instruction| instruction == *left)), "what is left is verbatim");
    let (holding, weight) = holding(before);
    // Each may need neighbours.
    let weight = weight + Tokens(48 * holding.len() as u64);
    let kept = holding.iter().all(|instruction| left.contains(instruction));
    prop_assert!(kept || weight > budget.context_length.share(0.1), "the newest instruction of each form stays");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn a_compaction_keeps_the_laws(
        conversation in conversations(),
        policy in policies(),
        fullness in 0.3..6.0_f64,
        summarizer in behaviours(),
    ) {
        let window = (weight(&conversation).0 as f64 / fullness) as u64 + 1;
        let budget = budget(&conversation, window, &policy);
        check_laws(&conversation, &budget, &policy, summarizer)?;
    }

    #[test]
    fn what_pays_keeps_the_laws_and_leads_where_it_was_foreseen(
        conversation in conversations(),
        thrift in thrifts(),
        outputs in prop_oneof![Just(Outputs::Digest), Just(Outputs::Clear)],
        summarizer in behaviours(),
    ) {
        let policy = Policy { outputs, trigger: Trigger::Cost(thrift), ..Policy::default() };
        let used = weight(&conversation);
        let budget = budget(&conversation, 10 * used.0, &policy);
        let engine = Registry::new(&policy).resolve(BUILT_IN).engine;
        let outlook = engine.outlook(&conversation, &Sizes::of(&conversation, &Quarter), &budget, &Quarter);
        for (action, foreseen) in [(Action::Trim, outlook.trimmed), (Action::Summarize, outlook.summarized)] {
            let Some(foreseen) = foreseen else { continue };
            prop_assert!(foreseen.size < used && foreseen.kept <= foreseen.size);
            let paying = budget.clone().paying(action);
            check_laws(&conversation, &paying, &policy, summarizer)?;
            let after = compacted(&conversation, &paying, &policy, summarizer).after.tokens;
            if action == Action::Summarize {
                prop_assert!(after <= foreseen.size, "{after} tokens, and {} were foreseen at most", foreseen.size);
            }
        }
    }

    #[test]
    fn a_forced_size_keeps_the_laws(
        conversation in conversations(),
        share in 0.02..1.0_f64,
        summarizer in behaviours(),
    ) {
        let policy = Policy::default();
        let used = weight(&conversation);
        let budget = Budget::forced(used.share(share).max(Tokens(1)), used, &policy);
        check_laws(&conversation, &budget, &policy, summarizer)?;
    }

    #[test]
    fn a_result_below_the_trigger_is_left_alone(conversation in conversations(), summarizer in behaviours()) {
        let policy = Policy::default();
        let window = weight(&conversation).0;
        let compaction = compacted(&conversation, &budget(&conversation, window, &policy), &policy, summarizer);
        let after = compaction.applied.conversation();
        let budget = budget(after, window, &policy);
        if compaction.after.tokens < budget.trigger {
            let engine = Registry::new(&policy).resolve(BUILT_IN).engine;
            prop_assert_eq!(engine.should_compress(&budget), None);
        }
    }
}

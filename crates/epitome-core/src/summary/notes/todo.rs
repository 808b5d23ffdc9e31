//! Task lists: the last state of the list that an agent keeps with a tool, or writes with boxes to tick.

use serde_json::Value;

use crate::model::ToolCall;

/// Where a task stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    Done,
    InProgress,
    Open,
}

/// A task as it was last spoken of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Task {
    pub(super) state: State,
    pub(super) text: String,
}

/// The tasks, in the order of the list; what was ticked off and left the list comes first.
#[derive(Debug, Default)]
pub(super) struct Tasks {
    tasks: Vec<Task>,
}

/// A task is told in so many characters.
const TASK_CHARS: usize = 160;
const TEXT_KEYS: [&str; 8] = ["content", "step", "title", "subject", "task", "text", "name", "description"];
const LIST_KEYS: [&str; 5] = ["todos", "plan", "tasks", "items", "todo_list"];

/// Whether a tool keeps a task list, as far as its name tells.
pub(in crate::summary) fn keeps_tasks(tool: &str) -> bool {
    let tool = tool.to_lowercase();
    tool.contains("todo")
        || tool == "update_plan"
        || ["taskcreate", "taskupdate", "tasklist", "taskget"].contains(&&*tool)
}

impl Tasks {
    /// A call of such a tool, with its answer.
    pub(super) fn note(&mut self, call: &ToolCall, answer: &str) {
        let Ok(arguments) = serde_json::from_str::<Value>(&call.arguments) else { return };
        let list = LIST_KEYS.iter().find_map(|key| arguments.get(key).and_then(Value::as_array));
        if let Some(list) = list {
            return self.replace(list.iter().filter_map(task_of).collect());
        }
        let number = |text: &str| {
            text.chars().skip_while(|c| !c.is_ascii_digit()).take_while(char::is_ascii_digit).collect::<String>()
        };
        match arguments.get("taskId").or_else(|| arguments.get("id")) {
            Some(id) => {
                let id = number(&id.to_string());
                let opening = format!("#{id} ");
                let state = arguments.get("status").and_then(Value::as_str);
                if state == Some("deleted") {
                    self.tasks.retain(|task| !task.text.starts_with(&opening));
                } else if let (Some(state), Some(task)) =
                    (state, self.tasks.iter_mut().find(|task| task.text.starts_with(&opening)))
                {
                    task.state = state_of(state);
                }
            }
            None => {
                let Some(task) = task_of(&arguments) else { return };
                // `Task #5 created successfully`: later calls name it by this number.
                let id = answer.split_once('#').map(|(_, rest)| number(rest)).unwrap_or_default();
                let text = if id.is_empty() { task.text } else { format!("#{id} {}", task.text) };
                self.add(Task { state: task.state, text });
            }
        }
    }

    /// Boxes that the agent ticks in its own words.
    pub(super) fn read_boxes(&mut self, text: &str) {
        if !text.contains("[ ]") && !text.contains("[x]") {
            return;
        }
        let found: Vec<Task> = text.lines().filter_map(|line| read_box(line.trim_start(), State::Open)).collect();
        if found.len() > 1 {
            self.replace(found);
        }
    }

    /// Reads an item that [`Task::write`] wrote; `state` is where open ones stand there.
    pub(super) fn carry_over(&mut self, item: &str, state: State) -> bool {
        match read_box(item, state) {
            Some(task) => {
                self.add(task);
                true
            }
            None => false,
        }
    }

    /// What is not on the new list was ticked off, or is not wanted any more.
    fn replace(&mut self, list: Vec<Task>) {
        self.tasks.retain(|task| task.state == State::Done);
        list.into_iter().for_each(|task| self.add(task));
    }

    fn add(&mut self, task: Task) {
        self.tasks.retain(|known| known.text != task.text);
        self.tasks.push(task);
    }

    pub(super) fn all(&self) -> &[Task] {
        &self.tasks
    }
}

impl Task {
    pub(super) fn write(&self) -> String {
        match self.state {
            State::Done => format!("- [x] {}", self.text),
            State::InProgress | State::Open => format!("- [ ] {}", self.text),
        }
    }
}

fn read_box(line: &str, open: State) -> Option<Task> {
    let rest = line.strip_prefix(['-', '*'])?.trim_start();
    let (state, text) =
        match (rest.strip_prefix("[ ] "), rest.strip_prefix("[x] ").or_else(|| rest.strip_prefix("[X] "))) {
            (Some(text), _) => (open, text),
            (None, Some(text)) => (State::Done, text),
            (None, None) => return None,
        };
    Some(Task { state, text: tidy(text) }).filter(|task| !task.text.is_empty())
}

fn task_of(value: &Value) -> Option<Task> {
    let text = TEXT_KEYS.iter().find_map(|key| value.get(key).and_then(Value::as_str)).or_else(|| value.as_str())?;
    let state = value.get("status").or_else(|| value.get("state")).and_then(Value::as_str).map(state_of);
    let ticked = value.get("completed").or_else(|| value.get("done")).and_then(Value::as_bool);
    let state = state.unwrap_or(if ticked == Some(true) { State::Done } else { State::Open });
    Some(Task { state, text: tidy(text) }).filter(|task| !task.text.is_empty())
}

fn state_of(word: &str) -> State {
    match word {
        "completed" | "complete" | "done" | "finished" | "cancelled" => State::Done,
        "in_progress" | "in-progress" | "active" | "doing" => State::InProgress,
        _ => State::Open,
    }
}

fn tidy(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    crate::outputs::cut_to_chars(&words, TASK_CHARS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(name: &str, arguments: &str) -> ToolCall {
        ToolCall { id: "1".into(), name: name.into(), arguments: arguments.into() }
    }

    #[track_caller]
    fn check(tasks: &Tasks, expected: &[(State, &str)]) {
        let found: Vec<(State, &str)> = tasks.all().iter().map(|task| (task.state, task.text.as_str())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn the_last_list_counts_and_what_was_done_stays() {
        let mut tasks = Tasks::default();
        let list = r#"{"todos":[{"content":"a","status":"completed"},{"content":"b","status":"in_progress"},{"content":"c","status":"pending"}]}"#;
        tasks.note(&call("TodoWrite", list), "");
        check(&tasks, &[(State::Done, "a"), (State::InProgress, "b"), (State::Open, "c")]);
        tasks.note(&call("update_plan", r#"{"plan":[{"step":"b","status":"completed"},{"step":"d"}]}"#), "");
        check(&tasks, &[(State::Done, "a"), (State::Done, "b"), (State::Open, "d")]);
    }

    #[test]
    fn numbered_tasks_are_updated_by_their_number() {
        let mut tasks = Tasks::default();
        tasks.note(&call("TaskCreate", r#"{"subject":"Fix H1"}"#), "Task #1 created successfully: Fix H1");
        tasks.note(&call("TaskCreate", r#"{"subject":"Fix H2"}"#), "Task #2 created successfully: Fix H2");
        tasks.note(&call("TaskUpdate", r#"{"taskId":"1","status":"completed"}"#), "Updated task #1 status");
        tasks.note(&call("TaskUpdate", r#"{"taskId":"2","addBlockedBy":["1"]}"#), "Updated task #2 blockedBy");
        check(&tasks, &[(State::Done, "#1 Fix H1"), (State::Open, "#2 Fix H2")]);
        let mut again = Tasks::default();
        tasks.all().iter().for_each(|task| assert!(again.carry_over(&task.write(), State::Open)));
        again.note(&call("TaskUpdate", r#"{"taskId":"2","status":"deleted"}"#), "");
        check(&again, &[(State::Done, "#1 Fix H1")]);
    }

    #[test]
    fn boxes_in_words_are_a_list() {
        let mut tasks = Tasks::default();
        tasks.read_boxes("Status:\n- [x] parser\n  - [ ] writer\nThat is all.");
        check(&tasks, &[(State::Done, "parser"), (State::Open, "writer")]);
        tasks.read_boxes("I ticked - [x] once");
        check(&tasks, &[(State::Done, "parser"), (State::Open, "writer")]);
    }
}

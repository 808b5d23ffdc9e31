//! Takes a shell script apart into simple commands.

use super::{Joined, Simple};

/// Reads line by line; knows quotes, operators and redirections, and gives up what it does not know.
#[derive(Default)]
pub(super) struct Reader {
    pub(super) commands: Vec<Simple>,
    current: Simple,
    quote: Option<char>,
    word: Option<String>,
    /// The next word is where output goes.
    target: Option<Target>,
    /// How the next command hangs on the one before.
    joined: Joined,
    pub(super) behind_pipe: Option<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Target {
    Write,
    Append,
    /// The word behind `<`, `<<` or `>&`.
    Other,
    /// The word that ends a text given in place.
    Here,
}

impl Reader {
    /// The word that ends the text given in place, if one begins behind this line.
    pub(super) fn line(&mut self, line: &str) -> Option<String> {
        let mut here = None;
        let mut chars = line.chars().peekable();
        let mut continued = false;
        while let Some(c) = chars.next() {
            match (self.quote, c) {
                (Some(quote), c) if c == quote => self.quote = None,
                (Some('"'), '\\') => self.push(chars.next().unwrap_or('\\')),
                (Some(_), c) => self.push(c),
                (None, '\\') => match chars.next() {
                    Some(next) => self.push(next),
                    None => continued = true,
                },
                (None, '$') if chars.next_if_eq(&'(').is_some() => self.push_filled_in(&mut chars),
                (None, '\'' | '"') => {
                    self.quote = Some(c);
                    self.word.get_or_insert_default();
                }
                (None, '#') if self.word.is_none() => break,
                (None, '<') => {
                    // A number in front of it is a file descriptor.
                    self.drop_descriptor();
                    self.end_of_word(&mut here);
                    let doubled = chars.next_if_eq(&'<').is_some();
                    let given = doubled && chars.next_if_eq(&'<').is_none();
                    chars.next_if_eq(&'-');
                    self.target = Some(if given { Target::Here } else { Target::Other });
                }
                (None, '>') => {
                    let descriptor = self.drop_descriptor();
                    self.end_of_word(&mut here);
                    let append = chars.next_if_eq(&'>').is_some();
                    let duplicates = chars.next_if_eq(&'&').is_some();
                    self.target = Some(match (duplicates || descriptor, append) {
                        (true, _) => Target::Other,
                        (false, true) => Target::Append,
                        (false, false) => Target::Write,
                    });
                }
                // `&>` sends everything where `>` would.
                (None, '&') if chars.peek() == Some(&'>') => {}
                (None, '|' | '&' | ';' | '(' | ')') => {
                    self.end_of_word(&mut here);
                    self.end_of_command();
                    let doubled = matches!(c, '|' | '&') && chars.next_if_eq(&c).is_some();
                    self.joined = match (c, doubled) {
                        ('&', true) => Joined::And,
                        ('|', true) => Joined::Or,
                        ('|', false) => Joined::Pipe,
                        ('(', _) => self.joined,
                        (_, _) => Joined::Then,
                    };
                    self.behind_pipe = (self.joined == Joined::Pipe).then_some(self.commands.len());
                }
                (None, c) if c.is_whitespace() => self.end_of_word(&mut here),
                (None, c) => self.push(c),
            }
        }
        if self.quote.is_some() {
            self.push('\n');
        } else {
            self.end_of_word(&mut here);
            if !continued {
                self.end_of_command();
            }
        }
        here
    }

    /// `$(…)` is a part of its word; what it prints is not known.
    fn push_filled_in(&mut self, chars: &mut impl Iterator<Item = char>) {
        self.push('$');
        let mut open = 1;
        for c in chars {
            open += i32::from(c == '(') - i32::from(c == ')');
            if open == 0 {
                return;
            }
            self.push(c);
        }
    }

    fn push(&mut self, c: char) {
        self.word.get_or_insert_default().push(c);
    }

    /// `2` in front of `>` is not a word. Says whether it stood there.
    fn drop_descriptor(&mut self) -> bool {
        let is_number = self.word.as_ref().is_some_and(|word| word.chars().all(|c| c.is_ascii_digit()));
        if is_number {
            self.word = None;
        }
        is_number
    }

    fn end_of_word(&mut self, here: &mut Option<String>) {
        let Some(word) = self.word.take() else { return };
        match self.target.take() {
            Some(Target::Write) => self.current.writes.push(word),
            Some(Target::Append) => self.current.appends.push(word),
            Some(Target::Here) => *here = Some(word),
            Some(Target::Other) => {}
            None => self.current.words.push(word),
        }
    }

    pub(super) fn end_of_command(&mut self) {
        let current = std::mem::take(&mut self.current);
        if current != Simple::default() {
            let joined = std::mem::replace(&mut self.joined, Joined::Then);
            self.commands.push(Simple { joined, ..current });
        }
    }
}

//! One line a message: for tests, logs and people.

//! Lines that speak of errors, by their words. A line is worth more for them; what must not be lost is decided elsewhere
//! (`survival.rs`).

mod words;

use crate::lines::line_around;
use words::find_error;

/// What a line speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// Something went wrong.
    Error,
    /// Something may go wrong.
    Warning,
}

/// The first line that speaks of an error.
pub fn first_error(text: &str) -> Option<&str> {
    error_lines(text).next().map(str::trim)
}

/// The lines that speak of an error, a failure or a warning.
pub fn error_lines(text: &str) -> impl Iterator<Item = &str> {
    let mut from = 0;
    std::iter::from_fn(move || {
        let at = find_error(text.as_bytes(), from)?;
        let line = line_around(text, at);
        from = line.as_ptr() as usize - text.as_ptr() as usize + line.len();
        Some(line.strip_suffix('\r').unwrap_or(line))
    })
}

/// The worst of what a line speaks of.
pub fn severity(line: &str) -> Option<Severity> {
    let bytes = line.as_bytes();
    let mut worst = None;
    let mut from = 0;
    while let Some(at) = find_error(bytes, from) {
        if !words::warns(bytes.get(at..).unwrap_or_default()) {
            return Some(Severity::Error);
        }
        worst = Some(Severity::Warning);
        from = at + 1;
    }
    worst
}

/// Whether a line speaks of an error, a failure or a warning.
pub fn is_error(line: &str) -> bool {
    error_word(line).is_some()
}

/// Where in a line the word stands by which it speaks of an error.
pub fn error_word(line: &str) -> Option<usize> {
    find_error(line.as_bytes(), 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_known_by_its_words() {
        for line in [
            "ERROR x",
            "  error: no",
            "java.io.IOException: y",
            "2 tests FAILED",
            "has_failed=true",
            "error_count=3",
            "event=payment_failed user=7",
            "{\"event\": \"payment_failed\"}",
            "npm ERR! code ELIFECYCLE",
            "make: *** [Makefile:3: all] Error 2",
            "E: Unable to locate package x",
            "E0915 08:00:01.123456       1 reflector.go:138] x",
            "W0915 08:00:01.123456       1 y",
            "Killed",
            "write: No space left on device",
            "job done exit=1",
            "rc=2",
            "exited with code 137",
            "panic: runtime error: index out of range [3]",
            "ERR_MODULE_NOT_FOUND",
            "\"error\": \"disk full\"",
            "FAILED tests/test_errors.py::test_on_error",
            "TypeError",
            "W: warning",
            "10 errors",
            "exit code 10",
            "OOMKilled",
            "web5 : ok=12 changed=2 unreachable=1 failed=0",
            "web3 : ok=7 unreachable=0 failed=1 skipped=0",
            "packets dropped: 3",
        ] {
            assert!(is_error(line), "{line}");
        }
        assert_eq!(error_lines("fine\nError: a\nfine\nb failed\n").collect::<Vec<_>>(), ["Error: a", "b failed"]);
        assert_eq!(error_lines("fine\r\nError: a\r\n").collect::<Vec<_>>(), ["Error: a"]);
        for line in [
            "2> stderr",
            "all good",
            "",
            "terror",
            "é",
            "unwarned",
            "E 12",
            "src=2 exit=0",
            "web5 : ok=12 unreachable=0 failed=0",
        ] {
            assert!(!is_error(line), "{line}");
        }
    }

    #[test]
    fn other_languages_speak_of_errors_too() {
        for line in [
            "Fehler beim Lesen der Datei",
            "Zugriff verweigert: C:\\Daten",
            "Erreur : fichier introuvable",
            "Échec de la connexion",
            "No se pudo abrir el archivo",
            "Ошибка: файл занят",
            "не удалось открыть порт",
            "エラー: 接続できません",
            "连接失败",
            "오류가 발생했습니다",
        ] {
            assert_eq!(severity(line), Some(Severity::Error), "{line}");
        }
        for line in
            ["Warnung: fast voll", "Avertissement : disque plein", "Предупреждение: мало места", "警告: 残りわずか"]
        {
            assert_eq!(severity(line), Some(Severity::Warning), "{line}");
        }
    }

    #[test]
    fn a_name_with_the_word_in_it_is_no_error() {
        for line in [
            "internal/errors.go",
            "ok errors.go:12 parsed",
            "go test --fail-fast ./...",
            "registered on_error hook",
            "test_error_handling PASSED",
            "src/errors/mod.rs",
            "see docs/error-handling",
            "called onError and setFailed",
            "ErrorBoundary mounted",
            "failover done",
        ] {
            assert!(!is_error(line), "{line}");
        }
    }

    #[test]
    fn a_letter_at_the_beginning_of_a_later_line_is_found() {
        let text = "I0915 08:00:00.1 fine\nE0915 08:00:01.2 lost\nE: none\nEach: x";
        assert_eq!(error_lines(text).collect::<Vec<_>>(), ["E0915 08:00:01.2 lost", "E: none"]);
    }

    #[test]
    fn none_is_no_error() {
        for line in [
            "0 errors",
            "no warnings",
            "failed: 0",
            "0 failed, 0 errors",
            "Process exited with code 0",
            "exit code: 0",
            "errors=0",
            "error_count=0",
            "\"errors\": [], \"error\": null",
            "0 tests failed",
            "finished without errors",
            "# fail 0",
            "exit=0 rc=0",
        ] {
            assert!(!is_error(line), "{line}");
        }
    }

    #[test]
    fn the_worse_of_two_words_counts() {
        assert_eq!(severity("warning: treat as error"), Some(Severity::Error));
        assert_eq!(severity("warning: unused"), Some(Severity::Warning));
        assert_eq!(severity("fine"), None);
    }
}

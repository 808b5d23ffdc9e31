//! "Did you mean …?": the known name that a misspelt one most likely stands for.

/// The candidate nearest to `name`, if one is near enough that a person would see the likeness.
pub(crate) fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let name = name.to_lowercase().replace('-', "_");
    candidates
        .into_iter()
        .filter_map(|candidate| likeness(&name, &candidate.to_lowercase()).map(|distance| (distance, candidate)))
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}

/// Smaller is nearer; `None` is too far.
fn likeness(name: &str, candidate: &str) -> Option<usize> {
    let length = name.chars().count();
    let distance = edit_distance(name, candidate);
    // One slip in three letters, three at most: more, and it is another word.
    let near = distance <= (length.max(candidate.chars().count()) / 3).min(3);
    // An abbreviation: `thresh` for `threshold`.
    let begins = length >= 4 && candidate.starts_with(name);
    (near || begins).then_some(distance)
}

/// Letters to add, remove, replace or swap with a neighbour (optimal string alignment).
fn edit_distance(left: &str, right: &str) -> usize {
    let left: Vec<char> = left.chars().collect();
    let right: Vec<char> = right.chars().collect();
    let mut rows: Vec<Vec<usize>> = vec![(0..=right.len()).collect()];
    for (i, &from) in left.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, &to) in right.iter().enumerate() {
            let replaced = rows[i][j] + usize::from(from != to);
            let mut best = replaced.min(rows[i][j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && from == right[j - 1] && left[i - 1] == to {
                best = best.min(rows[i - 1][j - 1] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[left.len()][right.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, expected: Option<&str>) {
        let keys = ["enabled", "threshold", "target_ratio", "protect_last_n", "protect_first_n", "tail", "trigger"];
        assert_eq!(nearest(name, keys), expected);
    }

    #[test]
    fn slips_and_abbreviations_are_seen() {
        check("treshold", Some("threshold"));
        check("thershold", Some("threshold"));
        check("thresh", Some("threshold"));
        check("target-ratio", Some("target_ratio"));
        check("Enabled", Some("enabled"));
        check("protect_lst_n", Some("protect_last_n"));
    }

    #[test]
    fn nothing_is_suggested_for_another_word() {
        check("colour", None);
        check("x", None);
        check("", None);
        check("max_tokens", None);
    }
}

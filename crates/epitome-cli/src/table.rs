//! Columns that line up.

use crate::terminal::plain;

/// How a column is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Column {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// Rows of cells, each column as wide as its widest cell; no blanks at line ends. What cells hold may be anybody's words.
pub(crate) fn rows(columns: &[Column], cells: &[Vec<String>]) -> Vec<String> {
    let cells: Vec<Vec<String>> = cells.iter().map(|row| row.iter().map(|cell| plain(cell)).collect()).collect();
    let width = |column: usize| {
        let widths = cells.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count());
        widths.max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns.len()).map(width).collect();
    let set = |row: &Vec<String>| {
        let cells = row.iter().zip(columns).zip(&widths).map(|((cell, column), width)| match column {
            Column::Left => format!("{cell:<width$}"),
            Column::Right => format!("{cell:>width$}"),
        });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    cells.iter().map(set).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cells_hold_steers_no_terminal() {
        // A model is called what its client says.
        let cells = [["\x1b[2Jgpt\r\n\x07", "1"]].map(|row| row.map(str::to_owned).to_vec());
        assert_eq!(rows(&[Column::Left, Column::Right], &cells), ["�[2Jgpt���  1"]);
    }

    #[test]
    fn columns_line_up() {
        let cells = [["a", "1,000"], ["longer", "2"]].map(|row| row.map(str::to_owned).to_vec());
        assert_eq!(rows(&[Column::Left, Column::Right], &cells), ["a       1,000", "longer      2"]);
    }
}

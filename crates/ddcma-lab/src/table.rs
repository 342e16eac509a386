//! Tables as text, with aligned columns and a line below the head.

/// Formats a table with the first column aligned to the left and the others to the right.
pub fn text(head: &[&str], rows: &[Vec<String>]) -> String {
    let head: Vec<String> = head.iter().map(|name| name.to_string()).collect();
    let width = |column: usize| {
        let cells = std::iter::once(&head).chain(rows).filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, &width))| {
            if column == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_string() + "\n"
    };
    let rule: String = "─".repeat(widths.iter().sum::<usize>() + 2 * widths.len().saturating_sub(1)) + "\n";
    line(&head) + &rule + &rows.iter().map(line).collect::<String>()
}

/// Formats a row below a head that is already printed, with columns as wide as their names, for tables that grow.
pub fn row(head: &[&str], cells: &[String]) -> String {
    let cells = head.iter().zip(cells).enumerate().map(|(column, (name, cell))| {
        let width = name.chars().count();
        if column == 0 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
    });
    cells.collect::<Vec<_>>().join("  ")
}

/// Formats a table as Markdown.
pub fn markdown(head: &[&str], rows: &[Vec<String>]) -> String {
    let line = |cells: Vec<String>| {
        format!("| {} |\n", cells.iter().map(|cell| cell.replace('|', "\\|")).collect::<Vec<_>>().join(" | "))
    };
    let head_line = line(head.iter().map(|cell| cell.to_string()).collect());
    let rule = format!("|{}\n", "---|".repeat(head.len()));
    head_line + &rule + &rows.iter().map(|row| line(row.clone())).collect::<String>()
}

/// Formats a number of evaluations as an integer, or as a dash if there is none.
pub fn count(value: f64) -> String {
    if value.is_finite() { format!("{value:.0}") } else { "–".to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_align() {
        let rows = vec![vec!["sphere".to_string(), count(1234.4)], vec!["λ".to_string(), count(f64::NAN)]];
        assert_eq!(
            text(&["f", "evaluations"], &rows),
            "f       evaluations\n───────────────────\nsphere         1234\nλ                 –\n"
        );
    }
}

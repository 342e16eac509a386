//! Pages: one HTML file with its tables and pictures inside, for screens of all sizes and for paper. Knows text and pictures.

/// Begins a page.
#[derive(Clone, Debug)]
pub struct Page {
    title: String,
    body: String,
}

const STYLE: &str = "
:root { color-scheme: light; }
body { font: 16px/1.5 system-ui, sans-serif; color: #111; background: #fff; max-width: 72rem; margin: 0 auto; padding: 1rem; }
h1 { font-size: 1.6rem; line-height: 1.2; } h2 { font-size: 1.2rem; margin-top: 2rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 0.9rem; }
th, td { padding: 0.2rem 0.6rem; text-align: right; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; }
thead th { border-bottom: 2px solid #111; } tbody tr:nth-child(even) { background: #f4f4f4; }
td.best { font-weight: bold; }
.sentences th, .sentences td { text-align: left; white-space: normal; vertical-align: top; }
pre { background: #f4f4f4; padding: 0.6rem; overflow-x: auto; } figure { margin: 0; }
.pictures { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(22rem, 100%), 1fr)); gap: 0.5rem; }
svg { max-width: 100%; height: auto; }
@media print { body { max-width: none; font-size: 11px; } h2 { break-after: avoid; } figure, tr { break-inside: avoid; } }
";

impl Page {
    /// With a title.
    pub fn new(title: &str) -> Self {
        Self { title: title.to_string(), body: String::new() }
    }

    /// A heading.
    pub fn heading(&mut self, text: &str) {
        self.body += &format!("<h2>{}</h2>\n", escape(text));
    }

    /// A paragraph.
    pub fn paragraph(&mut self, text: &str) {
        self.body += &format!("<p>{}</p>\n", escape(text));
    }

    /// A command or other text to be kept as it is.
    pub fn verbatim(&mut self, text: &str) {
        self.body += &format!("<pre>{}</pre>\n", escape(text));
    }

    /// A table of sentences, which may be broken into lines.
    pub fn sentences(&mut self, head: &[&str], rows: &[Vec<String>]) {
        let rows: Vec<(Vec<String>, bool)> = rows.iter().map(|row| (row.clone(), false)).collect();
        self.body += "<div class=\"sentences\">\n";
        self.table(head, &rows);
        self.body += "</div>\n";
    }

    /// A table of numbers; rows that come with true are marked.
    pub fn table(&mut self, head: &[&str], rows: &[(Vec<String>, bool)]) {
        let head: String = head.iter().map(|cell| format!("<th>{}</th>", escape(cell))).collect();
        let row = |(cells, best): &(Vec<String>, bool)| {
            let class = if *best { " class=\"best\"" } else { "" };
            let cells: String = cells.iter().map(|cell| format!("<td{class}>{}</td>", escape(cell))).collect();
            format!("<tr>{cells}</tr>\n")
        };
        let rows: String = rows.iter().map(row).collect();
        self.body += &format!(
            "<div class=\"wide\"><table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n"
        );
    }

    /// Pictures, inside the page: as many beside each other as there is room for.
    pub fn pictures(&mut self, svgs: &[String]) {
        let figures: String = svgs.iter().map(|svg| format!("<figure>{}</figure>\n", svg.trim())).collect();
        self.body += &format!("<div class=\"pictures\">\n{figures}</div>\n");
    }

    /// The file.
    pub fn html(&self) -> String {
        let title = escape(&self.title);
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n\
             <style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n{}</body>\n</html>\n",
            self.body
        )
    }
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_stays_text() {
        let mut page = Page::new("a < b");
        page.table(&["f", "\"quoted\""], &[(vec!["<script>".to_string(), "1 & 2".to_string()], true)]);
        page.verbatim("x > y");
        let html = page.html();
        assert!(html.contains("<title>a &lt; b</title>") && html.contains("1 &amp; 2") && html.contains("x &gt; y"));
        assert!(!html.contains("<script>"));
        assert!(!html.contains("src=") && !html.contains("href="), "nothing is loaded from elsewhere");
    }
}

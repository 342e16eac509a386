//! HTML pages: one self-contained file with tables and pictures, in light and dark mode, for screens of all sizes and for print.

/// A page under construction.
#[derive(Clone, Debug)]
pub struct Page {
    title: String,
    body: String,
    sorts: bool,
}

const STYLE: &str = "
:root { color-scheme: light dark; --text: #161616; --soft: #5a5a5a; --back: #ffffff; --stripe: #f3f4f6; --line: #c9ccd1;
  --link: #0b5cad; --good: #0a6b3c; --bad: #a33a00; }
@media (prefers-color-scheme: dark) { :root { --text: #e6e6e6; --soft: #a8a8a8; --back: #15171a; --stripe: #1f2226;
  --line: #3c4046; --link: #7db7ff; --good: #6ad09c; --bad: #ff9a66; } svg { filter: brightness(1.25); } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--text); background: var(--back); max-width: 76rem; margin: 0 auto;
  padding: 1rem; }
h1 { font-size: 1.6rem; line-height: 1.2; } h2 { font-size: 1.25rem; margin-top: 2.2rem; } h3 { font-size: 1.05rem; margin-top: 1.6rem; }
a { color: var(--link); text-decoration: none; } a:hover, a:focus { text-decoration: underline; }
li { margin-bottom: 0.3rem; } p.small { color: var(--soft); font-size: 0.85rem; margin: 0.3rem 0; max-width: 60rem; }
.wide { overflow-x: auto; margin: 0.5rem 0; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: 0.9rem; }
th, td { padding: 0.2rem 0.6rem; text-align: right; white-space: nowrap; vertical-align: top; }
th:first-child, td:first-child { text-align: left; position: sticky; left: 0; background: var(--back); }
thead th { border-bottom: 2px solid var(--text); vertical-align: bottom; }
tbody tr:nth-child(even), tbody tr:nth-child(even) td:first-child { background: var(--stripe); }
td.best { font-weight: bold; } td .note { display: block; color: var(--soft); font-size: 0.8rem; }
td.faster .note { color: var(--good); font-weight: 600; } td.slower .note { color: var(--bad); font-weight: 600; }
th button { all: unset; cursor: pointer; } th button:focus-visible { outline: 2px solid var(--link); }
th button::after { content: ' ↕'; color: var(--line); }
th[aria-sort=ascending] button::after { content: ' ↑'; color: var(--text); }
th[aria-sort=descending] button::after { content: ' ↓'; color: var(--text); }
.sentences th, .sentences td { text-align: left; white-space: normal; vertical-align: top; }
pre { background: var(--stripe); padding: 0.6rem; overflow-x: auto; } figure { margin: 0; }
section:target > h3 { background: var(--stripe); }
.pictures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(24rem, 100%), 1fr)); gap: 0.5rem; }
svg { max-width: 100%; height: auto; }
@media (max-width: 32rem) { body { padding: 0.6rem; } ul { padding-left: 1.2rem; } table { font-size: 0.8rem; } th, td { padding: 0.2rem 0.35rem; }
  td .note { font-size: 0.7rem; } th button::after { content: none; } }
@media print { :root { --text: #000; --back: #fff; --soft: #333; --stripe: #f3f4f6; --line: #ccc; --link: #000; --good: #063; --bad: #720; }
  html { font-size: 10px; } body { max-width: none; font-size: 1rem; padding: 0; } table { font-size: 0.85rem; }
  svg { filter: none; } th, td { padding: 1px 4px; } .wide { overflow: visible; } h2, h3, p.small { break-after: avoid; }
  section, figure, tr, li { break-inside: avoid; } th button::after { content: ''; } .pictures { grid-template-columns: 1fr 1fr; } }
";

/// Sorts the rows when the head of a column is clicked: numbers by their `data-order`, names as text.
const SCRIPT: &str = "
for (const table of document.querySelectorAll('table.sortable')) {
  const heads = [...table.querySelectorAll('thead th')], body = table.tBodies[0];
  heads.forEach((head, column) => head.querySelector('button').addEventListener('click', () => {
    const sign = head.getAttribute('aria-sort') === 'ascending' ? -1 : 1;
    heads.forEach(other => other.removeAttribute('aria-sort'));
    head.setAttribute('aria-sort', sign > 0 ? 'ascending' : 'descending');
    const key = row => row.cells[column].dataset.order;
    const text = row => row.cells[column].textContent;
    const compare = (a, b) => {
      if (key(a) === undefined || key(b) === undefined) return sign * text(a).localeCompare(text(b));
      const [x, y] = [Number(key(a)), Number(key(b))];
      if (isNaN(x) || isNaN(y)) return isNaN(x) - isNaN(y);
      return x === y ? 0 : sign * (x < y ? -1 : 1);
    };
    [...body.rows].sort(compare).forEach(row => body.append(row));
  }));
}
";

/// A cell of a sortable table.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PageCell {
    /// The text.
    pub text: String,
    /// A smaller line below the text.
    pub note: String,
    /// The mark: `faster`, `slower`, `best` or none.
    pub class: &'static str,
    /// The id of the section that it links to.
    pub link: Option<String>,
    /// The number that rows are sorted by; `None`: the text. NaN comes last.
    pub order: Option<f64>,
}

impl PageCell {
    /// Creates a cell with text, which is sorted as a number if it starts with one.
    pub fn of(text: String) -> Self {
        let number = text.split([' ', '%']).find(|part| !part.is_empty() && *part != "<").unwrap_or_default();
        let order = if number == "∞" { Some(f64::INFINITY) } else { number.parse().ok() };
        Self { text, order, ..Self::default() }
    }

    fn html(&self) -> String {
        let text = escape(&self.text);
        let text = self.link.as_ref().map_or(text.clone(), |id| format!("<a href=\"#{}\">{text}</a>", escape(id)));
        let note = if self.note.is_empty() {
            String::new()
        } else {
            format!("<span class=\"note\">{}</span>", escape(&self.note))
        };
        let class = if self.class.is_empty() { String::new() } else { format!(" class=\"{}\"", self.class) };
        // Formats numbers for JavaScript.
        let order =
            self.order.map(|order| if order.is_infinite() { "Infinity".to_string() } else { order.to_string() });
        let order = order.map(|order| format!(" data-order=\"{order}\"")).unwrap_or_default();
        format!("<td{class}{order}>{text}{note}</td>")
    }
}

impl Page {
    /// Creates a page with a title.
    pub fn new(title: &str) -> Self {
        Self { title: title.to_string(), body: String::new(), sorts: false }
    }

    /// Adds a heading.
    pub fn heading(&mut self, text: &str) {
        self.body += &format!("<h2>{}</h2>\n", escape(text));
    }

    /// Adds a subheading.
    pub fn subheading(&mut self, text: &str) {
        self.body += &format!("<h3>{}</h3>\n", escape(text));
    }

    /// Begins a section with a heading that cells can link to.
    pub fn begin_section(&mut self, id: &str, heading: &str) {
        self.body += &format!("<section id=\"{}\">\n<h3>{}</h3>\n", escape(id), escape(heading));
    }

    /// Ends a section.
    pub fn end_section(&mut self) {
        self.body += "</section>\n";
    }

    /// Adds a paragraph.
    pub fn paragraph(&mut self, text: &str) {
        self.body += &format!("<p>{}</p>\n", escape(text));
    }

    /// Adds a paragraph in small print.
    pub fn small(&mut self, text: &str) {
        self.body += &format!("<p class=\"small\">{}</p>\n", escape(text));
    }

    /// Adds a list of sentences.
    pub fn list(&mut self, items: &[String]) {
        let items: String = items.iter().map(|item| format!("<li>{}</li>\n", escape(item))).collect();
        self.body += &format!("<ul>\n{items}</ul>\n");
    }

    /// Adds preformatted text, such as a command.
    pub fn verbatim(&mut self, text: &str) {
        self.body += &format!("<pre>{}</pre>\n", escape(text));
    }

    /// Adds a table of sentences, which may wrap.
    pub fn sentences(&mut self, head: &[&str], rows: &[Vec<String>]) {
        let rows: Vec<(Vec<String>, bool)> = rows.iter().map(|row| (row.clone(), false)).collect();
        self.body += "<div class=\"sentences\">\n";
        self.table(head, &rows);
        self.body += "</div>\n";
    }

    /// Adds a table of numbers; rows with `true` are marked.
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

    /// Adds a table that is sorted by a click on the head of a column.
    pub fn sortable(&mut self, head: &[&str], rows: &[Vec<PageCell>]) {
        self.sorts = true;
        let head: String =
            head.iter().map(|cell| format!("<th><button type=\"button\">{}</button></th>", escape(cell))).collect();
        let row =
            |cells: &Vec<PageCell>| format!("<tr>{}</tr>\n", cells.iter().map(PageCell::html).collect::<String>());
        let rows: String = rows.iter().map(row).collect();
        self.body += &format!(
            "<div class=\"wide\"><table class=\"sortable\">\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n"
        );
    }

    /// Adds pictures, inline and side by side if there is room. Black and white become the colors of the page.
    pub fn pictures(&mut self, svgs: &[String]) {
        if svgs.is_empty() {
            return;
        }
        let adapted = |svg: &String| {
            let svg = svg.replace("fill=\"#FFFFFF\"", "fill=\"none\"");
            svg.replace("=\"#000000\"", "=\"currentColor\"")
        };
        let figures: String = svgs.iter().map(|svg| format!("<figure>{}</figure>\n", adapted(svg).trim())).collect();
        self.body += &format!("<div class=\"pictures\">\n{figures}</div>\n");
    }

    /// Returns the HTML text.
    pub fn html(&self) -> String {
        let title = escape(&self.title);
        let script = if self.sorts { format!("<script>{SCRIPT}</script>\n") } else { String::new() };
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n\
             <style>{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n{}{script}</body>\n</html>\n",
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

    #[test]
    fn cells_link_within_the_page_and_know_their_order() {
        let cell = |text: &str| PageCell::of(text.to_string());
        let orders = ["12.5 %", "∞ (0/11)", "< 0.0001", "0.03 (4 : 2)", "sphere", "–"].map(|text| cell(text).order);
        assert_eq!(orders, [Some(12.5), Some(f64::INFINITY), Some(0.0001), Some(0.03), None, None]);
        let mut page = Page::new("");
        let linked =
            PageCell { link: Some("problem-1".to_string()), class: "faster", note: "0.5".to_string(), ..cell("∞") };
        page.sortable(&["f"], &[vec![linked]]);
        let html = page.html();
        assert!(html.contains(
            "<td class=\"faster\" data-order=\"Infinity\"><a href=\"#problem-1\">∞</a><span class=\"note\">0.5"
        ));
        assert_eq!(html.matches("<script>").count(), 1);
        assert!(!html.contains("src=") && html.matches("href=").count() == 1);
    }

    #[test]
    fn pictures_take_the_colors_of_the_page() {
        let mut page = Page::new("");
        page.pictures(&["<svg><rect fill=\"#FFFFFF\"/><text fill=\"#000000\"/></svg>".to_string()]);
        assert!(page.html().contains("<rect fill=\"none\"/><text fill=\"currentColor\"/>"));
    }
}

//! What the policy wrote before and after the onset of a finding.

use super::escape::inside;
use super::page::Page;
use crate::diagnose::samples::{Samples, Side};
use crate::present::samples::{about, asked, changes, side, told};

pub(super) fn write(page: &mut Page, samples: &Samples) {
    page.paragraph("What the policy wrote, before and from the onset on:");
    let heads = [&samples.before, &samples.after].map(side);
    let [before, after] = heads;
    let rows: Vec<[String; 3]> = changes(samples).into_iter().map(|row| row.map(|cell| inside(&cell))).collect();
    page.table(["completions", &before, &after], &rows);
    shown(page, "Before", &samples.before);
    shown(page, "After", &samples.after);
}

fn shown(page: &mut Page, word: &str, side: &Side) {
    for excerpt in &side.shown {
        let prompt = asked(excerpt);
        let asked = if prompt.is_empty() { String::new() } else { format!("; asked: {}", inside(&prompt)) };
        page.paragraph(&format!("{word}, {}{asked}", inside(&about(excerpt))));
        page.fenced(&told(excerpt));
    }
}

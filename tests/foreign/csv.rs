//! csv-spectrum, as a table of metrics: each cell that is a number stands in its column, at its row.

use rundown_ingest::json::Json;

use crate::suite::{Case, Counts, dropped};

pub fn all() -> Counts {
    Counts::of("csv-spectrum").count("foreign/files/csv-spectrum.jsonl.gz", count)
}

#[test]
fn csv_spectrum_gives_pythons_numbers() {
    all().check(12, 0);
}

fn count(counts: &mut Counts, case: &Case) {
    let outcome = dropped(&case.name, &case.bytes);
    let mut wanted: Vec<(String, u32, f64)> = Vec::new();
    let Some(Json::List(rows)) = case.expected.get("rows") else { panic!("no rows") };
    for (row, cells) in rows.iter().enumerate() {
        let Json::Object(cells) = cells else { panic!("no row") };
        for (column, cell) in cells {
            if let Some(number) = cell.text().and_then(|cell| cell.parse().ok()) {
                wanted.push((column.clone(), row as u32, number));
            }
        }
    }
    let mut found: Vec<(String, u32, f64)> = Vec::new();
    for (name, column) in outcome.parts.iter().flat_map(|part| &part.run.columns) {
        found.extend(column.points().map(|(row, value)| (name.to_string(), row, value)));
    }
    wanted.sort_by(|a, b| (&a.0, a.1).cmp(&(&b.0, b.1)));
    found.sort_by(|a, b| (&a.0, a.1).cmp(&(&b.0, b.1)));
    if wanted == found && outcome.problems.is_empty() {
        counts.same += 1;
    } else {
        counts.wrong.push(format!("{}: {found:?} is not {wanted:?}, {:?}", case.name, outcome.problems));
    }
}

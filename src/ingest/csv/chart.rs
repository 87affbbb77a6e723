//! The table that W&B exports from a chart: for each run and metric a column `run - metric` and its band,
//! `run - metric__MIN` and `run - metric__MAX`. The first column is the chart's x axis.

/// Where the cells of a column go.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Target {
    /// The run, or `None` for a column that all runs share.
    pub(super) run: Option<usize>,
    /// Name of the metric.
    pub(super) key: String,
}

/// What each column is and the names of the runs, or `None` for any other table.
pub(super) fn layout(names: &[String]) -> Option<(Vec<Option<Target>>, Vec<String>)> {
    let is_band = |name: &str| name.ends_with("__MIN") || name.ends_with("__MAX");
    let (axis, columns) = names.split_first()?;
    let lines: Vec<&str> = columns.iter().map(String::as_str).filter(|name| !is_band(name)).collect();
    let has_bands = columns.iter().any(|name| is_band(name));
    if !has_bands || !lines.iter().all(|name| name.contains(" - ")) {
        return None;
    }
    let lines: Vec<&str> = lines.into_iter().filter(|name| !name.ends_with(" - _step")).collect();
    let shared = shared_metric(&lines);
    let mut runs: Vec<String> = Vec::new();
    let mut targets = vec![Some(Target { run: None, key: axis.clone() })];
    for column in columns {
        let split = match shared {
            Some(metric) => {
                column.strip_suffix(metric).and_then(|rest| rest.strip_suffix(" - ")).map(|run| (run, metric))
            }
            None => column.rsplit_once(" - "),
        };
        targets.push(split.filter(|(_, metric)| !is_band(metric) && *metric != "_step").map(|(run, metric)| {
            let index = runs.iter().position(|known| known == run).unwrap_or_else(|| {
                runs.push(run.to_owned());
                runs.len() - 1
            });
            Target { run: Some(index), key: metric.to_owned() }
        }));
    }
    Some((targets, runs))
}

/// The metric that all columns end in, when they do: run names and metrics may both hold ` - `.
fn shared_metric<'n>(columns: &[&'n str]) -> Option<&'n str> {
    let (first, others) = columns.split_first()?;
    let mut ends = first.match_indices(" - ").filter_map(|(place, separator)| first.get(place + separator.len()..));
    ends.find(|end| {
        let suffix = format!(" - {end}");
        others.iter().all(|column| column.ends_with(&suffix))
    })
    .filter(|_| !others.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs_and_keys(columns: &[&str]) -> Option<(Vec<String>, Vec<String>)> {
        let names: Vec<String> = columns.iter().map(|name| (*name).to_owned()).collect();
        let (targets, runs) = layout(&names)?;
        Some((runs, targets.into_iter().flatten().map(|target| target.key).collect()))
    }

    #[test]
    fn run_and_metric_come_apart_where_all_columns_agree() {
        let (runs, keys) =
            runs_and_keys(&["Step", "a - b - x - y", "a - b - x - y__MIN", "c - x - y", "c - x - y__MIN"]).unwrap();
        assert_eq!(
            (runs, keys),
            (vec!["a - b".to_owned(), "c".to_owned()], vec!["Step".into(), "x - y".into(), "x - y".into()])
        );
    }

    #[test]
    fn one_run_with_several_metrics_is_one_run() {
        let columns =
            ["Step", "a - x", "a - x__MIN", "a - x__MAX", "a - y", "a - y__MIN", "a - _step", "a - _step__MIN"];
        let (runs, keys) = runs_and_keys(&columns).unwrap();
        assert_eq!((runs, keys), (vec!["a".to_owned()], vec!["Step".into(), "x".into(), "y".into()]));
    }

    #[test]
    fn any_other_table_is_none() {
        assert_eq!(runs_and_keys(&["Step", "loss"]), None);
        assert_eq!(runs_and_keys(&["Step", "a - x"]), None);
        assert_eq!(runs_and_keys(&["Step", "a__MIN", "b"]), None);
    }
}

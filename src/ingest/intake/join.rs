//! Joins a later piece to a run: a resumed run is one run in several files.

use crate::run::Run;

/// Adds everything of `later` behind what `run` holds. The later piece says how the run ended.
pub(crate) fn append(run: &mut Run, later: Run) {
    let first_row = run.row_steps.len() as u32;
    let first_system_row = run.system_times.len() as u32;
    run.row_steps.extend(later.row_steps);
    run.row_times.extend(later.row_times);
    for (key, column) in later.columns {
        run.columns.entry(key).or_default().append(&column, first_row);
    }
    for (key, band) in later.bands {
        let known = run.bands.entry(key).or_default();
        known.low.append(&band.low, first_row);
        known.high.append(&band.high, first_row);
    }
    run.artifacts.extend(later.artifacts);
    run.system_times.extend(later.system_times);
    for (key, column) in later.system {
        run.system.entry(key).or_default().append(&column, first_system_row);
    }
    for (key, histograms) in later.histograms {
        let moved = histograms.into_iter().map(|mut histogram| {
            histogram.row = histogram.row.saturating_add(first_row);
            histogram
        });
        run.histograms.entry(key).or_default().extend(moved);
    }
    run.tables.extend(later.tables.into_iter().map(|mut table| {
        table.row = table.row.saturating_add(first_row);
        table
    }));
    for (key, value) in later.config.iter() {
        run.config.insert(key, value.clone());
    }
    for (key, value) in later.summary.iter() {
        run.summary.insert(key, value.clone());
    }
    for rule in later.metric_rules {
        match run.metric_rules.iter_mut().find(|known| known.name == rule.name) {
            Some(known) => *known = rule,
            None => run.metric_rules.push(rule),
        }
    }
    run.log.dropped += later.log.dropped;
    for line in later.log.lines {
        run.log.push(line);
    }
    for tag in later.tags {
        if !run.tags.contains(&tag) {
            run.tags.push(tag);
        }
    }
    if run.name == run.id {
        run.name = later.name;
    }
    let keep = |to: &mut Option<String>, from: Option<String>| *to = from.or(to.take());
    keep(&mut run.entity, later.entity);
    keep(&mut run.project, later.project);
    keep(&mut run.group, later.group);
    keep(&mut run.job_type, later.job_type);
    keep(&mut run.sweep, later.sweep);
    keep(&mut run.host, later.host);
    keep(&mut run.notes, later.notes);
    run.started_at = run.started_at.or(later.started_at);
    run.ending = later.ending;
    run.files.extend(later.files);
    run.warnings.extend(later.warnings);
}

//! The steps that a loop was to take, by the total of its counter.

use std::collections::BTreeSet;

use super::RepeatedLines;
use super::line_kind::{Counter, LineKind};
use crate::formats::console::labelled::CounterKind;
use crate::rows::counting::changes;
use crate::rows::plan;
use rundown_run::{ConfigValue, Run};

/// Notes the total of the counter as the steps that were planned, and that the run is done where it reached that. Of a counter
/// that begins again, as with each epoch, the total is that of a part, unless each time another training begins.
pub(super) fn note_plan(lines: &RepeatedLines, run: &mut Run, counter: &Counter, leads: &BTreeSet<usize>) {
    let rows = || lines.lines.iter().filter(|line| leads.contains(&line.kind));
    // A line that announces a step may name its total, and need not.
    let tells = |kind: &LineKind| !kind.announces || kind.total_of(counter).is_some();
    let mut with_kind = rows().rev().filter_map(|line| Some((line, lines.kinds.get(&line.kind)?)));
    let Some((line, kind)) = with_kind.find(|(_, kind)| tells(kind)) else { return };
    let Some(total) = kind.total_of(counter).filter(|total| *total >= 1.0) else { return };
    let (_, falling) = changes(&rows().filter_map(|line| lines.step_of(line, counter)).collect::<Vec<_>>());
    if falling > run.starts_at.len() {
        return;
    }
    let place = kind.place_of(counter);
    let mut others = kind.totals.iter().enumerate().filter(|(at, _)| Some(*at) != place);
    let is_whole = others.all(|(_, total)| total.is_none_or(|total| total <= 1.0));
    let last_before = |start: &u32| run.columns.get("step")?.points().take_while(|(row, _)| row < start).last();
    // The settings are those of all trainings of the log.
    let is_common = run.starts_at.iter().all(|start| last_before(start).is_some_and(|(_, last)| last == total));
    if is_whole && is_common && CounterKind::of(&counter.0) != CounterKind::Coarse {
        run.config.insert(plan::SETTING, ConfigValue::Number(total));
    }
    if line.is_last {
        plan::finish(run, total);
    }
}

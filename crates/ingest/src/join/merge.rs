//! What becomes of the fields of a piece that is joined to a run, beside its rows: all of them, in one place.
//!
//! A piece goes on where the run stopped, is another file of the same run, a second record of the same steps, or a file
//! beside it. These differ in whose settings count and in which lists are kept, as listed in [`MergeRules`].

use rundown_run::{Ending, Log, MetricRule, Run, RunState, add_new};

/// Whose value counts where the run and the piece both have one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Precedence {
    Run,
    Piece,
}

/// What becomes of a list of the piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ListRule {
    /// It stands behind that of the run.
    Append,
    /// The same, without the items that the run has.
    AppendNew,
    /// It is kept where the run has none.
    IfEmpty,
    /// It is left out.
    LeaveOut,
}

/// What becomes of the ending of the piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EndingRule {
    /// The piece was written last.
    Replace,
    /// The piece counts where it has evidence.
    ReplaceIfEvident,
    /// The piece counts where the state of the run is unknown, and its evidence is kept. That a log says "done" does not stand for an
    /// exit record that is missing; "killed" and an error explain it.
    Explain,
    /// The piece counts where the state of the run is unknown and its source writes no exit record; its evidence is kept there.
    FillIn,
    /// The run's own counts.
    LeaveOut,
}

/// Of each field of a piece what becomes of it in the run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MergeRules {
    /// Entity, project, group, job type, sweep, host, notes.
    texts: Precedence,
    /// A run without a name of its own is called as the piece.
    is_named_by_piece: bool,
    /// Settings and final values.
    settings: Precedence,
    ending: EndingRule,
    tags: ListRule,
    files: ListRule,
    artifacts: ListRule,
    warnings: ListRule,
    /// Metrics of the machine.
    system: ListRule,
    events: ListRule,
    log: ListRule,
    /// `define_metric` rules: those of the piece count.
    metric_rules: ListRule,
}

/// A piece that goes on where the run stopped: it is newer, and has the run's end.
pub(crate) const CONTINUATION: MergeRules = MergeRules {
    texts: Precedence::Piece,
    is_named_by_piece: true,
    settings: Precedence::Piece,
    ending: EndingRule::Replace,
    tags: ListRule::AppendNew,
    files: ListRule::Append,
    artifacts: ListRule::Append,
    warnings: ListRule::Append,
    system: ListRule::Append,
    events: ListRule::Append,
    log: ListRule::Append,
    metric_rules: ListRule::Append,
};

/// Another file of the same run, that a tool wrote beside the first one.
pub(crate) const SAME_RUN: MergeRules = MergeRules {
    texts: Precedence::Run,
    ending: EndingRule::ReplaceIfEvident,
    files: ListRule::AppendNew,
    warnings: ListRule::AppendNew,
    system: ListRule::LeaveOut,
    events: ListRule::LeaveOut,
    log: ListRule::LeaveOut,
    metric_rules: ListRule::LeaveOut,
    ..CONTINUATION
};

/// A file beside the run that adds what the run lacks: settings, final values, metrics of the machine.
pub(crate) const SIDECAR: MergeRules = MergeRules {
    is_named_by_piece: false,
    settings: Precedence::Run,
    ending: EndingRule::FillIn,
    tags: ListRule::LeaveOut,
    files: ListRule::Append,
    artifacts: ListRule::LeaveOut,
    warnings: ListRule::LeaveOut,
    system: ListRule::IfEmpty,
    events: ListRule::IfEmpty,
    ..SAME_RUN
};

/// A second record of steps that the run has: a console log, a trainer state, an export.
pub(crate) const SECOND_RECORD: MergeRules = MergeRules {
    ending: EndingRule::Explain,
    system: ListRule::LeaveOut,
    events: ListRule::LeaveOut,
    log: ListRule::IfEmpty,
    ..SIDECAR
};

/// What a server has beside the history of a run: of its own it has only warnings; the rest has been moved.
pub(crate) const SERVER_EXTRAS: MergeRules = MergeRules {
    ending: EndingRule::LeaveOut,
    warnings: ListRule::AppendNew,
    log: ListRule::LeaveOut,
    ..SECOND_RECORD
};

impl MergeRules {
    /// Moves everything of a piece but its rows and what is counted by rows into the run.
    pub(crate) fn merge(&self, run: &mut Run, mut piece: Run) {
        for (own, other) in run.texts_mut().into_iter().zip(piece.texts_mut()) {
            *own = match self.texts {
                Precedence::Run => own.take().or(other.take()),
                Precedence::Piece => other.take().or(own.take()),
            };
        }
        // Every field is named, so that a new one cannot be forgotten here.
        let Run {
            id: _,
            name,
            entity: _,
            project: _,
            group: _,
            job_type: _,
            sweep: _,
            host: _,
            notes: _,
            tags,
            started_at,
            ending,
            files,
            config,
            summary,
            system,
            system_times,
            artifacts,
            metric_rules,
            log,
            events,
            warnings,
            // The counts of what was not fetched are those of the run's own download.
            unfetched: _,
            unlisted: _,
            // By rows: the caller has put these where they belong.
            origins: _,
            row_steps: _,
            row_times: _,
            starts_at: _,
            columns: _,
            bands: _,
            sampling: _,
            histograms: _,
            tables: _,
            axis: _,
        } = piece;
        let is_unnamed = run.name.is_empty() || run.name == run.id;
        if self.is_named_by_piece && is_unnamed && !name.is_empty() {
            run.name = name;
        }
        run.started_at = run.started_at.or(started_at);
        self.ending.apply(&mut run.ending, ending);
        match self.settings {
            Precedence::Piece => {
                run.config.replace_with(config);
                run.summary.replace_with(summary);
            }
            Precedence::Run => {
                run.config.add_missing(&config);
                run.summary.add_missing(&summary);
            }
        }
        self.tags.merge(&mut run.tags, tags);
        self.files.merge(&mut run.files, files);
        self.artifacts.merge(&mut run.artifacts, artifacts);
        self.warnings.merge(&mut run.warnings, warnings);
        if self.system.is_kept(run.system.is_empty()) {
            let first_row = run.system_times.len() as u32;
            run.system_times.extend(system_times);
            for (key, column) in system {
                run.system.entry(key).or_default().append(&column, first_row);
            }
        }
        if self.events.is_kept(run.events.is_empty()) {
            run.events.append(events);
        }
        if self.log.is_kept(run.log.lines.is_empty()) {
            append_log(&mut run.log, log);
        }
        if self.metric_rules.is_kept(run.metric_rules.is_empty()) {
            add_metric_rules(&mut run.metric_rules, metric_rules);
        }
    }
}

impl ListRule {
    fn merge<T: PartialEq>(self, list: &mut Vec<T>, items: Vec<T>) {
        match self {
            Self::AppendNew => add_new(list, items),
            _ if self.is_kept(list.is_empty()) => list.extend(items),
            _ => {}
        }
    }

    fn is_kept(self, is_empty: bool) -> bool {
        match self {
            Self::Append | Self::AppendNew => true,
            Self::IfEmpty => is_empty,
            Self::LeaveOut => false,
        }
    }
}

impl EndingRule {
    fn apply(self, run: &mut Ending, piece: Ending) {
        let is_unknown = run.state == RunState::Unknown;
        let is_explained = matches!(piece.state, RunState::Killed | RunState::Crashed);
        let (takes_state, takes_evidence) = match self {
            Self::Replace => return *run = piece,
            Self::ReplaceIfEvident if piece.evidence.is_empty() => return,
            Self::ReplaceIfEvident => return *run = piece,
            Self::Explain => (is_unknown && (!run.expects_exit || is_explained), true),
            Self::FillIn => {
                let fills = is_unknown && piece.state != RunState::Unknown;
                (fills && !run.expects_exit, fills)
            }
            Self::LeaveOut => return,
        };
        if takes_state {
            run.state = piece.state;
            run.interrupted = piece.interrupted;
        }
        if takes_evidence {
            add_new(&mut run.evidence, piece.evidence);
        }
    }
}

fn append_log(log: &mut Log, later: Log) {
    log.dropped += later.dropped;
    later.lines.into_iter().for_each(|line| log.push(line));
}

fn add_metric_rules(rules: &mut Vec<MetricRule>, others: Vec<MetricRule>) {
    for rule in others {
        match rules.iter_mut().find(|known| known.name == rule.name) {
            Some(known) => *known = rule,
            None => rules.push(rule),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_run::{ConfigValue, FileFormat, LogLine, SourceFile, Stream};

    fn piece(name: &str, value: f64) -> Run {
        let mut run = Run { name: name.to_owned(), ..Run::default() };
        run.config.insert("lr", ConfigValue::Number(value));
        run.tags.push("tag".to_owned());
        run.log.push(LogLine::from((Stream::Out, name.to_owned())));
        run.project = Some(name.to_owned());
        run.files.push(SourceFile { path: name.to_owned(), format: FileFormat::Unknown, bytes: 0, crc32: 0 });
        run
    }

    #[test]
    fn the_rules_say_whose_value_counts() {
        for (rules, lr, project, lines) in
            [(CONTINUATION, 2.0, "b", 2), (SAME_RUN, 2.0, "a", 1), (SIDECAR, 1.0, "a", 1), (SECOND_RECORD, 1.0, "a", 1)]
        {
            let mut run = piece("a", 1.0);
            rules.merge(&mut run, piece("b", 2.0));
            assert_eq!(run.config.get("lr"), Some(&ConfigValue::Number(lr)));
            assert_eq!((run.project.as_deref(), run.log.lines.len(), run.files.len()), (Some(project), lines, 2));
            assert_eq!((run.tags.len(), run.name.as_str()), (1, "a"));
        }
    }

    #[test]
    fn an_error_explains_a_missing_exit_record_and_done_does_not() {
        let state = |rule: EndingRule, expects_exit: bool, state: RunState| {
            let mut run = Ending { expects_exit, ..Ending::default() };
            rule.apply(&mut run, Ending { state, evidence: vec!["log".to_owned()], ..Ending::default() });
            (run.state, run.evidence.len())
        };
        assert_eq!(state(EndingRule::Explain, true, RunState::Finished), (RunState::Unknown, 1));
        assert_eq!(state(EndingRule::Explain, true, RunState::Crashed), (RunState::Crashed, 1));
        assert_eq!(state(EndingRule::FillIn, true, RunState::Crashed), (RunState::Unknown, 1));
        assert_eq!(state(EndingRule::FillIn, false, RunState::Unknown), (RunState::Unknown, 0));
        assert_eq!(state(EndingRule::FillIn, false, RunState::Finished), (RunState::Finished, 1));
        let mut run = Ending::default();
        for _ in 0..2 {
            EndingRule::Explain.apply(&mut run, Ending { evidence: vec!["log".to_owned()], ..Ending::default() });
        }
        assert_eq!(run.evidence, ["log"], "two records say the same");
    }
}

//! Makes a run of the records of a `.wandb` file.

use std::collections::BTreeMap;

use super::keys::{GroupId, KeyId, KeyUse, MetricKeys};
use super::latest::LatestValues;
use super::records::{
    ArtifactRecord, HistoryRecord, Item, MetricRecord, RunRecord, SettingChange, StatsRecord, Visitor,
};
use crate::budget::{MemoryUse, ROW_BYTES, VALUE_BYTES};
use crate::formats::console::Console;
use crate::rows::closing_row::tracked_runtimes;
use crate::rows::read_progress::ReadProgress;
use crate::rows::wandb_media;
use crate::syntax::json::{Json, flatten_into, for_each_leaf, nonfinite_word, plain_number};
use rundown_run::{Artifact, Column, Ending, MetricRule, Run, RunState, Stream};

/// The run as far as it has been read.
#[derive(Debug, Default)]
pub(crate) struct WandbRunBuilder {
    run: Run,
    keys: MetricKeys,
    config: Json,
    summary: LatestValues,
    system: BTreeMap<String, Column>,
    /// What histograms and tables take, about.
    media_bytes: usize,
    out: Console,
    error: Console,
    exit_code: Option<i32>,
    malformed: u64,
    /// Place of each rule in the run's list, by its name.
    rules: BTreeMap<String, usize>,
    /// For each group, the row (plus one) in which it last was a media dictionary.
    media_rows: Vec<u64>,
}

impl WandbRunBuilder {
    /// Says how far the file has been read.
    pub(crate) fn set_progress(&mut self, progress: ReadProgress) {
        self.keys.columns.set_progress(progress);
    }

    /// What the values take, and what was left out.
    pub(crate) fn memory_use(&self) -> MemoryUse {
        let rows = self.run.row_steps.len() + self.run.system_times.len();
        let system: usize = self.system.values().map(Column::len).sum();
        let rest = rows * ROW_BYTES as usize + system * VALUE_BYTES as usize;
        self.keys.columns.memory_use() + MemoryUse::bytes(rest + self.media_bytes)
    }

    /// The run, and the number of records that could not be understood.
    pub(crate) fn finish(mut self) -> (Run, u64) {
        self.out.finish(Stream::Out, &mut self.run.log);
        self.error.finish(Stream::Error, &mut self.run.log);
        let mut run = self.run;
        self.config.remove(&["_wandb".to_owned()]);
        flatten_into(&mut run.config, "", self.config);
        let mut summary = self.summary.into_json(&self.keys);
        summary.remove(&["_wandb".to_owned()]);
        flatten_into(&mut run.summary, "", summary);
        run.columns = self.keys.columns.into_map();
        run.system = self.system;
        let is_closed =
            tracked_runtimes().iter().any(|key| run.summary.get(key).is_some() || run.columns.contains_key(key));
        run.ending = ending(self.exit_code, is_closed);
        (run, self.malformed)
    }

    /// Splits the items of a row into numbers and the rest. Media dictionaries come in pieces and in any order, so
    /// that what belongs to one is known only when the whole row has been seen.
    fn sort_items<'a>(&mut self, items: &[Item<'a>]) -> SortedRow<'a> {
        let mut row = SortedRow::default();
        for item in items {
            let id = self.keys.id(item);
            let Some(key) = self.keys.get(id) else { continue };
            match key.used_as {
                KeyUse::Step => row.step = scalar(item.value),
                KeyUse::Time => row.time = scalar(item.value),
                KeyUse::Runtime => row.runtime = scalar(item.value),
                KeyUse::Internal => {}
                KeyUse::MediaType(group) => row.media.push((group, item.value)),
                KeyUse::Metric(column) => match scalar(item.value) {
                    Some(value) => row.numbers.push((id, column, value)),
                    None => row.others.push((id, item.value)),
                },
            }
        }
        row
    }

    /// Removes what belongs to media dictionaries from the row and adds the media to the run.
    fn extract_media(&mut self, number: u32, row: &mut SortedRow<'_>) {
        let stamp = u64::from(number) + 1;
        self.media_rows.resize(self.keys.group_count(), 0);
        let mut found: BTreeMap<GroupId, Json> = BTreeMap::new();
        for (group, type_json) in &row.media {
            if let Some(last) = self.media_rows.get_mut(*group) {
                *last = stamp;
            }
            let mut value = Json::default();
            value.set(&["_type".to_owned()], parsed(type_json, &mut self.malformed));
            found.insert(*group, value);
        }
        let Self { keys, media_rows, malformed, media_bytes, .. } = self;
        let (keys, media_rows) = (&*keys, &*media_rows);
        let group_of = |id: KeyId| {
            let groups = keys.get(id).map(|key| key.groups.as_slice()).unwrap_or_default();
            groups.iter().copied().find(|group| media_rows.get(*group) == Some(&stamp))
        };
        let mut add = |id: KeyId, group: GroupId, json: Json| {
            let depth = keys.group(group).map_or(0, |group| group.depth);
            let path = keys.get(id).and_then(|key| key.path.get(depth..));
            if let (Some(value), Some(path)) = (found.get_mut(&group), path) {
                value.set(path, json);
            }
        };
        row.numbers.retain(|(id, _, number)| {
            let group = group_of(*id);
            if let Some(group) = group {
                add(*id, group, Json::Number(*number));
            }
            group.is_none()
        });
        row.others.retain(|(id, value)| {
            let group = group_of(*id);
            if let Some(group) = group {
                // Of a list such as `[0,0]` each number becomes eight bytes.
                *media_bytes += 4 * value.len();
                add(*id, group, parsed(value, malformed));
            }
            group.is_none()
        });
        for (group, value) in found {
            if let Some(group) = self.keys.group(group) {
                wandb_media::add(&mut self.run, &group.name, number, &value);
            }
        }
    }

    /// Adds a value that is not a plain number: a dictionary may hold numbers, or be media.
    fn add_other(&mut self, row: u32, id: KeyId, value: &[u8]) {
        if value.first() != Some(&b'{') {
            return;
        }
        let Ok(json) = Json::parse(value) else {
            self.malformed += 1;
            return;
        };
        let name = self.keys.get(id).map(|key| key.path.join(".")).unwrap_or_default();
        for_each_leaf(&name, &json, &mut |name, leaf| match leaf.metric() {
            Some(number) => {
                let column = self.keys.columns.named(name);
                self.keys.columns.push(column, row, number);
            }
            None => wandb_media::add(&mut self.run, name, row, leaf),
        });
    }
}

/// The items of one row.
#[derive(Default)]
struct SortedRow<'a> {
    step: Option<f64>,
    time: Option<f64>,
    runtime: Option<f64>,
    /// Key, column, value.
    numbers: Vec<(KeyId, usize, f64)>,
    others: Vec<(KeyId, &'a [u8])>,
    /// Groups that are media dictionaries, with the JSON of their type.
    media: Vec<(GroupId, &'a [u8])>,
}

impl Visitor for WandbRunBuilder {
    fn run(&mut self, record: &RunRecord<'_>) {
        let run = &mut self.run;
        let RunRecord { entity, project, group, job_type, sweep, host, notes, .. } = record;
        for (to, from) in run.texts_mut().into_iter().zip([entity, project, group, job_type, sweep, host, notes]) {
            if !from.is_empty() {
                *to = Some(from.clone());
            }
        }
        if !record.id.is_empty() {
            run.id.clone_from(&record.id);
        }
        // A trainer whose output is the folder it is started in calls its run `.`, which names nothing.
        if record.display_name.contains(char::is_alphanumeric) {
            run.name.clone_from(&record.display_name);
        }
        if !record.tags.is_empty() {
            run.tags.clone_from(&record.tags);
        }
        run.started_at = run.started_at.or(record.started_at);
        for change in &record.config {
            self.config(change);
        }
    }

    fn history(&mut self, record: &HistoryRecord<'_>) {
        let mut row = self.sort_items(&record.items);
        let next = self.run.row_steps.last().map_or(0.0, |step| step + 1.0);
        let step = row.step.filter(|step| step.is_finite()).or(record.step.map(|step| step as f64)).unwrap_or(next);
        let since_start = || Some(self.run.started_at? + row.runtime?);
        let time = row.time.or_else(since_start).unwrap_or(f64::NAN);
        let number = self.run.push_row(step, time);
        if !row.media.is_empty() {
            self.extract_media(number, &mut row);
        }
        // Backwards, because of a key that stands twice in a row the last one counts and the first one is kept.
        for (_, column, value) in row.numbers.iter().rev() {
            self.keys.columns.push(*column, number, *value);
        }
        for (id, value) in row.others.iter().rev() {
            self.add_other(number, *id, value);
        }
    }

    fn summary(&mut self, change: &SettingChange<'_>) {
        self.summary.apply(change, &mut self.keys);
    }

    fn config(&mut self, change: &SettingChange<'_>) {
        match change {
            SettingChange::Update(item) => match item.json() {
                Some(value) => self.malformed += u64::from(!self.config.set(&item.path(), value)),
                None => self.malformed += 1,
            },
            SettingChange::Remove(item) => self.config.remove(&item.path()),
        }
    }

    fn stats(&mut self, record: &StatsRecord<'_>) {
        let row = self.run.system_times.len() as u32;
        self.run.system_times.push(record.time);
        for item in &record.items {
            let name = item.path().join(".");
            match item.json() {
                Some(value) => add_system(&mut self.system, &name, row, &value),
                None => self.malformed += 1,
            }
        }
    }

    fn output(&mut self, stream: Stream, piece: &[u8]) {
        let console = if stream == Stream::Out { &mut self.out } else { &mut self.error };
        console.push(piece, stream, &mut self.run.log);
    }

    fn metric(&mut self, record: &MetricRecord) {
        if record.name.is_empty() {
            return;
        }
        let rule = MetricRule {
            name: record.name.clone(),
            step_metric: record.step_metric.clone(),
            maximise: record.maximise,
        };
        let next = self.run.metric_rules.len();
        let place = *self.rules.entry(rule.name.clone()).or_insert(next);
        match self.run.metric_rules.get_mut(place) {
            Some(known) => *known = rule,
            None => self.run.metric_rules.push(rule),
        }
    }

    fn artifact(&mut self, record: &ArtifactRecord) {
        // W&B wraps each table in one; the tables themselves are in the run.
        if record.name.is_empty() || record.kind == "run_table" {
            return;
        }
        let artifact = Artifact {
            name: record.name.clone(),
            kind: record.kind.clone(),
            aliases: record.aliases.clone(),
            bytes: record.bytes.map(|bytes| bytes as f64),
            ..Artifact::default()
        };
        // Published again it is a later version of the same.
        match self.run.artifacts.iter_mut().find(|known| known.name == artifact.name) {
            Some(known) => *known = artifact,
            None => self.run.artifacts.push(artifact),
        }
    }

    fn exit(&mut self, code: i32) {
        self.exit_code = Some(code);
    }

    fn malformed(&mut self) {
        self.malformed += 1;
    }
}

/// Old clients wrote dictionaries (`network: {"sent": …}`) where newer ones write dotted keys.
fn add_system(system: &mut BTreeMap<String, Column>, name: &str, row: u32, value: &Json) {
    for_each_leaf(name, value, &mut |name, leaf| {
        if let Some(number) = leaf.metric() {
            system.entry(name.to_owned()).or_default().push(row, number);
        }
    });
}

/// A value that is one number, without a tree: numbers, booleans, and the words for non-finite numbers.
fn scalar(json: &[u8]) -> Option<f64> {
    match json {
        b"true" => Some(1.0),
        b"false" => Some(0.0),
        [b'"', word @ .., b'"'] => std::str::from_utf8(word).ok().and_then(nonfinite_word),
        _ => plain_number(json),
    }
}

/// A member of a media dictionary; one that cannot be read is counted and counts as null.
fn parsed(json: &[u8], malformed: &mut u64) -> Json {
    Json::parse(json).unwrap_or_else(|_| {
        *malformed += 1;
        Json::default()
    })
}

/// How the run ended, by its exit record; without one, as notebooks leave it, by the Trainer's closing row.
fn ending(exit_code: Option<i32>, is_closed: bool) -> Ending {
    let (state, evidence) = match exit_code {
        Some(0) => (RunState::Finished, "the run file ends with an exit record, code 0".to_owned()),
        Some(code) => (RunState::Crashed, format!("the run file has an exit record with code {code}")),
        None if is_closed => (
            RunState::Finished,
            "the Trainer summed up the training (train_runtime); the run file has no exit record".to_owned(),
        ),
        None => (
            RunState::Unknown,
            "the run file has no exit record: the run crashed, was killed, or was still running when the file was copied"
                .to_owned(),
        ),
    };
    Ending { state, exit_code, expects_exit: true, evidence: vec![evidence], ..Ending::default() }
}

#[cfg(test)]
mod tests;

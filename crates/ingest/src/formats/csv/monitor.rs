//! Episodes as Gymnasium's and Stable-Baselines3's monitors log them: `r`, `l` and `t` behind a line `#{"t_start": …}`.

use super::cell::number;
use super::{TableOutcome, TableSink};
use crate::budget::MemoryUse;
use crate::syntax::json::{Json, flatten_into};
use rundown_run::{Config, Run};

/// What begins the line above the header.
const START: &str = "#{\"t_start\":";
/// Reward, length and end of an episode, in seconds since the start.
const NAMES: [&str; 3] = ["r", "l", "t"];

/// When the environment was made (Unix seconds), by the first cell of the line above the header; `None` where it is no
/// monitor's.
pub(super) fn started_at(first: &str) -> Option<f64> {
    first.strip_prefix(START).map(|seconds| seconds.trim().trim_end_matches('}').parse().unwrap_or(f64::NAN))
}

/// What else the line above the header says, by its cells: of which environment the episodes are.
pub(super) fn settings(head: &[String]) -> Config {
    let mut config = Config::default();
    let text = head.join(",");
    if let Some(Ok(Json::Object(mut head))) = text.strip_prefix('#').map(|text| Json::parse(text.as_bytes())) {
        // Stable-Baselines3 writes the text of what has no name.
        let is_none = |value: &Json| matches!(value, Json::Null) || matches!(value, Json::Text(text) if text == "None");
        head.retain(|key, value| key != "t_start" && !is_none(value));
        flatten_into(&mut config, "", Json::Object(head));
    }
    config
}

/// Reads one row an episode. Its step is the number of steps that the environment has taken by its end.
pub(super) struct MonitorTable {
    delimiter: u8,
    started_at: f64,
    /// Names of further columns, such as what the environment says of the episode.
    others: Vec<String>,
    /// The episode that is being read: its reward, length and end, then the others.
    episode: Vec<f64>,
    steps: f64,
    run: Run,
}

impl MonitorTable {
    /// `None` for columns of another table.
    pub(super) fn new(names: &[String], started_at: f64, config: Config, delimiter: u8) -> Option<Self> {
        let (own, others) = names.split_at_checked(NAMES.len())?;
        (own == NAMES).then(|| Self {
            delimiter,
            started_at,
            others: others.to_vec(),
            episode: vec![f64::NAN; names.len()],
            steps: 0.0,
            run: Run { config, ..Run::default() },
        })
    }
}

impl TableSink for MonitorTable {
    fn cell(&mut self, column: usize, text: &str) {
        if let (Some(kept), Some(value)) = (self.episode.get_mut(column), number(text, self.delimiter)) {
            *kept = value;
        }
    }

    fn end_row(&mut self) {
        let [reward, length, seconds, others @ ..] = self.episode.as_slice() else { return };
        // An episode whose end was not written.
        if !length.is_finite() {
            return;
        }
        self.steps += length;
        let row = self.run.push_row(f64::from(self.run.row_steps.len() as u32), self.started_at + seconds);
        let own = [("step", self.steps), ("episode_reward", *reward), ("ep_len", *length)];
        let others = self.others.iter().map(String::as_str).zip(others.iter().copied());
        for (key, value) in own.into_iter().chain(others).filter(|(_, value)| !value.is_nan()) {
            self.run.push_value(key, row, value);
        }
        self.episode.fill(f64::NAN);
    }

    fn memory_use(&self) -> MemoryUse {
        MemoryUse::bytes(self.run.row_steps.len() * (self.episode.len() + 3) * size_of::<f64>())
    }

    fn finish(self: Box<Self>, _path: &str) -> TableOutcome {
        let runs = if self.run.row_steps.is_empty() { Vec::new() } else { vec![self.run] };
        TableOutcome { runs, ..TableOutcome::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::csv::CsvReader;
    use crate::{FileEnd, FileReader};
    use rundown_run::ConfigValue;

    #[test]
    fn an_episode_ends_at_the_steps_that_were_taken() {
        let text = "#{\"t_start\": 1729549721.5, \"env_id\": \"CartPole-v1\"}\nr,l,t,won\n16.0,16,4.5,0\n-3.5,20,5.0,1\n9,9,\n";
        let mut reader = Box::new(CsvReader::new("monitor.csv", text.as_bytes()));
        reader.push(text.as_bytes());
        let (runs, problems) = reader.finish(&mut FileEnd::default());
        let run = &runs[0].run;
        let values = |key: &str| run.columns[key].values().to_vec();
        assert_eq!(values("step"), [16.0, 36.0, 45.0]);
        assert_eq!(values("episode_reward"), [16.0, -3.5, 9.0]);
        assert_eq!((values("ep_len"), values("won")), (vec![16.0, 20.0, 9.0], vec![0.0, 1.0]));
        assert_eq!(run.row_times[..2], [1_729_549_726.0, 1_729_549_726.5]);
        assert_eq!(problems.len(), 1, "a row is short");
        assert_eq!(run.config.get("env_id"), Some(&ConfigValue::Text("CartPole-v1".to_owned())));
        assert_eq!(run.config.get("t_start"), None, "a time is no setting");
        let head = ["#{\"t_start\": 1.5", " \"env_id\": \"None\"}"].map(str::to_owned);
        assert!(settings(&head).is_empty(), "an environment without a name");
    }

    #[test]
    fn other_tables_are_none_of_a_monitor() {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        assert!(MonitorTable::new(&names(&["r", "l"]), 0.0, Config::default(), b',').is_none());
        assert!(MonitorTable::new(&names(&["step", "l", "t"]), 0.0, Config::default(), b',').is_none());
        assert_eq!((started_at("# step"), started_at("step")), (None, None));
    }
}

//! What a link to the page holds: the view, the run, the runs that charts draw, filters and the settings of charts.
//!
//! It is written into the address's hash and read back from it, so that the back button, a bookmark and a copied link
//! all work. It never holds data or a key: runs are named by their ids.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::chart_settings::{ChartSettings, window};
use super::columns::{from_word, word};
use super::compare_choices::CompareChoices;
use super::listing::Sort;
use super::tags::decoded;
use super::view::View;
use rundown_protocol::{ColumnId, Topic};

/// What stays readable in an address.
const ESCAPED: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~').remove(b'/').remove(b':');
/// The same, for one of the ids that commas separate and slashes end.
const ESCAPED_ID: &AsciiSet = &ESCAPED.add(b'/');

/// Everything on the page that is worth a link.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ViewState {
    /// The view.
    pub view: View,
    /// Id of the open run; the first run of the list when `None`.
    pub run: Option<String>,
    /// Ids of the runs that charts draw; the open run and the best four when `None`.
    pub shown: Option<Vec<String>>,
    /// Id of the run that others are compared with.
    pub baseline: Option<String>,
    /// Text in the filter of the run list.
    pub filter: String,
    /// Order of the run list.
    pub sort: Sort,
    /// Setting by whose values the run list is in groups; empty for none.
    pub list_group: String,
    /// Values of the groups of the run list that are folded.
    pub folded: Vec<String>,
    /// Further columns of the run list.
    pub columns: Vec<ColumnId>,
    /// Ids of the runs that stay on top of the list.
    pub pinned: Vec<String>,
    /// Text in the search of the Metrics view.
    pub metrics: String,
    /// Key of the chart that has the full width.
    pub enlarged: Option<String>,
    /// Axes, smoothing and grouping of charts.
    pub charts: ChartSettings,
    /// Steps that the Run view looks at, from the end; 0 for all.
    pub last_steps: u32,
    /// Steps that the charts of the Run view show; all when `None`. They are those of the open run.
    pub steps: Option<(f64, f64)>,
    /// Text in the filter of the table of runs.
    pub table_filter: String,
    /// What the page itself lets one choose in Compare.
    pub compare: CompareChoices,
    /// What was chosen of [`rundown_protocol::Choice`] in the views over all runs: view, name, value.
    pub choices: Vec<(Topic, String, String)>,
}

impl ViewState {
    /// Reads a hash such as `#/metrics/amber-02?x=tokens`. What can't be read keeps its default.
    pub fn parse(hash: &str) -> Self {
        let hash = hash.trim_start_matches('#');
        let (path, query) = hash.split_once('?').unwrap_or((hash, ""));
        let mut parts = path.split('/').filter(|part| !part.is_empty());
        let view = parts.next().and_then(View::from_slug).unwrap_or_default();
        let mut state = Self { view, run: parts.next().map(decoded), ..Self::default() };
        for pair in query.split('&') {
            if let Some((name, value)) = pair.split_once('=') {
                state.read(name, value);
            }
        }
        state
    }

    /// The hash that [`ViewState::parse`] reads back. Defaults are left out.
    pub fn hash(&self) -> String {
        let mut hash = format!("#/{}", self.view.slug());
        if let Some(run) = &self.run {
            hash.push('/');
            hash.push_str(&id(run));
        }
        for (index, (name, value)) in self.pairs().into_iter().enumerate() {
            hash.push(if index == 0 { '?' } else { '&' });
            hash.push_str(&name);
            hash.push('=');
            hash.push_str(&value);
        }
        hash
    }

    /// The same view with the run named that is open without having been chosen, as the first of the list: elsewhere another
    /// one may be the first.
    pub fn with_open_run(mut self, open: Option<String>) -> Self {
        self.run = self.run.or(open);
        self
    }

    /// The value chosen for a name in a view over all runs.
    pub fn choice(&self, topic: Topic, name: &str) -> Option<&str> {
        let choice = self.choices.iter().find(|(of, known, _)| *of == topic && known == name);
        choice.map(|(_, _, value)| value.as_str())
    }

    /// All that is chosen in a view over all runs: names and values.
    pub fn chosen(&self, topic: Topic) -> Vec<(String, String)> {
        let of_this = self.choices.iter().filter(|(of, _, _)| *of == topic);
        of_this.map(|(_, name, value)| (name.clone(), value.clone())).collect()
    }

    /// Chooses a value for a name in a view over all runs.
    pub fn choose(&mut self, topic: Topic, name: &str, value: String) {
        self.choices.retain(|(of, known, _)| *of != topic || known != name);
        self.choices.push((topic, name.to_owned(), value));
    }

    /// Gives the chart of a metric the full width, with everything along y; with `None` no chart.
    pub fn enlarge(&mut self, key: Option<String>) {
        self.enlarged = key;
        self.charts.y_window = None;
    }

    /// Shows all steps where another run was open `before`.
    pub fn leave_steps(&mut self, before: &Self) {
        if self.run != before.run && self.steps == before.steps {
            self.steps = None;
        }
    }

    fn read(&mut self, name: &str, value: &str) {
        match name {
            "shown" => self.shown = Some(words(value)),
            "pinned" => self.pinned = words(value),
            "list" => self.columns = words(value).iter().filter_map(|column| from_word(column)).collect(),
            "folded" => self.folded = words(value),
            "steps" => self.steps = window(value),
            "rows" => self.table_filter = decoded(value),
            "baseline" => self.baseline = Some(decoded(value)),
            "filter" => self.filter = decoded(value),
            "sort" => self.sort = Sort::from_label(&decoded(value)),
            "group-list" => self.list_group = decoded(value),
            "metrics" => self.metrics = decoded(value),
            "wide" => self.enlarged = Some(decoded(value)),
            "last" => self.last_steps = value.parse().unwrap_or_default(),
            _ => match name.split_once('.') {
                Some((view, name)) => {
                    if let Some(View::Topic(topic)) = View::from_slug(view) {
                        let (name, value) = (decoded(name), decoded(value));
                        if topic != Topic::Compare || !self.compare.read(&name, &value) {
                            self.choose(topic, &name, value);
                        }
                    }
                }
                None => self.charts.read(name, &decoded(value)),
            },
        }
    }

    fn pairs(&self) -> Vec<(String, String)> {
        let mut pairs: Vec<(String, String)> = Vec::new();
        let mut add = |name: &str, value: String| pairs.push((name.to_owned(), value));
        if let Some(shown) = &self.shown {
            add("shown", joined(shown));
        }
        let columns: Vec<String> = self.columns.iter().map(word).collect();
        for (name, list) in [("pinned", &self.pinned), ("list", &columns), ("folded", &self.folded)] {
            if !list.is_empty() {
                add(name, joined(list));
            }
        }
        if let Some(baseline) = &self.baseline {
            add("baseline", encoded(baseline));
        }
        if self.sort != Sort::default() {
            add("sort", encoded(&self.sort.label()));
        }
        for (name, value) in [
            ("filter", &self.filter),
            ("group-list", &self.list_group),
            ("metrics", &self.metrics),
            ("rows", &self.table_filter),
        ] {
            if !value.is_empty() {
                add(name, encoded(value));
            }
        }
        if let Some(enlarged) = &self.enlarged {
            add("wide", encoded(enlarged));
        }
        if self.last_steps > 0 {
            add("last", self.last_steps.to_string());
        }
        if let Some((low, high)) = self.steps {
            add("steps", format!("{low}:{high}"));
        }
        for (name, value) in self.charts.pairs() {
            add(name, encoded(&value));
        }
        for (name, value) in self.compare.pairs() {
            add(&format!("{}.{name}", View::Topic(Topic::Compare).slug()), encoded(&value));
        }
        for (topic, name, value) in &self.choices {
            add(&format!("{}.{}", View::Topic(*topic).slug(), encoded(name)), encoded(value));
        }
        pairs
    }
}

fn encoded(text: &str) -> String {
    utf8_percent_encode(text, ESCAPED).to_string()
}

fn id(text: &str) -> String {
    utf8_percent_encode(text, ESCAPED_ID).to_string()
}

/// Texts that commas separate.
fn words(value: &str) -> Vec<String> {
    value.split(',').filter(|word| !word.is_empty()).map(decoded).collect()
}

fn joined(words: &[String]) -> String {
    words.iter().map(|word| id(word)).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::super::columns::ColumnOrder;
    use super::*;
    use rundown_protocol::Aggregate;

    #[test]
    fn the_default_is_short() {
        assert_eq!(ViewState::default().hash(), "#/run");
        assert_eq!(ViewState::parse(""), ViewState::default());
    }

    #[test]
    fn what_is_written_is_read_back() {
        let accuracy = ColumnId::Metric { key: "eval/accuracy".into(), aggregate: Aggregate::Last };
        let mut state = ViewState {
            view: View::Metrics,
            run: Some("a/b c (2)".into()),
            shown: Some(vec!["x,y".into(), "ü&=".into()]),
            baseline: Some("100 %".into()),
            filter: "config.lr > 1e-4 and name ~ /a&b#?/".into(),
            sort: Sort::Name,
            list_group: "lr".into(),
            columns: vec![ColumnId::Setting("a,b".into()), accuracy.clone()],
            pinned: vec!["x,y".into(), "run (2)".into()],
            metrics: "reward -std".into(),
            enlarged: Some("train/kl".into()),
            last_steps: 200,
            folded: vec!["1e-4".into(), "a,b".into()],
            steps: Some((12.5, 300.0)),
            table_filter: "ugly amber".into(),
            ..ViewState::default()
        };
        state.choose(Topic::Compare, "metric", "eval/accuracy".into());
        state.choose(Topic::Compare, "metric", "train/reward".into());
        assert_eq!(ViewState::parse(&state.hash()), state);
        assert_eq!(state.choice(Topic::Compare, "metric"), Some("train/reward"));
        assert_eq!(state.choices.len(), 1, "a choice replaces the one before");
        state.sort = Sort::Column(ColumnOrder { column: accuracy, is_descending: true });
        state.compare.columns = vec![ColumnId::Rank, ColumnId::Setting("&=,%".into())];
        state.compare.charts = Some(vec!["a/b".into(), "ü%".into()]);
        assert_eq!(ViewState::parse(&state.hash()), state);
        state.shown = Some(Vec::new());
        assert_eq!(ViewState::parse(&state.hash()).shown, Some(Vec::new()), "no run shown is not the default");
    }

    #[test]
    fn foreign_addresses_give_what_can_be_read() {
        for hash in ["#", "#/", "#finding-3", "#/nowhere/x?", "#?a", "#/run?=&&x", "#/run/%ff%"] {
            assert_eq!(ViewState::parse(hash).view, View::Run, "{hash}");
        }
        assert_eq!(ViewState::parse("#/metrics?last=x&unknown=1&nowhere.a=b").last_steps, 0);
        assert_eq!(ViewState::parse("#/run/%ff").run.as_deref(), Some("\u{fffd}"));
    }

    #[test]
    fn a_link_names_the_run_that_is_open_without_having_been_chosen() {
        let state = ViewState { steps: Some((1.0, 2.0)), ..ViewState::default() };
        let open = || Some("a".to_owned());
        assert_eq!(state.clone().with_open_run(open()), ViewState { run: open(), ..state.clone() });
        assert_eq!(state.clone().with_open_run(open()).with_open_run(Some("b".to_owned())).run, open());
        assert_eq!(state.clone().with_open_run(None), state);
    }

    #[test]
    fn the_part_of_y_of_a_chart_is_not_that_of_another() {
        let mut state = ViewState::default();
        state.enlarge(Some("train/kl".into()));
        state.charts.y_window = Some((0.1, 0.2));
        state.enlarge(Some("train/reward".into()));
        assert_eq!((state.enlarged.as_deref(), state.charts.y_window), (Some("train/reward"), None));
    }

    #[test]
    fn the_steps_of_a_run_are_not_those_of_another() {
        let before = ViewState { run: Some("a".into()), steps: Some((1.0, 2.0)), ..ViewState::default() };
        let after = |change: fn(&mut ViewState)| {
            let mut state = before.clone();
            change(&mut state);
            state.leave_steps(&before);
            state.steps
        };
        assert_eq!(after(|state| state.filter = "x".into()), Some((1.0, 2.0)));
        assert_eq!(after(|state| state.run = Some("b".into())), None);
        assert_eq!(after(|state| (state.run, state.steps) = (Some("b".into()), Some((3.0, 4.0)))), Some((3.0, 4.0)));
    }
}

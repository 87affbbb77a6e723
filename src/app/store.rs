//! The state of the page: which runs there are, which one is shown and how. One place, made at the root, so that no
//! signal is read after its view is gone.

use std::rc::Rc;

use leptos::prelude::window;

use super::client::{AskError, Engine};
use super::connect;
use super::follow;
use super::listing::{self, Sort};
use super::metrics_view::Controls;
use super::reactive::{Derived, State};
use super::route::{Route, View};
use super::theme::Theme;
use crate::format::counted;
use crate::protocol::{NewsRow, QueryMatches, RunList, ServerQuery, Topic};

/// Dialogs; at most one is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialog {
    /// The keys, and what the page is.
    Help,
    /// How to check that nothing leaves the browser.
    Privacy,
    /// Files that could not be read.
    Problems,
    /// Runs from a server.
    Connect,
    /// Every file and what it was taken for.
    Files,
}

/// Walks through dropped folders.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Walks {
    /// Walks under way.
    pub active: u32,
    /// Files that they have found so far.
    pub found: usize,
    /// Grows when the user stops them: a walk that began under another number ends.
    pub stopped: u32,
}

/// State of the page. Copies share the same signals.
#[derive(Clone, Copy)]
pub struct Store {
    /// The engine.
    pub engine: Engine,
    /// Light or dark.
    pub theme: Theme,
    /// The run list as the engine last gave it.
    pub list: State<Rc<RunList>>,
    /// Grows with each new list: what was asked about a run is asked again.
    pub revision: State<u32>,
    /// What the address shows.
    pub route: State<Route>,
    /// Text in the filter box.
    pub filter: State<String>,
    /// The engine's answer to the filter, where that is a query.
    pub found: State<Option<Rc<QueryMatches>>>,
    /// Order of the list.
    pub sort: State<Sort>,
    /// The views that these runs have something for.
    pub views: Derived<Vec<View>>,
    /// The rows shown.
    pub rows: Derived<Rc<Vec<usize>>>,
    /// The run shown: the one in the address, else the first of the list.
    pub current: Derived<Option<u32>>,
    /// The row at which the Tab key stops: the run shown, or the first row when that one is filtered out.
    pub tab_stop: Derived<Option<u32>>,
    /// True once there is a run.
    pub loaded: Derived<bool>,
    /// The open dialog.
    pub dialog: State<Option<Dialog>>,
    /// What was chosen in the Metrics view.
    pub controls: Controls,
    /// Walks through dropped folders.
    pub walks: State<Walks>,
    /// What the user wrote about a server, the key included: here and nowhere else, unless they ask for more.
    pub query: State<ServerQuery>,
    /// True once a server was asked: the engine's requests are not among those that the page's browser counts.
    pub has_asked: State<bool>,
    /// Steps that the Run view looks at, from the end; 0 for all.
    pub last_steps: State<u32>,
    /// What is new in runs that are being followed, until it is looked at.
    pub news: State<Rc<Vec<NewsRow>>>,
    /// What was chosen in the views over all runs: view, name, value.
    pub chosen: State<Vec<(Topic, String, String)>>,
    /// Settings as the user wrote them; applied when they say so.
    pub settings: State<String>,
    /// What went wrong last, for the user.
    pub fault: State<Option<String>>,
    /// What was done last, for a screen reader.
    pub announcement: State<String>,
}

impl Store {
    /// The state of a page that was just opened.
    pub fn new(engine: Engine, theme: Theme) -> Self {
        let list = State::new(Rc::new(RunList::default()));
        let filter = State::new(String::new());
        let sort = State::new(Sort::default());
        let route = State::new(Route::default());
        let found = State::new(None::<Rc<QueryMatches>>);
        let rows = Derived::new(move || {
            let (list, filter) = (list.get(), filter.get());
            if !listing::is_query(&filter) {
                return Rc::new(listing::arrange(&list, &filter, sort.get()));
            }
            let mut rows = listing::arrange(&list, "", sort.get());
            // Everything stays until there is an answer.
            if let Some(found) = found.get().filter(|found| found.fault.is_none()) {
                rows.retain(|row| {
                    let run = list.runs.get(*row).map(|row| row.run);
                    run.is_some_and(|run| found.runs.binary_search(&run).is_ok())
                });
            }
            Rc::new(rows)
        });
        let current = Derived::new(move || {
            let (list, wanted) = (list.get(), route.get().run);
            let row = list.runs.iter().find(|row| Some(row.run) == wanted).or_else(|| list.runs.first());
            row.map(|row| row.run)
        });
        let tab_stop = Derived::new(move || listing::neighbour(&list.get(), &rows.get(), current.get(), 0));
        Self {
            engine,
            theme,
            tab_stop,
            list,
            revision: State::new(0),
            route,
            views: Derived::new(move || View::all(&list.get().topics)),
            filter,
            sort,
            rows,
            found,
            current,
            loaded: Derived::new(move || !list.get().runs.is_empty()),
            dialog: State::new(None),
            controls: Controls::default(),
            walks: State::new(Walks::default()),
            query: State::new(connect::remembered()),
            has_asked: State::new(false),
            last_steps: State::new(0),
            news: State::new(Rc::new(Vec::new())),
            chosen: State::new(Vec::new()),
            settings: State::new(String::new()),
            fault: State::new(None),
            announcement: State::new(String::new()),
        }
    }

    /// Reads files and takes over the list that comes of it.
    pub fn add_files(self, files: Vec<(String, web_sys::File)>) {
        if files.is_empty() {
            self.fault.set(Some("There was no file in what was dropped or chosen.".to_owned()));
            return;
        }
        self.fault.set(None);
        self.engine.add_files(files, move |outcome| self.settle(outcome));
    }

    /// Reads the sample project.
    pub fn add_sample(self) {
        self.fault.set(None);
        self.engine.add_sample(move |outcome| self.settle(outcome));
    }

    /// Fetches runs that a server offered.
    pub fn add_fetched(self, runs: Vec<String>) {
        self.fault.set(None);
        self.engine.add_fetched(self.query.get_untracked(), runs, move |outcome| self.settle(outcome));
    }

    /// Forgets all runs.
    pub fn clear(self) {
        self.engine.clear(move |outcome| {
            self.go(Route::default());
            self.filter.set(String::new());
            self.chosen.set(Vec::new());
            self.settle(outcome);
        });
    }

    /// Asks for the list again, such as after the engine was restarted.
    pub fn refresh(self) {
        self.engine.list(move |outcome| self.settle(outcome));
    }

    /// Stops the walk through folders and the reading under way.
    pub fn cancel(self) {
        self.walks.update(|walks| *walks = Walks { stopped: walks.stopped.wrapping_add(1), ..Walks::default() });
        self.engine.cancel();
    }

    /// Shows another place: changes the address, and the address changes the page.
    pub fn go(self, route: Route) {
        // A hash is always accepted.
        let _ = window().location().set_hash(&route.hash());
    }

    /// The number of the run shown, which no run has while there is none; followed by whoever asks.
    pub fn shown(self) -> u32 {
        self.current.get().unwrap_or_default()
    }

    /// Shows a run in the present view.
    pub fn open(self, run: u32) {
        self.go(Route { run: Some(run), ..self.route.get_untracked() });
    }

    /// Shows another view of the present run.
    pub fn show(self, view: View) {
        self.go(Route { view, run: self.current.get_untracked() });
    }

    /// Shows the run `by` places down the list; the run that is shown then.
    pub fn step(self, by: isize) -> Option<u32> {
        let current = self.current.get_untracked();
        let next = listing::neighbour(&self.list.get_untracked(), &self.rows.get_untracked(), current, by)?;
        if Some(next) != current {
            self.open(next);
        }
        Some(next)
    }

    /// Name of a run, empty when it is gone.
    pub fn name_of(self, run: u32) -> String {
        let list = self.list.get();
        list.runs.iter().find(|row| row.run == run).map(|row| row.name.clone()).unwrap_or_default()
    }

    /// Takes over what came of reading, or says what went wrong.
    pub fn settle(self, outcome: Result<RunList, AskError>) {
        match outcome {
            Ok(list) => self.accept(list),
            // What was read before the stop is kept.
            Err(AskError::Cancelled) => self.refresh(),
            Err(AskError::Failed(text)) => self.fault.set(Some(text)),
        }
    }

    fn accept(self, list: RunList) {
        let old = self.list.get_untracked();
        // The engine numbers runs upwards.
        let newest = old.runs.iter().map(|row| row.run).max();
        let fresh = list.runs.iter().map(|row| row.run).find(|run| newest.is_some_and(|newest| *run > newest));
        self.announcement.set(format!(
            "{} read from {}.",
            counted(list.runs.len(), "run"),
            counted(list.files as usize, "file")
        ));
        if let Some(text) = nothing_found(&list) {
            self.fault.set(Some(text));
        } else if !list.fault.is_empty() {
            self.fault.set(Some(list.fault.clone()));
        }
        if !list.news.is_empty() {
            self.news.set(Rc::new(list.news.clone()));
        }
        self.revision.update(|revision| *revision += 1);
        self.list.set(Rc::new(list));
        follow::look_again_later(self);
        // Files dropped on a page that shows runs already: show what they brought.
        if let Some(run) = fresh {
            self.open(run);
        }
    }
}

fn nothing_found(list: &RunList) -> Option<String> {
    (list.runs.is_empty() && list.files > 0).then(|| {
        format!(
            "No run was found in {}. Drop a wandb folder, a .wandb file, or a log of metrics as CSV or JSON Lines.",
            counted(list.files as usize, "file")
        )
    })
}

//! Runs that came from a server: how to ask for more of each, those that are still running, and downloads that were
//! begun and not finished. A run of which everything arrived is not kept here: the session has it.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use rundown_http::Transport;
use rundown_protocol::ServerQuery;
use rundown_run::RunState;
use rundown_wandb::{ApiError, Download, Extras, Follower, RunRef, Unfinished, WandbClient};

/// A run that is being polled is waited for in pauses of this many milliseconds, so many times.
const PAUSE_MS: u32 = 100;
const PAUSES: u32 = 100;
/// Bytes of a table's cells that weigh as much as a value of a download.
const BYTES_OF_A_VALUE: usize = 24;

/// The downloads of one session. Copies are the same downloads.
pub struct Downloads<T>(Rc<RefCell<DownloadState<T>>>);

struct DownloadState<T> {
    followed: Vec<Rc<FollowedRun<T>>>,
    /// Runs that were fetched, by id.
    fetched: BTreeMap<String, FetchedRun>,
    unfinished: Unfinished<Download>,
    extras: Unfinished<Extras>,
}

/// How a run was fetched.
struct FetchedRun {
    query: ServerQuery,
    /// Its whole history arrived, and it has ended.
    is_whole: bool,
}

/// A run that is still running; without its follower while it is being polled, or while the rest of it is fetched.
struct FollowedRun<T> {
    place: RunRef,
    following: RefCell<Option<Following<T>>>,
}

struct Following<T> {
    follower: Follower,
    client: WandbClient<T>,
}

impl<T> Default for Downloads<T> {
    fn default() -> Self {
        Self(Rc::new(RefCell::new(DownloadState {
            followed: Vec::new(),
            fetched: BTreeMap::new(),
            unfinished: Unfinished::default(),
            extras: Unfinished::default(),
        })))
    }
}

impl<T> Clone for Downloads<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T: Transport> Downloads<T> {
    /// Keeps a download in place of what was kept of its run: to follow the run while it is running, or to complete what
    /// did not arrive. `client` asks for more of it; stopping a fetch must not stop that client.
    pub fn keep(&self, download: Download, query: &ServerQuery, client: WandbClient<T>) {
        let mut state = self.0.borrow_mut();
        let place = download.place().clone();
        state.fetched.insert(place.id.clone(), FetchedRun { query: query.clone(), is_whole: false });
        state.followed.retain(|run| run.place != place);
        state.unfinished.take(&place);
        if !is_running(&download) {
            return state.keep_unfinished(download);
        }
        let following = RefCell::new(Some(Following { follower: Follower::new(download), client }));
        state.followed.push(Rc::new(FollowedRun { place, following }));
    }

    /// Takes out what is kept of a run's history; [`Downloads::keep`] it again. Waits for a poll under way.
    pub async fn take(&self, place: &RunRef, transport: &T) -> Option<Download> {
        let run = self.0.borrow().followed.iter().find(|run| run.place == *place).cloned();
        let Some(run) = run else { return self.0.borrow_mut().unfinished.take(place) };
        for _ in 0..PAUSES {
            if let Some(following) = run.following.take() {
                return Some(following.follower.into_download());
            }
            transport.sleep(PAUSE_MS).await;
        }
        None
    }

    /// Keeps what was fetched beside a run's history while there may be more.
    pub fn keep_extras(&self, extras: Extras) {
        let mut state = self.0.borrow_mut();
        let place = extras.place().clone();
        if !extras.is_done() || state.followed.iter().any(|run| run.place == place) {
            state.extras.keep(place, extras.size() / BYTES_OF_A_VALUE, extras);
        }
    }

    /// Takes out what was fetched beside a run's history; [`Downloads::keep_extras`] it again.
    pub fn take_extras(&self, place: &RunRef) -> Option<Extras> {
        self.0.borrow_mut().extras.take(place)
    }

    /// How a run was fetched.
    pub fn query_of(&self, id: &str) -> Option<ServerQuery> {
        self.0.borrow().fetched.get(id).map(|run| run.query.clone())
    }

    /// True for a run of which the whole history arrived and nothing is kept.
    pub fn is_whole(&self, id: &str) -> bool {
        self.0.borrow().fetched.get(id).is_some_and(|run| run.is_whole)
    }

    /// Number of runs that are still running.
    pub fn running(&self) -> u32 {
        u32::try_from(self.0.borrow().followed.len()).unwrap_or(u32::MAX)
    }

    /// Polls the runs that were still running: `changed` gets those that have more. Gives the last error that polling
    /// again will not mend.
    pub async fn poll(&self, mut changed: impl FnMut(&Download)) -> Option<ApiError> {
        let mut failure = None;
        let runs = self.0.borrow().followed.clone();
        for run in runs {
            let Some(mut following) = run.following.take() else { continue };
            let outcome = following.follower.poll(&following.client).await;
            // Meanwhile the run may have been fetched anew: then that download counts.
            let is_current = self.0.borrow().followed.iter().any(|other| Rc::ptr_eq(other, &run));
            match outcome {
                Ok(true) if is_current => changed(following.follower.download()),
                Ok(_) => {}
                Err(error) if error.can_go_on() => {}
                Err(error) => failure = Some(error),
            }
            run.following.replace(Some(following));
        }
        self.stop_following_ended();
        failure
    }

    /// Forgets a run: it is not followed any more.
    pub fn forget(&self, id: &str) {
        let mut state = self.0.borrow_mut();
        let places: Vec<RunRef> =
            state.followed.iter().map(|run| run.place.clone()).filter(|place| place.id == id).collect();
        state.followed.retain(|run| run.place.id != id);
        for place in places {
            state.unfinished.take(&place);
            state.extras.take(&place);
        }
        state.fetched.remove(id);
    }

    /// Forgets all runs, and with them the keys.
    pub fn clear(&self) {
        *self.0.borrow_mut() = DownloadState {
            followed: Vec::new(),
            fetched: BTreeMap::new(),
            unfinished: Unfinished::default(),
            extras: Unfinished::default(),
        };
    }

    fn stop_following_ended(&self) {
        let has_ended = |run: &Rc<FollowedRun<T>>| {
            let following = run.following.borrow();
            following.as_ref().is_some_and(|following| !is_running(following.follower.download()))
        };
        let mut state = self.0.borrow_mut();
        let (ended, followed) = std::mem::take(&mut state.followed).into_iter().partition(has_ended);
        state.followed = followed;
        let ended: Vec<Rc<FollowedRun<T>>> = ended;
        for following in ended.iter().filter_map(|run| run.following.take()) {
            state.keep_unfinished(following.follower.into_download());
        }
    }
}

impl<T> DownloadState<T> {
    /// Keeps the download of a run that has ended, where something of it is missing.
    fn keep_unfinished(&mut self, download: Download) {
        let place = download.place().clone();
        if !download.is_whole() {
            self.unfinished.keep(place, download.progress().values, download);
        } else if let Some(run) = self.fetched.get_mut(&place.id) {
            run.is_whole = true;
        }
    }
}

fn is_running(download: &Download) -> bool {
    download.state() == RunState::Running
}

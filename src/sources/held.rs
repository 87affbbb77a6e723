//! What is kept of runs that were fetched: how to ask for more of each, those that still go on, and what was begun and
//! not ended. A run of which everything came is not kept: the engine has it.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use super::servers::{Fetched, client, said};
use super::transport::Fetch;
use crate::engine::messages::ServerQuery;
use crate::http::{CancelToken, Transport};
use crate::run::RunState;
use crate::wandb::{Client, Download, Extras, Follower, Reference, RunRef, Unfinished};

/// A look at a run that goes on is waited for in naps of this many milliseconds, so many times.
const NAP_MS: u32 = 100;
const NAPS: u32 = 100;
/// Bytes of a table's cells that weigh as much as a value of a download.
const BYTES_OF_A_VALUE: usize = 24;

thread_local! {
    static FOLLOWED: RefCell<Vec<Rc<Slot>>> = const { RefCell::new(Vec::new()) };
    /// Runs that were fetched, by id.
    static KNOWN: RefCell<BTreeMap<String, Known>> = const { RefCell::new(BTreeMap::new()) };
    static DOWNLOADS: RefCell<Unfinished<Download>> = RefCell::default();
    static EXTRAS: RefCell<Unfinished<Extras>> = RefCell::default();
}

/// How a run was fetched.
struct Known {
    query: ServerQuery,
    /// Its whole history came, and it has ended.
    is_whole: bool,
}

/// A place for a run that is followed; empty while it is being looked at, or while the rest of it is fetched.
struct Slot {
    place: RunRef,
    followed: RefCell<Option<Followed>>,
}

/// A run that is still going, with what it takes to ask for more.
struct Followed {
    follower: Follower,
    client: Client<Fetch>,
}

/// Keeps a download in place of what was kept of its run: to follow the run while it goes on, or to go on with what
/// did not come. Stopping a fetch does not stop following.
pub fn keep(download: Download, query: &ServerQuery, reference: &Reference) {
    let place = download.place().clone();
    let known = Known { query: query.clone(), is_whole: false };
    KNOWN.with_borrow_mut(|all| all.insert(place.id.clone(), known));
    FOLLOWED.with_borrow_mut(|all| all.retain(|slot| slot.place != place));
    DOWNLOADS.with_borrow_mut(|all| all.take(&place));
    if !goes_on(&download) {
        return put_away(download);
    }
    let client = client(query, reference, CancelToken::default());
    let followed = RefCell::new(Some(Followed { follower: Follower::new(download), client }));
    FOLLOWED.with_borrow_mut(|all| all.push(Rc::new(Slot { place, followed })));
}

/// Takes out what is kept of a run's history. [`keep`] it again.
pub async fn take(place: &RunRef) -> Option<Download> {
    let slot = FOLLOWED.with_borrow(|all| all.iter().find(|slot| slot.place == *place).cloned());
    let Some(slot) = slot else { return DOWNLOADS.with_borrow_mut(|all| all.take(place)) };
    for _ in 0..NAPS {
        if let Some(followed) = slot.followed.take() {
            return Some(followed.follower.into_download());
        }
        Fetch.sleep(NAP_MS).await;
    }
    None
}

/// Keeps what came beside a run's history while there may be more.
pub fn keep_extras(extras: Extras) {
    let place = extras.place().clone();
    if !extras.is_done() || FOLLOWED.with_borrow(|all| all.iter().any(|slot| slot.place == place)) {
        EXTRAS.with_borrow_mut(|all| all.keep(place, extras.size() / BYTES_OF_A_VALUE, extras));
    }
}

/// Takes out what is kept of what came beside a run's history. [`keep_extras`] it again.
pub fn take_extras(place: &RunRef) -> Option<Extras> {
    EXTRAS.with_borrow_mut(|all| all.take(place))
}

/// How a run was fetched.
pub fn query_of(id: &str) -> Option<ServerQuery> {
    KNOWN.with_borrow(|all| all.get(id).map(|known| known.query.clone()))
}

/// True for a run of which the whole history came and nothing is kept.
pub fn is_whole(id: &str) -> bool {
    KNOWN.with_borrow(|all| all.get(id).is_some_and(|known| known.is_whole))
}

/// Number of runs that still go on.
pub fn going() -> u32 {
    FOLLOWED.with_borrow(Vec::len) as u32
}

/// Looks at the runs that were still going, and adds those that changed.
pub async fn look(fetched: &mut Fetched) {
    for slot in FOLLOWED.with_borrow(Clone::clone) {
        let Some(mut followed) = slot.followed.take() else { continue };
        // Meanwhile the run may have been loaded anew: then that one counts.
        let is_current = || FOLLOWED.with_borrow(|all| all.iter().any(|other| Rc::ptr_eq(other, &slot)));
        match followed.follower.look(&followed.client).await {
            Ok(changes) if changes.is_any() && is_current() => fetched.add(followed.follower.download()),
            Ok(_) => {}
            Err(error) if error.can_go_on() => {}
            Err(error) => fetched.fault = said(&error),
        }
        slot.followed.replace(Some(followed));
    }
    let has_ended = |slot: &Rc<Slot>| {
        let followed = slot.followed.borrow();
        followed.as_ref().is_some_and(|followed| !goes_on(followed.follower.download()))
    };
    let ended: Vec<Rc<Slot>> = FOLLOWED.with_borrow_mut(|all| all.extract_if(.., |slot| has_ended(slot)).collect());
    for followed in ended.iter().filter_map(|slot| slot.followed.take()) {
        put_away(followed.follower.into_download());
    }
}

/// Forgets all runs, and with them the keys.
pub fn clear() {
    FOLLOWED.with_borrow_mut(Vec::clear);
    KNOWN.with_borrow_mut(BTreeMap::clear);
    DOWNLOADS.with_borrow_mut(Unfinished::clear);
    EXTRAS.with_borrow_mut(Unfinished::clear);
}

/// Keeps the download of a run that has ended, where something of it is missing.
fn put_away(download: Download) {
    let place = download.place().clone();
    if download.is_whole() {
        KNOWN.with_borrow_mut(|all| _ = all.get_mut(&place.id).map(|known| known.is_whole = true));
    } else {
        DOWNLOADS.with_borrow_mut(|all| all.keep(place, download.progress().values, download));
    }
}

fn goes_on(download: &Download) -> bool {
    download.state() == RunState::Running
}

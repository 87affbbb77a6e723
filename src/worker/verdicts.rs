//! Requests about what is said of runs: the engine has the runs, the judge the verdicts.

use wasm_bindgen::JsValue;

use super::judge::{Judge, Loading};
use super::{Shared, post, reports};
use crate::engine::messages::{Fault, Listing, encoded};
use crate::ingest::{Place, Problem, Weight};

const BROKEN: &str =
    "The part of the engine that judges or compares runs could not be loaded, or broke down. Try again.";

impl Shared {
    /// The judge, which is loaded if it is not there yet.
    ///
    /// # Errors
    /// Where it can't be fetched; the next call tries again.
    pub(super) async fn judge(&self) -> Result<Judge, JsValue> {
        let is_new = self.judge.borrow().is_none();
        let loading = self.judge.borrow_mut().get_or_insert_with(Loading::start).clone();
        let judge = loading.judge().await.inspect_err(|_| *self.judge.borrow_mut() = None)?;
        let settings = self.settings.borrow();
        // One that does not know what the user set must not judge anything.
        if is_new && !settings.is_empty() && !judge.set(&settings).unwrap_or(false) {
            *self.judge.borrow_mut() = None;
            return Err(JsValue::NULL);
        }
        Ok(judge)
    }

    /// The judge, which knows every run; `breathe` is awaited between runs, with the name of the next one.
    ///
    /// # Errors
    /// Where it, or the program that reads reports, can't be fetched.
    pub(super) async fn judged(&self, mut breathe: impl AsyncFnMut(&str)) -> Result<Judge, JsValue> {
        let mut judge = self.judge().await?;
        loop {
            let next = self.engine.borrow().next_unjudged();
            let Some((number, name)) = next else { return Ok(judge) };
            breathe(&name).await;
            let told = self.told(number).await?;
            if self.judge_one(&judge, number, told).is_ok() {
                self.engine.borrow_mut().note_judged(number);
                continue;
            }
            // What broke down once is not to be trusted: a new one gets the other runs.
            self.note_hopeless(number, &name);
            judge = self.judge().await?;
        }
    }

    fn note_hopeless(&self, number: u32, name: &str) {
        self.lose_judge();
        let mut engine = self.engine.borrow_mut();
        engine.note_hopeless(number);
        let what = "The checks broke down on this run, so nothing is said of it.";
        let remedy = "Please report it: no run should do that.";
        engine.note_problem(Problem::new(name, Place::File, Weight::Lost, what, remedy));
    }

    /// What a report says of this run, where nothing else of it is there and the report can be read.
    async fn told(&self, number: u32) -> Result<Option<Vec<u8>>, JsValue> {
        if !self.engine.borrow().is_told(number) {
            return Ok(None);
        }
        let case = self.engine.borrow_mut().case(number, 0).unwrap_or_default();
        reports::told(self, &case).await
    }

    fn judge_one(&self, judge: &Judge, number: u32, told: Option<Vec<u8>>) -> Result<(), JsValue> {
        *self.comparer.borrow_mut() = None;
        if let Some(told) = told {
            return if judge.take_told(&told)? { Ok(()) } else { Err(JsValue::NULL) };
        }
        let keys = self.engine.borrow().keys_to_ask(number);
        if let Some(keys) = keys {
            let flags = judge.wants(&keys)?;
            self.engine.borrow_mut().note_asked(&keys, &flags);
        }
        let case = self.engine.borrow_mut().case(number, 0).unwrap_or_default();
        if judge.take(&case)? { Ok(()) } else { Err(JsValue::NULL) }
    }

    /// The run list as the judge tells it, encoded.
    ///
    /// # Errors
    /// Where the judge broke down.
    pub(super) fn listed(&self, judge: &Judge, listing: &Listing) -> Result<Vec<u8>, JsValue> {
        judge.list(&encoded(listing)).inspect_err(|_| self.lose_judge())
    }

    pub(super) fn lose_judge(&self) {
        *self.judge.borrow_mut() = None;
        self.engine.borrow_mut().note_forgotten();
    }
}

/// Answers request `id` with the run list.
pub async fn list_runs(shared: Shared, id: u32) {
    let list = match shared.judged(async |_| {}).await {
        Ok(judge) => {
            let listing = shared.engine.borrow().listing();
            shared.listed(&judge, &listing)
        }
        Err(error) => Err(error),
    };
    answer(id, list);
}

/// Answers request `id` with the Run view.
pub async fn open_run(shared: Shared, id: u32, run: u32, last_steps: u32) {
    let Ok(judge) = shared.judged(async |_| {}).await else { return answer(id, Err(JsValue::NULL)) };
    let case = shared.engine.borrow_mut().case(run, last_steps);
    let Some(case) = case else { return post::reply(id, Err(Fault::NoSuchRun), Vec::new()) };
    answer(id, judge.view(&case).inspect_err(|_| shared.lose_judge()));
}

/// Judges all runs by these settings, and answers request `id` with the run list.
pub async fn set(shared: Shared, id: u32, settings: String) {
    let settings = match reports::settings(&shared, &settings).await {
        Ok(Ok(settings)) => settings,
        Ok(Err(what)) => return post::reply(id, Err(Fault::Failed(what)), Vec::new()),
        Err(error) => return answer(id, Err(error)),
    };
    *shared.settings.borrow_mut() = settings;
    // A new judge gets the settings, and everything is judged again.
    shared.lose_judge();
    *shared.comparer.borrow_mut() = None;
    list_runs(shared, id).await;
}

/// Forgets all runs, and answers request `id` with the empty list.
pub async fn clear(shared: Shared, id: u32) {
    shared.engine.borrow_mut().clear();
    *shared.comparer.borrow_mut() = None;
    if let Some(sources) = shared.sources.borrow().as_ref() {
        sources.forget();
    }
    if let Ok(judge) = shared.judge().await {
        let _ = judge.forget();
    }
    list_runs(shared, id).await;
}

/// Answers with what the judge encoded, or says that it broke down.
pub fn answer(id: u32, reply: Result<Vec<u8>, JsValue>) {
    match reply {
        Ok(reply) => post::encoded_reply(id, &reply),
        Err(_) => post::reply(id, Err(Fault::Failed(BROKEN.to_owned())), Vec::new()),
    }
}

//! Reports: the engine gives run after run, a program of its own writes them.

use js_sys::{Function, Reflect, Uint8Array};
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;

use super::sources::load_program;
use super::{Shared, post};
use crate::engine::messages::{Fault, Reply, ReportFormat};

const BROKEN: &str = "The part of the engine that writes reports could not be loaded, or broke down. Try again.";

#[wasm_bindgen]
extern "C" {
    /// The program's writer.
    pub type Writer;
    #[wasm_bindgen(method, structural, catch)]
    fn add(this: &Writer, case: &[u8], diagnosis: &[u8]) -> Result<bool, JsValue>;
    #[wasm_bindgen(method, structural, catch)]
    fn export(this: &Writer, case: &[u8], diagnosis: &[u8]) -> Result<bool, JsValue>;
    #[wasm_bindgen(method, structural, catch)]
    fn markdown(this: &Writer) -> Result<String, JsValue>;
    #[wasm_bindgen(method, structural, catch)]
    fn json(this: &Writer) -> Result<String, JsValue>;
    #[wasm_bindgen(method, structural, catch)]
    fn html(this: &Writer) -> Result<String, JsValue>;
    #[wasm_bindgen(method, structural, catch)]
    fn preview(this: &Writer) -> Result<Vec<u8>, JsValue>;
    #[wasm_bindgen(method, structural, catch)]
    fn exported(this: &Writer) -> Result<String, JsValue>;
    #[wasm_bindgen(method, structural)]
    fn free(this: &Writer);
}

/// Writes a report of these runs, of all when none is named, and answers request `id`.
pub async fn write(shared: Shared, id: u32, runs: Vec<u32>, format: ReportFormat) {
    match written(&shared, &runs, format).await {
        Ok(Written::Text(text)) => post::reply(id, Ok(Reply::Report(text)), Vec::new()),
        Ok(Written::Reply(reply)) => post::encoded_reply(id, &reply),
        Err(_) => {
            // What broke down once is not to be trusted: the next request gets a new one.
            *shared.reports.borrow_mut() = None;
            post::reply(id, Err(Fault::Failed(BROKEN.to_owned())), Vec::new());
        }
    }
}

/// What came of a request.
enum Written {
    /// The report.
    Text(String),
    /// An encoded reply.
    Reply(Vec<u8>),
}

async fn written(shared: &Shared, runs: &[u32], format: ReportFormat) -> Result<Written, JsValue> {
    let judge = shared.judged(async |_| {}).await?;
    let writer = writer(shared).await?;
    let whole = format == ReportFormat::Runs;
    let chosen = shared.engine.borrow().chosen(runs);
    for number in chosen {
        let Some(case) = shared.engine.borrow_mut().case(number, 0) else { continue };
        let diagnosis = judge.diagnosis(&case)?;
        let is_read = if whole {
            let Some(whole) = shared.engine.borrow().whole_case(number) else { continue };
            writer.export(&whole, &diagnosis)?
        } else {
            writer.add(&case, &diagnosis)?
        };
        if !is_read {
            return Err(JsValue::NULL);
        }
    }
    let written = match format {
        ReportFormat::Runs => writer.exported().map(Written::Text),
        ReportFormat::Preview => writer.preview().map(Written::Reply),
        ReportFormat::Markdown => writer.markdown().map(Written::Text),
        ReportFormat::Json => writer.json().map(Written::Text),
        ReportFormat::Html => writer.html().map(Written::Text),
    };
    writer.free();
    written
}

/// What a report says of the run of this case, encoded; `None` where it can't be read.
///
/// # Errors
/// Where the program can't be fetched.
pub(super) async fn told(shared: &Shared, case: &[u8]) -> Result<Option<Vec<u8>>, JsValue> {
    let program = program(shared).await?;
    let read: Function = Reflect::get(&program, &JsValue::from_str("read_told"))?.dyn_into()?;
    let Ok(told) = read.call1(&program, &Uint8Array::from(case)) else {
        // What broke down once is not to be trusted: the next request gets a new one.
        *shared.reports.borrow_mut() = None;
        return Ok(None);
    };
    Ok(told.dyn_into::<Uint8Array>().ok().map(|told| told.to_vec()).filter(|told| !told.is_empty()))
}

/// Settings for the judge, encoded, or what is wrong with them.
///
/// # Errors
/// Where the program can't be fetched, or broke down.
pub(super) async fn settings(shared: &Shared, text: &str) -> Result<Result<Vec<u8>, String>, JsValue> {
    let program = program(shared).await?;
    let read: Function = Reflect::get(&program, &JsValue::from_str("read_settings"))?.dyn_into()?;
    match read.call1(&program, &JsValue::from_str(text)) {
        Ok(settings) => Ok(Ok(settings.dyn_into::<Uint8Array>()?.to_vec())),
        Err(error) => match error.as_string() {
            Some(what) => Ok(Err(what)),
            None => {
                *shared.reports.borrow_mut() = None;
                Err(error)
            }
        },
    }
}

/// A new writer of the program.
async fn writer(shared: &Shared) -> Result<Writer, JsValue> {
    made(shared, "ReportWriter").await.map(JsCast::unchecked_into)
}

/// A new object of the program, which is loaded if it is not there yet.
pub(super) async fn made(shared: &Shared, class: &str) -> Result<JsValue, JsValue> {
    let program = program(shared).await?;
    let class: Function = Reflect::get(&program, &JsValue::from_str(class))?.dyn_into()?;
    Reflect::construct(&class, &js_sys::Array::new())
}

async fn program(shared: &Shared) -> Result<JsValue, JsValue> {
    let known = shared.reports.borrow().clone();
    if let Some(program) = known {
        return Ok(program);
    }
    let program = load_program("reports").await?;
    *shared.reports.borrow_mut() = Some(program.clone());
    Ok(program)
}

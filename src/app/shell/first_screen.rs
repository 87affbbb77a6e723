//! What a visitor sees first: the promise, one place to drop runs, and a sample. `index.html` holds the same as static
//! markup, which is shown until this program has come: change both.

use leptos::ev::MouseEvent;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::Element;

use super::kept_list::KeptList;
use crate::app::browser::foreign_requests::foreign_requests;
use crate::app::content::ProblemsButton;
use crate::app::state::command::Command;
use crate::app::state::{AppState, View};
use rundown_format::visible;

/// The first screen.
#[component]
pub fn FirstScreen() -> impl IntoView {
    let app = AppState::of_page();
    let count = foreign_requests();
    let requests = move || match count.get() {
        _ if app.has_asked.get() => {
            "Requests went to the server that you connected to and to its file hosts.".to_owned()
        }
        Some(1) => "1 request made to other hosts since you opened this page.".to_owned(),
        Some(number) => format!("{number} requests made to other hosts since you opened this page."),
        None => "Your files stay in this browser.".to_owned(),
    };
    let act = move |command: Command| {
        move |_| {
            app.act(command);
        }
    };
    // A tap anywhere in the zone does what its first button does, which is there for the keyboard.
    let tap = move |event: MouseEvent| {
        let on_button = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        if on_button.is_some_and(|target| matches!(target.closest("button"), Ok(None))) {
            app.act(Command::AddFiles);
        }
    };
    view! {
        <section class="first">
            <h1>"What happened in your RL run?"</h1>
            <p class="promise">
                "Drop the files of one run or a hundred. Rundown reads them in this browser, says which are good, bad and ugly, why, and what to try next. Nothing is uploaded."
            </p>
            <Asked />
            <div class="drop-zone" on:click=tap>
                <h2>
                    <span class="by-mouse">"Drop runs here"</span>
                    <span class="by-touch">"Tap to choose files"</span>
                </h2>
                <p>"wandb folders, logs, CSV, JSON, Parquet, TensorBoard, MLflow; also in .zip, .tar or .gz"</p>
                <div class="buttons">
                    <button type="button" class="primary" on:click=act(Command::AddFiles)>"Choose files…"</button>
                    <button type="button" on:click=act(Command::AddFolder)>"Choose a folder…"</button>
                </div>
            </div>
            <div class="buttons">
                <button type="button" id="connect" on:click=act(Command::Connect)>"Connect to a server…"</button>
                <button type="button" id="open-sample" on:click=move |_| app.add_sample()>
                    "Open the sample project"
                </button>
            </div>
            <KeptList />
            <ProblemsButton />
            <p class="requests">
                <span>{move || requests()}</span>
                " "
                <button type="button" class="link" on:click=act(Command::Privacy)>"How to check"</button>
            </p>
        </section>
    }
}

/// What a link shows that came without the runs that it is about. It names a run by its id alone.
#[component]
fn Asked() -> impl IntoView {
    let app = AppState::of_page();
    let location = app.address.part(|state| (state.view, state.run.clone()));
    move || {
        let (view, run) = location.get();
        let what = match run {
            Some(run) => format!("the run “{}” in the {} view", visible(&run), view.label()),
            None if view == View::Run => return None,
            None => format!("the {} view of runs", view.label()),
        };
        let words = format!(
            "This link opens {what} but contains no data: drop the files here, or connect to their server, to see it."
        );
        Some(view! { <p class="banner quiet asked">{words}</p> })
    }
}

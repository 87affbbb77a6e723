//! What a visitor sees first: the promise, one place to drop runs, and a sample.

use super::dom::{Part, command, div, h1, h2, p, section, span};
use super::store::{Dialog, Store};
use super::{files_input, hosts, keys, problems};

/// The first screen.
pub fn first_screen(store: Store) -> Part {
    let requests = hosts::foreign_requests();
    let requests = move || match requests.get() {
        _ if store.has_asked.get() => {
            "Requests went to the server that you named, and to where it keeps its files.".to_owned()
        }
        Some(1) => "1 request made to other hosts since you opened this page.".to_owned(),
        Some(number) => format!("{number} requests made to other hosts since you opened this page."),
        None => "Your files stay in this browser.".to_owned(),
    };
    section()
        .class("first")
        .child((
            h1().child("What happened in your RL run?"),
            p().class("promise").child(
                "Drop the files of one run or a hundred. Rundown reads them in this browser, says which are good, \
                 bad and ugly, why, and what to try next. Nothing is uploaded.",
            ),
            div().class("drop-zone").child((
                h2().child("Drop runs here"),
                p().child(
                    "wandb folders, logs, CSV, JSON, Parquet, TensorBoard, MLflow; loose, or as .zip, .tar or .gz",
                ),
                div().class("buttons").child((
                    command("Choose files…", || keys::click(files_input::CHOOSE_FILES)).class("primary"),
                    command("Choose a folder…", || keys::click(files_input::CHOOSE_FOLDER)),
                )),
            )),
            div().class("buttons").child((
                command("Connect to a server…", move || store.dialog.set(Some(Dialog::Connect))).id("connect"),
                command("Open the sample project", move || store.add_sample()).id("open-sample"),
            )),
            problems::line(store),
            p().class("requests").child((
                span().says(requests),
                " ",
                command("How to check", move || store.dialog.set(Some(Dialog::Privacy))).class("link"),
            )),
        ))
        .view()
}

//! Naming a server: the page reloads, so that it can ask this server and no other, and goes on where it was.
//!
//! What the user wrote crosses in the tab's storage and is taken out of it at once. The key does not: it is typed into a page
//! that can send it to the named server alone.

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::app_state::{AppState, Dialog};
use super::projects;
use super::projects::kept_project::{KeptProject, KeptSource};
use crate::app::browser::named_hosts::load_for;
use crate::app::browser::storage::of_tab;
use rundown_protocol::{QueryField, Request, ServerQuery, Service};

/// What the user wrote: the service and the fields, a line each.
const ASKED: &str = "rundown-asked";
/// Id of the kept project that is opened again.
const REOPENED: &str = "rundown-reopened";

/// What the user wrote before the page was reloaded; it is forgotten with this.
pub fn taken_query() -> Option<ServerQuery> {
    let text = taken(ASKED)?;
    let mut lines = text.split('\n');
    let service = if lines.next() == Some("axiom") { Service::Axiom } else { Service::Wandb };
    Some(ServerQuery { service, fields: lines.map(str::to_owned).collect() })
}

impl AppState {
    /// Loads the page for what the form names, and opens the form again. Runs are closed; those that are kept on this
    /// device come back.
    pub fn connect_to(self, origins: &[String]) {
        let mut query = self.server.get_untracked();
        query.write(QueryField::Key, String::new());
        let service = if query.service == Service::Axiom { "axiom" } else { "wandb" };
        let lines: Vec<&str> = [service].into_iter().chain(query.fields.iter().map(String::as_str)).collect();
        put(ASKED, &lines.join("\n"));
        self.load_for(origins, self.projects.open.get_untracked());
    }

    /// Does what was begun before the page was reloaded. `has_query` is true where the user was about to connect.
    pub fn go_on(self, has_query: bool) {
        if has_query {
            self.open_dialog(Dialog::Connect);
        }
        let Some(id) = taken(REOPENED) else { return };
        spawn_local(async move {
            let kept = projects::list().await.unwrap_or_default();
            if let Some(project) = kept.iter().find(|project| project.id == id) {
                self.read_project(project.clone());
            }
        });
    }

    /// Opens a project again: first the page is loaded for the servers that it comes from, where there are any.
    pub fn open_kept(self, project: &KeptProject) {
        let project = project.clone();
        spawn_local(async move {
            let origins = self.unnamed_origins(&project).await;
            if origins.is_empty() {
                self.read_project(project);
            } else {
                self.load_for(&origins, Some(project.id));
            }
        });
    }

    async fn unnamed_origins(self, project: &KeptProject) -> Vec<String> {
        let mut all = Vec::new();
        for source in &project.sources {
            let KeptSource::Server { service, address, server, .. } = source else { continue };
            let mut query = ServerQuery { service: *service, ..ServerQuery::default() };
            query.write(QueryField::Address, address.clone());
            query.write(QueryField::Server, server.clone());
            all.extend(self.engine.request::<Vec<String>>(Request::HostsOf(query)).await.unwrap_or_default());
        }
        all
    }

    fn load_for(self, origins: &[String], project: Option<String>) {
        if let Some(id) = project {
            put(REOPENED, &id);
        }
        // The user was told; the browser need not ask again.
        self.projects.has_unkept.set(false);
        if let Err(words) = load_for(origins) {
            self.fault.set(Some(words.to_owned()));
        }
    }
}

fn put(name: &str, text: &str) {
    if let Some(storage) = of_tab() {
        // Where this fails naming the hosts fails too, which says so.
        let _ = storage.set_item(name, text);
    }
}

fn taken(name: &str) -> Option<String> {
    let storage = of_tab()?;
    let text = storage.get_item(name).ok()??;
    let _ = storage.remove_item(name);
    Some(text)
}

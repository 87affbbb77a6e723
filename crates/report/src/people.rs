//! The names of people and machines that runs tell of themselves, to be hidden in what is made to be shared.

use rundown_format::People;
use rundown_run::{Config, ConfigValue, Run};

/// The names in these runs: their hosts, whose project they are, and settings such as `username`.
pub fn people_of<'r>(runs: impl Iterator<Item = &'r Run>) -> People {
    let mut people = People::default();
    for run in runs {
        if let Some(host) = &run.host {
            people.learn_host(host);
        }
        if let Some(entity) = &run.entity {
            people.learn_entity(entity, run.project.as_deref().unwrap_or_default());
        }
        learn_settings(&mut people, &run.config);
    }
    people
}

/// Adds the names in the settings of a run.
pub fn learn_settings(people: &mut People, config: &Config) {
    for (key, value) in config.iter() {
        if let ConfigValue::Text(text) = value {
            people.learn_setting(key, text);
        }
    }
}

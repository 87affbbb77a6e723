//! Lists with steps of their own: `{"ep_rewards": […], "ep_timesteps": […], "eval_rewards": […], "eval_timesteps": […]}`,
//! where the lists whose names begin alike are as long as each other and one of them counts.

use std::collections::BTreeMap;

use super::{Cell, ENOUGH_ROWS, JsonFrame};
use crate::rows::counting::{are_whole, rises_with_each};
use crate::rows::names::is_step_name;

impl JsonFrame {
    /// Labels the elements of lists by the steps of a list whose name begins alike, where all lists have such a one.
    pub(super) fn label_by_own_steps(&mut self) {
        let mut lists: BTreeMap<&str, BTreeMap<usize, Vec<f64>>> = BTreeMap::new();
        for (_, column, value) in &self.cells {
            let name = self.names.name(*column);
            // A step of the whole table is that of all its lists.
            let Some((group, _)) = name.split_once('_').filter(|_| !is_step_name(name)) else { return };
            lists.entry(group).or_default().entry(*column).or_default().push(*value);
        }
        let mut labelled: Vec<Cell> = Vec::new();
        for group in lists.values() {
            let counts = |(column, values): &(&usize, &Vec<f64>)| {
                let (_, name) = self.names.name(**column).split_once('_').unwrap_or_default();
                is_step_name(name) && are_whole(values) && rises_with_each(values)
            };
            let Some((axis, steps)) = group.iter().find(counts) else { return };
            let is_group = group.len() > 1 && steps.len() as u64 >= ENOUGH_ROWS;
            if !is_group || group.values().any(|values| values.len() != steps.len()) {
                return;
            }
            for (column, values) in group.iter().filter(|(column, _)| *column != axis) {
                labelled.extend(steps.iter().zip(values).map(|(step, value)| (*step as u64, *column, *value)));
            }
        }
        if !labelled.is_empty() {
            self.count = self.count - self.cells.len() + labelled.len();
            self.cells.clear();
            self.lengths.clear();
            self.labelled.append(&mut labelled);
            self.has_named_labels = true;
            self.has_own_steps = true;
        }
    }

    /// True where lists are rows at steps of their own.
    pub(in crate::formats::json_document) fn has_own_steps(&self) -> bool {
        self.has_own_steps
    }
}

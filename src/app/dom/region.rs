//! Parts of the page that are made anew, and lists whose rows keep their elements.

use leptos::reactive::owner::{Owner, WeakOwner};
use web_sys::Node;

use super::{Children, El, Part, append, create_text, fragment};
use crate::app::reactive::{follow, untrack};

/// A part that follows the state that it reads: made anew when some of it changes.
pub fn live<C: Children>(mut view: impl FnMut() -> C + 'static) -> Part {
    region(Box::new(move |parent| view().add_to(parent)))
}

/// One part for each key, in the order of `keys`. A row keeps its element while its key is there, and
/// the focus unless it is moved before another.
pub fn keyed(keys: impl FnMut() -> Vec<u64> + 'static, row: impl FnMut(u64) -> El + 'static) -> Part {
    list(Box::new(keys), Box::new(row))
}

#[inline(never)]
fn region(mut fill: Box<dyn FnMut(&Node)>) -> Part {
    let edges = Edges::new();
    let whole = edges.whole();
    follow(move || {
        let fresh = fragment();
        fill(&fresh);
        edges.fill(&fresh);
    });
    Part(whole)
}

/// A row of a list: its key, what it owns, and its element.
type ListRow = (u64, Owner, Node);

#[inline(never)]
fn list(mut keys: Box<dyn FnMut() -> Vec<u64>>, mut make: Box<dyn FnMut(u64) -> El>) -> Part {
    let edges = Edges::new();
    let whole = edges.whole();
    // Rows outlive a run of the effect, so they belong to who made the list. Held weakly: it owns the effect.
    let owner = Owner::current().map(|owner| owner.downgrade());
    let mut rows: Vec<ListRow> = Vec::new();
    follow(move || {
        let wanted = keys();
        let Some(owner) = owner.as_ref().and_then(WeakOwner::upgrade) else { return };
        let mut old: Vec<Option<ListRow>> = rows.drain(..).map(Some).collect();
        let mut near = 0;
        for key in wanted {
            let kept = take(&mut old, key, &mut near);
            rows.push(kept.unwrap_or_else(|| {
                let owner = owner.child();
                let made = untrack(|| owner.with(|| make(key)));
                (key, owner, made.0.into())
            }));
        }
        for (_, owner, node) in old.into_iter().flatten() {
            owner.cleanup();
            remove(&node);
        }
        let mut here = edges.first.next_sibling();
        for (_, _, node) in &rows {
            match &here {
                Some(there) if there == node => here = node.next_sibling(),
                _ => insert(node, here.as_ref()),
            }
        }
    });
    Part(whole)
}

/// Takes the row of a key. Most lists keep their order, so it is looked for first where the last one was.
fn take(rows: &mut [Option<ListRow>], key: u64, near: &mut usize) -> Option<ListRow> {
    let is_it = |row: &Option<ListRow>| row.as_ref().is_some_and(|row| row.0 == key);
    let after = rows.iter().skip(*near).position(is_it).map(|place| place + *near);
    let place = after.or_else(|| rows.iter().take(*near).position(is_it))?;
    *near = place + 1;
    rows.get_mut(place)?.take()
}

/// The two empty texts between which a part stands, so that it is found again wherever it was put.
struct Edges {
    first: Node,
    last: Node,
}

impl Edges {
    fn new() -> Self {
        Self { first: create_text(""), last: create_text("") }
    }

    /// A fragment with both edges and nothing between them yet.
    fn whole(&self) -> Node {
        let whole = fragment();
        append(&whole, &self.first);
        append(&whole, &self.last);
        whole
    }

    /// Puts `fresh` in place of what stands between the edges.
    fn fill(&self, fresh: &Node) {
        while let Some(node) = self.first.next_sibling().filter(|node| *node != self.last) {
            remove(&node);
        }
        insert(fresh, Some(&self.last));
    }
}

// A node that is not where it was is gone with what was around it: then there is nothing to do.

fn remove(node: &Node) {
    if let Some(parent) = node.parent_node() {
        let _ = parent.remove_child(node);
    }
}

fn insert(node: &Node, before: Option<&Node>) {
    if let Some(parent) = before.and_then(Node::parent_node) {
        let _ = parent.insert_before(node, before);
    }
}

//! State that views follow: Leptos' reactive graph, with one compiled copy for values of all types.
//!
//! Leptos compiles its signals, memos and effects apart for each type of value. Measured on this page that was a
//! third of its bytes. Here the graph sees one trigger, one memo of a number and one effect; the value lies beside
//! them behind `dyn Any`. What is stored belongs to the view that made it, as in Leptos; what is read after that view
//! is gone is the default of its type, so that a late answer or event finds nothing instead of a panic.

use std::any::Any;
use std::cell::RefCell;
use std::marker::PhantomData;
use std::pin::Pin;
use std::rc::Rc;

use leptos::reactive::computed::ArcMemo;
use leptos::reactive::effect::RenderEffect;
use leptos::reactive::owner::{LocalStorage, Owner, StoredValue};
use leptos::reactive::signal::ArcTrigger;
use leptos::reactive::traits::{Get, GetUntracked, GetValue, Notify, Track};
use send_wrapper::SendWrapper;

pub use leptos::reactive::graph::untrack;

/// A value that can be set, and followed. Copies are the same value.
pub struct State<T> {
    slot: Slot,
    of: PhantomData<fn() -> T>,
}

/// A value that follows others: computed when it is asked for, and passed on only when it is another.
pub struct Derived<T> {
    slot: Slot,
    of: PhantomData<fn() -> T>,
}

type Slot = StoredValue<Content, LocalStorage>;

/// A value and the trigger of its changes.
#[derive(Clone)]
struct Content {
    change: Dependency,
    value: Rc<dyn Any>,
}

#[derive(Clone)]
enum Dependency {
    Triggered(ArcTrigger),
    Computed(ArcMemo<u32>),
}

impl<T> Copy for State<T> {}

impl<T> Clone for State<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Derived<T> {}

impl<T> Clone for Derived<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: 'static> State<T> {
    /// A value that lives as long as the view that is being made.
    pub fn new(value: T) -> Self {
        Self { slot: triggered(Rc::new(RefCell::new(value))), of: PhantomData }
    }

    /// The value, followed by whoever asks.
    pub fn get(self) -> T
    where
        T: Clone + Default,
    {
        self.with(T::clone)
    }

    /// The value, without following it.
    pub fn get_untracked(self) -> T
    where
        T: Clone + Default,
    {
        self.with_untracked(T::clone)
    }

    /// What `read` makes of the value, followed by whoever asks.
    pub fn with<R: Default>(self, read: impl FnOnce(&T) -> R) -> R {
        read_in(followed(self.slot), read)
    }

    /// What `read` makes of the value, without following it.
    pub fn with_untracked<R: Default>(self, read: impl FnOnce(&T) -> R) -> R {
        read_in(seen(self.slot), read)
    }

    /// Follows the value without reading it.
    pub fn track(self) {
        followed(self.slot);
    }

    /// Sets the value and tells its followers.
    pub fn set(self, value: T) {
        self.update(|old| *old = value);
    }

    /// Changes the value and tells its followers.
    pub fn update(self, change: impl FnOnce(&mut T)) {
        if self.quietly(change).is_some() {
            tell(self.slot);
        }
    }

    /// Changes the value and tells nobody; `None` when it is gone.
    pub fn quietly<R>(self, change: impl FnOnce(&mut T) -> R) -> Option<R> {
        let value = seen(self.slot)?;
        let mut value = value.downcast_ref::<RefCell<T>>()?.try_borrow_mut().ok()?;
        Some(change(&mut value))
    }

    /// The value for reading alone.
    pub fn read_only(self) -> Derived<T> {
        Derived { slot: self.slot, of: PhantomData }
    }
}

impl<T: 'static> Derived<T> {
    /// Follows what `compute` reads.
    pub fn new(compute: impl Fn() -> T + 'static) -> Self
    where
        T: Default + PartialEq,
    {
        let value = Rc::new(RefCell::new(T::default()));
        let kept = value.clone();
        let is_new = move || {
            let next = compute();
            kept.try_borrow_mut().is_ok_and(|mut now| {
                let differs = *now != next;
                *now = next;
                differs
            })
        };
        Self { slot: computed(value, Box::new(is_new)), of: PhantomData }
    }

    /// The value, followed by whoever asks.
    pub fn get(self) -> T
    where
        T: Clone + Default,
    {
        read_in(followed(self.slot), T::clone)
    }

    /// The value, without following it.
    pub fn get_untracked(self) -> T
    where
        T: Clone + Default,
    {
        read_in(seen(self.slot), T::clone)
    }

    /// Follows the value without reading it.
    pub fn track(self) {
        followed(self.slot);
    }
}

/// Runs `work` now, and again after anything that it read has changed, until the view that is being made is gone.
/// What a run made is gone before the next.
pub fn follow(work: impl FnMut() + 'static) {
    follow_boxed(Box::new(work));
}

/// Runs a future to its end.
pub fn spawn(future: impl Future<Output = ()> + 'static) {
    spawn_boxed(Box::pin(future));
}

// One copy of each, whatever the type of the value.

#[inline(never)]
fn triggered(value: Rc<dyn Any>) -> Slot {
    StoredValue::new_local(Content { change: Dependency::Triggered(ArcTrigger::new()), value })
}

#[inline(never)]
fn computed(value: Rc<dyn Any>, is_new: Box<dyn Fn() -> bool>) -> Slot {
    // The graph wants functions for any thread; this page has one.
    let is_new = SendWrapper::new(is_new);
    let version = ArcMemo::new_owning(move |version: Option<u32>| {
        let is_new = is_new() || version.is_none();
        (version.unwrap_or_default().wrapping_add(u32::from(is_new)), is_new)
    });
    StoredValue::new_local(Content { change: Dependency::Computed(version), value })
}

#[inline(never)]
fn followed(slot: Slot) -> Option<Rc<dyn Any>> {
    let content = slot.try_get_value()?;
    match content.change {
        Dependency::Triggered(trigger) => trigger.track(),
        Dependency::Computed(version) => {
            version.get();
        }
    }
    Some(content.value)
}

#[inline(never)]
fn seen(slot: Slot) -> Option<Rc<dyn Any>> {
    let content = slot.try_get_value()?;
    if let Dependency::Computed(version) = content.change {
        version.get_untracked();
    }
    Some(content.value)
}

#[inline(never)]
fn tell(slot: Slot) {
    if let Some(Content { change: Dependency::Triggered(trigger), .. }) = slot.try_get_value() {
        trigger.notify();
    }
}

fn read_in<T: 'static, R: Default>(value: Option<Rc<dyn Any>>, read: impl FnOnce(&T) -> R) -> R {
    let value = value.as_ref().and_then(|value| value.downcast_ref::<RefCell<T>>());
    value.and_then(|value| value.try_borrow().ok()).map(|value| read(&value)).unwrap_or_default()
}

#[inline(never)]
fn follow_boxed(mut work: Box<dyn FnMut()>) {
    let effect = RenderEffect::<()>::new(move |_| work());
    Owner::on_cleanup(move || drop(effect));
}

#[inline(never)]
fn spawn_boxed(future: Pin<Box<dyn Future<Output = ()>>>) {
    leptos::task::spawn_local(future);
}

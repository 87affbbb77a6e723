//! Size of a chart's canvas in device pixels, from the browser's observer.
//!
//! Chromium and Firefox say it to the pixel (`devicePixelContentBoxSize`): a canvas of another size would be blurred.
//! Elsewhere it is computed from CSS pixels.

use js_sys::{Array, Function, Object, Reflect};
use leptos::prelude::window;
use wasm_bindgen::prelude::*;
use web_sys::{HtmlCanvasElement, HtmlElement, ResizeObserver, ResizeObserverEntry};

/// Larger canvases are refused by browsers or cost more memory than a chart is worth.
const LARGEST_PX: f64 = 8_192.0;

/// Size of a canvas in device pixels.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct CanvasSize {
    /// Width.
    pub width: u32,
    /// Height.
    pub height: u32,
    /// Device pixels for each CSS pixel.
    pub scale: f64,
}

/// Gives a canvas its size. Setting it clears the canvas even to the same.
pub fn fit(canvas: &HtmlCanvasElement, size: CanvasSize) {
    if (canvas.width(), canvas.height()) != (size.width, size.height) {
        canvas.set_width(size.width);
        canvas.set_height(size.height);
    }
}

/// Watches one element until it is dropped.
pub struct SizeWatch {
    observer: ResizeObserver,
    _on_resize: Closure<dyn FnMut(Array)>,
}

impl SizeWatch {
    /// Calls `on_resize` now and whenever the size of `element` changes. `None` in a browser without observers.
    pub fn new(element: &HtmlElement, mut on_resize: impl FnMut(CanvasSize) + 'static) -> Option<Self> {
        let watched = element.clone();
        let on_resize = Closure::<dyn FnMut(Array)>::new(move |entries: Array| {
            let entry = entries.iter().last().map(JsCast::unchecked_into::<ResizeObserverEntry>);
            on_resize(size(&watched, entry.as_ref()));
        });
        let observer = ResizeObserver::new(on_resize.as_ref().unchecked_ref()).ok()?;
        let options = Object::new();
        let _ = Reflect::set(&options, &"box".into(), &"device-pixel-content-box".into());
        // A browser that does not know this box throws.
        let observe = Reflect::get(&observer, &"observe".into()).ok()?.dyn_into::<Function>().ok()?;
        if observe.call2(&observer, element, &options).is_err() {
            observer.observe(element);
        }
        Some(Self { observer, _on_resize: on_resize })
    }
}

impl Drop for SizeWatch {
    fn drop(&mut self) {
        self.observer.disconnect();
    }
}

fn size(element: &HtmlElement, entry: Option<&ResizeObserverEntry>) -> CanvasSize {
    let usable = |ratio: f64| if ratio > 0.0 { ratio.clamp(0.25, 8.0) } else { 1.0 };
    let pixels = |value: f64| value.round().clamp(0.0, LARGEST_PX) as u32;
    if let Some(entry) = entry
        && let Some((width, height)) = exact(entry)
    {
        // Not the window's ratio: when a browser emulates another device the two differ.
        let scale = usable(width / entry.content_rect().width());
        return CanvasSize { width: pixels(width), height: pixels(height), scale };
    }
    let scale = usable(window().device_pixel_ratio());
    let of = |css: i32| pixels(f64::from(css) * scale);
    CanvasSize { width: of(element.client_width()), height: of(element.client_height()), scale }
}

fn exact(entry: &ResizeObserverEntry) -> Option<(f64, f64)> {
    let boxes = Reflect::get(entry, &"devicePixelContentBoxSize".into()).ok()?;
    let first = boxes.dyn_into::<Array>().ok()?.get(0);
    let side = |name: &str| Reflect::get(&first, &name.into()).ok()?.as_f64();
    Some((side("inlineSize")?, side("blockSize")?))
}

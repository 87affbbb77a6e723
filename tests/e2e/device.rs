//! The browser's private storage: what the page keeps there, and a folder of it that stands in for one the user chooses.

use thirtyfour::prelude::*;

use crate::browser::Outcome;
use crate::page::Page;

/// A script that gives the manifests of all kept projects; `unfinished` for one that has none yet.
pub const KEPT: &str =
    "const root = await (await navigator.storage.getDirectory()).getDirectoryHandle('projects', { create: true });
    const texts = [];
    for await (const folder of root.values()) {
        try { texts.push(await (await (await folder.getFileHandle('project')).getFile()).text()); } catch { texts.push('unfinished'); }
    }
    return texts";

/// Runs before the page: the folder chooser gives a private folder, which is polled five times a second.
pub const CHOOSE_FOLDER: &str = "window.rundownPause = 200;
    window.folder = () => navigator.storage.getDirectory().then(root => root.getDirectoryHandle('watched', { create: true }));
    window.showDirectoryPicker = window.folder;";

/// Writes a file of that folder; the text is the inside of a JavaScript string.
pub async fn write(page: &Page, name: &str, text: &str) -> Outcome {
    let script = format!(
        "const file = await (await folder()).getFileHandle('{name}', {{ create: true }});
        const stream = await file.createWritable(); await stream.write('{text}'); await stream.close(); return true"
    );
    assert!(page.promise::<bool>(&script).await?);
    Ok(())
}

/// Chooses the folder by the palette, to be watched.
pub async fn watch(page: &Page) -> Outcome {
    page.press(Key::Control + "k").await?;
    page.type_into("#palette-search", "watch").await?;
    page.press(Key::Enter + "").await
}

/// Waits for a condition on `window.kept`, the manifests of all kept projects; `argument` is its `arguments[0]`.
pub async fn wait_for_kept(page: &Page, what: &str, condition: &str, argument: &str) -> Outcome {
    let script = format!("((async () => {{ {KEPT} }})().then(texts => window.kept = texts), {condition})");
    page.wait_until(what, &script, argument).await
}

//! The page as its user sees it: what can be done on it, by the names that its elements carry.

use std::path::{Path, PathBuf};

use serde_json::json;
use thirtyfour::prelude::*;
use tokio::time::{Instant, sleep};

use crate::browser::{Browser, Outcome, PATIENCE, Theme};
use crate::server::Server;

/// A page that is open in a browser.
pub struct Page {
    browser: Browser,
    server: Server,
}

/// The folder of the built page.
pub fn dist() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("dist")
}

impl Page {
    /// Serves a directory and opens the page at a path below it, at 1440 x 1000 in the light theme.
    pub async fn open(name: &str, directory: PathBuf, path: &str) -> Outcome<Self> {
        let page = Self::start(name, directory).await?;
        page.go(&(page.server.url() + path)).await?;
        Ok(page)
    }

    /// Opens the built page in a browser that nobody used before, nor will.
    pub async fn open_in_new_browser() -> Outcome<Self> {
        let page = Self::start_in_new_browser(dist()).await?;
        page.go(&page.server.url()).await?;
        Ok(page)
    }

    /// Loads the page again.
    pub async fn reload(&self) -> Outcome {
        self.browser.driver().refresh().await?;
        self.wait_for_program().await
    }

    /// Waits until the page's program has replaced the static first screen: an element of that would be gone in the
    /// middle of a click.
    pub async fn wait_for_program(&self) -> Outcome {
        // The driver may answer before the document has come.
        let there = "location.protocol !== 'about:' && document.readyState !== 'loading' \
            && !document.querySelector('#static-page')";
        self.wait_until("the program is there", there, "").await
    }

    /// Serves a directory and has a browser ready for it.
    pub async fn start(name: &str, directory: PathBuf) -> Outcome<Self> {
        Self::of(Browser::open(name).await?, directory).await
    }

    /// Serves a directory and has a browser ready for it that nobody used before, nor will.
    pub async fn start_in_new_browser(directory: PathBuf) -> Outcome<Self> {
        Self::of(Browser::start("alone").await?, directory).await
    }

    async fn of(browser: Browser, directory: PathBuf) -> Outcome<Self> {
        let server = Server::start(directory)?;
        browser.set_viewport(1440, 1000).await?;
        browser.set_theme(Theme::Light).await?;
        Ok(Self { browser, server })
    }

    /// The browser, for what has no method here.
    pub fn browser(&self) -> &Browser {
        &self.browser
    }

    /// Goes to an address and waits for the page's program.
    pub async fn go(&self, address: &str) -> Outcome {
        self.browser.driver().goto(address).await?;
        self.wait_for_program().await
    }

    /// The server of the page.
    pub fn server(&self) -> &Server {
        &self.server
    }

    /// Everything in the console so far, whatever its level. What it gives is not given again.
    pub async fn console(&self) -> Outcome<String> {
        let entries = self.browser.driver().get_log("browser").await?;
        Ok(entries.iter().map(|entry| format!("{}\n", entry.message)).collect())
    }

    /// Everything that was wrong since the page was opened.
    pub async fn complaints(&mut self) -> Outcome<Vec<String>> {
        let mut complaints = self.browser.complaints(&self.server.url()).await?;
        let refused = self.server.log().into_iter().filter(|served| served.status >= 400);
        complaints.extend(refused.map(|served| format!("HTTP {}: {}", served.status, served.url)));
        Ok(complaints)
    }

    /// Waits for an element to be there.
    pub async fn wait_for(&self, selector: &str) -> Outcome<WebElement> {
        self.wait_for_text(selector, "").await
    }

    /// Waits for an element whose visible text contains `text`.
    pub async fn wait_for_text(&self, selector: &str, text: &str) -> Outcome<WebElement> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let mut seen = Vec::new();
            for element in self.browser.driver().find_all(By::Css(selector)).await? {
                // An element that is gone by now is as good as not found.
                let found = element.text().await.unwrap_or_default();
                if found.contains(text) {
                    return Ok(element);
                }
                seen.push(found);
            }
            if Instant::now() > deadline {
                return Err(format!("waited in vain for “{text}” in {selector}; there was {seen:?}").into());
            }
            sleep(POLL).await;
        }
    }

    /// Chooses files with the page's own file input, as its dialog would.
    pub async fn choose_files(&self, files: &[PathBuf]) -> Outcome {
        let input = self.browser.driver().find(By::Css("input[type=file]:not([webkitdirectory])")).await?;
        let paths: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
        input.send_keys(paths.join("\n")).await?;
        Ok(())
    }

    /// Chooses a folder with the page's own folder input.
    pub async fn choose_folder(&self, folder: &Path) -> Outcome {
        let input = self.browser.driver().find(By::Css("input[type=file][webkitdirectory]")).await?;
        input.send_keys(folder.display().to_string()).await?;
        Ok(())
    }

    /// Drags files and folders from the desktop and drops them in the middle of an element.
    pub async fn drop_on(&self, selector: &str, paths: &[PathBuf]) -> Outcome {
        let target = self.wait_for(selector).await?.rect().await?;
        let files: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
        for kind in ["dragEnter", "dragOver", "drop"] {
            let event = json!({
                "type": kind,
                "x": target.x + target.width / 2.0,
                "y": target.y + target.height / 2.0,
                "data": { "items": [], "files": files, "dragOperationsMask": 1 },
            });
            self.browser.devtools("Input.dispatchDragEvent", event).await?;
        }
        Ok(())
    }

    /// Waits for a download and returns its content.
    pub async fn downloaded(&self, file: &str) -> Outcome<Vec<u8>> {
        let path = self.browser.downloads().join(file);
        let deadline = Instant::now() + PATIENCE;
        // Chromium reserves the name with an empty file, writes under another one and renames when all is there.
        while std::fs::metadata(&path).map_or(0, |file| file.len()) == 0 {
            if Instant::now() > deadline {
                return Err(format!("waited in vain for the download of {file}").into());
            }
            sleep(POLL).await;
        }
        Ok(std::fs::read(path)?)
    }

    /// Waits for a download and takes it away, which makes room for the next one of the same name.
    pub async fn take_download(&self, file: &str) -> Outcome<String> {
        let bytes = self.downloaded(file).await?;
        std::fs::remove_file(self.browser.downloads().join(file))?;
        Ok(String::from_utf8(bytes)?)
    }

    /// Waits for the download of a kind of file and returns its content.
    pub async fn downloaded_ending(&self, ending: &str) -> Outcome<Vec<u8>> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            for entry in std::fs::read_dir(self.browser.downloads())? {
                let path = entry?.path();
                // Empty until the download is whole, as above.
                if path.display().to_string().ends_with(ending) && path.metadata()?.len() > 0 {
                    return Ok(std::fs::read(path)?);
                }
            }
            if Instant::now() > deadline {
                return Err(format!("waited in vain for the download of a {ending} file").into());
            }
            sleep(POLL).await;
        }
    }

    /// Name and verdict of each run in the list.
    pub async fn verdicts(&self) -> Outcome<Vec<(String, String)>> {
        let rows = "return [...document.querySelectorAll('#runs [data-verdict]')]
            .map(row => [row.querySelector('.name').textContent, row.dataset.verdict])";
        Ok(self.browser.driver().execute(rows, []).await?.convert()?)
    }

    /// Opens a run by its name in the list.
    pub async fn open_run(&self, name: &str) -> Outcome {
        let row = "[...document.querySelectorAll('#runs [data-verdict]')]
            .find(row => row.querySelector('.name').textContent.includes(arguments[0]))";
        self.wait_until(&format!("{name} is listed"), row, name).await?;
        let row = self.browser.driver().execute(format!("return {row}"), vec![json!(name)]).await?.element()?;
        row.click().await?;
        Ok(())
    }

    /// Goes to a view of the run that is shown: `run`, `metrics` or `report`.
    pub async fn view(&self, view: &str) -> Outcome {
        let selector = format!("header a[href^='#/{view}']");
        self.wait_for(&selector).await?.click().await?;
        Ok(())
    }

    /// Clicks the element of a kind that bears these words.
    pub async fn click_words(&self, selector: &str, words: &str) -> Outcome {
        let deadline = Instant::now() + PATIENCE;
        loop {
            match self.wait_for_text(selector, words).await?.click().await {
                // An element that was made anew meanwhile is looked for again.
                Err(error) if error.to_string().contains("stale") && Instant::now() < deadline => sleep(POLL).await,
                outcome => return Ok(outcome?),
            }
        }
    }

    /// Waits until no chart has been drawn for a moment.
    pub async fn settle(&self) -> Outcome {
        let drawn = "return performance.getEntriesByType('measure').length";
        let mut before: Option<i64> = None;
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline {
            let now: i64 = self.browser.driver().execute(drawn, []).await?.convert()?;
            if before == Some(now) {
                return Ok(());
            }
            before = Some(now);
            sleep(POLL * 8).await;
        }
        Err("charts are drawn without end".into())
    }

    /// The lines of the chart within an element, once they are drawn, to be compared.
    pub async fn drawn_picture_of(&self, selector: &str) -> Outcome<String> {
        let lines = format!("{selector} .chart-frame canvas");
        self.wait_for(&lines).await?.scroll_into_view().await?;
        self.wait_until(
            &format!("the chart in {selector} is drawn"),
            "document.querySelector(arguments[0]).width > 0",
            &lines,
        )
        .await?;
        self.settle().await?;
        // The first canvas has the lines, the second one the cursor.
        let script = "return document.querySelector(arguments[0]).toDataURL()";
        Ok(self.browser.driver().execute(script, vec![json!(lines)]).await?.convert()?)
    }

    /// Waits until an expression in JavaScript is true; `argument` is its `arguments[0]`.
    pub async fn wait_until(&self, what: &str, expression: &str, argument: &str) -> Outcome {
        let script = format!("return Boolean({expression})");
        let deadline = Instant::now() + PATIENCE;
        while !self.browser.driver().execute(&script, vec![json!(argument)]).await?.convert::<bool>()? {
            if Instant::now() > deadline {
                return Err(format!("waited in vain until {what}").into());
            }
            sleep(POLL).await;
        }
        Ok(())
    }

    /// Types into a field in place of what it held.
    pub async fn type_into(&self, selector: &str, text: &str) -> Outcome {
        let field = self.wait_for(selector).await?;
        field.clear().await?;
        field.send_keys(text).await?;
        Ok(())
    }

    /// Takes the mouse off everything that follows it.
    pub async fn point_nowhere(&self) -> Outcome {
        let event = json!({ "type": "mouseMoved", "x": 1, "y": 1, "button": "none", "buttons": 0 });
        self.browser.devtools("Input.dispatchMouseEvent", event).await?;
        Ok(())
    }

    /// Waits until the list holds this many runs.
    pub async fn wait_for_runs(&self, number: usize) -> Outcome {
        // Of a long list only the rows in sight are in the document.
        let rows = "(document.querySelector('#runs .lines')?.dataset.runs ?? '0') === arguments[0]
            && (Number(arguments[0]) > 60
                || document.querySelectorAll('#runs [data-verdict]').length === Number(arguments[0]))";
        self.wait_until(&format!("{number} runs are listed"), rows, &number.to_string()).await
    }

    /// Runs a script in the page and gives what it returns.
    pub async fn script<T: serde::de::DeserializeOwned>(&self, script: &str) -> Outcome<T> {
        Ok(self.browser.driver().execute(script, []).await?.convert()?)
    }

    /// Runs an asynchronous script in the page and gives what its promise gives.
    pub async fn promise<T: serde::de::DeserializeOwned>(&self, body: &str) -> Outcome<T> {
        let script = format!(
            "const done = arguments[arguments.length - 1]; (async () => {{ {body} }})().then(done, error => done(String(error)))"
        );
        Ok(self.browser.driver().execute_async(script, []).await?.convert()?)
    }

    /// Presses keys where the focus is. An element that has just been hidden keeps it until the browser draws, and the driver
    /// refuses to send keys there.
    pub async fn press(&self, keys: impl Into<TypingData>) -> Outcome {
        self.wait_until("the focus is on something visible", "document.activeElement?.checkVisibility()", "").await?;
        self.browser.driver().active_element().await?.send_keys(keys.into()).await?;
        Ok(())
    }

    /// Checks that the page cannot be scrolled sideways.
    pub async fn check_width(&self) -> Outcome {
        let width = "const page = document.documentElement; return page.scrollWidth - page.clientWidth";
        let sticks_out: i64 = self.browser.driver().execute(width, []).await?.convert()?;
        if sticks_out == 0 { Ok(()) } else { Err(format!("the page scrolls sideways by {sticks_out} pixels").into()) }
    }

    /// What is wrong on a phone: content that begins too far down, controls that a finger misses.
    pub async fn phone_faults(&self) -> Outcome<Vec<String>> {
        let script = "
            const faults = [];
            if (document.querySelector('dialog[open]')) return faults;
            const main = document.querySelector('main');
            const top = main.firstElementChild.getBoundingClientRect().top + scrollY;
            if (top > 110) faults.push(`content begins at ${Math.round(top)} px`);
            // A link within a sentence is as high as its line.
            const controls = 'header button, header a:not(.metric-link), .runs a, main > button';
            for (const control of document.querySelectorAll(controls)) {
                const box = control.getBoundingClientRect();
                if (control.checkVisibility() && box.width > 0 && box.height < 43) {
                    faults.push(`${control.textContent.slice(0, 30) || control.id} is ${Math.round(box.height)} px high`);
                }
            }
            return faults.slice(0, 8)";
        Ok(self.browser.driver().execute(script, []).await?.convert()?)
    }

    /// Drags the mouse across an element, from one share of its width to another.
    pub async fn drag_across(&self, selector: &str, from: f64, to: f64) -> Outcome {
        let element = self.wait_for(selector).await?;
        element.scroll_into_view().await?;
        let place = "const box = document.querySelector(arguments[0]).getBoundingClientRect();
            return [box.left, box.top, box.width, box.height]";
        let [left, top, width, height]: [f64; 4] =
            self.browser.driver().execute(place, vec![json!(selector)]).await?.convert()?;
        let y = top + height / 2.0;
        let steps = [("mouseMoved", from, 0), ("mousePressed", from, 1), ("mouseMoved", (from + to) / 2.0, 1)];
        for (kind, share, buttons) in steps.into_iter().chain([("mouseMoved", to, 1), ("mouseReleased", to, 0)]) {
            let button = if kind == "mouseMoved" && buttons == 0 { "none" } else { "left" };
            let event = json!({
                "type": kind, "x": left + width * share, "y": y, "button": button, "buttons": buttons, "clickCount": 1,
            });
            self.browser.devtools("Input.dispatchMouseEvent", event).await?;
        }
        Ok(())
    }

    /// Double-clicks in the middle of an element.
    pub async fn double_click(&self, selector: &str) -> Outcome {
        let element = self.wait_for(selector).await?;
        self.browser.driver().action_chain().double_click_element(&element).perform().await?;
        Ok(())
    }

    /// Writes what is visible to `target/screenshots/NAME.png`.
    pub async fn screenshot(&self, name: &str) -> Outcome {
        self.browser.screenshot(name).await
    }

    /// A picture of the page in each theme: `NAME-light.png` and `NAME-dark.png`.
    pub async fn screenshots(&self, name: &str) -> Outcome {
        for (theme, suffix) in [(Theme::Dark, "dark"), (Theme::Light, "light")] {
            self.browser.set_theme(theme).await?;
            self.screenshot(&format!("{name}-{suffix}")).await?;
        }
        Ok(())
    }
}

const POLL: std::time::Duration = std::time::Duration::from_millis(50);

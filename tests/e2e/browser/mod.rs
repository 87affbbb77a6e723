//! Chromium, driven over WebDriver, with everything it complains about.

mod chromium;
pub mod driver_process;
mod elsewhere;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use thirtyfour::prelude::*;

use chromium::{Chromium, Program};

/// What a scenario's steps return.
pub type Outcome<T = ()> = Result<T, Box<dyn Error>>;

/// How long anything may take to show up. Generous: it is only waited for in full when something is broken.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// A Chromium for one scenario.
pub struct Browser {
    chromium: Arc<Chromium>,
    is_kept: bool,
    directory: PathBuf,
    /// Complaints that were already drained from the browser's logs.
    complaints: Vec<String>,
}

/// A theme that the system asks for.
#[derive(Debug, Clone, Copy)]
pub enum Theme {
    Light,
    Dark,
}

impl Browser {
    /// A browser that another scenario is done with, as good as new, else a new one.
    ///
    /// # Errors
    /// Where Chromium or chromedriver is missing.
    pub async fn open(name: &str) -> Outcome<Self> {
        Self::of(Chromium::reuse_or_start().await?, name, true).await
    }

    /// A new browser, which nobody gets afterwards.
    ///
    /// # Errors
    /// Where Chromium or chromedriver is missing.
    pub async fn start(name: &str) -> Outcome<Self> {
        Self::of(Chromium::start(&Program::Chromium).await?, name, false).await
    }

    async fn of(chromium: Arc<Chromium>, name: &str, is_kept: bool) -> Outcome<Self> {
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("e2e").join(name);
        // Left over from a run that was stopped.
        let _ = std::fs::remove_dir_all(&directory);
        let browser = Self { chromium, is_kept, directory, complaints: Vec::new() };
        std::fs::create_dir_all(browser.downloads())?;
        let folder = json!({ "behavior": "allow", "downloadPath": browser.downloads().display().to_string() });
        browser.devtools("Browser.setDownloadBehavior", folder).await?;
        Ok(browser)
    }

    /// The WebDriver session.
    pub fn driver(&self) -> &WebDriver {
        &self.chromium.driver
    }

    /// Where downloads land.
    pub fn downloads(&self) -> PathBuf {
        self.directory.join("downloads")
    }

    /// Sends a command of the DevTools protocol, for what WebDriver cannot do.
    pub async fn devtools(&self, method: &str, parameters: Value) -> Outcome<Value> {
        Ok(self.driver().cdp().send_raw(method, parameters).await?)
    }

    /// Sets the theme that the page sees as the system's.
    pub async fn set_theme(&self, theme: Theme) -> Outcome {
        let value = match theme {
            Theme::Light => "light",
            Theme::Dark => "dark",
        };
        let features = json!({ "features": [{ "name": "prefers-color-scheme", "value": value }] });
        self.devtools("Emulation.setEmulatedMedia", features).await?;
        Ok(())
    }

    /// Sets the size of the visible page.
    pub async fn set_viewport(&self, width_px: u32, height_px: u32) -> Outcome {
        let size = json!({ "width": width_px, "height": height_px, "deviceScaleFactor": 1, "mobile": false });
        self.devtools("Emulation.setDeviceMetricsOverride", size).await?;
        Ok(())
    }

    /// Writes what is visible to `target/screenshots/NAME.png`.
    pub async fn screenshot(&self, name: &str) -> Outcome {
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("screenshots");
        std::fs::create_dir_all(&directory)?;
        self.driver().screenshot(&directory.join(format!("{name}.png"))).await?;
        Ok(())
    }

    /// Everything that was wrong since the start: console errors and warnings (violations of the content security
    /// policy are among them), failed requests, and requests to another host than `home`, in order of time.
    pub async fn complaints(&mut self, home: &str) -> Outcome<Vec<String>> {
        for entry in self.driver().get_log("browser").await? {
            if matches!(entry.level.as_str(), "WARNING" | "SEVERE") {
                self.complaints.push(format!("console {}: {}", entry.level, entry.message));
            }
        }
        for entry in self.driver().get_log("performance").await? {
            let event: Value = serde_json::from_str(&entry.message)?;
            self.complaints.extend(network_complaint(&event, home));
        }
        self.complaints
            .extend(self.chromium.elsewhere.drain().into_iter().map(|asked| format!("another host: {asked}")));
        Ok(self.complaints.clone())
    }
}

/// Gives the browser back, whatever became of the scenario.
impl Drop for Browser {
    fn drop(&mut self) {
        if self.is_kept {
            self.chromium.put_back();
        }
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

fn network_complaint(event: &Value, home: &str) -> Option<String> {
    let text = |path| event.pointer(path).and_then(Value::as_str);
    match text("/message/method")? {
        "Network.requestWillBeSent" => {
            let url = text("/message/params/request/url")?;
            let at_home = url.starts_with(home) || url.starts_with("blob:") || url.starts_with("data:");
            (!at_home).then(|| format!("another host: {url}"))
        }
        "Network.responseReceived" => {
            let status = event.pointer("/message/params/response/status")?.as_u64()?;
            (status >= 400)
                .then(|| format!("HTTP {status}: {}", text("/message/params/response/url").unwrap_or_default()))
        }
        // Cancelled is what the page did itself, for example when a reading was stopped.
        "Network.loadingFailed" if event.pointer("/message/params/canceled") != Some(&Value::Bool(true)) => {
            Some(format!("request failed: {}", text("/message/params/errorText").unwrap_or_default()))
        }
        _ => None,
    }
}

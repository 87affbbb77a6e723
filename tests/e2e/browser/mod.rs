//! Chromium, driven over WebDriver, with everything it complains about.

use std::error::Error;
pub mod driver_process;
mod elsewhere;

use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};
use thirtyfour::common::capabilities::chrome::ChromeCapabilities;
use thirtyfour::prelude::*;
use thirtyfour::{ChromiumLikeCapabilities, LoggingPrefsLogLevel};
use tokio::time::{Instant, sleep};

use driver_process::DriverProcess;
use elsewhere::Elsewhere;

/// What a scenario's steps return.
pub type Outcome<T = ()> = Result<T, Box<dyn Error>>;

/// How long anything may take to show up. Generous: it is only waited for in full when something is broken.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// One browser with a profile of its own.
pub struct Browser {
    driver: WebDriver,
    chromedriver: DriverProcess,
    elsewhere: Elsewhere,
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
    /// Starts chromedriver and Chromium: `CHROMEDRIVER` and `CHROMIUM` say which, else those on the path.
    ///
    /// # Errors
    /// Where either is missing.
    pub async fn start(name: &str) -> Outcome<Self> {
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("e2e").join(name);
        // Left over from a run that was stopped.
        let _ = std::fs::remove_dir_all(&directory);
        std::fs::create_dir_all(directory.join("downloads"))?;

        let log = format!("--log-path={}", directory.join("chromedriver.log").display());
        let program = std::env::var_os("CHROMEDRIVER").unwrap_or_else(|| "chromedriver".into());
        let chromedriver = DriverProcess::start(&program, &["--port=0", &log], "started successfully on port ")?;
        let elsewhere = Elsewhere::start()?;
        let mut capabilities = DesiredCapabilities::chrome();
        for flag in FLAGS {
            capabilities.add_arg(flag)?;
        }
        capabilities.add_arg(&format!("--user-data-dir={}", directory.join("profile").display()))?;
        capabilities.add_arg(&format!("--proxy-server=127.0.0.1:{}", elsewhere.port()))?;
        if let Some(binary) = std::env::var("CHROMIUM").ok().filter(|path| !path.is_empty()) {
            capabilities.set_binary(&binary)?;
        }
        capabilities.set_logging_prefs("browser", LoggingPrefsLogLevel::All)?;
        capabilities.set_logging_prefs("performance", LoggingPrefsLogLevel::All)?;

        let driver = connect(&chromedriver, capabilities).await?;
        // Chromium opens a page of its own first; what that did is none of ours.
        driver.goto("about:blank").await?;
        driver.get_log("browser").await?;
        driver.get_log("performance").await?;
        elsewhere.drain();
        let browser = Self { driver, chromedriver, elsewhere, directory, complaints: Vec::new() };
        browser
            .devtools(
                "Browser.setDownloadBehavior",
                json!({ "behavior": "allow", "downloadPath": browser.downloads().display().to_string() }),
            )
            .await?;
        Ok(browser)
    }

    /// The WebDriver session.
    pub fn driver(&self) -> &WebDriver {
        &self.driver
    }

    /// Where downloads land.
    pub fn downloads(&self) -> PathBuf {
        self.directory.join("downloads")
    }

    /// Sends a command of the DevTools protocol, for what WebDriver cannot do.
    pub async fn devtools(&self, method: &str, parameters: Value) -> Outcome<Value> {
        Ok(self.driver.cdp().send_raw(method, parameters).await?)
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
        self.driver.screenshot(&directory.join(format!("{name}.png"))).await?;
        Ok(())
    }

    /// Everything that was wrong since the start: console errors and warnings (violations of the content security
    /// policy are among them), failed requests, and requests to another host than `home`, in order of time.
    pub async fn complaints(&mut self, home: &str) -> Outcome<Vec<String>> {
        for entry in self.driver.get_log("browser").await? {
            if matches!(entry.level.as_str(), "WARNING" | "SEVERE") {
                self.complaints.push(format!("console {}: {}", entry.level, entry.message));
            }
        }
        for entry in self.driver.get_log("performance").await? {
            let event: Value = serde_json::from_str(&entry.message)?;
            self.complaints.extend(network_complaint(&event, home));
        }
        self.complaints.extend(self.elsewhere.drain().into_iter().map(|asked| format!("another host: {asked}")));
        Ok(self.complaints.clone())
    }
}

/// Closes the browser and its driver, whatever became of the scenario.
impl Drop for Browser {
    fn drop(&mut self) {
        // WebDriver's own drop would wait for minutes here.
        let session = self.driver.session_id().to_string();
        let _ = self.driver.clone().leak();
        let _ = self.chromedriver.close_session(&session);
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

/// `--no-sandbox`: Chromium refuses to run as root with it, and containers lack what it needs. The page under
/// test is ours. The rest keeps the browser from talking to anyone of its own accord.
const FLAGS: &[&str] = &[
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-sync",
    "--disable-extensions",
    "--disable-features=NetworkTimeServiceQuerying,OptimizationHints",
    "--gaia-url=http://127.0.0.1:9",
];

/// Chromium may fail to start while the machine is busy.
async fn connect(chromedriver: &DriverProcess, capabilities: ChromeCapabilities) -> Outcome<WebDriver> {
    let url = chromedriver.url();
    let deadline = Instant::now() + PATIENCE;
    loop {
        match WebDriver::new(&url, capabilities.clone()).await {
            Ok(driver) => return Ok(driver),
            Err(error) if Instant::now() > deadline => {
                return Err(format!("no session with chromedriver: {error}").into());
            }
            Err(_) => sleep(Duration::from_millis(100)).await,
        }
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

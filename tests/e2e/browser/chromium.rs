//! A Chromium that runs, with its driver and the proxy that it asks for other hosts.
//!
//! Starting Chromium takes more processor time than most scenarios, so that a browser is kept for the next scenario. It gets
//! a new tab, without emulation. Its server is an origin of its own, and what earlier origins stored is removed.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::json;
use thirtyfour::common::capabilities::chrome::ChromeCapabilities;
use thirtyfour::prelude::*;
use thirtyfour::{ChromiumLikeCapabilities, LoggingPrefsLogLevel};
use tokio::time::{Instant, sleep};

use super::driver_process::DriverProcess;
use super::elsewhere::Elsewhere;
use super::{Outcome, PATIENCE};

/// Browsers that no scenario uses; at most as many as scenarios run at once.
static IDLE: Mutex<Vec<Arc<Chromium>>> = Mutex::new(Vec::new());

/// Tells the profiles of this process apart.
static STARTED: AtomicUsize = AtomicUsize::new(0);

/// What is started.
pub enum Program {
    /// The browser as people use it, without a window.
    Chromium,
    /// Chromium's engine without the browser's own interface, by its path.
    HeadlessShell(String),
}

impl Program {
    /// The headless shell that `HEADLESS_SHELL` names, else the browser: the shell takes less processor time
    /// (docs/decisions/test-profile.md).
    pub fn for_scenarios() -> Self {
        named("HEADLESS_SHELL").map_or(Self::Chromium, Self::HeadlessShell)
    }

    fn choose(&self, capabilities: &mut ChromeCapabilities) -> Outcome {
        match self {
            Self::Chromium => {
                capabilities.add_arg("--headless=new")?;
                if let Some(path) = named("CHROMIUM") {
                    capabilities.set_binary(&path)?;
                }
            }
            Self::HeadlessShell(path) => {
                // The driver then gives it a page: it opens none of its own.
                capabilities.set("browserName", "chrome-headless-shell")?;
                capabilities.set_binary(path)?;
            }
        }
        Ok(())
    }
}

/// A program that a variable names.
fn named(variable: &str) -> Option<String> {
    std::env::var(variable).ok().filter(|path| !path.is_empty())
}

/// A Chromium with a profile of its own.
pub struct Chromium {
    pub driver: WebDriver,
    pub elsewhere: Elsewhere,
    driver_process: DriverProcess,
    directory: PathBuf,
}

impl Chromium {
    /// One that is idle, as good as new, else a new one.
    ///
    /// # Errors
    /// As [`Chromium::start`].
    pub async fn reuse_or_start() -> Outcome<Arc<Self>> {
        while let Some(idle) = take_idle() {
            // One that cannot be made ready (a scenario may have stopped in the middle of anything) is closed.
            if idle.reset().await.is_ok() {
                return Ok(idle);
            }
        }
        Self::start(&Program::for_scenarios()).await
    }

    /// Starts chromedriver, which `CHROMEDRIVER` names, else the one on the path, and a program by it.
    ///
    /// # Errors
    /// Where either is missing.
    pub async fn start(browser: &Program) -> Outcome<Arc<Self>> {
        let number = STARTED.fetch_add(1, Ordering::Relaxed);
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("browsers").join(number.to_string());
        // Left over from another process.
        let _ = std::fs::remove_dir_all(&directory);
        std::fs::create_dir_all(&directory)?;

        let log = format!("--log-path={}", directory.join("chromedriver.log").display());
        let program = std::env::var_os("CHROMEDRIVER").unwrap_or_else(|| "chromedriver".into());
        let driver_process = DriverProcess::start(&program, &["--port=0", &log], "started successfully on port ")?;
        let elsewhere = Elsewhere::start()?;
        let mut capabilities = DesiredCapabilities::chrome();
        for flag in FLAGS {
            capabilities.add_arg(flag)?;
        }
        capabilities.add_arg(&format!("--user-data-dir={}", directory.join("profile").display()))?;
        capabilities.add_arg(&format!("--proxy-server=127.0.0.1:{}", elsewhere.port()))?;
        browser.choose(&mut capabilities)?;
        capabilities.set_logging_prefs("browser", LoggingPrefsLogLevel::All)?;
        capabilities.set_logging_prefs("performance", LoggingPrefsLogLevel::All)?;

        let driver = connect(&driver_process, capabilities).await?;
        let chromium = Self { driver, elsewhere, driver_process, directory };
        // Chromium opens a page of its own first; what that does is not the page's.
        chromium.driver.goto("about:blank").await?;
        chromium.forget_logs().await?;
        Ok(Arc::new(chromium))
    }

    /// Keeps it for another scenario.
    pub fn put_back(self: &Arc<Self>) {
        IDLE.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::clone(self));
    }

    /// Closes each tab, removes what its origin has stored, and opens an empty one.
    async fn reset(&self) -> Outcome {
        let used = self.driver.windows().await?;
        let fresh = self.driver.new_tab().await?;
        for tab in used {
            self.driver.switch_to_window(tab).await?;
            let origin = self.driver.current_url().await?.origin().ascii_serialization();
            let everything = json!({ "origin": origin, "storageTypes": "all" });
            self.driver.cdp().send_raw("Storage.clearDataForOrigin", everything).await?;
            self.driver.close_window().await?;
        }
        self.driver.switch_to_window(fresh).await?;
        self.forget_logs().await
    }

    async fn forget_logs(&self) -> Outcome {
        self.driver.get_log("browser").await?;
        self.driver.get_log("performance").await?;
        self.elsewhere.drain();
        Ok(())
    }
}

/// Closes the browser and its driver.
impl Drop for Chromium {
    fn drop(&mut self) {
        // WebDriver's own drop would wait for minutes here.
        let session = self.driver.session_id().to_string();
        let _ = self.driver.clone().leak();
        let _ = self.driver_process.close_session(&session);
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

/// `--no-sandbox`: Chromium refuses to run as root with it, and containers lack what it needs. The page under
/// test is ours. The rest keeps the browser from talking to anyone of its own accord.
const FLAGS: &[&str] = &[
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

fn take_idle() -> Option<Arc<Chromium>> {
    IDLE.lock().unwrap_or_else(PoisonError::into_inner).pop()
}

/// Chromium may fail to start while the machine is busy.
async fn connect(driver_process: &DriverProcess, capabilities: ChromeCapabilities) -> Outcome<WebDriver> {
    let url = driver_process.url();
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

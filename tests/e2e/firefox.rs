//! The page in Firefox: opened, sample read to verdicts, charts drawn, a file chosen, a report saved, and nothing in the
//! console. Skipped with a notice where there is no Firefox with a geckodriver (`tools/browser.sh` says how to get them).

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde_json::json;
use thirtyfour::common::capabilities::firefox::FirefoxPreferences;
use thirtyfour::prelude::*;
use tokio::time::{Duration, Instant, sleep};

use crate::browser::driver_process::DriverProcess;
use crate::browser::{Outcome, PATIENCE};
use crate::made::folder_of;
use crate::page::dist;
use crate::sample::VERDICTS;
use crate::server::Server;

/// Notes what the page and the browser complain about. Firefox's driver has no log to ask for.
const WATCH: &str = "
window.complaints = [];
const note = (text) => window.complaints.push(String(text));
// Sizes that change while sizes are observed are told in the next frame: no fault.
addEventListener('error', (event) => event.message?.startsWith('ResizeObserver loop') || note(event.message), true);
addEventListener('unhandledrejection', (event) => note(event.reason));
addEventListener('securitypolicyviolation', (event) => note(`policy: ${event.violatedDirective} ${event.blockedURI}`));
for (const level of ['error', 'warn']) {
  const log = console[level];
  console[level] = (...parts) => { note(`${level}: ${parts.join(' ')}`); log(...parts); };
}
";

/// Firefox with a page.
struct Firefox {
    driver: WebDriver,
    geckodriver: DriverProcess,
    server: Server,
    downloads: PathBuf,
}

/// True for a canvas in which something is drawn.
const IS_DRAWN: &str = "(canvas => canvas && canvas.width > 0
    && canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.some(part => part > 0))";

#[tokio::test]
async fn firefox_reads_draws_and_saves() -> Outcome {
    let Some((firefox, geckodriver)) = programs() else {
        eprintln!("skipped: there is no Firefox with a geckodriver here (tools/browser.sh says how to get them)");
        return Ok(());
    };
    let page = Firefox::start(&firefox, &geckodriver).await?;
    let outcome = steps(&page).await;
    let picture = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("screenshots");
    std::fs::create_dir_all(&picture)?;
    page.driver.screenshot(&picture.join("firefox.png")).await?;
    let complaints = page.complaints().await?;
    let outcome = outcome.map_err(|error| format!("{error}\n{}", complaints.join("\n")));
    page.driver.clone().quit().await?;
    outcome?;
    assert!(complaints.is_empty(), "Firefox complained:\n{}", complaints.join("\n"));
    Ok(())
}

async fn steps(page: &Firefox) -> Outcome {
    page.until("the program is there", "!document.querySelector('#static-page')").await?;
    page.click("#open-sample").await?;
    let rows = "document.querySelectorAll('#runs [data-verdict]')";
    page.until("the sample is read", &format!("{rows}.length === {}", VERDICTS.len())).await?;
    for (name, verdict) in VERDICTS {
        let is_so = format!(
            "[...{rows}].some(row => row.dataset.verdict === '{verdict}' && row.textContent.includes('{name}'))"
        );
        page.until(&format!("{name} is {verdict}"), &is_so).await?;
    }

    let row = format!("[...{rows}].find(row => row.textContent.includes('amber-07'))");
    page.driver.execute(format!("{row}.click()"), []).await?;
    let evidence = format!("{IS_DRAWN}(document.querySelector('[data-code=reward_hacking] canvas'))");
    page.until("the evidence is drawn", &evidence).await?;

    page.click("header a[href^='#/metrics']").await?;
    page.until("metrics are drawn", &format!("{IS_DRAWN}(document.querySelector('.metrics-section canvas'))")).await?;
    page.focused(".metrics-section .chart-frame").await?.send_keys("+").await?;
    page.until("a key zooms", "location.hash.includes('zoom=')").await?;
    page.click(".chart-menu .popup-button").await?;
    page.until("the menu of a chart opens", "document.activeElement.matches('[role=menuitem]')").await?;
    page.driver.active_element().await?.send_keys(Key::Escape + "").await?;
    page.until("and closes", "document.activeElement.matches('.chart-menu .popup-button')").await?;

    page.click("header a[href^='#/compare']").await?;
    page.until("the comparison is there", "document.querySelector('.run-table tbody td')").await?;
    page.until(
        "its charts are drawn",
        &format!("[...document.querySelectorAll('main canvas')].some(canvas => {IS_DRAWN}(canvas))"),
    )
    .await?;

    page.driver.find(By::Css("body")).await?.send_keys(Key::Control + "k").await?;
    page.until("the palette opens", "document.activeElement.id === 'palette-search'").await?;
    page.driver.active_element().await?.send_keys("files and their").await?;
    page.until("it finds", "document.querySelector('#palette-0')?.textContent.startsWith('Files')").await?;
    page.driver.active_element().await?.send_keys(Key::Enter + "").await?;
    page.until("files are listed", "document.querySelector('dialog[open] .files select')").await?;
    page.driver.active_element().await?.send_keys(Key::Escape + "").await?;
    page.until("the list is closed", "!document.querySelector('dialog')").await?;

    let table: String = (0..30).map(|step| format!("{step},{}\n", f64::from(step) / 40.0)).collect();
    let files = folder_of("firefox", &[("chosen.csv", format!("step,reward\n{table}").as_bytes())])?;
    let input = page.driver.find(By::Css("input[type=file]:not([webkitdirectory])")).await?;
    input.send_keys(files.first().ok_or("no file was made")?.display().to_string()).await?;
    page.until("the chosen file is a run", &format!("{rows}.length === {}", VERDICTS.len() + 1)).await?;

    page.click("header a[href^='#/report']").await?;
    page.until("the report is there", "document.querySelector('.report h2')").await?;
    page.click(".report-tools .buttons button").await?;
    let report = page.downloaded(".md").await?;
    assert!(report.starts_with("# Run chosen"), "{report}");
    Ok(())
}

impl Firefox {
    /// Serves the built page with a script that notes complaints, and opens it.
    async fn start(firefox: &OsString, geckodriver: &OsString) -> Outcome<Self> {
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("e2e").join("firefox");
        // Left over from a run that was stopped.
        let _ = std::fs::remove_dir_all(&directory);
        let (site, downloads) = (directory.join("site"), directory.join("downloads"));
        std::fs::create_dir_all(&site)?;
        std::fs::create_dir_all(&downloads)?;
        for file in std::fs::read_dir(dist())? {
            let file = file?;
            if file.path().is_dir() {
                continue;
            }
            std::fs::copy(file.path(), site.join(file.file_name()))?;
        }
        let html = std::fs::read_to_string(site.join("index.html"))?;
        let watched = html.replacen("<script", "<script src=\"watch.js\"></script><script", 1);
        std::fs::write(site.join("index.html"), watched)?;
        std::fs::write(site.join("watch.js"), WATCH)?;

        let server = Server::start(site)?;
        let geckodriver = DriverProcess::start(geckodriver, &["--port=0"], "Listening on 127.0.0.1:")?;
        let mut capabilities = DesiredCapabilities::firefox();
        capabilities.set_firefox_binary(&firefox.to_string_lossy())?;
        capabilities.add_arg("-headless")?;
        let mut preferences = FirefoxPreferences::new();
        preferences.set("browser.download.folderList", 2)?;
        preferences.set("browser.download.dir", downloads.display().to_string())?;
        // Firefox itself asks its own servers; a proxy that is not there keeps it from that. The page's server needs none.
        preferences.set("network.proxy.type", 1)?;
        for protocol in ["http", "ssl"] {
            preferences.set(&format!("network.proxy.{protocol}"), "127.0.0.1")?;
            preferences.set(&format!("network.proxy.{protocol}_port"), 9)?;
        }
        capabilities.set_preferences(preferences)?;
        let driver = WebDriver::new(&geckodriver.url(), capabilities).await?;
        driver.set_window_rect(0, 0, 1440, 1000).await?;
        driver.goto(server.url()).await?;
        Ok(Self { driver, geckodriver, server, downloads })
    }

    /// Waits until an expression in JavaScript is true.
    async fn until(&self, what: &str, expression: &str) -> Outcome {
        let deadline = Instant::now() + PATIENCE;
        while !self.driver.execute(format!("return Boolean({expression})"), []).await?.convert::<bool>()? {
            if Instant::now() > deadline {
                return Err(format!("waited in vain until {what}").into());
            }
            sleep(POLL).await;
        }
        Ok(())
    }

    async fn click(&self, selector: &str) -> Outcome {
        self.until(&format!("{selector} is there"), &format!("document.querySelector(\"{selector}\")")).await?;
        let element = self.driver.find(By::Css(selector)).await?;
        element.scroll_into_view().await?;
        element.click().await?;
        Ok(())
    }

    async fn focused(&self, selector: &str) -> Outcome<WebElement> {
        let script = "document.querySelector(arguments[0]).focus()";
        self.driver.execute(script, vec![json!(selector)]).await?;
        Ok(self.driver.active_element().await?)
    }

    async fn downloaded(&self, ending: &str) -> Outcome<String> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            for file in std::fs::read_dir(&self.downloads)? {
                let path = file?.path();
                if path.display().to_string().ends_with(ending) && path.metadata()?.len() > 0 {
                    return Ok(std::fs::read_to_string(path)?);
                }
            }
            if Instant::now() > deadline {
                return Err(format!("waited in vain for the download of a {ending} file").into());
            }
            sleep(POLL).await;
        }
    }

    /// Everything that was wrong in the page and at the server.
    async fn complaints(&self) -> Outcome<Vec<String>> {
        let mut found: Vec<String> = self.driver.execute("return window.complaints", []).await?.convert()?;
        let refused = self.server.log().into_iter().filter(|served| served.status >= 400);
        found.extend(refused.map(|served| format!("HTTP {}: {}", served.status, served.url)));
        Ok(found)
    }
}

impl Drop for Firefox {
    fn drop(&mut self) {
        // WebDriver's own drop would wait for minutes here.
        let session = self.driver.session_id().to_string();
        let _ = self.driver.clone().leak();
        let _ = self.geckodriver.close_session(&session);
    }
}

/// Firefox and geckodriver, which `tools/browser.sh` names where they are there.
fn programs() -> Option<(OsString, OsString)> {
    let named = |variable: &str| std::env::var_os(variable).filter(|name| !name.is_empty());
    named("FIREFOX").zip(named("GECKODRIVER"))
}

const POLL: Duration = Duration::from_millis(50);

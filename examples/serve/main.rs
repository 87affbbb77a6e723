//! Serves the built page on this machine alone: `cargo run --example serve -- dist 8080`, or `make serve`.
//!
//! Any static server does as well; this one is here so that trying the page needs nothing but Rust.

// With all features this is built for wasm32 too, where there is nothing to serve from.
#[cfg(not(target_arch = "wasm32"))]
mod site;

#[cfg(not(target_arch = "wasm32"))]
fn main() -> std::process::ExitCode {
    use std::process::ExitCode;

    let mut arguments = std::env::args().skip(1);
    let directory = arguments.next().unwrap_or_else(|| String::from("dist"));
    let port = arguments.next().unwrap_or_else(|| String::from("8080"));
    let Ok(port) = port.parse::<u16>() else {
        eprintln!("serve: {port} is no port");
        return ExitCode::FAILURE;
    };
    match site::Site::open(directory.into(), port) {
        Ok(site) => {
            println!("http://localhost:{}", site.port());
            let served = site.serve(|served| {
                if served.status >= 400 {
                    eprintln!("{} {}", served.status, served.url);
                }
            });
            match served {
                Ok(()) => ExitCode::SUCCESS,
                Err(error) => {
                    eprintln!("serve: {error}");
                    ExitCode::FAILURE
                }
            }
        }
        Err(error) => {
            eprintln!("serve: {error}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(target_arch = "wasm32")]
fn main() {}

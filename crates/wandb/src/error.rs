//! What can go wrong between the page and a W&B server, in words that say what to do.

use rundown_format::duration;
use rundown_http::{HttpError, TransportError, refused_wait};

/// An error of the W&B API. Its text never holds the key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ApiError {
    /// 401, or a message to that effect.
    #[error("The server does not accept this key.")]
    WrongKey,
    /// 403, or a message to that effect.
    #[error("This key may not read {what}.")]
    NoAccess {
        /// What was asked for.
        what: String,
    },
    /// `null` without an error: it does not exist, or is private.
    #[error("The server shows no {what}: it does not exist, or is private.")]
    NotFound {
        /// What was asked for.
        what: String,
        /// A key was sent.
        had_key: bool,
    },
    /// 429 after all retries.
    #[error("The server limits the request rate, and still did after several retries.")]
    RateLimited,
    /// It asks for a longer wait than anybody waits for.
    #[error("Rate limited: the server asks to wait {} before the next request.", duration(f64::from(*seconds)))]
    LongWait {
        /// How long, in seconds.
        seconds: u32,
    },
    /// The request or its response was rejected by a rule of this client, such as that of redirects.
    #[error("The server at {server} {what}")]
    Rejected {
        /// Its base or its host.
        server: String,
        /// What it did.
        what: TransportError,
    },
    /// A list whose next page is one that came before.
    #[error("The server gave the same page of {operation} twice: its list would never end.")]
    EndlessList {
        /// Name of the query.
        operation: &'static str,
    },
    /// 5xx after all retries.
    #[error("The server failed with status {status}, even after several retries.")]
    Server {
        /// HTTP status.
        status: u16,
    },
    /// Any other status.
    #[error("The server refused the request with status {status}. {message}")]
    Refused {
        /// HTTP status.
        status: u16,
        /// What the server said.
        message: String,
    },
    /// No answer that may be read: CORS, or a server that is down.
    #[error("The server at {base_url} did not let this page read its answer (CORS), or it cannot be reached.")]
    Blocked {
        /// Base of the API.
        base_url: String,
    },
    /// A server whose answers could be read gives none any more.
    #[error("The server at {base_url} stopped answering.")]
    Unreachable {
        /// Base of the API.
        base_url: String,
    },
    /// No network.
    #[error("There is no network connection.")]
    Offline,
    /// The answer ended early, again and again.
    #[error("The server's answer ended early.")]
    Cut,
    /// The user stopped it.
    #[error("Stopped.")]
    Cancelled,
    /// The server does not know a field.
    #[error("This server does not know {field}.")]
    Unsupported {
        /// Name of the field.
        field: String,
    },
    /// The server answered with an error in words.
    #[error("The server answered: {message}")]
    Query {
        /// Its words, without the key.
        message: String,
    },
    /// The answer is not understood.
    #[error("The server's answer to {operation} could not be understood: {what}.")]
    Malformed {
        /// Name of the query.
        operation: &'static str,
        /// What is wrong with it.
        what: String,
    },
}

/// A way to get runs when a server does not let the page read its answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CorsWorkaround {
    /// W&B's server allows `http://localhost`.
    RunLocally,
    /// The script of [`exporter_script`](crate::exporter_script).
    Exporter,
    /// Files that are on the disk already.
    DropFolders,
    /// The script of [`proxy_script`](crate::proxy_script).
    Proxy,
    /// A setting of the server.
    AllowOrigin,
}

impl CorsWorkaround {
    /// All of them, the easiest first.
    pub const ALL: [Self; 5] = [Self::RunLocally, Self::Exporter, Self::DropFolders, Self::Proxy, Self::AllowOrigin];

    /// What to do, in one or two sentences.
    pub fn text(self) -> &'static str {
        match self {
            Self::RunLocally => {
                "Run this page on your own machine (make serve) and open it at http://localhost: W&B's server allows that."
            }
            Self::Exporter => {
                "Paste the Python exporter into a terminal: it writes a file of your project's runs to drop here."
            }
            Self::DropFolders => "Drop the run folders (wandb/run-…), output.log or CSV exports instead.",
            Self::Proxy => {
                "Run the small local proxy and give its address as the base URL. It listens only on your machine. Never give your key to a proxy of someone else."
            }
            Self::AllowOrigin => {
                "On a self-hosted server, let its administrator add this page's origin (GORILLA_CORS_ORIGINS, or extraCors in the Helm chart)."
            }
        }
    }
}

impl ApiError {
    /// What the user can do about it.
    pub fn remedy(&self) -> String {
        match self {
            ApiError::WrongKey => {
                "Copy the key again from the server's /authorize page (for W&B: https://wandb.ai/authorize), and check that it belongs to this server.".into()
            }
            ApiError::NoAccess { .. } => {
                "Ask an owner of the project to add you, or use the key of an account that can open it in W&B.".into()
            }
            ApiError::NotFound { had_key: true, .. } => {
                "Check entity and project for typing errors (letter case counts), and that the key's account can open it in W&B.".into()
            }
            ApiError::NotFound { had_key: false, .. } => {
                "Check entity and project for typing errors (letter case counts). If the project is private, give a key.".into()
            }
            ApiError::RateLimited => {
                "Wait a few minutes and resume: fetched data is kept. Choose fewer runs or fewer metrics.".into()
            }
            ApiError::LongWait { .. } => "Resume then: fetched data is kept.".into(),
            ApiError::Rejected { what, .. } => remedy_of_rejection(what).into(),
            ApiError::Server { .. } => {
                "Resume later: fetched data is kept. If it stays, choose fewer metrics: servers fail when a run has thousands.".into()
            }
            ApiError::Blocked { .. } => CorsWorkaround::ALL.map(CorsWorkaround::text).join(" "),
            ApiError::Unreachable { .. } => {
                "Check the network and resume later: fetched data is kept.".into()
            }
            ApiError::Offline => "Connect and resume: fetched data is kept.".into(),
            ApiError::Cut => "Resume: fetched data is kept. If it stays, choose fewer metrics.".into(),
            ApiError::Cancelled => "Resume when you like: fetched data is kept.".into(),
            ApiError::Unsupported { .. } => {
                "The server is older than this page expects. Export the run and drop the file instead.".into()
            }
            ApiError::Refused { .. }
            | ApiError::Query { .. }
            | ApiError::Malformed { .. }
            | ApiError::EndlessList { .. } => {
                "Check the base URL: it must be that of a W&B server's API. If it is, export the run and drop the file instead.".into()
            }
        }
    }

    /// True when the same request may succeed later, so that the user should be offered to go on.
    pub fn can_go_on(&self) -> bool {
        matches!(
            self,
            ApiError::RateLimited
                | ApiError::Server { .. }
                | ApiError::Unreachable { .. }
                | ApiError::Offline
                | ApiError::Cut
                | ApiError::Cancelled
                | ApiError::LongWait { .. }
                | ApiError::Rejected { what: TransportError::Silent | TransportError::Slow, .. }
        )
    }

    /// From what the transport or the status said. `said` is the body's message, without the key.
    pub(crate) fn from_failure(failure: &HttpError, base_url: &str, what: &str, wording: String) -> Self {
        match failure {
            HttpError::Transport(TransportError::Offline) => ApiError::Offline,
            HttpError::Transport(TransportError::Blocked) => ApiError::Blocked { base_url: base_url.to_owned() },
            HttpError::Transport(TransportError::Cut) => ApiError::Cut,
            HttpError::Transport(TransportError::Cancelled) => ApiError::Cancelled,
            HttpError::Transport(what) => ApiError::Rejected { server: base_url.to_owned(), what: what.clone() },
            HttpError::Status(response) if let Some(seconds) = refused_wait(response) => ApiError::LongWait { seconds },
            HttpError::Status(response) => match response.status {
                401 => ApiError::WrongKey,
                403 => ApiError::NoAccess { what: what.to_owned() },
                429 => ApiError::RateLimited,
                status @ 500.. if status != 501 => ApiError::Server { status },
                status => Self::from_message(&wording).unwrap_or(ApiError::Refused { status, message: wording }),
            },
        }
    }

    /// From the words of a GraphQL error, where they are known.
    pub(crate) fn from_message(message: &str) -> Option<Self> {
        let lower = message.to_ascii_lowercase();
        let unknown = ["cannot query field", "unknown field", "unknown argument"];
        if unknown.iter().any(|words| lower.contains(words)) {
            let field = message.split('"').nth(1).unwrap_or("a field of this query");
            return Some(ApiError::Unsupported { field: field.to_owned() });
        }
        if lower.contains("api key") || lower.contains("unauthenticated") || lower.contains("not logged in") {
            return Some(ApiError::WrongKey);
        }
        if lower.contains("permission") || lower.contains("forbidden") || lower.contains("unauthorized") {
            return Some(ApiError::NoAccess { what: "this".to_owned() });
        }
        if lower.contains("rate limit") || lower.contains("too many requests") {
            return Some(ApiError::RateLimited);
        }
        None
    }
}

fn remedy_of_rejection(what: &TransportError) -> &'static str {
    match what {
        TransportError::Redirected { .. } => {
            "Give the address of the API itself. Where http:// leads to https://, write https://."
        }
        TransportError::TooLarge { .. } => "Choose fewer runs or fewer metrics, or export the run and drop the file.",
        TransportError::NotNamed => "Connect again and name it among the hosts that keep the files.",
        _ => "Resume later: fetched data is kept.",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rundown_http::HttpResponse;

    fn status(status: u16, wording: &str) -> ApiError {
        let failure = HttpError::Status(HttpResponse { status, ..HttpResponse::default() });
        ApiError::from_failure(&failure, "https://api.wandb.ai", "project e/p", wording.to_owned())
    }

    fn rejected(what: TransportError) -> ApiError {
        ApiError::from_failure(&HttpError::Transport(what), "https://x", "project e/p", String::new())
    }

    #[test]
    fn what_a_server_did_is_said() {
        let redirect = rejected(TransportError::Redirected { target: Some("evil.example".into()) }).to_string();
        assert!(redirect.contains("https://x answered with a redirect to evil.example"), "{redirect}");
        let silent = rejected(TransportError::Silent);
        assert!(silent.to_string().contains("sent nothing for 30 seconds") && silent.can_go_on());
        let large = rejected(TransportError::TooLarge { limit: 64_000_000 });
        assert!(large.to_string().contains("more than 64 MB") && !large.can_go_on());
        let retry_after = Some("999999".to_owned());
        let limited = HttpError::Status(HttpResponse { status: 429, retry_after, ..HttpResponse::default() });
        let wait = ApiError::from_failure(&limited, "https://x", "", String::new());
        assert_eq!(wait.to_string(), "Rate limited: the server asks to wait 277.8 h before the next request.");
    }

    #[test]
    fn each_failure_says_what_to_do() {
        for (error, words) in [
            (status(401, ""), "/authorize"),
            (status(403, ""), "owner"),
            (status(429, ""), "Wait"),
            (status(502, ""), "fewer metrics"),
            (status(404, "page not found"), "base URL"),
            (ApiError::NotFound { what: "run e/p/r".into(), had_key: false }, "give a key"),
            (ApiError::Blocked { base_url: "https://x".into() }, "make serve"),
            (ApiError::Offline, "Connect"),
            (rejected(TransportError::Redirected { target: None }), "https://"),
            (rejected(TransportError::TooLarge { limit: 1 }), "fewer"),
            (rejected(TransportError::NotNamed), "name it"),
        ] {
            assert!(error.remedy().contains(words), "{error}: {}", error.remedy());
        }
        let ways = ApiError::Blocked { base_url: "https://x".into() }.remedy();
        for way in ["localhost", "exporter", "proxy", "GORILLA_CORS_ORIGINS", "Drop"] {
            assert!(ways.contains(way), "{way}");
        }
    }

    #[test]
    fn words_of_servers_are_known() {
        let message = "Cannot query field \"bucketedHistory\" on type \"Run\".";
        assert_eq!(
            ApiError::from_message(message),
            Some(ApiError::Unsupported { field: "bucketedHistory".to_owned() })
        );
        assert_eq!(status(400, message), ApiError::Unsupported { field: "bucketedHistory".to_owned() });
        assert_eq!(ApiError::from_message("permission denied").map(|e| e.can_go_on()), Some(false));
        assert_eq!(ApiError::from_message("boom"), None);
    }
}

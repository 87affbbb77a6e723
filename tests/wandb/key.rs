//! The key goes to the server that it is for, and shows nowhere: not in errors, not in addresses, not at a bucket.

use rundown_http::{ApiKey, HttpSession};
use rundown_wandb::{ApiError, Download, FetchOptions, RunRef, WandbClient};

use crate::fake_wandb::Switches;
use crate::native::Native;
use crate::served::{KEY, block_on, client, place, server};

#[test]
fn errors_say_what_to_do_and_never_hold_the_key() {
    let Some(server) = server() else { return };
    let transport = Native::default();
    let client = client(&server, &transport);
    let id = server.state().runs[0].id.clone();
    let with_key = |key: Option<&str>| {
        WandbClient::new(HttpSession::new(&transport, 7), server.base_url(), key.and_then(ApiKey::new))
    };
    let error = |client: &WandbClient<&Native>, place: RunRef| {
        block_on(Download::begin(client, place, FetchOptions::default(), |_| true)).err().unwrap()
    };
    let mut seen = vec![error(&with_key(Some("wrong-0123456789abcdef")), place(&id))];
    assert_eq!(seen[0], ApiError::WrongKey);
    seen.push(error(&client, place("nothing")));
    assert!(matches!(&seen[1], ApiError::NotFound { what, had_key: true } if what.contains("run ")));
    seen.push(error(&client, RunRef { project: "none".into(), ..place(&id) }));
    assert!(matches!(&seen[2], ApiError::NotFound { what, .. } if what.contains("project ")));
    server.state().switches().private = true;
    seen.push(error(&with_key(None), place(&id)));
    assert!(matches!(&seen[3], ApiError::NotFound { had_key: false, .. }));
    assert!(block_on(Download::begin(&client, place(&id), FetchOptions::default(), |_| true)).is_ok());
    server.reset(Switches { rate_limited: 100, ..Switches::default() });
    seen.push(error(&client, place(&id)));
    assert_eq!(seen[4], ApiError::RateLimited);
    server.reset(Switches { bad_gateway: 100, ..Switches::default() });
    seen.push(error(&client, place(&id)));
    assert_eq!(seen[5], ApiError::Server { status: 502 });
    server.reset(Switches::default());
    let nowhere = WandbClient::new(HttpSession::new(&transport, 7), "http://127.0.0.1:1", ApiKey::new(KEY));
    seen.push(error(&nowhere, place(&id)));
    assert!(matches!(&seen[6], ApiError::Blocked { .. }));
    for error in &seen {
        let text = format!("{error} {error:?} {}", error.remedy());
        assert!(!text.contains(KEY) && !text.contains("0123456789abcdef") && text.len() > 40, "{text}");
    }
}

#[test]
fn files_come_without_the_key_from_buckets_and_with_it_from_the_server() {
    let Some(server) = server() else { return };
    let transport = Native::default();
    let client = client(&server, &transport);
    let with_files = server.state().runs.iter().filter(|run| run.files.len() > 1).collect::<Vec<_>>();
    let run = with_files.iter().max_by_key(|run| run.files.len()).unwrap();
    let (files, more) = block_on(client.files(&place(&run.id), None)).unwrap();
    assert_eq!((files.len(), more), (run.files.len(), false));
    let (tables, _) = block_on(client.files(&place(&run.id), Some("media/table/%.table.json"))).unwrap();
    assert!(!tables.is_empty() && tables.iter().all(|file| file.name.ends_with(".table.json")));
    let bytes = block_on(client.read_file(&place(&run.id), &tables[0])).unwrap();
    let on_disk = &run.files.iter().find(|(name, _)| *name == tables[0].name).unwrap().1;
    assert_eq!(
        (bytes, tables[0].bytes),
        (std::fs::read(on_disk).unwrap(), Some(std::fs::metadata(on_disk).unwrap().len()))
    );
    for seen in server.state().log().iter() {
        let is_storage = seen.line.contains("/storage/");
        assert_eq!(seen.authorization.is_some(), !is_storage, "{seen:?}");
        assert!(!seen.line.contains(KEY) && !seen.body.contains(KEY));
    }
}

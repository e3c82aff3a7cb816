//! Logins, against a small authorization server and the server that it protects.

mod server;

use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use serde_json::json;

use self::server::{Protected, protected};
use super::*;
use crate::Frame;
use crate::wire::http::{Remote, connect};
use crate::wire::{Incoming, Wire};

fn request(url: &str) -> LoginRequest {
    LoginRequest { url: url.to_owned(), ..LoginRequest::default() }
}

/// Logs in, as a person with a browser does.
async fn log_in(logins: &Logins, server: &Protected) {
    let login = logins.begin_login(request(&server.url)).await.unwrap();
    let page = login.url().to_owned();
    let finishing = tokio::spawn(login.finish(Duration::from_secs(30)));
    let back = server.authorize(&page);
    let shown = server.browse(&back).await;
    assert_eq!(shown, (200, "You are logged in. You can close this page.".to_owned()));
    finishing.await.unwrap().unwrap();
}

fn wire(logins: &Logins, url: &str) -> Wire {
    let (name, url) = ("docs".to_owned(), url.to_owned());
    let bearer = logins.bearer_for(&url);
    connect(Remote { name, url, headers: std::collections::BTreeMap::new(), bearer }).unwrap()
}

async fn ask(wire: &mut Wire, id: u64) -> Result<(), String> {
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28"});
    wire.outgoing.send(Frame::request(id, "tools/list", &json!({"_meta": meta}))).await.unwrap();
    match wire.incoming.recv().await.unwrap() {
        Incoming::Frame { about, .. } if about == Some(id) => Ok(()),
        Incoming::Failed { message, .. } => Err(message),
        other => panic!("{other:?}"),
    }
}

/// MCP, authorization: the code flow with PKCE, the resource in each request for tokens; D0.14: secrets are
/// for the user only.
#[tokio::test]
async fn given_a_login_then_its_tokens_are_the_users_own_and_work() {
    let (server, folder) = (protected().await, tempfile::tempdir().unwrap());
    let logins = Logins::new(folder.path());
    let mut wire = wire(&logins, &server.url);
    assert!(ask(&mut wire, 1).await.unwrap_err().contains("mayi mcp login docs"));
    assert!(!logins.has_login(&server.url));
    log_in(&logins, &server).await;
    // What runs already has it too.
    ask(&mut wire, 2).await.unwrap();
    assert!(logins.has_login(&server.url));
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    let place = folder.path().join("logins");
    assert_eq!(mode(&place), 0o700);
    for file in std::fs::read_dir(&place).unwrap() {
        assert_eq!(mode(&file.unwrap().path()), 0o600);
    }
    assert!(logins.forget_login(&server.url).unwrap());
    assert!(!logins.forget_login(&server.url).unwrap());
    assert!(ask(&mut wire, 3).await.is_err(), "logged out");
}

/// OAuth 2.1, section 7.12: a return that nobody began is none, and does not end the login that is waited for.
#[tokio::test]
async fn given_a_wrong_state_then_it_counts_for_nothing() {
    let (server, folder) = (protected().await, tempfile::tempdir().unwrap());
    let logins = Logins::new(folder.path());
    let login = logins.begin_login(request(&server.url)).await.unwrap();
    let page = login.url().to_owned();
    let finishing = tokio::spawn(login.finish(Duration::from_secs(30)));
    let back = server.authorize(&page);
    let (base, _) = back.split_once('?').unwrap();
    for wrong in ["", "?code=evil&state=evil", "?error=access_denied&state=", "?code=evil"] {
        assert_eq!(server.browse(&format!("{base}{wrong}")).await.0, 400, "{wrong}");
    }
    assert_eq!(server.token_requests(), 0);
    assert_eq!(server.browse(&back).await.0, 200);
    finishing.await.unwrap().unwrap();

    let login = logins.begin_login(request(&server.url)).await.unwrap();
    let page = login.url().to_owned();
    let finishing = tokio::spawn(login.finish(Duration::from_secs(30)));
    let denied = server.authorize(&page).replace("code=", "error=access_denied%1b[2J&x=");
    server.browse(&denied).await;
    let error = finishing.await.unwrap().unwrap_err().to_string();
    assert!(error.contains("access_denied") && !error.contains('\u{1b}'), "{error}");

    let login = logins.begin_login(request(&server.url)).await.unwrap();
    let late = login.finish(Duration::from_millis(1)).await.unwrap_err();
    assert!(matches!(late, LoginError::Late(_)));
}

/// MCP, authorization: a token that is old or revoked is renewed, once for all who need it.
#[tokio::test]
async fn given_a_revoked_token_then_it_is_renewed_once_and_kept() {
    let (server, folder) = (protected().await, tempfile::tempdir().unwrap());
    let logins = Logins::new(folder.path());
    log_in(&logins, &server).await;
    let (mut one, mut other) = (wire(&logins, &server.url), wire(&logins, &server.url));
    ask(&mut one, 1).await.unwrap();
    ask(&mut other, 1).await.unwrap();
    assert_eq!(server.token_requests(), 1, "for the login");
    server.revoke(false);
    ask(&mut one, 2).await.unwrap();
    ask(&mut other, 2).await.unwrap();
    assert_eq!(server.token_requests(), 2, "the other one took what was renewed");
    // One that begins now, as another process would.
    ask(&mut wire(&logins, &server.url), 1).await.unwrap();
    assert_eq!(server.token_requests(), 2);
    server.revoke(true);
    let message = ask(&mut one, 3).await.unwrap_err();
    assert_eq!(message, "the server docs wants a login: run `mayi mcp login docs`");
}

/// MCP, authorization: what is known to be old is not sent.
#[tokio::test]
async fn given_a_token_that_is_old_then_it_is_renewed_before_it_is_sent() {
    let (server, folder) = (protected().await, tempfile::tempdir().unwrap());
    server.expire();
    let logins = Logins::new(folder.path());
    log_in(&logins, &server).await;
    server.last();
    ask(&mut wire(&logins, &server.url), 1).await.unwrap();
    assert_eq!(server.token_requests(), 2);
    assert_eq!(server.refused(), 0);
}

/// Attack: another server that wants the token of this one.
#[tokio::test]
async fn given_another_address_then_the_token_is_not_for_it() {
    let (server, other) = (protected().await, protected().await);
    let folder = tempfile::tempdir().unwrap();
    let logins = Logins::new(folder.path());
    log_in(&logins, &server).await;
    for url in [other.url.clone(), format!("{}x", server.url), format!("{}?a=b", server.url)] {
        assert!(!logins.has_login(&url), "{url}");
        let bearer = logins.bearer_for(&url).unwrap();
        assert_eq!(bearer.token(None).await, Ok(None), "{url}");
    }
    // A file under another's name is none.
    let files = || std::fs::read_dir(folder.path().join("logins")).unwrap().map(|file| file.unwrap().path());
    let kept = files().find(|path| path.extension().is_some_and(|end| end == "json")).unwrap();
    log_in(&logins, &other).await;
    for path in files().filter(|path| *path != kept && path.extension().is_some_and(|end| end == "json")) {
        std::fs::copy(&kept, path).unwrap();
    }
    assert_eq!(logins.bearer_for(&other.url).unwrap().token(None).await, Ok(None));
    for url in ["http://mcp.example/mcp", "ftp://localhost/", "nonsense"] {
        assert!(logins.begin_login(request(url)).await.is_err(), "{url}");
        assert!(logins.bearer_for(url).is_none(), "{url}");
    }
}

/// Attack: a server that has the browser opened at something else than a page.
#[tokio::test]
async fn given_a_page_that_is_none_then_it_is_not_shown() {
    let (server, folder) = (protected().await, tempfile::tempdir().unwrap());
    for page in ["file:///etc/passwd", "javascript:alert(1)", "http://evil.example/authorize"] {
        server.page(page);
        let login = Logins::new(folder.path()).begin_login(request(&server.url)).await;
        assert!(matches!(login, Err(LoginError::Refused(_))), "{page}");
    }
}

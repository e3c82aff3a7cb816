//! An authorization server and an MCP server, in one.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::Response;
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tokio::net::TcpListener;
use url::Url;

use crate::tls;

#[derive(Default)]
struct State {
    base: String,
    page: Option<String>,
    challenge: String,
    redirect: String,
    access: Option<String>,
    refresh: Option<String>,
    issued: usize,
    refused: usize,
    lifetime: u64,
}

/// The server; what the test does as its owner, and as the person's browser.
pub(super) struct Protected {
    pub(super) url: String,
    state: Arc<Mutex<State>>,
    http: reqwest::Client,
}

pub(super) async fn protected() -> Protected {
    tls::install_provider();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let state = Arc::new(Mutex::new(State { base: base.clone(), lifetime: 3600, ..State::default() }));
    let serving = Arc::clone(&state);
    let handler = move |request: Request| {
        let state = Arc::clone(&serving);
        async move {
            let path = request.uri().path().to_owned();
            let sent = request.headers().get("authorization").map(|value| value.to_str().unwrap().to_owned());
            let body = to_bytes(request.into_body(), 1 << 20).await.unwrap();
            state.lock().unwrap().answer(&path, sent.as_deref(), &body)
        }
    };
    let router = axum::Router::new().fallback(handler);
    tokio::spawn(async move { axum::serve(listener, router).await });
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    Protected { url: format!("{base}/mcp"), state, http }
}

fn json_of(status: u16, value: &Value) -> Response<Body> {
    let response = Response::builder().status(status).header("content-type", "application/json");
    response.body(Body::from(value.to_string())).unwrap()
}

impl State {
    fn answer(&mut self, path: &str, sent: Option<&str>, body: &[u8]) -> Response<Body> {
        let base = &self.base;
        match path {
            "/.well-known/oauth-protected-resource/mcp" | "/.well-known/oauth-protected-resource" => json_of(
                200,
                &json!({"resource": format!("{base}/mcp"), "authorization_servers": [base], "scopes_supported": ["mcp"]}),
            ),
            "/.well-known/oauth-authorization-server" => json_of(
                200,
                &json!({
                    "issuer": base,
                    "authorization_endpoint": self.page.clone().unwrap_or(format!("{base}/authorize")),
                    "token_endpoint": format!("{base}/token"),
                    "registration_endpoint": format!("{base}/register"),
                    "response_types_supported": ["code"],
                    "code_challenge_methods_supported": ["S256"],
                    "token_endpoint_auth_methods_supported": ["none"],
                }),
            ),
            "/register" => {
                let asked: Value = serde_json::from_slice(body).unwrap();
                assert_eq!(asked["client_name"], "mayi");
                json_of(201, &json!({"client_id": "c1", "redirect_uris": asked["redirect_uris"]}))
            }
            "/token" => self.token(body),
            "/mcp" => {
                let good = self.access.as_ref().map(|access| format!("Bearer {access}"));
                if good.is_some() && sent == good.as_deref() {
                    let asked: Value = serde_json::from_slice(body).unwrap();
                    return json_of(
                        200,
                        &json!({"jsonrpc": "2.0", "id": asked["id"], "result": {"tools": []}}),
                    );
                }
                self.refused += usize::from(sent.is_some());
                let challenge =
                    format!("Bearer resource_metadata=\"{base}/.well-known/oauth-protected-resource/mcp\"");
                let mut response = json_of(401, &json!({}));
                response.headers_mut().insert("www-authenticate", challenge.parse().unwrap());
                response
            }
            _ => json_of(404, &json!({})),
        }
    }

    fn token(&mut self, body: &[u8]) -> Response<Body> {
        self.issued += 1;
        let form: HashMap<_, _> = url::form_urlencoded::parse(body).into_owned().collect();
        assert_eq!(form["resource"], format!("{}/mcp", self.base), "RFC 8707");
        let good = match form["grant_type"].as_str() {
            "authorization_code" => {
                let challenge = BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(&form["code_verifier"]));
                assert_eq!(form["redirect_uri"], self.redirect);
                form["code"] == "good" && challenge == self.challenge
            }
            "refresh_token" => Some(&form["refresh_token"]) == self.refresh.as_ref(),
            _ => false,
        };
        if !good {
            return json_of(400, &json!({"error": "invalid_grant"}));
        }
        let (access, refresh) = (format!("access-{}", self.issued), format!("refresh-{}", self.issued));
        self.access = Some(access.clone());
        self.refresh = Some(refresh.clone());
        let lifetime = self.lifetime;
        json_of(
            200,
            &json!({"access_token": access, "token_type": "Bearer", "expires_in": lifetime, "refresh_token": refresh}),
        )
    }
}

impl Protected {
    /// The person agrees on the page: where the browser is sent back to.
    pub(super) fn authorize(&self, page: &str) -> String {
        let page = Url::parse(page).unwrap();
        let asked: HashMap<_, _> = page.query_pairs().into_owned().collect();
        assert_eq!(asked["code_challenge_method"], "S256");
        assert_eq!(asked["response_type"], "code");
        assert_eq!(asked["resource"], self.url);
        let mut state = self.state.lock().unwrap();
        state.challenge.clone_from(&asked["code_challenge"]);
        state.redirect.clone_from(&asked["redirect_uri"]);
        assert!(state.redirect.starts_with("http://127.0.0.1:"));
        let mut back = Url::parse(&state.redirect).unwrap();
        back.query_pairs_mut().append_pair("code", "good").append_pair("state", &asked["state"]);
        back.to_string()
    }

    pub(super) async fn browse(&self, url: &str) -> (u16, String) {
        let response = self.http.get(url).send().await.unwrap();
        (response.status().as_u16(), response.text().await.unwrap())
    }

    /// The token is good no more; nor what it can be renewed with.
    pub(super) fn revoke(&self, refresh: bool) {
        let mut state = self.state.lock().unwrap();
        state.access = None;
        if refresh {
            state.refresh = None;
        }
    }

    /// Tokens are old at once.
    pub(super) fn expire(&self) {
        self.state.lock().unwrap().lifetime = 0;
    }

    /// They last again.
    pub(super) fn last(&self) {
        self.state.lock().unwrap().lifetime = 3600;
    }

    pub(super) fn page(&self, page: &str) {
        self.state.lock().unwrap().page = Some(page.to_owned());
    }

    pub(super) fn token_requests(&self) -> usize {
        self.state.lock().unwrap().issued
    }

    pub(super) fn refused(&self) -> usize {
        self.state.lock().unwrap().refused
    }
}

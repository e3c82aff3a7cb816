//! One request: where it goes, and whether it may.

use std::sync::Arc;

use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, header};
use hyper::body::Incoming;
use jsonrpsee::server::HttpBody;
use mayi_core::call::Names;
use mayi_doors::web::{bearer_token, is_own, is_served, single_header};
use serde_json::json;

use super::listen::{ConnectionSeat, Front};
use super::page;
use super::refusal::{refusal_response, typed_response};
use super::{AgentCheck, NOT_HEARD, Peer};
use crate::credentials::Credential;

/// The subprotocol of the page's WebSocket; the one that comes with it carries the page's token.
const PROTOCOL: &str = "mayi";
const TOKEN: &str = "mayi.token.";

/// What others hear as who answered, as in `mayi/initialize`.
const CLIENT: &str = "mayi-client";

/// What came in, and whether it may stay connected.
pub(super) struct AdmitOutcome {
    pub(super) response: Response<HttpBody>,
    /// It has shown who it is.
    pub(super) known: bool,
}

impl AdmitOutcome {
    fn from_stranger(response: Response<HttpBody>) -> Self {
        Self { response, known: false }
    }
}

impl Front {
    /// Answers a request. `agent`: whether the other end is within an agent, looked up when it matters.
    pub(super) async fn answer_request(
        self: &Arc<Self>,
        request: Request<Incoming>,
        agent: &AgentCheck,
        seat: &Arc<ConnectionSeat>,
    ) -> AdmitOutcome {
        if !is_served(request.uri(), request.headers(), &self.options.hosts) {
            let text = "this Host is not served here: start mayi serve with --allow-host to serve it";
            return AdmitOutcome::from_stranger(refusal_response(StatusCode::FORBIDDEN, text));
        }
        let page = request.headers().contains_key(header::ORIGIN);
        if page && !(self.options.ui && is_own(request.headers(), self.allowed_schemes())) {
            return AdmitOutcome::from_stranger(refusal_response(
                StatusCode::FORBIDDEN,
                "web pages are not served here",
            ));
        }
        let path = request.uri().path();
        match path {
            "/proof" if *request.method() == Method::GET && !page => {
                AdmitOutcome::from_stranger(self.proof_response(&request))
            }
            "/ui" | "/ui/" if self.options.ui => AdmitOutcome::from_stranger(page::page_file("index.html")),
            // What it gets is worth an answer, and wrong codes are not tried in the person's place.
            "/ui/pair" if self.options.ui && is_agent(agent).await => {
                AdmitOutcome::from_stranger(refusal_response(StatusCode::FORBIDDEN, NOT_HEARD))
            }
            "/ui/pair" if self.options.ui => AdmitOutcome::from_stranger(self.pair_page(request, page).await),
            _ if self.options.ui && path.starts_with("/ui/") => {
                AdmitOutcome::from_stranger(page::page_file(path.trim_start_matches("/ui/")))
            }
            "/" => self.call_rpc(request, page, agent, seat).await,
            _ => AdmitOutcome::from_stranger(refusal_response(
                StatusCode::NOT_FOUND,
                "nothing is here: JSON-RPC is at /",
            )),
        }
    }

    /// Whoever speaks TLS for a name that was allowed passes on what it decrypts.
    fn allowed_schemes(&self) -> &'static [&'static str] {
        if self.options.names { &["http", "https"] } else { &["http"] }
    }

    fn proof_response(&self, request: &Request<Incoming>) -> Response<HttpBody> {
        let query = request.uri().query().unwrap_or_default();
        let nonce = url::form_urlencoded::parse(query.as_bytes()).find(|(key, _)| key == "nonce");
        match nonce.and_then(|(_, nonce)| self.credentials.nonce_proof(&nonce)) {
            Some(proof) => typed_response(
                StatusCode::OK,
                "application/json",
                HttpBody::from(json!({ "proof": proof }).to_string()),
            ),
            None => refusal_response(StatusCode::BAD_REQUEST, "a nonce has 32 to 128 hexadecimal digits"),
        }
    }

    async fn call_rpc(
        self: &Arc<Self>,
        mut request: Request<Incoming>,
        page: bool,
        agent: &AgentCheck,
        seat: &Arc<ConnectionSeat>,
    ) -> AdmitOutcome {
        let credential = match self.request_credential(request.headers(), page) {
            Some(credential) => credential,
            None => {
                let text = "there is no valid credential: send the token of its file as a bearer token";
                return AdmitOutcome::from_stranger(refusal_response(StatusCode::UNAUTHORIZED, text));
            }
        };
        // D6.8: Answers from a descendant of a gated agent are refused.
        let credential = match credential {
            credential if credential >= Credential::Page && is_agent(agent).await => {
                return AdmitOutcome::from_stranger(refusal_response(StatusCode::FORBIDDEN, NOT_HEARD));
            }
            Credential::Ask if !self.try_seat_asker(seat) => {
                let text = "too many programs that ask are connected: close some, or ask again later";
                return AdmitOutcome::from_stranger(refusal_response(StatusCode::SERVICE_UNAVAILABLE, text));
            }
            credential => credential,
        };
        let here = (credential >= Credential::Page).then(|| self.backend.presence.enter());
        // Who has a socket for long may have got it before there was an agent.
        let stays = jsonrpsee::server::ws::is_upgrade_request(&request).then(|| Arc::clone(agent));
        let peer = Peer::new(credential, here, stays, Arc::clone(seat));
        // Over HTTP each call is a connection of its own, and `mayi/initialize` names none of the others.
        if let Ok(Some(name)) = single_header(request.headers(), CLIENT)
            && Names::is_plain(name)
        {
            peer.set_name(name.to_owned());
        }
        request.extensions_mut().insert(Arc::new(peer));
        let protocol = page && request.headers().contains_key(header::SEC_WEBSOCKET_PROTOCOL);
        let mut response = self.call_methods(request).await;
        if protocol && response.status() == StatusCode::SWITCHING_PROTOCOLS {
            let name = HeaderValue::from_static(PROTOCOL);
            response.headers_mut().insert(header::SEC_WEBSOCKET_PROTOCOL, name);
        }
        AdmitOutcome { response, known: true }
    }

    /// What the request may do: by its token, or by the one that the page got when it was paired. Not a cookie: those go to
    /// whatever listens at another port of this machine too.
    fn request_credential(&self, headers: &HeaderMap, page: bool) -> Option<Credential> {
        if let Some(token) = bearer_token(headers) {
            return self.credentials.for_token(token).filter(|_| !page);
        }
        let protocols = single_header(headers, header::SEC_WEBSOCKET_PROTOCOL.as_str())
            .ok()
            .flatten()
            .filter(|_| page)?;
        let mut names = protocols.split(',').map(str::trim);
        let token = names.find_map(|name| name.strip_prefix(TOKEN))?;
        self.pairings.as_ref()?.is_paired(token).then_some(Credential::Page)
    }
}

async fn is_agent(agent: &AgentCheck) -> bool {
    let agent = Arc::clone(agent);
    // What can't be known is not let in.
    tokio::task::spawn_blocking(move || agent()).await.unwrap_or(true)
}

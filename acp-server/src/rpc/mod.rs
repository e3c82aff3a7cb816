//! The methods: one group a file, which says of each who may call it: the editor, the page, or both.

mod approvals;
mod ask;
mod events;
mod history;
mod hosts;
mod record;
mod servers;
mod sessions;
mod settings;
mod without_digest;

use std::sync::Arc;

use jsonrpsee::server::{Extensions, RpcModule};
use jsonrpsee::types::{ErrorObjectOwned, Params};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::backend::Backend;
use crate::credentials::Credential;
use crate::error::RpcError;
use crate::front::Peer;

/// What a method gives.
type MethodResult<T> = Result<T, ErrorObjectOwned>;

/// What methods work on.
pub(crate) struct RpcContext {
    pub(crate) backend: Arc<Backend>,
    pub(crate) pairing: Option<Arc<crate::front::Pairings>>,
    /// Requests to ask that are under way.
    asking: Arc<tokio::sync::Semaphore>,
}

/// So many programs may wait for an answer at a time.
const MOST_ASKING: usize = 64;

/// The methods, by what carries them.
pub(crate) struct Modules {
    /// All of them (S3.4).
    pub(crate) socket: RpcModule<RpcContext>,
    /// For requests over HTTP alone, which has no way back for events.
    pub(crate) http: RpcModule<RpcContext>,
}

/// Puts the methods together.
///
/// # Errors
/// If two methods have the same name.
pub(crate) fn build_modules(
    backend: &Arc<Backend>,
    pairing: Option<&Arc<crate::front::Pairings>>,
) -> Result<Modules, String> {
    let asking = Arc::new(tokio::sync::Semaphore::new(MOST_ASKING));
    let module = |events: fn(&mut RpcModule<RpcContext>) -> RegisterResult| {
        let context = RpcContext {
            backend: Arc::clone(backend),
            pairing: pairing.cloned(),
            asking: Arc::clone(&asking),
        };
        let mut module = RpcModule::new(context);
        settings::register_methods(&mut module)?;
        sessions::register_methods(&mut module)?;
        approvals::register_methods(&mut module)?;
        ask::register_methods(&mut module)?;
        hosts::register_methods(&mut module)?;
        servers::register_methods(&mut module)?;
        record::register_methods(&mut module)?;
        history::register_methods(&mut module)?;
        events(&mut module)?;
        Ok(module)
    };
    let text = |error: jsonrpsee::core::RegisterMethodError| error.to_string();
    Ok(Modules {
        socket: module(|module| {
            events::register_methods(module)?;
            hosts::register_events(module)
        })
        .map_err(text)?,
        http: module(|module| {
            events::register_refusals(module)?;
            hosts::register_refusals(module)
        })
        .map_err(text)?,
    })
}

type RegisterResult = Result<(), jsonrpsee::core::RegisterMethodError>;

/// Adds a method that works on blocking files, and answers soon. Only for whoever may answer.
fn add_answer_method<P, R, F>(
    module: &mut RpcModule<RpcContext>,
    name: &'static str,
    call: F,
) -> RegisterResult
where
    P: DeserializeOwned,
    R: Serialize + Clone + Send + 'static,
    F: Fn(&RpcContext, &Peer, P) -> Result<R, RpcError> + Clone + Send + Sync + 'static,
{
    add_blocking_method(module, name, Credential::Answer, call)
}

/// The same for the page too.
fn add_page_method<P, R, F>(module: &mut RpcModule<RpcContext>, name: &'static str, call: F) -> RegisterResult
where
    P: DeserializeOwned,
    R: Serialize + Clone + Send + 'static,
    F: Fn(&RpcContext, &Peer, P) -> Result<R, RpcError> + Clone + Send + Sync + 'static,
{
    add_blocking_method(module, name, Credential::Page, call)
}

/// The same for whoever has any credential.
fn add_ask_method<P, R, F>(module: &mut RpcModule<RpcContext>, name: &'static str, call: F) -> RegisterResult
where
    P: DeserializeOwned,
    R: Serialize + Clone + Send + 'static,
    F: Fn(&RpcContext, &Peer, P) -> Result<R, RpcError> + Clone + Send + Sync + 'static,
{
    add_blocking_method(module, name, Credential::Ask, call)
}

fn add_blocking_method<P, R, F>(
    module: &mut RpcModule<RpcContext>,
    name: &'static str,
    least: Credential,
    call: F,
) -> RegisterResult
where
    P: DeserializeOwned,
    R: Serialize + Clone + Send + 'static,
    F: Fn(&RpcContext, &Peer, P) -> Result<R, RpcError> + Clone + Send + Sync + 'static,
{
    module
        .register_blocking_method(name, move |params, context, extensions| -> MethodResult<R> {
            let peer = require_credential(&extensions, least)?;
            Ok(call(&context, &peer, parse_params(&params)?)?)
        })
        .map(|_| ())
}

/// Who calls, if they may.
fn require_credential(extensions: &Extensions, least: Credential) -> Result<Arc<Peer>, RpcError> {
    let peer = extensions.get::<Arc<Peer>>().cloned();
    let peer = peer.ok_or_else(|| RpcError::Internal("nobody knows who calls".to_owned()))?;
    let only = match peer.credential {
        credential if credential >= least => return Ok(peer),
        Credential::Ask => "only ask (approval/request, host/*, check)",
        Credential::Page | Credential::Answer => "only see what waits, and answer it (approval/*)",
    };
    Err(RpcError::NotAllowed(format!("this credential may {only}: use the one of the answering file")))
}

/// The parameters; none are an empty object. What two readers could understand differently is refused: what is asked here
/// is carried out elsewhere.
fn parse_params<P: DeserializeOwned>(params: &Params<'_>) -> Result<P, RpcError> {
    let text = params.as_str().unwrap_or("{}");
    mayi_core::call::json::parse_strict(text)
        .and_then(serde_json::from_value)
        .map_err(|error| RpcError::Params(format!("the parameters are not understood: {error}")))
}

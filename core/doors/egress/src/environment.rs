//! How programs are told of the proxy.

use std::net::SocketAddr;

use crate::client::USER;

/// What is reached without the proxy: the loopback of the command's own network.
const OWN: &str = "localhost,127.0.0.1,::1";

/// The variables for a proxy at `listener`.
pub(crate) fn environment(listener: SocketAddr, secret: &str) -> Vec<(&'static str, String)> {
    let proxy = format!("http://{USER}:{secret}@{listener}");
    let mut variables: Vec<(&str, String)> = PROXY.iter().map(|name| (*name, proxy.clone())).collect();
    variables.extend(NO_PROXY.iter().map(|name| (*name, OWN.to_owned())));
    variables.push(("NODE_USE_ENV_PROXY", "1".to_owned()));
    variables
}

const PROXY: &[&str] = &["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"];
const NO_PROXY: &[&str] = &["NO_PROXY", "no_proxy"];

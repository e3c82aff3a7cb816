//! How programs are told of the proxy.
//!
//! Tried with nothing but these variables: curl 7.88 (of `HTTP_PROXY` it reads the lower case only), git 2.47, npm on Node 20,
//! pip, cargo 1.95, Python's urllib, Go 1.19, and Node 24, whose `fetch` has a tunnel made for plain HTTP too. Node 20 itself takes
//! no proxy from its environment. Chromium takes the address, and no secret: it works where whoever starts it hands the secret
//! over, as Playwright does.
//!
//! What they show of a refused CONNECT: npm, urllib, Go and Node's `https` the words, from the status line, pip too in its
//! warnings; curl, git and cargo the number 403, and curl the words with `-v`. Over plain HTTP curl, git and Go show the words.

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

//! Hosts on TLS, with a certificate of their own making.

use std::fs;
use std::net::Ipv4Addr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::TokioIo;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

/// The file of a certificate.
pub(crate) const CERTIFICATE: &str = "certificate.pem";

/// A host on TLS that gives the files of a folder.
pub(crate) struct Files {
    pub(crate) port: u16,
    certificate: CertificateDer<'static>,
    pem: String,
}

fn provider() -> Arc<rustls::crypto::CryptoProvider> {
    Arc::new(rustls::crypto::ring::default_provider())
}

impl Files {
    /// Files of `folder`, as the host `name`.
    pub(crate) async fn new(name: &str, folder: &Path) -> Self {
        let made = rcgen::generate_simple_self_signed([name.to_owned()]).unwrap();
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()));
        let certificate = made.cert.der().clone();
        let config = ServerConfig::builder_with_provider(provider())
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.clone()], key)
            .unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let folder: Arc<Path> = folder.into();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (acceptor, folder) = (acceptor.clone(), Arc::clone(&folder));
                tokio::spawn(async move {
                    let Ok(stream) = acceptor.accept(stream).await else { return };
                    let service = service_fn(move |request| {
                        let answer = file(&folder, &request);
                        async move { Ok::<_, std::convert::Infallible>(answer) }
                    });
                    let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
                });
            }
        });
        Self { port, certificate, pem: made.cert.pem() }
    }

    /// Writes the certificate for programs that ask for a file.
    pub(crate) fn write_certificate(&self, folder: &Path) -> PathBuf {
        let path = folder.join(CERTIFICATE);
        fs::write(&path, &self.pem).unwrap();
        path
    }

    /// The settings of a client that trusts this host.
    pub(crate) fn client(&self) -> ClientConfig {
        let mut roots = RootCertStore::empty();
        roots.add(self.certificate.clone()).unwrap();
        ClientConfig::builder_with_provider(provider())
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth()
    }
}

fn file(folder: &Path, request: &Request<Incoming>) -> Response<Full<Bytes>> {
    match fs::read(folder.join(request.uri().path().trim_start_matches('/'))) {
        Ok(bytes) => Response::new(Full::new(Bytes::from(bytes))),
        Err(_) => {
            let mut response = Response::default();
            *response.status_mut() = hyper::StatusCode::NOT_FOUND;
            response
        }
    }
}

/// The first bytes that a client with these settings sends to `name`.
pub(crate) fn hello(config: ClientConfig, name: &str) -> Vec<u8> {
    let name = rustls::pki_types::ServerName::try_from(name.to_owned()).unwrap();
    let mut client = rustls::ClientConnection::new(Arc::new(config), name).unwrap();
    let mut bytes = Vec::new();
    client.write_tls(&mut bytes).unwrap();
    bytes
}

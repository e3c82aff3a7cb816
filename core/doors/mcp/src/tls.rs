//! TLS of connections to servers: rustls with ring, and the certificates that the system trusts.

use std::sync::Once;

/// Has to be called before an HTTP client is made. A provider that is there already stays.
pub(crate) fn install_provider() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // An error says that there is one.
        let _ = rustls::crypto::ring::default_provider().install_default();
    });
}

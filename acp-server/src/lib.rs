//! The JSON-RPC backend for editors.

//! The demo agent over standard input and output, as `mayi` starts it.

#[tokio::main]
async fn main() -> Result<(), mayi_demo::DemoError> {
    mayi_demo::serve_stdio().await
}

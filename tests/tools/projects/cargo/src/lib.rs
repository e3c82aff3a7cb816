//! A crate with a dependency.

/// A number as a text.
pub fn text(number: u32) -> String {
    itoa::Buffer::new().format(number).to_owned()
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_number_is_a_text() {
        assert_eq!(super::text(7), "7");
    }
}

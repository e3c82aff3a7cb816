//! `[[ ... ]]`: operands of numeric comparisons and of `-v` are evaluated.

use brush_parser::ast::{BinaryPredicate as Binary, ExtendedTestExpr as Test, UnaryPredicate as Unary};

use super::Walker;
use crate::shell::expand::{Place, evaluated};
use crate::shell::refused::Result;
use crate::shell::{Touch, Use, Word};

impl Walker<'_> {
    /// One expression.
    pub(super) fn test(&mut self, of: &Test) -> Result<()> {
        self.deeper(|walker| match of {
            Test::And(left, right) | Test::Or(left, right) => {
                walker.test(left)?;
                walker.test(right)
            }
            Test::Not(inner) | Test::Parenthesized(inner) => walker.test(inner),
            Test::UnaryTest(predicate, word) => {
                let word = walker.word(&word.value, Place::Alone)?;
                let file = !matches!(
                    predicate,
                    Unary::FdIsOpenTerminal
                        | Unary::ShellOptionEnabled
                        | Unary::ShellVariableIsSetAndAssigned
                        | Unary::ShellVariableIsSetAndNameRef
                        | Unary::StringHasZeroLength
                        | Unary::StringHasNonZeroLength
                );
                if file {
                    walker.looks_at(&word);
                }
                let names = matches!(
                    predicate,
                    Unary::ShellVariableIsSetAndAssigned | Unary::ShellVariableIsSetAndNameRef
                );
                if names {
                    walker.evaluates(&word);
                }
                // zsh takes the number of a descriptor for arithmetic.
                if matches!(predicate, Unary::FdIsOpenTerminal) && walker.may_be_zsh() {
                    walker.evaluates(&word);
                }
                Ok(())
            }
            Test::BinaryTest(predicate, left, right) => {
                let left = walker.word(&left.value, Place::Alone)?;
                let right = walker.word(&right.value, Place::Alone)?;
                let files = matches!(
                    predicate,
                    Binary::FilesReferToSameDeviceAndInodeNumbers
                        | Binary::LeftFileIsNewerOrExistsWhenRightDoesNot
                        | Binary::LeftFileIsOlderOrDoesNotExistWhenRightDoes
                );
                if files {
                    walker.looks_at(&left);
                    walker.looks_at(&right);
                }
                let numbers = matches!(
                    predicate,
                    Binary::ArithmeticEqualTo
                        | Binary::ArithmeticNotEqualTo
                        | Binary::ArithmeticLessThan
                        | Binary::ArithmeticLessThanOrEqualTo
                        | Binary::ArithmeticGreaterThan
                        | Binary::ArithmeticGreaterThanOrEqualTo
                );
                if numbers {
                    walker.evaluates(&left);
                    walker.evaluates(&right);
                }
                Ok(())
            }
        })
    }

    /// A file that is looked at, as `test -e FILE` does.
    fn looks_at(&mut self, file: &Word) {
        let words = ["test".into(), "-e".into(), file.clone()];
        for touch in self.known(&words, false, false).touches {
            self.out.looks_at(Touch { how: Use::Read, ..touch });
        }
    }

    /// A word that the shell evaluates once more.
    pub(super) fn evaluates(&mut self, word: &Word) {
        if let Some(always) = evaluated(word) {
            self.note(always, format!("the shell evaluates {}", word.text()));
        }
    }
}

//! `[[ ... ]]`: operands of numeric comparisons and of `-v` are evaluated.

use brush_parser::ast::{BinaryPredicate as Binary, ExtendedTestExpr as Test, UnaryPredicate as Unary};

use super::Walker;
use crate::shell::expand::{WordContext, evaluation_risk, naming_risk};
use crate::shell::line_error::Result;
use crate::shell::{Touch, Use, Word};

impl Walker<'_> {
    /// One expression.
    pub(super) fn walk_test(&mut self, of: &Test) -> Result<()> {
        self.walk_nested(|walker| match of {
            Test::And(left, right) | Test::Or(left, right) => {
                walker.walk_test(left)?;
                walker.walk_test(right)
            }
            Test::Not(inner) | Test::Parenthesized(inner) => walker.walk_test(inner),
            Test::UnaryTest(predicate, word) => {
                let word = walker.expand_word(&word.value, WordContext::Alone)?;
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
                    walker.add_tested_file(&word);
                }
                let names = matches!(
                    predicate,
                    Unary::ShellVariableIsSetAndAssigned | Unary::ShellVariableIsSetAndNameRef
                );
                if names {
                    walker.note_evaluated_word(&word, naming_risk(&word));
                }
                // zsh takes the number of a descriptor for arithmetic.
                if matches!(predicate, Unary::FdIsOpenTerminal) && walker.may_be_zsh() {
                    walker.note_evaluated_word(&word, evaluation_risk(&word));
                }
                Ok(())
            }
            Test::BinaryTest(predicate, left, right) => {
                let left = walker.expand_word(&left.value, WordContext::Alone)?;
                let right = walker.expand_word(&right.value, WordContext::Alone)?;
                let files = matches!(
                    predicate,
                    Binary::FilesReferToSameDeviceAndInodeNumbers
                        | Binary::LeftFileIsNewerOrExistsWhenRightDoesNot
                        | Binary::LeftFileIsOlderOrDoesNotExistWhenRightDoes
                );
                if files {
                    walker.add_tested_file(&left);
                    walker.add_tested_file(&right);
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
                    walker.note_evaluated_word(&left, evaluation_risk(&left));
                    walker.note_evaluated_word(&right, evaluation_risk(&right));
                }
                Ok(())
            }
        })
    }

    /// A file that is looked at, as `test -e FILE` does.
    fn add_tested_file(&mut self, file: &Word) {
        let words = ["test".into(), "-e".into(), file.clone()];
        for touch in self.analyze_words(&words, false, false).touches {
            self.out.add_lookup(Touch { how: Use::Read, ..touch });
        }
    }

    /// A word that the shell evaluates once more, and whether that is asked about whatever the mode.
    fn note_evaluated_word(&mut self, word: &Word, risk: Option<bool>) {
        if let Some(always) = risk {
            self.note_evaluated_names(&word.text());
            self.note_caveat(always, format!("the shell evaluates {}", word.text()));
        }
    }
}

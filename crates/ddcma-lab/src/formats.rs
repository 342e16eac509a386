//! Files that the field's tools read.

mod ioh;

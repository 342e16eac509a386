//! File formats of other tools in the field.

mod ioh;

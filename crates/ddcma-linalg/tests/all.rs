//! All integration tests in one program: separate programs would each link the libraries again.

mod identities;
mod updated_root;

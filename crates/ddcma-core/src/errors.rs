//! How errors are declared: documentation, variant and sentence in one place.

/// Declares an error. Each variant has its sentence, which shows its fields, and stands in its documentation, too. A variant with an
/// inner error passes on to its source, because the sentence includes that error's text.
macro_rules! errors {
    (
        $(#[$meta:meta])*
        pub enum $name:ident {
            $(
                $(#[$doc:meta])*
                $variant:ident $({ $($field:ident: $type:ty),* })? $(($error:ident: $inner:ty))? => $sentence:literal $(, $label:ident = $part:expr)*;
            )*
        }
    ) => {
        $(#[$meta])*
        #[allow(missing_docs, reason = "the sentence of a variant says what its fields are")]
        pub enum $name {
            $(
                $(#[$doc])*
                #[doc = concat!("\n\n\"", $sentence, "\"")]
                $variant $({ $($field: $type),* })? $(($inner))?,
            )*
        }

        impl std::fmt::Display for $name {
            #[allow(unused_variables, reason = "a sentence need not show all fields")]
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                match self {
                    $(Self::$variant $({ $($field),* })? $(($error))? => write!(f, $sentence $(, $label = $part)*),)*
                }
            }
        }

        impl std::error::Error for $name {
            #[allow(unreachable_patterns, reason = "some errors have no inner ones")]
            fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
                match self {
                    $($(Self::$variant($error) => <$inner as std::error::Error>::source($error),)?)*
                    _ => None,
                }
            }
        }
    };
}

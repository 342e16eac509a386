//! Marks what a checkpoint stores, and what it leaves out.

use std::ops::{Deref, DerefMut};

/// Declares types that a checkpoint stores field by field: with the feature `checkpoint` they implement serde's traits.
macro_rules! stored {
    ($($item:item)*) => {
        $(
            #[cfg_attr(feature = "checkpoint", derive(serde::Serialize, serde::Deserialize))]
            $item
        )*
    };
}

pub(crate) use stored;

/// Implements the methods `to_bytes` and `from_bytes` of a built-in strategy or step-size rule with serde's traits.
macro_rules! stored_as_bytes {
    () => {
        #[cfg(feature = "checkpoint")]
        fn to_bytes(&self) -> Option<Vec<u8>> {
            crate::persist::storage::to_bytes(self).ok()
        }

        #[cfg(feature = "checkpoint")]
        fn from_bytes(bytes: &[u8]) -> Option<Self> {
            crate::persist::storage::from_bytes(bytes).ok()
        }
    };
}

pub(crate) use stored_as_bytes;

/// Workspace next to stored state. A checkpoint leaves it out; it is recreated on resume.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch<T>(pub(crate) T);

impl<T> Deref for Scratch<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for Scratch<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

#[cfg(feature = "checkpoint")]
mod unit {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::Scratch;

    impl<T> Serialize for Scratch<T> {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            ().serialize(serializer)
        }
    }

    impl<'de, T: Default> Deserialize<'de> for Scratch<T> {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            <()>::deserialize(deserializer).map(|()| Self::default())
        }
    }
}

//! Numbers of the parts of a world.

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub struct $name(pub u32);

        impl $name {
            /// The number as an index.
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl From<usize> for $name {
            fn from(number: usize) -> Self {
                Self(number as u32)
            }
        }
    )*};
}

ids! {
    /// A cloth, counted from 0 in the order in which a builder got them.
    ClothId;
    /// An obstacle, counted from 0 in the order in which a builder got them, exact ones and meshes together.
    ObstacleId;
    /// A hold, counted from 0 in the order in which a builder got them.
    HoldId;
    /// A grab, counted from 0 in the order in which a world made them.
    GrabId;
}

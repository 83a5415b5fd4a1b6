//! Typed indices, so that a vertex number is never used where a face number is meant.

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
        #[repr(transparent)]
        pub struct $name(pub u32);

        impl $name {
            /// The id as a position in an array.
            #[inline]
            pub const fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl From<usize> for $name {
            /// # Panics
            /// If `index` does not fit in 32 bits: meshes are limited to 2³² elements of a kind.
            #[inline]
            fn from(index: usize) -> Self {
                Self(u32::try_from(index).expect("mesh element number fits in 32 bits"))
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

id!(
    /// A vertex of a mesh: position in its `positions`.
    VertexId
);
id!(
    /// A triangle of a mesh: position in its `triangles`.
    FaceId
);
id!(
    /// An undirected edge of a [`Topology`](crate::Topology): position in its `edges`.
    EdgeId
);

//! Where things touch: bounding volume hierarchies and proximity search.

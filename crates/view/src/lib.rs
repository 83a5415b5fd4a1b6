//! Software rendering: cameras, shading, colour maps, pictures and animations.

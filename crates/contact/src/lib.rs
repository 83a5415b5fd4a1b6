//! What happens when things touch: obstacles, separation and friction.

//! Links against closed forms: inclined planes, stopping, rest, a pressed strip, the capstan, sheets on each other.

mod friction;
mod rest;
mod strip;
mod system;
mod world;

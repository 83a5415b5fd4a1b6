//! Reading takes memory in proportion to the file, whatever the file claims: measured with a counting allocator.
#![allow(unsafe_code)]

mod common;

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
};

use common::{all_formats, grid};
use proptest::{collection::vec, prelude::*};
use toile_files::{MeshFormat, parse_mesh};

// Signed: a thread may free what another one took.
thread_local! {
    static NOW: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

struct Counting;

// SAFETY: every call goes to the system allocator unchanged; beside it only `Cell`s of plain numbers are touched, which
// neither allocate nor unwind.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = NOW.try_with(|now| {
            now.set(now.get() + layout.size().cast_signed());
            PEAK.with(|peak| peak.set(peak.get().max(now.get())));
        });
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        let _ = NOW.try_with(|now| now.set(now.get() - layout.size().cast_signed()));
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Most memory that this thread held at a time while reading, beyond what it held before [bytes].
fn peak_of_reading(format: MeshFormat, file: &[u8]) -> usize {
    let before = NOW.get();
    PEAK.set(before);
    drop(parse_mesh(format, file));
    (PEAK.get() - before).cast_unsigned()
}

/// What the crate promises: twelve bytes for a byte, and some for header and message.
fn bound(file: &[u8]) -> usize {
    12 * file.len() + 4096
}

/// A PLY file with one polygon of as many one-byte corners as fit: the most memory that a byte can ask for.
fn worst_ply(corners: u32) -> Vec<u8> {
    let header = "ply\nformat binary_little_endian 1.0\nelement vertex 1\nproperty char x\nproperty char y\n\
                  property char z\nelement face 1\nproperty list uint char vertex_indices\nend_header\n";
    let mut file = [header.as_bytes(), &[0; 3], &corners.to_le_bytes()].concat();
    file.resize(file.len() + corners as usize, 0);
    file
}

#[test]
fn the_counter_counts() {
    let before = NOW.get();
    PEAK.set(before);
    drop(std::hint::black_box(vec![0_u8; 100_000]));
    assert!(PEAK.get() - before >= 100_000 && NOW.get() == before);
}

#[test]
fn ordinary_files_take_at_most_four_times_their_size() {
    for (format, file) in all_formats(&grid(40)) {
        let peak = peak_of_reading(format, &file);
        assert!(peak < 4 * file.len(), "{format:?}: {peak} for {}", file.len());
        assert!(peak > file.len() / 4, "{format:?}: {peak} for {} cannot be", file.len());
    }
}

#[test]
fn files_made_to_waste_memory_stay_within_the_bound() {
    let many = 20_000;
    let files = [
        (MeshFormat::Ply, worst_ply(200_000)),
        (MeshFormat::Obj, format!("v 0 0 0\nf{}", " 1".repeat(many)).into_bytes()),
        (MeshFormat::Obj, "v 0 0 0\n".repeat(many).into_bytes()),
        (MeshFormat::Stl, format!("solid\n{}", "vertex 0 0 0\n".repeat(many)).into_bytes()),
        (MeshFormat::Stl, ("solid\n".to_owned() + &"vertex 0 0 0\n".repeat(3) + "endloop\n").repeat(many).into_bytes()),
        (
            MeshFormat::Ply,
            format!("ply\nformat ascii 1.0\nelement a 1\n{}", "property int b\n".repeat(many)).into_bytes(),
        ),
    ];
    for (format, file) in files {
        let peak = peak_of_reading(format, &file);
        assert!(peak <= bound(&file), "{format:?}: {peak} for {}", file.len());
    }
}

#[test]
fn the_bad_files_take_next_to_nothing() {
    let zoo = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/zoo");
    for entry in std::fs::read_dir(zoo).unwrap() {
        let path = entry.unwrap().path();
        if let Ok(format) = MeshFormat::from_path(&path) {
            let file = std::fs::read(&path).unwrap();
            let peak = peak_of_reading(format, &file);
            assert!(peak <= bound(&file), "{}: {peak}", path.display());
        }
    }
}

proptest! {
    #[test]
    fn claimed_counts_take_nothing(vertices: u32, faces: u32, corners: u32, rest in vec(any::<u8>(), 0..100)) {
        for format in ["ascii", "binary_little_endian", "binary_big_endian"] {
            let header = format!(
                "ply\nformat {format} 1.0\nelement face {faces}\nproperty list uint char vertex_indices\n\
                 element vertex {vertices}\nproperty char x\nproperty char y\nproperty char z\nend_header\n"
            );
            let ply = [header.as_bytes(), &corners.to_le_bytes(), &rest].concat();
            prop_assert!(peak_of_reading(MeshFormat::Ply, &ply) <= bound(&ply));
        }
        let stl = [&[0; 80], &faces.to_le_bytes()[..], &rest].concat();
        prop_assert!(peak_of_reading(MeshFormat::Stl, &stl) <= bound(&stl));
    }
}

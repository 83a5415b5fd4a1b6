"""Opens results in Blender and checks what a user would see there.

Arguments: the folder of a walk, that of a run with obstacles that turn and deform, and that of a static try-on with several
garments. Prints a line for each check and ends
with 1 if one fails. Positions that Blender shows are compared with the point caches, which this script reads by itself."""

import json
import struct
import sys
from pathlib import Path

import bpy
import numpy as np

walk, toys, drape = map(Path, sys.argv[1:])
# Largest distance from where something was simulated [m].
LIMIT = 1e-5
failed = []


def check(what, good, detail=""):
    print(f"{'ok  ' if good else 'FAIL'} {what}{': ' + detail if detail else ''}")
    if not good:
        failed.append(what)


def read_pc2(path):
    data = path.read_bytes()
    magic, version, points, start, rate, samples = struct.unpack("<12siiffi", data[:32])
    assert magic == b"POINTCACHE2\0" and version == 1 and start == 0.0 and rate == 1.0
    return np.frombuffer(data, "<f4", offset=32).reshape(samples, points, 3)


def empty():
    bpy.ops.wm.read_factory_settings(use_empty=True)
    return bpy.context.scene


def shown(thing):
    """Vertices in the world as Blender draws them, turned back from z up to y up."""
    thing = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = thing.to_mesh()
    points = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", points)
    matrix = np.array(thing.matrix_world)
    points = points.reshape(-1, 3).astype(np.float64) @ matrix[:3, :3].T + matrix[:3, 3]
    thing.to_mesh_clear()
    return np.stack([points[:, 0], points[:, 2], -points[:, 1]], axis=1)


def meshes():
    return {thing.name: thing for thing in bpy.data.objects if thing.type == "MESH"}


def nearest(a, b):
    """For each point of `a` the distance to the nearest point of `b`."""
    tree = [b[i : i + 512] for i in range(0, len(b), 512)]
    best = np.full(len(a), np.inf)
    for part in tree:
        way = np.linalg.norm(a[:, None, :] - part[None, :, :], axis=2)
        best = np.minimum(best, way.min(axis=1))
    return best


class Motion:
    """A run, and what its point caches say."""

    def __init__(self, folder):
        self.folder = folder
        self.caches = {path.stem: read_pc2(path) for path in sorted((folder / "pc2").glob("*.pc2"))}
        bodies = [name for name in self.caches if name.startswith("body")]
        self.body = bodies[0] if bodies else None
        self.cloths = [name for name in self.caches if self.body and name != self.body]
        self.frames = len(next(iter(self.caches.values())))
        scene = (folder / "scene.toml").read_text()
        self.fps = float(next(line.split("=")[1] for line in scene.splitlines() if line.startswith("frame_rate")))
        print(f"{folder.name}: {self.frames} frames at {self.fps} per second, {', '.join(self.caches)}")

    def same(self, label, things, named):
        """Compares shown vertices with the caches; vertices that are split with the nearest of the cache."""
        start = {}
        for frame in [0, self.frames // 2, self.frames - 1]:
            bpy.context.scene.frame_set(frame)
            bpy.context.view_layer.update()
            points = {name: shown(things[named(name)]) for name in self.caches}
            for name, cache in self.caches.items():
                if len(points[name]) == cache.shape[1]:
                    error = np.abs(points[name] - cache[frame]).max()
                else:
                    error = nearest(points[name], cache[frame].astype(np.float64)).max()
                check(f"{label}: {name} is where it was simulated, frame {frame}", error < LIMIT, f"{error:.1e} m")
                start.setdefault(name, points[name])
            for cloth in self.cloths:
                gaps = nearest(points[cloth], points[self.body])
                words = f"gaps up to {gaps.max() * 1000:.0f} mm, median {np.median(gaps) * 1000:.0f} mm"
                good = np.median(gaps) < 0.15 and gaps.max() < 0.6
                check(f"{label}: {cloth} stays with the body, frame {frame}", good, words)
        for name, cache in self.caches.items():
            way = np.linalg.norm(points[name] - start[name], axis=1).mean()
            real = np.linalg.norm(cache[-1] - cache[0], axis=1).mean()
            check(f"{label}: {name} moves", way > 0.5 * real > 0.001, f"{way:.3f} m on average")
            found = [slot.material.name for slot in things[named(name)].material_slots if slot.material]
            check(f"{label}: {name} has a material", len(found) == 1, ", ".join(found))
        if self.body:
            height = np.ptp(start[self.body][:, 1])
            check(f"{label}: the body is as tall as a person, y up", 1.4 < height < 2.1, f"{height:.3f} m")
            check(f"{label}: it stands on the floor", abs(start[self.body][:, 1].min()) < 0.01)
            wide, deep = np.ptp(start[self.body][:, 0]), np.ptp(start[self.body][:, 2])
            check(f"{label}: left and right are along x", wide > deep, f"{wide:.2f} and {deep:.2f} m")
        for cloth in self.cloths:
            layers = len(things[named(cloth)].data.uv_layers)
            check(f"{label}: {cloth} has texture coordinates", layers == 1)

    def glb(self):
        label = f"{self.folder.name}, GLB"
        scene = empty()
        scene.render.fps = round(self.fps)
        bpy.ops.import_scene.gltf(filepath=str(self.folder / "result.glb"))
        things = meshes()
        things.pop("Icosphere", None)  # How the importer draws a bone.
        check(f"{label}: one object for each", set(things) == set(self.caches), ", ".join(sorted(things)))
        armatures = [thing.name for thing in bpy.data.objects if thing.type == "ARMATURE"]
        check(f"{label}: bodies have armatures", len(armatures) == (1 if self.body else 0), ", ".join(armatures))
        last = max(action.frame_range[1] for action in bpy.data.actions)
        check(f"{label}: all frames", abs(last - (self.frames - 1)) < 1e-3, f"last key at {last:.0f}")
        self.same(label, things, lambda name: name)
        for cloth in self.cloths:
            check(f"{label}: strain of {cloth} is there", "_STRAIN" in things[cloth].data.attributes)

    def usd(self):
        label = f"{self.folder.name}, USD"
        scene = empty()
        bpy.ops.wm.usd_import(filepath=str(self.folder / "result.usda"))
        things = meshes()
        check(f"{label}: one object for each", set(things) == set(map(plain, self.caches)), ", ".join(sorted(things)))
        words = f"{scene.frame_start} to {scene.frame_end}"
        check(f"{label}: all frames", scene.frame_end == self.frames - 1, words)
        self.same(label, things, plain)
        for cloth in self.cloths:
            check(f"{label}: strain of {cloth} is there", "strain" in things[plain(cloth)].data.attributes)

    def obj(self):
        label = f"{self.folder.name}, OBJ and PC2"
        empty()
        bpy.ops.wm.obj_import(filepath=str(self.folder / "result.obj"))
        things = meshes()
        check(f"{label}: one object for each", set(things) == set(self.caches), ", ".join(sorted(things)))
        for name, cache in self.caches.items():
            count = len(things[name].data.vertices)
            good = count == cache.shape[1]
            check(f"{label}: {name} has the vertices of its cache", good, f"{count} and {cache.shape[1]}")
            modifier = things[name].modifiers.new("cache", "MESH_CACHE")
            modifier.cache_format = "PC2"
            modifier.filepath = str(self.folder / "pc2" / f"{name}.pc2")
            modifier.frame_start = 0
        self.same(label, things, lambda name: name)


def plain(name):
    """A name as USD spells it."""
    return "".join(c if c.isascii() and c.isalnum() else "_" for c in name)


print(f"Blender {bpy.app.version_string}")
for folder in [walk, toys]:
    motion = Motion(folder)
    motion.glb()
    motion.usd()
    motion.obj()

# A drape of several garments
worn = [json.loads(path.read_text())["garment"] for path in sorted(drape.glob("*/report.json"))]
check("drape: several garments", len(worn) >= 2, ", ".join(worn))
expected = {*worn, "body-1"}
for label, load in [
    ("GLB", lambda: bpy.ops.import_scene.gltf(filepath=str(drape / "result.glb"))),
    ("OBJ", lambda: bpy.ops.wm.obj_import(filepath=str(drape / "result.obj"))),
    ("USD", lambda: bpy.ops.wm.usd_import(filepath=str(drape / "result.usda"))),
]:
    empty()
    load()
    found = set(meshes())
    names = {plain(name) for name in expected} if label == "USD" else expected
    check(f"drape, {label}: garments and body in one file", found == names, ", ".join(sorted(found)))
    check(f"drape, {label}: nothing is animated", len(bpy.data.actions) == 0)

print(f"{len(failed)} checks failed")
sys.exit(1 if failed else 0)

"""Opens what the test wrote in Blender and prints what Blender sees, as JSON. Arguments: the GLB file, the frames per
second, an OBJ file and a PC2 cache of the same cloth. Coordinates are turned back from z up to y up."""

import json
import sys

import bpy

glb, fps, obj, pc2 = sys.argv[1:]


def y_up(point):
    return [point[0], point[2], -point[1]]


def shown(thing):
    mesh = thing.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    return [y_up(vertex.co) for vertex in mesh.vertices]


bpy.ops.wm.read_factory_settings(use_empty=True)
scene = bpy.context.scene
scene.render.fps = int(fps)
bpy.ops.import_scene.gltf(filepath=glb)
cloth = bpy.data.objects["cloth"]
keys = [key.name for key in cloth.data.shape_keys.key_blocks if key.name != "Basis"]
frames = []
for frame in range(len(keys)):
    scene.frame_set(frame)
    frames.append(shown(cloth))
scene.frame_set(0, subframe=0.5)
strain = cloth.data.attributes["_STRAIN"]
floor = bpy.data.objects["floor"]
report = {
    "keys": keys,
    "action": cloth.data.shape_keys.animation_data.action.name,
    "frames": frames,
    "half": shown(cloth),
    "strain_domain": strain.domain,
    "strain": [item.value for item in strain.data],
    "color_attributes": [attribute.name for attribute in cloth.data.color_attributes],
    "floor": [y_up(vertex.co) for vertex in floor.data.vertices],
    "floor_color": list(floor.active_material.node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value),
}

bpy.ops.wm.read_factory_settings(use_empty=True)
scene = bpy.context.scene
bpy.ops.wm.obj_import(filepath=obj)
cloth = bpy.context.selected_objects[0]
cache = cloth.modifiers.new("cache", "MESH_CACHE")
cache.cache_format = "PC2"
cache.filepath = pc2
cache.frame_start = 0
report["pc2_frames"] = []
for frame in range(len(keys)):
    scene.frame_set(frame)
    mesh = cloth.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    report["pc2_frames"].append([list(vertex.co) for vertex in mesh.vertices])

print("REPORT " + json.dumps(report))

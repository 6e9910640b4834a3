"""Renders the frames of one scan with Blender's Cycles, on the CPU.

    blender -b -P cycles.py -- NAME FOLDER FIRST LAST EVERY SAMPLES SCALE

FOLDER holds the maps (maps.py). Writes FOLDER/frames/NNNN.{light,albedo,normal}.exr (linear; albedo and normal are what the
denoiser of phone.py is guided by) and FOLDER/poses.json (camera and object of every frame). Frames that are there stay.
"""
import json
import math
import os
import sys

import bpy
import numpy as np
from mathutils import Matrix, Vector

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from scenes import FPS, LIGHTS, SHEETS, STOCKS, scan_named  # noqa: E402

LENS_MM, SENSOR_MM, OPENING_MM = 28, 36, 3.0  # of a phone's main camera
SHUTTER = 0.25  # of a frame's time: 1/100 s
BEFORE = 4  # key frames before the first, so that blur is right there


class Nodes:
    """Builds a node tree: add("ShaderNodeMath", inputs=[...]), link(from_socket, to_socket)."""

    def __init__(self, tree):
        self.tree = tree
        tree.nodes.clear()

    def add(self, kind, values=None, **attributes):
        node = self.tree.nodes.new(kind)
        for name, value in attributes.items():
            setattr(node, name, value)
        for name, value in (values or {}).items():
            node.inputs[name].default_value = value
        return node

    def link(self, a, b):
        self.tree.links.new(a, b)


def settings(scan, samples, scale):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    render, cycles = scene.render, scene.cycles
    render.engine = "CYCLES"
    render.resolution_x, render.resolution_y = (int(s * scale) for s in scan.size_px)
    render.resolution_percentage, render.fps = 100, FPS
    render.use_persistent_data = True
    render.use_motion_blur, render.motion_blur_shutter = True, SHUTTER
    cycles.device, cycles.samples = "CPU", samples
    cycles.use_adaptive_sampling = cycles.use_denoising = False
    cycles.max_bounces, cycles.diffuse_bounces, cycles.glossy_bounces, cycles.transparent_max_bounces = 1, 1, 1, 4
    cycles.caustics_reflective = cycles.caustics_refractive = False
    cycles.sample_clamp_indirect, cycles.sample_clamp_direct = 4, 20
    cycles.motion_blur_position = "CENTER"
    cycles.pixel_filter_type, cycles.filter_width = "GAUSSIAN", 1.5
    scene.view_settings.view_transform = "Standard"
    bpy.context.view_layer.cycles.denoising_store_passes = True
    return scene


def output(scene, folder):
    """Three pictures a frame, by the compositor."""
    scene.use_nodes = True
    nodes = Nodes(scene.node_tree)
    layer = nodes.add("CompositorNodeRLayers")
    file = nodes.add("CompositorNodeOutputFile", base_path=folder)
    file.format.file_format, file.format.color_depth, file.format.exr_codec = "OPEN_EXR", "16", "ZIP"
    file.file_slots.clear()
    for name, socket in (("light", "Image"), ("albedo", "Denoising Albedo"), ("normal", "Denoising Normal")):
        file.file_slots.new(name + ".")
        nodes.link(layer.outputs[socket], file.inputs[name + "."])


def sheet_mesh(scan, folder):
    """The sheet as a mesh with a point a mm, and a side where it is thick enough to show one."""
    sheet = SHEETS[scan.sheet]
    width, height = (s / 1000 for s in sheet.size)
    z = np.load(os.path.join(folder, "height.npy")).astype(float) / 1000
    rows, columns = z.shape
    x, y = np.meshgrid(np.linspace(-width / 2, width / 2, columns), np.linspace(height / 2, -height / 2, rows))
    top = np.stack([x, y, z], -1).reshape(-1, 3)
    index = np.arange(rows * columns).reshape(rows, columns)
    faces = np.stack([index[:-1, :-1], index[1:, :-1], index[1:, 1:], index[:-1, 1:]], -1).reshape(-1, 4)
    rim = np.concatenate([index[0, :], index[1:, -1], index[-1, -2::-1], index[-2:0, 0]])
    low = top[rim] - (0, 0, sheet.thickness / 1000)
    following = (np.arange(len(rim)) + 1) % len(rim)
    sides = np.stack([rim, rim[following], len(top) + following, len(top) + np.arange(len(rim))], -1)
    solid = sheet.thickness > 1
    points = np.concatenate([top, low]) if solid else top
    mesh = bpy.data.meshes.new("sheet")
    mesh.from_pydata(points.tolist(), [], (np.concatenate([faces, sides]) if solid else faces).tolist())
    loops = np.empty(len(mesh.loops), np.int32)
    mesh.loops.foreach_get("vertex_index", loops)
    uv = np.stack([points[:, 0] / width + 0.5, points[:, 1] / height + 0.5], -1)[loops]
    mesh.uv_layers.new(name="uv").data.foreach_set("uv", uv.ravel())
    mesh.polygons.foreach_set("use_smooth", [i < len(faces) for i in range(len(mesh.polygons))])
    mesh.materials.append(print_material(scan, folder))
    if solid:
        mesh.materials.append(plain("paper side", (0.62, 0.58, 0.5), 0.9))
        mesh.polygons.foreach_set("material_index", [int(i >= len(faces)) for i in range(len(mesh.polygons))])
    mesh.update()
    return mesh, -float(points[:, 2].min()) + 0.0003


def print_material(scan, folder):
    stock = STOCKS[scan.stock]
    material = bpy.data.materials.new("print")
    material.use_nodes = True
    nodes = Nodes(material.node_tree)
    uv = nodes.add("ShaderNodeUVMap", uv_map="uv")
    textures = {}
    for name in ("albedo", "normal", "surface"):
        image = bpy.data.images.load(os.path.join(folder, name + ".png"))
        image.colorspace_settings.name = "sRGB" if name == "albedo" else "Non-Color"
        textures[name] = nodes.add("ShaderNodeTexImage", image=image, interpolation="Linear", extension="EXTEND")
        nodes.link(uv.outputs[0], textures[name].inputs[0])
    parts = nodes.add("ShaderNodeSeparateColor")
    nodes.link(textures["surface"].outputs[0], parts.inputs[0])
    normal = nodes.add("ShaderNodeNormalMap", space="OBJECT")
    nodes.link(textures["normal"].outputs[0], normal.inputs["Color"])
    values = {"Specular": 0.5, "Clearcoat Roughness": stock.coat_rough, "Metallic": stock.metallic}
    surface = nodes.add("ShaderNodeBsdfPrincipled", values)
    for socket, name in (
        (textures["albedo"].outputs[0], "Base Color"),
        (parts.outputs[0], "Roughness"),
        (parts.outputs[1], "Clearcoat"),
        (normal.outputs[0], "Normal"),
        (normal.outputs[0], "Clearcoat Normal"),
    ):
        nodes.link(socket, surface.inputs[name])
    hole, mix, out = nodes.add("ShaderNodeBsdfTransparent"), nodes.add("ShaderNodeMixShader"), nodes.add("ShaderNodeOutputMaterial")
    nodes.link(parts.outputs[2], mix.inputs[0])
    nodes.link(hole.outputs[0], mix.inputs[1])
    nodes.link(surface.outputs[0], mix.inputs[2])
    nodes.link(mix.outputs[0], out.inputs[0])
    return material


def plain(name, colour, rough):
    material = bpy.data.materials.new(name)
    material.use_nodes = True
    nodes = Nodes(material.node_tree)
    surface = nodes.add("ShaderNodeBsdfPrincipled", {"Base Color": colour + (1,), "Roughness": rough})
    nodes.link(surface.outputs[0], nodes.add("ShaderNodeOutputMaterial").inputs[0])
    return material


DESKS = {  # scale of the noise along x, y; roughness; colours from dark to light
    "wood": ((9, 160, 1), 0.45, ((0.30, (0.10, 0.045, 0.02)), (0.55, (0.26, 0.13, 0.06)), (0.75, (0.36, 0.20, 0.10)))),
    "cloth": ((450, 450, 1), 0.95, ((0.25, (0.05, 0.08, 0.10)), (0.50, (0.10, 0.16, 0.19)), (0.80, (0.18, 0.26, 0.29)))),
}


def desk(scene, kind):
    scale, rough, stops = DESKS[kind]
    mesh = bpy.data.meshes.new("desk")
    mesh.from_pydata([(-0.9, -0.7, 0), (0.9, -0.7, 0), (0.9, 0.9, 0), (-0.9, 0.9, 0)], [], [(0, 1, 2, 3)])
    material = plain("desk", (0.2, 0.2, 0.2), rough)
    tree = material.node_tree
    add, link = tree.nodes.new, tree.links.new
    place, mapping, texture, ramp = (add("ShaderNode" + n) for n in ("TexCoord", "Mapping", "TexNoise", "ValToRGB"))
    mapping.inputs["Scale"].default_value = scale
    texture.inputs["Scale"].default_value, texture.inputs["Detail"].default_value = 1.0, 4.0
    link(place.outputs["Object"], mapping.inputs[0])
    link(mapping.outputs[0], texture.inputs["Vector"])
    link(texture.outputs[0], ramp.inputs[0])
    link(ramp.outputs[0], tree.nodes["Principled BSDF"].inputs["Base Color"])
    elements = ramp.color_ramp.elements
    while len(elements) < len(stops):
        elements.new(0.5)
    for element, (position, colour) in zip(elements, stops):
        element.position, element.color = position, colour + (1,)
    mesh.materials.append(material)
    scene.collection.objects.link(bpy.data.objects.new("desk", mesh))


def room(scene, strength):
    """A smooth brightness from all around, lighter above."""
    world = bpy.data.worlds.new("room")
    scene.world = world
    world.use_nodes = True
    nodes = Nodes(world.node_tree)
    place, parts = nodes.add("ShaderNodeTexCoord"), nodes.add("ShaderNodeSeparateXYZ")
    level = nodes.add("ShaderNodeMath", {1: 0.35 * strength, 2: 0.75 * strength}, operation="MULTIPLY_ADD")
    light = nodes.add("ShaderNodeBackground", {"Color": (1, 0.96, 0.9, 1)})
    nodes.link(place.outputs["Generated"], parts.inputs[0])
    nodes.link(parts.outputs[2], level.inputs[0])
    nodes.link(level.outputs[0], light.inputs["Strength"])
    nodes.link(light.outputs[0], nodes.add("ShaderNodeOutputWorld").inputs[0])
    world.cycles.sampling_method = "NONE"


def lamp(scene, size, power, colour):
    data = bpy.data.lights.new("lamp", "AREA")
    data.shape = "SQUARE" if size > 0.3 else "DISK"
    data.size, data.energy, data.color = size, power, colour
    item = bpy.data.objects.new("lamp", data)
    scene.collection.objects.link(item)
    return item


def thumb(scene, sheet, size):
    """A thumb that holds the sheet at the middle of its lower rim, and hides some of it."""
    bpy.ops.mesh.primitive_uv_sphere_add(segments=32, ring_count=16, location=(0, -size[1] / 2000 - 0.004, 0.004))
    item = bpy.context.object
    item.scale = (0.009, 0.019, 0.007)
    bpy.ops.object.shade_smooth()
    item.data.materials.append(plain("skin", (0.55, 0.30, 0.22), 0.5))
    item.parent = sheet


class Hand:
    """How a hand moves, in degrees and metres, over the scan's frames and BEFORE more on both sides."""

    def __init__(self, scan):
        self.rng = np.random.default_rng(scan.seed + 11)
        self.time = np.arange(-BEFORE, scan.frames + BEFORE) / FPS
        seconds = scan.frames / FPS
        phase = self.rng.uniform(0, 2 * math.pi, 4)
        across, along = scan.orbit_deg
        self.orbit_x = self.sweep(across, 0.95 * seconds, phase[0]) + self.wander(0.5, 0.3, 1.2) + self.wander(0.05, 2, 7)
        self.orbit_y = self.sweep(along, 0.62 * seconds, phase[1]) + self.wander(0.5, 0.3, 1.2) + self.wander(0.05, 2, 7) + 4
        self.distance = 1 + self.wander(0.012, 0.1, 0.6)
        size = max(SHEETS[scan.sheet].size) / 260
        self.aim = [self.wander(0.0035 * size, 0.2, 1.0) + self.wander(0.00035 * size, 2.5, 8) for _ in range(2)]
        self.roll = self.wander(1.2, 0.1, 0.5) + self.wander(0.06, 2, 7)
        self.focus = 1 + self.wander(0.01, 0.2, 0.8)
        tilt = scan.tilt_deg
        lively = 1.0 if max(tilt) > 0 else 0.0
        self.tilt = [
            self.sweep(a, p * seconds, f) + lively * (self.wander(0.4, 0.3, 1.5) + self.wander(0.06, 2, 6))
            for a, p, f in zip(tilt, (0.95, 0.62), phase[2:])
        ]
        self.shift = [lively * self.wander(0.0025, 0.2, 0.9) for _ in range(3)]

    def wander(self, deviation, low_hz, high_hz, count=9):
        total = sum(
            self.rng.uniform(0.5, 1) * np.sin(2 * np.pi * self.rng.uniform(low_hz, high_hz) * self.time + self.rng.uniform(0, 6.28))
            for _ in range(count)
        )
        return deviation * total / total.std()

    def sweep(self, amplitude, period, phase):
        bent = 0.35 * np.sin(2 * np.pi * self.time / 2.9 + phase)
        return amplitude * np.sin(2 * np.pi * self.time / period + phase + bent)


def look_at(location, target, roll):
    """A camera's rotation: the picture upright as seen from above the desk."""
    forward = (target - location).normalized()
    right = forward.cross(Vector((0, 1, 0))).normalized()
    upright = Matrix((right, right.cross(forward), -forward)).transposed()
    return (upright @ Matrix.Rotation(roll, 3, "Z")).to_quaternion()


def animate(scan, scene, sheet, lift):
    """Key frames of camera and object. @return the focal length in pixels"""
    hand, rad = Hand(scan), math.pi / 180
    camera = bpy.data.cameras.new("phone")
    camera.sensor_width, camera.sensor_fit, camera.lens, camera.clip_start = SENSOR_MM, "AUTO", LENS_MM, 0.005
    camera.dof.use_dof, camera.dof.aperture_fstop = True, LENS_MM / OPENING_MM
    phone = bpy.data.objects.new("phone", camera)
    scene.collection.objects.link(phone)
    scene.camera = phone
    if LIGHTS[scan.light].torch_w:
        torch = lamp(scene, 0.006, LIGHTS[scan.light].torch_w, (1, 0.97, 0.93))
        torch.data.shape, torch.parent, torch.location = "DISK", phone, (0.016, 0.008, 0)
    width_px, height_px = scan.size_px
    focal_px = LENS_MM / SENSOR_MM * max(scan.size_px)
    width, height = (s / 1000 for s in SHEETS[scan.sheet].size)
    turned = (width > height) != (width_px > height_px)
    seen = (height, width) if turned else (width, height)
    away = max(focal_px * seen[0] / (scan.fill * width_px), focal_px * seen[1] / (scan.fill * height_px))
    in_air = 0.10 if scan.hand != "lying" else 0.0
    sheet.rotation_mode = phone.rotation_mode = "QUATERNION"
    for key in range(len(hand.time)):
        ax, ay = hand.orbit_x[key] * rad, hand.orbit_y[key] * rad
        towards = Vector((math.sin(ax), -math.sin(ay) * math.cos(ax), math.cos(ay) * math.cos(ax)))
        target = Vector((hand.aim[0][key], hand.aim[1][key], in_air + lift))
        phone.location = target + towards * float(away * hand.distance[key])
        phone.rotation_quaternion = look_at(phone.location, target, hand.roll[key] * rad)
        camera.dof.focus_distance = float((target - phone.location).length * hand.focus[key])
        tilt = Matrix.Rotation(hand.tilt[0][key] * rad, 3, "Y") @ Matrix.Rotation(hand.tilt[1][key] * rad, 3, "X")
        sheet.rotation_quaternion = (tilt @ Matrix.Rotation(90 * rad if turned else 0, 3, "Z")).to_quaternion()
        sheet.location = [float(hand.shift[k][key]) for k in range(2)] + [in_air + lift + float(hand.shift[2][key])]
        for item in (phone, sheet):
            item.keyframe_insert("location", frame=key - BEFORE)
            item.keyframe_insert("rotation_quaternion", frame=key - BEFORE)
        camera.dof.keyframe_insert("focus_distance", frame=key - BEFORE)
    for item in (phone, sheet, camera):
        for curve in item.animation_data.action.fcurves:
            for point in curve.keyframe_points:
                point.interpolation = "LINEAR"
    return focal_px


def save_poses(scan, scene, sheet, focal_px, path):
    poses = []
    for frame in range(scan.frames):
        scene.frame_set(frame)
        poses.append({k: [list(row) for row in o.matrix_world] for k, o in (("camera", scene.camera), ("object", sheet))})
    with open(path, "w") as file:
        json.dump(dict(poses=poses, focal_px=focal_px, size_px=scan.size_px, mm=SHEETS[scan.sheet].size), file)


def main(name, folder, first, last, every, samples, scale):
    scan = scan_named(name)
    scene = settings(scan, int(samples), float(scale))
    mesh, lift = sheet_mesh(scan, folder)
    sheet = bpy.data.objects.new("sheet", mesh)
    scene.collection.objects.link(sheet)
    if scan.hand != "lying":
        thumb(scene, sheet, SHEETS[scan.sheet].size)
    desk(scene, scan.desk)
    light = LIGHTS[scan.light]
    room(scene, light.world)
    for source in light.lamps:
        item = lamp(scene, source.size_m, source.power_w, source.colour)
        item.location = source.position_m
        item.rotation_euler = (-Vector(source.position_m)).to_track_quat("-Z", "Y").to_euler()
    focal_px = animate(scan, scene, sheet, lift)
    save_poses(scan, scene, sheet, focal_px, os.path.join(folder, "poses.json"))
    frames = os.path.join(folder, "frames")
    os.makedirs(frames, exist_ok=True)
    output(scene, frames)
    for frame in range(int(first), int(last), int(every)):
        if os.path.exists(os.path.join(frames, f"light.{frame:04d}.exr")):
            continue
        scene.frame_set(frame)
        scene.cycles.seed = 7 * frame + 1
        bpy.ops.render.render()
        print("frame", frame, flush=True)


if __name__ == "__main__":
    main(*sys.argv[sys.argv.index("--") + 1 :])

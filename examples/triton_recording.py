"""Records launches of Triton kernels as directories that `nereid run`, `bisect`, `reduce` and `report` read.

Used by triton_stages.py when NEREID_RECORD is set; docs/recording.md describes the files. The first launch of each
compiled kernel is recorded: its ttir, its options, the bytes of its tensors before the launch and after it. It needs
neither NumPy nor PyTorch: a tensor is anything with the methods of torch.Tensor that `storage_bytes` calls.
"""

import json
import logging
import os
import re

from triton.runtime.jit import JITFunction

# Element types of ttir, and of .npy files.
NPY = {"f64": "<f8", "f32": "<f4", "f16": "<f2", "bf16": "<u2", "f8E4M3FN": "|u1", "f8E5M2": "|u1", "i64": "<i8",
       "i32": "<i4", "i16": "<i2", "i8": "|i1", "i1": "|b1"}
OPTIONS = ("num_warps", "num_stages", "num_ctas")


class Unsupported(Exception):
    """A launch that cannot be recorded; the message has the reason."""


def kernel_arguments(ttir):
    """The names and types of the kernel's arguments: [("x", "!tt.ptr<f32>"), ("n", "i32")]."""
    signature = next((line for line in ttir.splitlines() if line.lstrip().startswith("tt.func public @")), "")
    return re.findall(r"%([\w$.-]+): (!tt\.(?:ptr|tensordesc)<.*?>+|\w+)(?= \{| loc|,|\))", signature)


def element_of(kind):
    """The element type of a pointer or a descriptor; None for a scalar."""
    found = re.match(r"!tt\.ptr<(\w+)|!tt\.tensordesc<(?:tensor<)?(?:\d+x)+(\w+)", kind)
    return found and (found[1] or found[2])


def storage_bytes(tensor):
    """The bytes from the tensor's address to the end of its storage."""
    start = tensor.storage_offset() * tensor.element_size()
    return bytes(tensor.untyped_storage().cpu())[start:]


def tensor_of(value):
    """The tensor under a wrapper of Triton or of a library; a tensor itself."""
    while not (hasattr(value, "untyped_storage") and hasattr(value, "storage_offset")):
        name = next((name for name in ("base", "_base", "storage", "data") if hasattr(value, name)), None)
        if not name:
            raise Unsupported(f"an argument of type {type(value).__name__}, whose memory is unknown")
        value = getattr(value, name)
    return value


def recorded_tensor(value):
    """The tensor whose bytes are those of an argument; None for a scalar."""
    if hasattr(value, "block_shape"):
        return base_of_descriptor(value)
    if not hasattr(value, "untyped_storage") and not hasattr(value, "data_ptr"):
        return None
    tensor = tensor_of(value)
    if tensor is not value and hasattr(tensor, "data_ptr") and tensor.data_ptr() != value.data_ptr():
        raise Unsupported(f"an argument of type {type(value).__name__} with an offset from its tensor")
    return tensor


def base_of_descriptor(descriptor):
    stride = 1
    if getattr(descriptor, "round_f32_to_tf32", False):
        raise Unsupported("a descriptor whose loads round to tf32")
    for extent, given in zip(reversed(descriptor.shape), reversed(descriptor.strides)):
        if given != stride:
            raise Unsupported("a descriptor of a tensor that is not contiguous")
        stride *= extent
    return descriptor.base


def write_npy(path, element, shape, data):
    header = "{'descr': '%s', 'fortran_order': False, 'shape': (%s,), }" % (NPY[element], ", ".join(map(str, shape)))
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + data)


class Recording:
    """One launch: the arguments are read when it is created, the files are written after the launch."""

    def __init__(self, bound, limit):
        self.bound = bound
        for name, value in bound.items():
            if isinstance(value, tuple) and any(hasattr(item, "data_ptr") for item in value):
                raise Unsupported(f"argument {name} is a tuple of tensors")
        self.tensors = {name: recorded_tensor(value) for name, value in bound.items()}
        self.tensors = {name: tensor for name, tensor in self.tensors.items() if tensor is not None}
        size = sum(tensor.untyped_storage().nbytes() for tensor in self.tensors.values())
        if size > limit:
            raise Unsupported(f"its arguments have {size} bytes; NEREID_RECORD_LIMIT is {limit}")
        self.before = {name: storage_bytes(tensor) for name, tensor in self.tensors.items()}

    def write(self, folder, kernel, grid):
        ttir = kernel.asm["ttir"]
        os.makedirs(folder)
        with open(os.path.join(folder, "kernel.ttir"), "w") as file:
            file.write(ttir)
        arguments, results = [], []
        for index, (name, kind) in enumerate(kernel_arguments(ttir)):
            if name not in self.bound:
                continue  # the shape or a stride of a descriptor
            spec = self.write_argument(folder, index, name, kind, results)
            arguments.append({"name": name, "spec": spec})
        options = [word for name in OPTIONS for word in ("--" + name.replace("_", "-"), str(getattr(kernel.metadata, name)))]
        manifest = {"version": 1, "kernel": "kernel.ttir", "name": kernel.metadata.name, "on": None,
                    "grid": ",".join(map(str, grid)), "seed": 0, "options": options, "arguments": arguments,
                    "outcome": "success", "results": results}
        with open(os.path.join(folder, "case.json"), "w") as file:
            json.dump(manifest, file, indent=1)

    def write_argument(self, folder, index, name, kind, results):
        value, element = self.bound[name], element_of(kind)
        if element is None:
            return str(int(value) if isinstance(value, (bool, int)) else float(value))
        if value is None:
            return "null"
        size = int(NPY[element][2:])
        shape = list(value.shape) if hasattr(value, "block_shape") else [len(self.before[name]) // size]
        count = size
        for extent in shape:
            count *= extent
        file = f"{index}-{name}.npy"
        write_npy(os.path.join(folder, file), element, shape, self.before[name][:count])
        write_npy(os.path.join(folder, "result-" + file), element, shape, storage_bytes(self.tensors[name])[:count])
        results.append({"name": name, "file": "result-" + file})
        return f"{element}[{'x'.join(map(str, shape))}]:@{file}"


def canonical_grid(grid, bound):
    grid = tuple(grid(bound) if callable(grid) else grid)
    return grid + (1,) * (3 - len(grid))


def register(folder, limit):
    """Records the launches of this process from here on."""
    launch, seen = JITFunction.run, {}

    def run(function, *args, grid, warmup, **kwargs):
        if warmup:
            return launch(function, *args, grid=grid, warmup=warmup, **kwargs)
        recording = reason = None
        try:
            names = {name: value for name, value in kwargs.items() if name in function.signature.parameters}
            bound = function.signature.bind(*args, **names)
            bound.apply_defaults()
            recording = Recording(bound.arguments, limit)
        except Unsupported as error:
            reason = error
        kernel = launch(function, *args, grid=grid, warmup=warmup, **kwargs)
        if kernel is None or kernel.hash in seen:
            return kernel
        seen[kernel.hash] = len(seen)
        if recording:
            path = os.path.join(folder, f"{seen[kernel.hash]}-{kernel.metadata.name}")
            recording.write(path, kernel, canonical_grid(grid, bound.arguments))
        else:
            logging.getLogger("triton_stages").warning("%s is not recorded: %s", kernel.metadata.name, reason)
        return kernel

    JITFunction.run = run

"""A GPU that is the PTX emulator: programs of PyTorch and Triton run without one, and kernels write their results.

`install(library, target, racecheck, count)` activates a Triton driver that launches the PTX of each kernel on the emulator of
libnereid-launch. Tensors of the device "cuda" are in host memory, as in fake_gpu.py, and PyTorch's own operators compute
there. Kernels are compiled by Nereid (examples/triton_stages.py) or, with NEREID=0, by Triton.
"""

import contextlib
import ctypes
import os
import struct
import sys
import types

import torch
import triton

import fake_gpu

U32, U64, POINTER, BOOL = ctypes.c_uint32, ctypes.c_uint64, ctypes.c_void_p, ctypes.c_bool
FORMATS = {"i1": "?", "u1": "?", "i8": "b", "u8": "B", "i16": "h", "u16": "H", "i32": "i", "u32": "I", "i64": "q", "u64": "Q",
           "fp16": "e", "fp32": "f", "f32": "f", "fp64": "d"}
# CUtensorMapDataType of Triton's numbers, which are those of tensormap.replace for 64-bit integers and floats.
TMA_ELEMENTS = {8: 8, 9: 8, 10: 9}
# Places in nereid_emulator_counters_t, sums of loads and stores.
COUNTERS = {"global_sectors": (24, 25), "shared_wavefronts": (30, 31), "local_bytes": (34, 35), "barriers": (36,)}
STEPS = 200_000_000  # of a warp, after which a kernel counts as one that does not end


class View(ctypes.Structure):  # nereid_view_t
    _fields_ = [("data", ctypes.c_char_p), ("size", ctypes.c_size_t)]


class Parameter(ctypes.Structure):  # nereid_emulator_parameter_t
    _fields_ = [("name", ctypes.c_char_p), ("offset", U32), ("size", U32)]


class Launch(ctypes.Structure):  # nereid_emulator_launch_t
    _fields_ = [("grid", U32 * 3), ("block", U32 * 3), ("cluster", U32 * 3), ("shared_bytes", U32), ("parameters", POINTER),
                ("parameter_bytes", U32), ("memory", POINTER), ("threads", U32), ("schedule", U32), ("seed", U64), ("landing", U32),
                ("proxy", U32), ("steps", U64), ("count", BOOL), ("initcheck", BOOL), ("stop_on", U32), ("racecheck", BOOL),
                ("race", POINTER), ("overwrite", POINTER), ("violation", POINTER), ("print", POINTER), ("user_data", POINTER),
                ("loop", POINTER), ("event", POINTER), ("timeline", U64 * 3), ("cost", POINTER), ("watch", POINTER),
                ("watch_bytes", U32), ("write", POINTER)]


class Report(ctypes.Structure):  # nereid_emulator_report_t
    _fields_ = [("message", ctypes.c_char * 512), ("counters", U64 * 39), ("warp_instructions", U64),
                ("thread_instructions", U64), ("races", U64), ("overwrites", U64), ("violations", U64), ("dropped", U64)]


class Request(ctypes.Structure):  # nereid_tma_request_t
    _fields_ = [("address", U64), ("element", U32), ("rank", U32), ("shape", U64 * 5), ("strides", U64 * 5), ("box", U32 * 5),
                ("swizzle", U32), ("nan_padding", BOOL), ("steps", U32 * 5), ("interleave", U32), ("promotion", U32)]


class EmulatorError(RuntimeError):
    """A fault, a race or a violated rule in a launch."""


class Emulator:
    """The functions of libnereid-launch, and the options of all launches."""

    def __init__(self, library, racecheck, count):
        self.functions, self.racecheck, self.count, self.launches = ctypes.CDLL(library), racecheck, count, []
        for name in ("kernel", "kernel_parameters"):
            getattr(self.functions, "nereid_emulator_" + name).restype = ctypes.c_void_p
        self.functions.nereid_emulator_kernel_parameters.restype = ctypes.c_size_t
        self.functions.nereid_emulator_kernel_parameter_bytes.restype = U32

    def call(self, name, *arguments):
        message = ctypes.create_string_buffer(512)
        if status := getattr(self.functions, name)(*arguments, message):
            raise EmulatorError(f"{name}: status {status}: {message.value.decode()}")

    def load(self, ptx):
        program = POINTER()
        self.call("nereid_emulator_load", View(ptx, len(ptx)), b"kernel.ptx", ctypes.byref(program))
        return program


class Function:
    """A kernel of a loaded program; the program lives as long as the process."""

    def __init__(self, emulator, name, ptx):
        self.emulator, self.name, program = emulator, name, emulator.load(ptx)
        functions, parameters = emulator.functions, ctypes.POINTER(Parameter)()
        self.kernel = POINTER(functions.nereid_emulator_kernel(program, name.encode()))
        count = functions.nereid_emulator_kernel_parameters(self.kernel, ctypes.byref(parameters))
        self.parameters = [(parameters[i].offset, parameters[i].size) for i in range(count)]
        self.size = functions.nereid_emulator_kernel_parameter_bytes(self.kernel)

    def run(self, grid, cluster, shared, memory, values):
        block = ctypes.create_string_buffer(self.size)
        for (offset, size), value in zip(self.parameters, values, strict=True):
            if len(value) != size:
                raise EmulatorError(f"an argument of {len(value)} bytes for a parameter of {size}")
            block[offset:offset + size] = value
        report = Report()
        launch = Launch(grid=grid, cluster=cluster, shared_bytes=shared, parameter_bytes=self.size,
                        parameters=ctypes.cast(block, POINTER), memory=memory.handle, steps=STEPS,
                        racecheck=self.emulator.racecheck, count=self.emulator.count)
        status = self.emulator.functions.nereid_emulator_run(self.kernel, ctypes.byref(launch), ctypes.byref(report))
        if self.emulator.count:
            totals = {name: sum(report.counters[i] for i in places) for name, places in COUNTERS.items()}
            self.emulator.launches.append({"kernel": self.name, "warp_instructions": report.warp_instructions, **totals})
        if status:
            raise EmulatorError(f"status {status}: {report.message.decode()}")
        if report.races or report.overwrites or report.violations:
            raise EmulatorError(f"{report.races} races, {report.overwrites} overwritten frames, {report.violations} violated rules")


class Memory:
    """Global memory: the storages of tensors that a kernel has been passed, or whose address the program has read."""

    def __init__(self, emulator):
        self.functions, self.handle, self.buffers, self.kept = emulator.functions, POINTER(), {}, []
        emulator.functions.nereid_emulator_memory_create(ctypes.byref(self.handle))

    def add(self, host, size, alignment):
        address = U64()
        status = self.functions.nereid_emulator_memory_add(self.handle, POINTER(host), ctypes.c_size_t(size), U64(alignment), None,
                                                           ctypes.byref(address))
        if status:
            raise EmulatorError(f"nereid_emulator_memory_add: status {status}")
        return address.value

    def remove(self, address):
        self.functions.nereid_emulator_memory_remove(self.handle, U64(address))

    def of_storage(self, storage):
        """The address that kernels see of a storage. Host memory may have been freed and allocated again."""
        host, size = storage.data_ptr(), storage.nbytes()
        known, address = self.buffers.get(host, (size, 0))
        if known != size:
            self.remove(address)
            address = 0
        if size and not address:
            # The same remainder as in host memory, so that the properties that Triton specialized on hold.
            address = self.add(host, size, min(host & -host, 4096))
            self.buffers[host] = size, address
        return address

    def of_tensor(self, tensor):
        return self.of_storage(tensor.untyped_storage()) + tensor.storage_offset() * tensor.element_size()

    def address(self, value):
        """The address of an argument: of a tensor, or of an object on top of one, whose own address counts."""
        if value is None or isinstance(value, int):
            return value or 0
        if isinstance(value, torch.Tensor):
            return self.of_tensor(value)
        tensor = tensor_of(value)
        return self.of_tensor(tensor) + value.data_ptr() - tensor.data_ptr()


class DeviceMemory(fake_gpu.HostMemory):
    """Tensors report the addresses that kernels see. Their storages are kept: a program may store the addresses in a tensor."""

    def __init__(self, memory):
        super().__init__()
        self.memory = memory

    def __torch_function__(self, function, kinds, args=(), kwargs=None):
        if function == torch.Tensor.data_ptr:
            self.memory.kept.append(args[0].untyped_storage())
            return self.memory.of_tensor(args[0])
        return super().__torch_function__(function, kinds, args, kwargs)


def tensor_of(value):
    """The tensor of an argument: itself, or what a wrapper of Triton or of a library has under one of these names."""
    while not isinstance(value, torch.Tensor):
        value = next(getattr(value, name) for name in ("base", "_base", "storage", "data") if hasattr(value, name))
    return value


def flatten(kinds, values):
    """Pairs of a scalar kind and its value; constants are left out."""
    for kind, value in zip(kinds, values, strict=True):
        if isinstance(kind, tuple):
            yield from flatten(kind, value)
        elif kind != "constexpr":
            yield kind, value


def pack(kind, value):
    if kind == "bf16":
        return struct.pack("<H", torch.tensor(float(value), dtype=torch.bfloat16).view(torch.int16).item() & 0xFFFF)
    if kind in ("fp16", "fp32", "f32", "fp64"):
        dtype = {"fp16": torch.float16, "fp64": torch.float64}.get(kind, torch.float32)
        return struct.pack("<" + FORMATS[kind], torch.tensor(float(value), dtype=dtype).item())
    code, bits = FORMATS[kind], int(kind[1:])
    value = int(value) & ((1 << bits) - 1)
    if code == "?":
        return struct.pack("<?", value)
    return struct.pack("<" + code, value - (1 << bits) if code.islower() and value >> bits - 1 else value)


class Launcher:
    """Launches a kernel on the emulator, as Triton's launcher does on a GPU."""

    emulator = memory = None

    def __init__(self, source, metadata):
        self.kinds, self.metadata = list(source.signature.values()), metadata

    def encode(self, described, descriptor):
        """The tensor map of a descriptor (docs/abi.md)."""
        shape, sizes = list(descriptor.shape), described["elem_size"]
        if described["fp4_padded"]:
            shape[-1] *= 2
        request = Request(address=self.memory.address(descriptor.base), rank=len(shape), swizzle=(0, 32, 64, 128)[described["swizzle"]],
                          element=TMA_ELEMENTS.get(described["elem_type"], described["elem_type"]),
                          nan_padding=descriptor.padding == "nan")
        if described["fp4_padded"]:
            request.element = 14
        request.shape[:len(shape)] = shape
        request.strides[:len(shape)] = [stride * sizes for stride in descriptor.strides]
        request.box[:len(shape)] = described["block_size"]
        block = ctypes.create_string_buffer(128)
        self.emulator.call("nereid_tma_encode", 1, None, ctypes.byref(request), block)
        return block.raw

    def descriptor(self, described, value):
        rank = len(value.shape)
        sizes = [struct.pack("<i", extent) for extent in value.shape] + [struct.pack("<q", stride) for stride in value.strides]
        if described:
            return [self.encode(described, value)] + sizes
        wide = [struct.pack("<q", number) for number in (*value.shape, *value.strides)]
        return [struct.pack("<Q", self.memory.address(value.base)), *wide, struct.pack("<?", value.padding == "nan"), *sizes[:rank],
                *sizes[rank:]]

    def values(self, arguments):
        described = iter(self.metadata.tensordesc_meta or [])
        for kind, value in flatten(self.kinds, arguments):
            if kind.startswith("tensordesc"):
                yield from self.descriptor(next(described, None), value)
            elif kind.startswith("*"):
                yield struct.pack("<Q", self.memory.address(value))
            else:
                yield pack(kind, value)

    def scratch(self, count):
        """Host memory and address of the global and profile scratch of a launch; none where the kernel has none."""
        for size, alignment in ((self.metadata.global_scratch_size, self.metadata.global_scratch_align),
                                (self.metadata.profile_scratch_size, self.metadata.profile_scratch_align)):
            host = ctypes.create_string_buffer(size * count) if size else None
            yield host, self.memory.add(ctypes.addressof(host), size * count, alignment) if size else 0

    def __call__(self, x, y, z, stream, function, packed, launch_metadata, enter, leave, *arguments):
        if not x * y * z:
            return
        ctas = getattr(self.metadata, "num_ctas", 1)
        scratch = list(self.scratch(x * y * z * ctas))
        values = list(self.values(arguments)) + [struct.pack("<Q", address) for _, address in scratch]
        try:
            if enter:
                enter(launch_metadata)
            function.run((x * ctas, y, z), (ctas, 1, 1), self.metadata.shared, self.memory, values)
            if leave:
                leave(launch_metadata)
        finally:
            for host, address in scratch:
                if host:
                    self.memory.remove(address)


class Driver(fake_gpu.Driver):
    launcher_cls = Launcher

    def __init__(self, emulator, target):
        super().__init__()
        self.target = target
        self.utils = types.SimpleNamespace(
            get_device_properties=lambda device: fake_gpu.PROPERTIES, set_printf_fifo_size=lambda *_: None,
            load_binary=lambda name, ptx, shared, device: (None, Function(emulator, name, ptx), 32, 0, 1024))

    def get_current_target(self):
        return triton.backends.compiler.GPUTarget("cuda", self.target, 32)


def keep_ptx():
    """The last stage keeps the PTX, which the emulator executes."""
    inner = triton.knobs.runtime.add_stages_inspection_hook

    def hook(backend=None, stages=None, options=None, language=None, capability=None):
        found = inner(backend, stages, options, language, capability) if inner else None
        if stages is None:
            return found or ("ptx", "ptx")
        stages["cubin"] = lambda ptx, metadata: ptx.encode() if isinstance(ptx, str) else ptx
        return None

    triton.knobs.runtime.add_stages_inspection_hook = hook


def install(library, target=90, racecheck=False, count=False):
    fake_gpu.CAPABILITY = divmod(target, 10)
    fake_gpu.patch_torch()
    Launcher.emulator = Emulator(library, racecheck, count)
    Launcher.memory = Memory(Launcher.emulator)
    triton.runtime.driver.set_active(Driver(Launcher.emulator, target))
    if os.environ.get("NEREID") != "0":
        sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples"))
        import triton_stages
        os.environ["NEREID_FLAGS"] = os.environ.get("NEREID_FLAGS", "") + " --emit ptx"
        triton_stages.register()
    keep_ptx()
    DeviceMemory(Launcher.memory).__enter__()
    fake_gpu.Operators(contextlib.nullcontext())

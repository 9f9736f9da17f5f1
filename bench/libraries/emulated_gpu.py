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

import emulator_abi as abi
import fake_gpu
from emulator_abi import POINTER, U32, U64

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples"))
from triton_recording import tensor_of  # noqa: E402

FORMATS = {"i1": "?", "u1": "?", "i8": "b", "u8": "B", "i16": "h", "u16": "H", "i32": "i", "u32": "I", "i64": "q", "u64": "Q",
           "fp16": "e", "fp32": "f", "f32": "f", "fp64": "d"}
# The element types that Triton numbers as tensormap.replace (PTX ISA) does, unlike CUtensorMapDataType.
TMA_ELEMENTS = {8: abi.NEREID_TMA_F32_FTZ, 9: abi.NEREID_TMA_F64, 10: abi.NEREID_TMA_BF16}
LOADS_AND_STORES = ("global_sectors", "shared_wavefronts", "local_bytes")  # counters of pairs, of which a report has the sums
STEPS = 200_000_000  # of a warp, after which a kernel counts as one that does not end


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
        message = abi.Message()
        if status := getattr(self.functions, name)(*arguments, ctypes.byref(message)):
            raise EmulatorError(f"{name}: status {status}: {message.text.decode()}")

    def load(self, ptx):
        program = POINTER()
        self.call("nereid_emulator_load", abi.View(ptx, len(ptx)), b"kernel.ptx", ctypes.byref(program))
        return program


class Findings:
    """The first races and violated rules of a launch, as text with their source lines."""

    LIMIT = 4
    CLASSES = ("race", "proxy", "wgmma-reg", "tensor-map")

    def __init__(self):
        self.lines, self.race, self.violation = [], abi.HANDLER(self.add_race), abi.HANDLER(self.add_violation)

    def add(self, line):
        if len(self.lines) < self.LIMIT:
            self.lines.append(line)

    def place(self, of):
        return (of.source or b"%s:%d" % (of.program, of.line)).decode()

    def add_race(self, _, found):
        race = ctypes.cast(found, ctypes.POINTER(abi.Race)).contents
        sides = [f"{side.what.decode()} at {self.place(side)}" for side in (race.earlier, race.later)]
        self.add(f"{self.CLASSES[race.kind]}: {race.space.decode()} memory at 0x{race.address:x}: {', '.join(sides)}")

    def add_violation(self, _, found):
        violation = ctypes.cast(found, ctypes.POINTER(abi.Violation)).contents
        self.add(f"{violation.sentence.decode()}: {self.place(violation.place)}")


class Function:
    """A kernel of a loaded program; the program lives as long as the process."""

    def __init__(self, emulator, name, ptx):
        self.emulator, self.name, program = emulator, name, emulator.load(ptx)
        functions, parameters = emulator.functions, ctypes.POINTER(abi.Parameter)()
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
        report, findings = abi.Report(), Findings()
        launch = abi.Launch(grid=grid, cluster=cluster, shared_bytes=shared, parameter_bytes=self.size,
                            parameters=ctypes.cast(block, POINTER), memory=memory.handle, steps=STEPS,
                            racecheck=self.emulator.racecheck, race=ctypes.cast(findings.race, POINTER),
                            violation=ctypes.cast(findings.violation, POINTER), count=self.emulator.count)
        status = self.emulator.functions.nereid_emulator_run(self.kernel, ctypes.byref(launch), ctypes.byref(report))
        if self.emulator.count:
            sums = {name: sum(getattr(report.counters, name)) for name in LOADS_AND_STORES}
            self.emulator.launches.append({"kernel": self.name, "warp_instructions": report.warp_instructions, **sums,
                                           "barriers": report.counters.barriers})
        if status:
            raise EmulatorError(f"status {status}: {report.message.text.decode()}")
        if report.races or report.overwrites or report.violations:
            raise EmulatorError("\n".join([f"{report.races} races, {report.overwrites} overwritten frames, "
                                           f"{report.violations} violated rules", *findings.lines]))


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
        request = abi.Request(address=self.memory.address(descriptor.base), rank=len(shape),
                              swizzle=(0, 32, 64, 128)[described["swizzle"]],
                              element=TMA_ELEMENTS.get(described["elem_type"], described["elem_type"]),
                              nan_padding=descriptor.padding == "nan")
        if described["fp4_padded"]:
            request.element = abi.NEREID_TMA_U4_PADDED
        if getattr(descriptor, "round_f32_to_tf32", False):  # Triton 3.7 and later
            request.element = abi.NEREID_TMA_TF32
        request.shape[:len(shape)] = shape
        request.strides[:len(shape)] = [stride * sizes for stride in descriptor.strides]
        request.box[:len(shape)] = described["block_size"]
        encoded = abi.Descriptor()
        self.emulator.call("nereid_tma_encode", abi.NEREID_TMA_EMULATOR, None, ctypes.byref(request), ctypes.byref(encoded))
        return bytes(encoded)

    def encode_im2col(self, described, descriptor):
        """The tensor map of images (docs/abi.md), which no function of the library encodes."""
        rank, size = len(descriptor.shape), described["elem_size"]
        element = TMA_ELEMENTS.get(described["elem_type"], described["elem_type"])
        if descriptor.round_f32_to_tf32:
            element = abi.NEREID_TMA_TF32
        pixels, channels = described["block_size"]
        steps = list(descriptor.element_strides or [1] * rank)[::-1]
        corners = [corner[::-1] for corner in (descriptor.pixel_box_lower_corner, descriptor.pixel_box_upper_corner)]
        map = bytearray(abi.MAP_BYTES)
        struct.pack_into("<8sIBBBBQ", map, 0, b"NEREIDTM", 1, element, rank, (0, 32, 64, 128)[described["swizzle"]],
                         descriptor.padding == "nan", self.memory.address(descriptor.base))
        struct.pack_into(f"<{rank}Q", map, 24, *list(descriptor.shape)[::-1])
        struct.pack_into(f"<{rank - 1}Q", map, 64, *[stride * size for stride in list(descriptor.strides)[-2::-1]])
        struct.pack_into("<2H", map, 96, channels, pixels)
        struct.pack_into(f"<{rank}B", map, 106, *[0 if step == 1 else step for step in steps])
        map[112] = 1
        for at, corner in zip((113, 116), corners):
            struct.pack_into(f"<{len(corner)}{'h' if rank == 3 else 'b'}", map, at, *corner)
        checksum = 0xCBF29CE484222325  # FNV-1a
        for byte in map[:120]:
            checksum = (checksum ^ byte) * 0x100000001B3 % (1 << 64)
        struct.pack_into("<Q", map, 120, checksum)
        return bytes(map)

    def descriptor(self, described, value):
        sizes = [struct.pack("<i", extent) for extent in value.shape] + [struct.pack("<q", stride) for stride in value.strides]
        if described:
            encode = self.encode_im2col if described.get("is_im2col") else self.encode
            return [encode(described, value)] + sizes
        wide = [struct.pack("<q", number) for number in (*value.shape, *value.strides)]
        flags = [value.padding == "nan"] + ([value.round_f32_to_tf32] if hasattr(value, "round_f32_to_tf32") else [])
        return [struct.pack("<Q", self.memory.address(value.base)), *wide, *(struct.pack("<?", flag) for flag in flags), *sizes]

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


def register_compiler():
    """Nereid compiles the kernels of this process, except with NEREID=0."""
    if os.environ.get("NEREID") != "0":
        import triton_stages
        triton_stages.register()


def install(library, target=90, racecheck=False, count=False):
    fake_gpu.CAPABILITY = divmod(target, 10)
    fake_gpu.patch_torch()
    Launcher.emulator = Emulator(library, racecheck, count)
    Launcher.memory = Memory(Launcher.emulator)
    triton.runtime.driver.set_active(Driver(Launcher.emulator, target))
    os.environ["NEREID_FLAGS"] = os.environ.get("NEREID_FLAGS", "") + " --emit ptx"
    register_compiler()
    keep_ptx()
    DeviceMemory(Launcher.memory).__enter__()
    fake_gpu.Operators(contextlib.nullcontext())

"""A GPU that is not there: programs of PyTorch and Triton run without one, and no kernel is launched.

`install()` makes torch.cuda report an H200, redirects tensors of the device "cuda" to host memory while they still report
"cuda" as their device, registers implementations of operators for CUDA as those for host memory, and activates a Triton
driver that compiles and does not launch. Outputs of kernels are uninitialized memory, so comparisons with references have no
meaning.
"""

import contextlib
import types

import torch
import triton
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten, tree_map
from triton.backends.compiler import GPUTarget

CAPABILITY = (9, 0)
PROPERTIES = {"max_shared_mem": 232448, "max_num_regs": 65536, "multiprocessor_count": 132, "warpSize": 32,
              "sm_clock_rate": 1980000, "mem_clock_rate": 3201000, "mem_bus_width": 6144}
DEVICE = torch.device("cuda", 0)


def to_host(value):
    if isinstance(value, torch.device):
        return torch.device("cpu") if value.type == "cuda" else value
    if isinstance(value, str) and (value == "cuda" or value.startswith("cuda:")):
        return "cpu"
    if isinstance(value, torch.Generator) or not isinstance(value, (tuple, list)) or isinstance(value, torch.Size):
        return value
    return type(value)(to_host(item) for item in value) if type(value) in (tuple, list) else value


class HostMemory(TorchFunctionMode):
    """Replaces the device "cuda" in arguments, and reports it as the device of tensors."""

    def __torch_function__(self, function, kinds, args=(), kwargs=None):
        kwargs = {name: to_host(value) for name, value in (kwargs or {}).items()}
        if isinstance(kwargs.get("device"), int):
            kwargs["device"] = "cpu"
        if function == torch.Tensor.device.__get__:
            real = function(*args)
            return DEVICE if real.type == "cpu" else real
        if function == torch.Tensor.is_cuda.__get__:
            return True
        if function == torch.Tensor.is_cpu.__get__:
            return False
        if function == torch.Tensor.get_device:
            return 0
        if function == torch.Tensor.cuda:
            return args[0]
        if getattr(function, "__name__", "") == "pin_memory":
            return args[0]
        kwargs.pop("pin_memory", None)
        return function(*(to_host(value) for value in args), **kwargs)


class NoArithmetic(TorchDispatchMode):
    """Leaves large floating-point results uninitialized: inputs and references of tests cost neither time nor memory."""

    LARGE = 1 << 14  # elements

    def __torch_dispatch__(self, function, kinds, args=(), kwargs=None):
        kwargs = kwargs or {}
        flat = [value for value in tree_flatten((args, kwargs))[0] if isinstance(value, torch.Tensor)]
        if not self.skips(function) or not all(value.layout == torch.strided for value in flat):
            return function(*args, **kwargs)
        if function._schema.is_mutable:
            written = args[0] if args else None
            large = isinstance(written, torch.Tensor) and written.is_floating_point() and written.numel() >= self.LARGE
            return written if large else function(*args, **kwargs)
        try:
            shapes = function(*tree_map(to_meta, args), **tree_map(to_meta, {**kwargs, **({} if flat else {"device": "meta"})}))
        except (RuntimeError, NotImplementedError, TypeError):
            return function(*args, **kwargs)
        results = [value for value in tree_flatten(shapes)[0] if isinstance(value, torch.Tensor)]
        small = sum(value.numel() for value in flat + results) < self.LARGE
        if small or not results or not all(value.is_floating_point() or value.numel() < self.LARGE for value in results):
            return function(*args, **kwargs)
        return tree_map(allocate, shapes)

    @staticmethod
    def skips(function):
        """Operators without views, and mutable ones that write their first argument only."""
        arguments = function._schema.arguments
        written = [index for index, value in enumerate(arguments) if value.alias_info and value.alias_info.is_write]
        aliases = any(value.alias_info for value in (*arguments, *function._schema.returns))
        return (written == [0] or not aliases) and function.namespace == "aten" and "empty" not in function.__name__


def allocate(value):
    """Host memory for a tensor without data: uninitialized, or zeros for integers, which may be indices."""
    if not isinstance(value, torch.Tensor):
        return value
    found = torch.empty_strided(value.shape, value.stride(), dtype=value.dtype, device="cpu")
    return found if value.is_floating_point() else found.zero_()


def to_meta(value):
    return value.to("meta") if isinstance(value, torch.Tensor) else value


class Operators:
    """Registers implementations for CUDA as those for host memory. While a library has some, arithmetic takes place."""

    def __init__(self, mode):
        self.mode, self.libraries = mode, set()
        register, destroy = torch.library.Library.impl, torch.library.Library._destroy

        def register_for_host(library, name, function, dispatch_key="", **options):
            if dispatch_key == "CUDA":
                self.change(lambda: self.libraries.add(id(library)))
                dispatch_key = "CPU"
            return register(library, name, function, dispatch_key, **options)

        def destroy_for_host(library):
            destroy(library)
            self.change(lambda: self.libraries.discard(id(library)))

        torch.library.Library.impl, torch.library.Library._destroy = register_for_host, destroy_for_host
        mode.__enter__()

    def change(self, update):
        before = bool(self.libraries)
        update()
        if before != bool(self.libraries):
            self.mode.__enter__() if before else self.mode.__exit__(None, None, None)


class Stream:
    cuda_stream = 0
    device = DEVICE
    device_index = 0

    def __init__(self, *_, **__):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False

    def __getattr__(self, name):
        return lambda *_, **__: None


class Event(Stream):
    def elapsed_time(self, _):
        return 1.0

    def query(self):
        return True


class Generator:
    """A generator of a GPU: its state is a seed and an offset of 8 bytes each."""

    device = DEVICE

    def get_state(self):
        return torch.zeros(16, dtype=torch.uint8)

    def set_state(self, _):
        return self

    def initial_seed(self):
        return 0

    def manual_seed(self, _):
        return self


def patch_torch():
    properties = types.SimpleNamespace(
        name="NVIDIA H200", major=9, minor=0, total_memory=150 << 30, multi_processor_count=132, warp_size=32,
        shared_memory_per_block=49152, shared_memory_per_block_optin=232448, shared_memory_per_multiprocessor=233472,
        max_threads_per_multi_processor=2048, regs_per_multiprocessor=65536, L2_cache_size=60 << 20, gcnArchName="",
        is_integrated=False)
    answers = {
        "is_available": True, "device_count": 1, "current_device": 0, "get_device_capability": CAPABILITY,
        "get_device_name": "NVIDIA H200", "get_device_properties": properties, "is_initialized": True,
        "is_bf16_supported": True, "synchronize": None, "empty_cache": None, "set_device": None, "init": None,
        "_lazy_init": None, "manual_seed": None, "manual_seed_all": None, "memory_allocated": 0,
        "max_memory_allocated": 0, "reset_peak_memory_stats": None, "memory_reserved": 0, "ipc_collect": None,
        "mem_get_info": (140 << 30, 150 << 30), "get_rng_state": torch.zeros(16, dtype=torch.uint8), "set_rng_state": None,
        "current_stream": Stream(), "default_stream": Stream(), "is_current_stream_capturing": False, "set_stream": None}
    for name, answer in answers.items():
        setattr(torch.cuda, name, lambda *_, answer=answer, **__: answer)
    torch.cuda.device = torch.cuda.stream = lambda *_, **__: contextlib.nullcontext()
    torch.cuda.Stream, torch.cuda.Event = Stream, Event
    torch.cuda._initialized = True
    torch.cuda.default_generators = (Generator(),)
    torch.version.cuda = torch.version.cuda or "13.0"
    torch.nn.Module.cuda = lambda module, *_: module
    torch._dynamo.config.disable = True


class Launcher:
    def __init__(self, source, metadata):
        pass

    def __call__(self, *_, **__):
        pass


class Driver:
    """Compiles for sm_90 and launches nothing. The first configuration of an autotuner is the fastest."""

    launcher_cls = Launcher

    def __init__(self):
        self.utils = types.SimpleNamespace(
            get_device_properties=lambda device: PROPERTIES, load_binary=lambda *_: (None, None, 0, 0, 1024),
            fill_tma_descriptor=lambda *_: None, set_printf_fifo_size=lambda *_: None)
        self.answers = 0

    def get_current_target(self):
        return GPUTarget("cuda", CAPABILITY[0] * 10 + CAPABILITY[1], 32)

    def get_device_capability(self, *_):
        return CAPABILITY

    def get_current_device(self):
        return 0

    def set_current_device(self, device):
        pass

    def get_current_stream(self, device):
        return 0

    def get_active_torch_device(self):
        return DEVICE

    def get_device_interface(self):
        return torch.cuda

    def get_empty_cache_for_benchmark(self):
        return torch.zeros(1)

    def clear_cache(self, cache):
        pass

    def map_python_to_cpp_type(self, kind):
        return kind

    def is_active(self):
        return True

    def get_benchmarker(self):
        def run_once(call, quantiles=None, **_):
            call()
            self.answers += 1
            return [1.0 + self.answers] * len(quantiles) if quantiles else 1.0 + self.answers

        return run_once


def limit_autotuner(configs):
    """Keeps this number of the configurations of each autotuned kernel, spread over all."""
    prune = triton.runtime.autotuner.Autotuner.prune_configs

    def prune_more(tuner, *args, **kwargs):
        found = prune(tuner, *args, **kwargs)
        return found[::max(1, -(-len(found) // configs))]

    triton.runtime.autotuner.Autotuner.prune_configs = prune_more


def install():
    patch_torch()
    triton.runtime.driver.set_active(Driver())
    triton.testing.do_bench = lambda call, quantiles=None, **_: (call(), [1.0] * len(quantiles) if quantiles else 1.0)[1]
    HostMemory().__enter__()
    Operators(NoArithmetic())

"""libdevice.py DIRECTORY: calls every scalar function of libdevice, from one kernel per signature; the interpreter's
results are compared with those of libdevice, compiled and emulated."""
import math
import os
import random
import struct
import subprocess
import sys

# Result and operands: i32, l is i64, h is i16, f32, d is f64.
FUNCTIONS = {
    "ii": "clz popc brev abs ffs",
    "il": "clzll popcll ffsll",
    "iiii": "byte_perm sad usad",
    "iii": "min umin max umax mulhi umulhi mul24 umul24 hadd rhadd uhadd urhadd",
    "lll": "llmin ullmin llmax ullmax mul64hi umul64hi",
    "ll": "brevll llabs",
    "ff": "floorf fabsf rsqrtf exp2f truncf ceilf saturatef frcp_rn frcp_rz frcp_rd frcp_ru fsqrt_rn fsqrt_rz fsqrt_rd "
          "fsqrt_ru sqrtf fast_sinf fast_cosf fast_log2f fast_logf fast_expf fast_tanhf tanhf fast_tanf fast_exp10f "
          "fast_log10f frsqrt_rn rintf nearbyintf sinf cosf sinpif cospif tanf log2f expf exp10f coshf sinhf atanf asinf "
          "acosf logf log10f log1pf acoshf asinhf atanhf expm1f cbrtf rcbrtf j0f j1f y0f y1f cyl_bessel_i0f "
          "cyl_bessel_i1f erff erfinvf erfcf erfcxf erfcinvf normcdfinvf normcdff lgammaf tgammaf roundf logbf",
    "dd": "floor fabs rsqrt ceil trunc drcp_rn drcp_rz drcp_rd drcp_ru dsqrt_rn dsqrt_rz dsqrt_rd dsqrt_ru sqrt rint "
          "nearbyint sin cos sinpi cospi tan log log2 log10 log1p exp exp2 exp10 expm1 cosh sinh tanh atan asin acos acosh "
          "asinh atanh cbrt rcbrt j0 j1 y0 y1 cyl_bessel_i0 cyl_bessel_i1 erf erfinv erfcinv normcdfinv erfc erfcx normcdf "
          "tgamma lgamma round logb",
    "fff": "fminf fmaxf fast_fdividef fdiv_rn fdiv_rz fdiv_rd fdiv_ru fadd_rd fadd_ru fmul_rd fmul_ru fadd_rn fadd_rz "
           "fmul_rn fmul_rz fast_powf fsub_rn fsub_rz fsub_rd fsub_ru copysignf nextafterf atan2f hypotf rhypotf fmodf "
           "remainderf powf fdimf",
    "ddd": "fmin fmax ddiv_rn ddiv_rz ddiv_rd ddiv_ru dadd_rn dadd_rz dadd_rd dadd_ru dmul_rn dmul_rz dmul_rd dmul_ru "
           "copysign atan2 hypot rhypot pow fmod remainder nextafter dsub_rn dsub_rz dsub_ru dsub_rd fdim",
    "ffff": "fmaf_rn fmaf_rz fmaf_rd fmaf_ru norm3df rnorm3df fmaf",
    "dddd": "fma_rn fma_rz fma_rd fma_ru norm3d rnorm3d fma",
    "fd": "double2float_rn double2float_rz double2float_rd double2float_ru",
    "id": "double2int_rn double2int_rz double2int_rd double2int_ru double2uint_rn double2uint_rz double2uint_rd "
          "double2uint_ru double2loint double2hiint signbitd isfinited isinfd isnand ilogb",
    "di": "int2double_rn uint2double_rn",
    "if": "float2int_rn float2int_rz float2int_rd float2int_ru float2uint_rn float2uint_rz float2uint_rd float2uint_ru "
          "float_as_int float_as_uint isnanf signbitf finitef isinff ilogbf",
    "fi": "int2float_rn int2float_rz int2float_rd int2float_ru uint2float_rn uint2float_rz uint2float_rd uint2float_ru "
          "int_as_float uint_as_float",
    "dii": "hiloint2double",
    "lf": "float2ll_rn float2ll_rz float2ll_rd float2ll_ru float2ull_rn float2ull_rz float2ull_rd float2ull_ru llrintf "
          "llroundf",
    "ld": "double2ll_rn double2ll_rz double2ll_rd double2ll_ru double2ull_rn double2ull_rz double2ull_rd double2ull_ru "
          "double_as_longlong llrint llround",
    "fl": "ll2float_rn ll2float_rz ll2float_rd ll2float_ru ull2float_rn ull2float_rz ull2float_rd ull2float_ru",
    "dl": "ll2double_rn ll2double_rz ll2double_rd ll2double_ru ull2double_rn ull2double_rz ull2double_rd ull2double_ru "
          "longlong_as_double",
    "hf": "float2half_rn",
    "fh": "half2float",
    "fffff": "norm4df rnorm4df",
    "fif": "ynf jnf",
    "ffi": "ldexpf scalbnf powif",
    "ddi": "powi ldexp scalbn",
    "ddddd": "norm4d rnorm4d",
    "did": "yn jn",
}
TYPES = {"i": "i32", "l": "i64", "h": "i16", "f": "f32", "d": "f64"}
CODES = {"i": "i", "l": "q", "h": "h", "f": "f", "d": "d"}
COUNT = 128
# Tolerances: results of libdevice are not correctly rounded.
LOOSE = {"f": 2e-5, "d": 1e-11}


def numbers(kind, position, small):
    """Random values followed by special values; the same in every run."""
    random.seed(f"{kind}{position}")
    if kind in "fd":
        unusual = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.5, -3.5, math.inf, -math.inf, math.nan, 1e9, -3e9, 1e19, -1e19]
        values = [random.uniform(-1, 1) if i % 2 else random.uniform(-9, 9) for i in range(COUNT)]
        if small:
            unusual = unusual[2:]  # jn(2, 0) is NaN in libdevice, which divides by it
        return values[:-len(unusual)] + unusual
    bits = {"i": 32, "l": 64, "h": 16}[kind]
    if small:
        return [random.randrange(-4, 5) for _ in range(COUNT)]
    unusual = [0, 1, -1, 2**(bits - 1) - 1, -2**(bits - 1), 255, -256]
    values = [random.randrange(-2**(bits - 1), 2**(bits - 1)) >> random.randrange(bits - 1) for _ in range(COUNT)]
    return values[:-len(unusual)] + unusual


def write_npy(path, kind, values):
    header = f"{{'descr': '<{ {'i': 'i4', 'l': 'i8', 'h': 'i2', 'f': 'f4', 'd': 'f8'}[kind]}', 'fortran_order': False, 'shape': ({len(values)},), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        file.write(struct.pack(f"<{len(values)}{CODES[kind]}", *values))


def kernel(signature, names):
    out, operands = TYPES[signature[0]], [TYPES[c] for c in signature[1:]]
    pointers = [f"%p{i}: !tt.ptr<{t}> loc(\"x{i}\")" for i, t in enumerate(operands)]
    pointers += [f"%o{i}: !tt.ptr<{out}> loc(\"{name}\")" for i, name in enumerate(names)]
    lines = [f"tt.func public @f({', '.join(pointers)}) {{",
             f"  %r = tt.make_range {{start = 0 : i32, end = {COUNT} : i32}} : tensor<{COUNT}xi32>"]

    def address(name, t):
        return [f"  %{name}s = tt.splat %{name} : !tt.ptr<{t}> -> tensor<{COUNT}x!tt.ptr<{t}>>",
                f"  %{name}a = tt.addptr %{name}s, %r : tensor<{COUNT}x!tt.ptr<{t}>>, tensor<{COUNT}xi32>"]

    for i, t in enumerate(operands):
        lines += address(f"p{i}", t) + [f"  %x{i} = tt.load %p{i}a : tensor<{COUNT}x!tt.ptr<{t}>>"]
    for i, name in enumerate(names):
        lines += address(f"o{i}", out)
        lines.append(f"  %y{i} = tt.extern_elementwise {', '.join(f'%x{k}' for k in range(len(operands)))} "
                     f"{{libname = \"\", libpath = \"\", pure = true, symbol = \"__nv_{name}\"}} : "
                     f"({', '.join(f'tensor<{COUNT}x{t}>' for t in operands)}) -> tensor<{COUNT}x{out}>")
        lines.append(f"  tt.store %o{i}a, %y{i} : tensor<{COUNT}x!tt.ptr<{out}>>")
    return "\n".join(lines + ["  tt.return", "}", ""])


def check(directory, signature, names):
    path = os.path.join(directory, f"{signature}.ttir")
    with open(path, "w") as file:
        file.write(kernel(signature, names))
    exact = signature[0] not in "fd"
    command = ["nereid", "run", path, "--on", "emulator", "--check", "interpreter", "--grid", "1", "--tolerance",
               "0" if exact else str(LOOSE[signature[0]])]
    small = signature in ("fif", "ffi", "ddi", "did")
    for i, kind in enumerate(signature[1:]):
        write_npy(os.path.join(directory, f"{signature}{i}.npy"), kind, numbers(kind, i, small))
        command += ["--arg", f"x{i}=@{directory}/{signature}{i}.npy"]
    for name in names:
        command += ["--arg", f"{name}={TYPES[signature[0]]}[{COUNT}]:zeros"]
    got = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wrong = [line for line in got.stdout.splitlines() if "FAILED" in line]
    return wrong + ([got.stderr] if got.returncode and not wrong else [])


if __name__ == "__main__":
    os.makedirs(sys.argv[1], exist_ok=True)
    problems = [f"{key}: {line}" for key, names in FUNCTIONS.items() for line in check(sys.argv[1], key, names.split())]
    sys.exit("\n".join(problems) or 0)

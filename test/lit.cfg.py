import ctypes.util
import os
import shutil
import subprocess

import lit.formats

config.name = "nereid"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".ttir", ".ttgir", ".ll", ".ptx", ".test", ".cu"]
config.excludes = ["Inputs", "CMakeLists.txt"]
config.test_source_root = os.path.join(config.nereid_source, "test")
config.test_exec_root = os.path.join(config.nereid_build, "test")

path = [os.path.join(config.nereid_build, "bin"), config.llvm_tools, os.environ.get("PATH", "")]
config.environment["PATH"] = os.pathsep.join(path)
for name in ("CUDA_HOME", "CUDA_PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS", "LD_LIBRARY_PATH"):
    if name in os.environ:
        config.environment[name] = os.environ[name]
if "address" in config.sanitize:
    # Debian's archives are not instrumented, so containers that cross the seam look overflown.
    config.available_features.add("asan")
    config.environment["ASAN_OPTIONS"] = "detect_container_overflow=0:detect_leaks=0"

config.substitutions.append(("%llvm_lib", config.llvm_lib))
config.substitutions.append(("%mlir_include", config.mlir_include))
config.substitutions.append(("%examples", os.path.join(config.nereid_source, "examples")))
config.substitutions.append(("%build", config.nereid_build))
# The planted defects that are reduced: a sample, or all with NEREID_PLANTED=all.
config.substitutions.append(("%{planted}", "" if os.environ.get("NEREID_PLANTED") == "all" else "crash report-error"))
config.substitutions.append(("%source", config.nereid_source))

if config.build_type == "Dev":
    config.available_features.add("asserts")

# Features of the host. A test that requires a missing feature (REQUIRES) is reported as unsupported.
corpus = os.path.join(config.nereid_source, "..", "shared", "corpus")
if os.path.isdir(corpus):
    config.available_features.add("corpus")
    config.substitutions.append(("%corpus", os.path.realpath(corpus)))
cuda = os.environ.get("CUDA_HOME", os.environ.get("CUDA_PATH", "/usr/local/cuda"))
if shutil.which("ptxas") or os.path.exists(os.path.join(cuda, "bin", "ptxas")):
    config.available_features.add("ptxas")
if any(os.path.exists(os.path.join(cuda, lib, "libnvJitLink.so")) for lib in ("lib64", "lib")):
    config.available_features.add("nvjitlink")
if shutil.which("nvdisasm"):
    config.available_features.add("nvdisasm")
nvcc = shutil.which("nvcc") or os.path.join(cuda, "bin", "nvcc")
if os.path.exists(nvcc):
    config.available_features.add("nvcc")
    config.substitutions.append(("%nvcc", nvcc))
if os.path.exists(os.path.join(cuda, "nvvm", "libdevice", "libdevice.10.bc")):
    config.available_features.add("libdevice")
chromium = shutil.which("chromium")
if chromium:
    config.available_features.add("chromium")
    config.substitutions.append(("%chromium", chromium + " --headless --no-sandbox --disable-gpu"))
if shutil.which("vim"):
    config.available_features.add("vim")
if shutil.which("nvim"):
    config.available_features.add("neovim")
emacs = shutil.which("emacs")
if emacs and subprocess.run([emacs, "-q", "--batch", "-f", "package-initialize", "-l", "eglot"], capture_output=True).returncode == 0:
    config.available_features.add("eglot")
# A VS Code server, and editors/vscode with the packages of `npm install`.
vscode = [os.environ.get(name, "") for name in ("NEREID_VSCODE_SERVER", "NEREID_VSCODE_EXTENSION")]
if all(map(os.path.isdir, vscode)):
    config.available_features.add("vscode")
    config.substitutions += zip(("%vscode_server", "%vscode_extension"), vscode)
if shutil.which("pkg-config"):
    config.available_features.add("pkg-config")
triton = os.environ.get("NEREID_TRITON_PYTHON", shutil.which("python3") or "")
if triton and subprocess.run([triton, "-c", "import triton"], capture_output=True).returncode == 0:
    config.available_features.add("triton")
    config.substitutions.append(("%triton_python", triton))
    if subprocess.run([triton, "-c", "import torch, pytest"], capture_output=True).returncode == 0:
        config.available_features.add("torch")
# The server's program; Debian's redis-tools has it as redis-check-rdb.
if shutil.which("redis-server") or shutil.which("redis-check-rdb"):
    config.available_features.add("redis")
if config.redis:
    config.available_features.add("hiredis")
if config.redis_tls and shutil.which("openssl"):
    config.available_features.add("hiredis-tls")
if os.path.exists("/dev/nvidia0") and ctypes.util.find_library("cuda"):
    config.available_features.add("gpu")

skipped = {
    "corpus": "../shared/corpus",
    "ptxas": "ptxas",
    "nvjitlink": "libnvJitLink.so",
    "nvdisasm": "nvdisasm",
    "nvcc": "nvcc",
    "libdevice": "libdevice.10.bc",
    "chromium": "chromium",
    "vim": "vim",
    "neovim": "nvim",
    "eglot": "Emacs with eglot",
    "vscode": "VS Code server and extension (NEREID_VSCODE_SERVER, NEREID_VSCODE_EXTENSION)",
    "pkg-config": "pkg-config",
    "triton": "Python with triton (NEREID_TRITON_PYTHON)",
    "redis": "redis-server",
    "hiredis": "hiredis in this build",
    "hiredis-tls": "hiredis with TLS in this build or openssl",
    "gpu": "GPU",
}
for feature, name in skipped.items():
    if feature not in config.available_features:
        lit_config.note(f"no {name} here: tests that require it ({feature}) are skipped")

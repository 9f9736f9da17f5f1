/* The passes without which a kernel does not compile to machine code, or not to correct one. */
#include "tools/nereid/bisect/probe.h"

static const char *const required[] = {
    "triton-rewrite-tensor-pointer",
    "triton-rewrite-tensor-descriptor-to-pointer",
    "nereid-decompose-dot-scaled",
    "convert-triton-to-tritongpu",
    "triton-nvidia-gpu-plan-cta",
    "tritongpu-accelerate-matmul",
    "triton-nvidia-optimize-descriptor-encoding",
    "triton-nvidia-tma-lowering",
    "triton-nvidia-gpu-fence-insertion",
    "tritongpu-allocate-warp-groups",
    "nereid-regular-scans",
    "nereid-guard-async-dots",
    "convert-scf-to-cf",
    "allocate-shared-memory",
    "tritongpu-global-scratch-memory-allocation",
    "triton-nvidia-gpu-proxy-fence-insertion",
    "convert-triton-gpu-to-llvm",
};

bool tool_pass_is_required(const char *pass) {
  const nereid_view_t name = tool_pass_name(pass);
  for (size_t i = 0; i < sizeof required / sizeof *required; ++i)
    if (nereid_view_equal(name, nereid_view(required[i])))
      return true;
  return false;
}

/* triton-nvidia-gpu-fence-insertion and triton-nvidia-gpu-proxy-fence-insertion: insert fences between shared-memory
 * writes by threads and accesses by TMA or wgmma.
 *
 *   ttg.async_wait {num = 0}               ttg.async_wait {num = 0}
 *   ttng.warp_group_dot %a, %b, %c   ->    ttng.fence_async_shared {bCluster = false}
 *                                          ttng.warp_group_dot %a, %b, %c
 *
 * Both use the same analysis (analysis/membar/membar.h). The first runs while scf loops exist, so that fences can be
 * hoisted out of them. The second runs after allocate-shared-memory, when buffers may share bytes. Targets before sm_90
 * have no async proxy. */
#include "passes/pass.h"

#include "analysis/membar/membar.h"
#include "base/target_facts.h"

static MlirLogicalResult insert_fences(nereid_pass_t *pass) {
  nereid_call_graph_t calls;
  if (!nereid_target_has_async_proxy(nereid_pass_capability(pass)))
    return mlirLogicalResultSuccess();
  return nereid_call_graph_build(pass->op, pass->scratch, &calls) == NEREID_OK &&
                 nereid_membar_run(&calls, (nereid_membar_options_t){.mode = NEREID_MEMBAR_FENCES}, pass->scratch)
             ? mlirLogicalResultSuccess()
             : mlirLogicalResultFailure();
}

MlirLogicalResult nereid_pass_triton_nvidia_gpu_fence_insertion(nereid_pass_t *pass) {
  return insert_fences(pass);
}

MlirLogicalResult nereid_pass_triton_nvidia_gpu_proxy_fence_insertion(nereid_pass_t *pass) {
  return insert_fences(pass);
}

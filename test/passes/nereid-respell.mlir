// Converts operations of one Triton version to the spelling of another; --print-triton-version of both tools.
// RUN: nereid-opt %s --nereid-respell=version=3.6 | FileCheck %s --check-prefix=OLD
// RUN: nereid-opt %s --print-triton-version=3.9 | FileCheck %s --check-prefix=NEW
// RUN: nereid-opt %s --print-triton-version 3.9 --canonicalize | nereid-opt --pass-pipeline='builtin.module(cse)' --print-triton-version 3.6 | FileCheck %s --check-prefix=OLD
// RUN: nereid-opt %s --print-triton-version=3.8 | FileCheck %s --check-prefix=MIDDLE
// RUN: nereid compile %s --emit ttgir -o - --print-triton-version 3.6 | FileCheck %s --check-prefix=OLD-OPS
// RUN: nereid compile %s --emit ttgir -o - --print-triton-version 3.9 | FileCheck %s --check-prefix=NEW-OPS
// RUN: not nereid-opt %s --print-triton-version=3.5 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not nereid compile %s --emit ttgir -o - --print-triton-version 4.0 2>&1 | FileCheck %s --check-prefix=CALL

// UNKNOWN: error: 'builtin.module' op cannot be printed as Triton '3.5' does: expected version 3.6, 3.7, 3.8 or 3.9
// CALL: '4.0' is not a version to print: expected 3.6, 3.7, 3.8 or 3.9

// OLD-LABEL: @kernel
// OLD-SAME: !tt.tensordesc<tensor<32x64xf16>>
// OLD: tt.elementwise_inline_asm "griddepcontrol.wait; // dummy $0" {constraints = "=r", packed_element = 1 : i32, pure = false} -> i32
// OLD: tt.load %{{.*}} cacheModifier = cg : !tt.ptr<f32>
// OLD: arith.divf
// OLD: gpu.barrier
// OLD: ttg.local_barrier
// OLD: tt.elementwise_inline_asm "griddepcontrol.launch_dependents; // dummy $0"

// `nereid compile` rewrites the descriptor to a pointer.
// OLD-OPS: griddepcontrol.wait
// OLD-OPS: cacheModifier = cg
// OLD-OPS: arith.divf
// OLD-OPS: gpu.barrier
// OLD-OPS: ttg.local_barrier
// NEW-OPS: tt.grid_dependency_wait
// NEW-OPS: cachePolicy = #tt.cache_policy<cache_modifier = cg
// NEW-OPS: tt.approx_divf
// NEW-OPS: ttg.barrier all
// NEW-OPS: ttg.barrier local

// NEW-LABEL: @kernel
// NEW-SAME: !tt.tensordesc<32x64xf16>
// NEW: tt.grid_dependency_wait
// NEW: tt.load %{{.*}} {cachePolicy = #tt.cache_policy<cache_modifier = cg, eviction_policy = evict_normal>} : !tt.ptr<f32>
// NEW: tt.approx_divf
// NEW: ttg.barrier all
// NEW: ttg.barrier local
// NEW: tt.grid_dependency_launch_dependents

// MIDDLE-LABEL: @kernel
// MIDDLE-SAME: !tt.tensordesc<32x64xf16>
// MIDDLE: tt.load %{{.*}} cacheModifier = cg : !tt.ptr<f32>
// MIDDLE: arith.divf
// MIDDLE: ttg.barrier all
// MIDDLE: ttg.barrier local
module {
  tt.func public @kernel(%d: !tt.tensordesc<tensor<32x64xf16>>, %m: i32, %n: i32, %sm: i64, %sn: i64, %p: !tt.ptr<f32>) {
    tt.grid_dependency_wait
    %0 = tt.load %p cacheModifier = cg : !tt.ptr<f32>
    %1 = tt.approx_divf %0, %0 : f32
    gpu.barrier
    ttg.barrier local
    tt.store %p, %1 : !tt.ptr<f32>
    tt.grid_dependency_launch_dependents
    tt.return
  }
}

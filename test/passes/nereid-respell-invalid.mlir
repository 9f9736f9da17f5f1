// RUN: nereid-opt %s --nereid-respell=version=3.9 --verify-diagnostics
// RUN: not nereid-opt %S/Inputs/late_operations.mlir --split-input-file --nereid-respell=version=3.6 2>&1 | FileCheck %s --check-prefix=OLD
// RUN: not nereid-opt %S/Inputs/late_operations.mlir --split-input-file --nereid-respell=version=3.8 2>&1 | FileCheck %s --check-prefix=MIDDLE
// RUN: nereid-opt %S/Inputs/late_operations.mlir --split-input-file --nereid-respell=version=3.9
// OLD: error: 'ttg.local_gather' op has no form in Triton 3.6: print the version 3.7
// OLD: error: 'ttg.local_scatter' op has no form in Triton 3.6: print the version 3.7
// OLD: error: 'ttg.local_atomic_scatter_rmw' op has no form in Triton 3.6: print the version 3.9
// OLD: error: 'ttg.inline_asm' op has no form in Triton 3.6: print the version 3.9
// MIDDLE-NOT: local_gather' op
// MIDDLE-NOT: local_scatter' op
// MIDDLE: error: 'ttg.local_atomic_scatter_rmw' op has no form in Triton 3.8: print the version 3.9

tt.func @block(%p: !tt.ptr<f32>, %n: i64, %i: i32) {
  // expected-error @+1 {{'tt.make_tensor_ptr' op has no form in Triton 3.9, which has no block pointers: run triton-rewrite-tensor-pointer first, or print the version 3.6 or 3.7}}
  %0 = tt.make_tensor_ptr %p, [%n], [%n], [%i] {order = array<i32: 0>} : <tensor<16xf32>>
  tt.return
}

// RUN: nereid-opt %s --nereid-respell=version=3.9 --verify-diagnostics

tt.func @block(%p: !tt.ptr<f32>, %n: i64, %i: i32) {
  // expected-error @+1 {{'tt.make_tensor_ptr' op has no form in Triton 3.9, which has no block pointers: run triton-rewrite-tensor-pointer first, or print the version 3.6 or 3.7}}
  %0 = tt.make_tensor_ptr %p, [%n], [%n], [%i] {order = array<i32: 0>} : <tensor<16xf32>>
  tt.return
}

// RUN: nereid-opt %s --tritongpu-coalesce --split-input-file --verify-diagnostics

tt.func @no_encoding(%p: tensor<64x!tt.ptr<f32>>) {
  // expected-error @below {{cannot be coalesced: tensor<64x!tt.ptr<f32>> has no distributed encoding that covers it}}
  %x = tt.load %p : tensor<64x!tt.ptr<f32>>
  tt.return
}

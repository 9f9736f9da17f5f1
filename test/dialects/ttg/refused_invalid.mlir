// Triton operations and attributes for other hardware or front ends are rejected by name.
// RUN: nereid-opt %s --split-input-file --verify-diagnostics

// expected-error @+1 {{#ttg.amd_mfma is not supported: Nereid targets NVIDIA sm_80..sm_90}}
#e = #ttg.amd_mfma<{version = 3, warpsPerCTA = [4, 1], instrShape = [32, 32, 8], isTransposed = true}>

// -----

// expected-error @+1 {{#ttg.amd_wmma is not supported: Nereid targets NVIDIA sm_80..sm_90}}
#e = #ttg.amd_wmma<{version = 1}>

// -----

// expected-error @+1 {{#ttg.amd_rotating_shared is not supported: Nereid targets NVIDIA sm_80..sm_90}}
#e = #ttg.amd_rotating_shared<{vec = 4, perPhase = 1, maxPhase = 16, order = [1, 0]}>

// -----

// expected-error @+1 {{unknown name #ttg.blokced}}
#e = #ttg.blokced<{order = [0]}>

// -----

// expected-error @+1 {{#gluon.auto_encoding is not supported: it belongs to Triton's Gluon front end}}
tt.func @f(%arg0: tensor<128xf32, #gluon.auto_encoding>) {
  tt.return
}

// -----

// expected-error @+1 {{!nvws.token is not supported: it belongs to Triton's warp specialization for Blackwell}}
tt.func @f(%arg0: !nvws.token) {
  tt.return
}

// -----

tt.func @f() {
  // expected-error @+1 {{nvws.create_token is not supported}}
  %0 = nvws.create_token {loadType = 1 : i32, numBuffers = 3 : i32}
  tt.return
}

// -----

tt.func @f(%arg0: i32) {
  // expected-error @+1 {{amdg.buffer_load is not supported: Nereid targets NVIDIA sm_80..sm_90}}
  %0 = amdg.buffer_load %arg0 : i32
  tt.return
}

// -----

tt.func @f() {
  // expected-error @+1 {{proton.record is not supported: it belongs to Triton's profiler}}
  proton.record start "name"
  tt.return
}

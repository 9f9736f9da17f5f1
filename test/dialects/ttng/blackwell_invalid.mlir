// Operations and attributes of later hardware are rejected by name, at their location.
// RUN: nereid-opt %s --split-input-file --verify-diagnostics

tt.func @alloc() {
  // expected-error @below {{ttng.tmem_alloc requires Blackwell (sm_100); Nereid supports sm_80 to sm_90}}
  %0 = ttng.tmem_alloc : () -> i32
  tt.return
}

// -----

tt.func @load(%a: i32) {
  // expected-error @below {{ttng.tmem_load requires Blackwell (sm_100)}}
  %0 = ttng.tmem_load %a : i32 -> i32
  tt.return
}

// -----

tt.func @store(%a: i32, %b: i1) {
  // expected-error @below {{ttng.tmem_store requires Blackwell (sm_100)}}
  ttng.tmem_store %a, %a, %b : i32 -> i32
  tt.return
}

// -----

tt.func @copy(%a: i32) {
  // expected-error @below {{ttng.tmem_copy requires Blackwell (sm_100)}}
  ttng.tmem_copy %a, %a : i32, i32
  tt.return
}

// -----

tt.func @subslice(%a: i32) {
  // expected-error @below {{ttng.tmem_subslice requires Blackwell (sm_100)}}
  %0 = ttng.tmem_subslice %a {N = 0 : i32} : i32 -> i32
  tt.return
}

// -----

tt.func @mma(%a: i32, %b: i1) {
  // expected-error @below {{ttng.tc_gen5_mma requires Blackwell (sm_100)}}
  ttng.tc_gen5_mma %a, %a, %a, %b, %b : i32, i32, i32
  tt.return
}

// -----

tt.func @mma_scaled(%a: i32, %b: i1) {
  // expected-error @below {{ttng.tc_gen5_mma_scaled requires Blackwell (sm_100)}}
  ttng.tc_gen5_mma_scaled %a, %a, %a, %a, %a, %b, %b lhs = e4m3 rhs = e4m3 : i32, i32, i32, i32, i32
  tt.return
}

// -----

tt.func @commit(%a: i32) {
  // expected-error @below {{ttng.tc_gen5_commit requires Blackwell (sm_100)}}
  ttng.tc_gen5_commit %a : i32
  tt.return
}

// -----

// expected-error @below {{#ttng.tensor_memory_encoding requires Blackwell (sm_100); Nereid supports sm_80 to sm_90}}
#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 128, colStride = 1>

// -----

// expected-error @below {{#ttng.tensor_memory_scales_encoding requires Blackwell (sm_100)}}
#scales = #ttng.tensor_memory_scales_encoding<>

// -----

// expected-error @below {{#ttng.tensor_memory requires Blackwell (sm_100)}}
tt.func @space(%a: !ttg.memdesc<128x128xf32, 0, #ttng.tensor_memory>) {
  tt.return
}

// -----

// expected-error @below {{the ttng dialect has no attributes}}
#other = #ttng.something

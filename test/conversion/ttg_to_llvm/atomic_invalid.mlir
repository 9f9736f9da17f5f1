// RUN: nereid-opt %s --split-input-file --verify-diagnostics --convert-triton-gpu-to-llvm="compute-capability=80"

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func private @f(%p: !tt.ptr<i8>, %v: i8) {
  // expected-error @below {{'tt.atomic_rmw' op has no instruction for elements of type i8 on sm_80}}
  %o = tt.atomic_rmw add, relaxed, gpu, %p, %v : (!tt.ptr<i8>, i8) -> i8
  tt.return
}
}

// -----

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func private @f(%p: !tt.ptr<f8E5M2>, %v: f8E5M2) {
  // expected-error @below {{'tt.atomic_rmw' op has no instruction for elements of type f8E5M2 on sm_80}}
  %o = tt.atomic_rmw fadd, relaxed, gpu, %p, %v : (!tt.ptr<f8E5M2>, f8E5M2) -> f8E5M2
  tt.return
}
}

// -----

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func private @f(%p: !tt.ptr<i8>, %v: i8) {
  // expected-error @below {{'tt.atomic_cas' op has no instruction for elements of type i8 on sm_80}}
  %o = tt.atomic_cas relaxed, gpu, %p, %v, %v : (!tt.ptr<i8>, i8, i8) -> i8
  tt.return
}
}

// -----

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func private @f(%p: !tt.ptr<i32>, %v: i32) -> i32 {
  // expected-error @below {{'tt.atomic_rmw' op has no offset in shared memory: run allocate-shared-memory first}}
  %o = tt.atomic_rmw add, relaxed, gpu, %p, %v : (!tt.ptr<i32>, i32) -> i32
  tt.return %o : i32
}
}

// -----

module attributes {"ttg.num-warps" = 4 : i32, "ttg.total-num-warps" = 8 : i32, "ttg.num-ctas" = 2 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
tt.func private @f(%p: !tt.ptr<i32>, %v: i32) -> i32 {
  // expected-error @below {{'tt.atomic_rmw' op moves elements between the CTAs of a cluster, which is not supported in modules with ttg.warp_specialize}}
  %o = tt.atomic_rmw add, relaxed, gpu, %p, %v {allocation.offset = 0 : i32} : (!tt.ptr<i32>, i32) -> i32
  tt.return %o : i32
}
}

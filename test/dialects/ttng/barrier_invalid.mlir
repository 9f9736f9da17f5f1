// RUN: nereid-opt %s --split-input-file --verify-diagnostics

#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
tt.func @init_type(%bar: !ttg.memdesc<2xi64, #bar, #smem, mutable>) {
  // expected-error @below {{'ttng.init_barrier' op expects an mbarrier, a memory descriptor of 1xi64, got !ttg.memdesc<2xi64}}
  ttng.init_barrier %bar, 1 : !ttg.memdesc<2xi64, #bar, #smem, mutable>
  tt.return
}

// -----

#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
tt.func @init_count(%bar: !ttg.memdesc<1xi64, #bar, #smem, mutable>) {
  // expected-error @below {{expects a count of arrivals from 1 to 1048575, got 0}}
  ttng.init_barrier %bar, 0 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tt.return
}

// -----

#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
tt.func @inval(%bar: !ttg.memdesc<1xi32, #bar, #smem, mutable>) {
  // expected-error @below {{'ttng.inval_barrier' op expects an mbarrier, a memory descriptor of 1xi64}}
  ttng.inval_barrier %bar : !ttg.memdesc<1xi32, #bar, #smem, mutable>
  tt.return
}

// -----

#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
tt.func @expect_type(%bar: !ttg.memdesc<1xi32, #bar, #smem, mutable>, %pred: i1) {
  // expected-error @below {{'ttng.barrier_expect' op expects an mbarrier, a memory descriptor of 1xi64}}
  ttng.barrier_expect %bar, 128, %pred : !ttg.memdesc<1xi32, #bar, #smem, mutable>
  tt.return
}

// -----

#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
tt.func @expect_size(%bar: !ttg.memdesc<1xi64, #bar, #smem, mutable>, %pred: i1) {
  // expected-error @below {{expects a size in bytes from 0 to 1048575, got -16}}
  ttng.barrier_expect %bar, -16, %pred : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tt.return
}

// -----

#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
tt.func @wait_type(%bar: !ttg.memdesc<1xf64, #bar, #smem, mutable>, %phase: i32) {
  // expected-error @below {{'ttng.wait_barrier' op expects an mbarrier, a memory descriptor of 1xi64}}
  ttng.wait_barrier %bar, %phase : !ttg.memdesc<1xf64, #bar, #smem, mutable>
  tt.return
}

// -----

#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
tt.func @arrive_type(%bar: !ttg.memdesc<4xi16, #bar, #smem, mutable>) {
  // expected-error @below {{'ttng.arrive_barrier' op expects an mbarrier, a memory descriptor of 1xi64}}
  ttng.arrive_barrier %bar, 1 : !ttg.memdesc<4xi16, #bar, #smem, mutable>
  tt.return
}

// -----

#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
tt.func @arrive_count(%bar: !ttg.memdesc<1xi64, #bar, #smem, mutable>) {
  // expected-error @below {{expects a count of arrivals from 1 to 1048575, got 0}}
  ttng.arrive_barrier %bar, 0 : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tt.return
}

// -----

#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 2 : i32} {
tt.func @arrive_beyond(%bar: !ttg.memdesc<1xi64, #bar, #smem, mutable>) {
  // expected-error @below {{expects ctas to be a set of the 2 CTAs of the cluster, got 5}}
  ttng.arrive_barrier %bar, 1 {ctas = 5 : i32, perWarp} : !ttg.memdesc<1xi64, #bar, #smem, mutable>
  tt.return
}
}

// -----

#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#smem = #ttg.shared_memory
tt.func @copy_arrive(%bar: !ttg.memdesc<1xi32, #bar, #smem, mutable>) {
  // expected-error @below {{'ttng.async_copy_mbarrier_arrive' op expects an mbarrier, a memory descriptor of 1xi64}}
  ttng.async_copy_mbarrier_arrive %bar : !ttg.memdesc<1xi32, #bar, #smem, mutable>
  tt.return
}

// -----

tt.func @fence() {
  // expected-error @below {{requires attribute 'bCluster'}}
  "ttng.fence_async_shared"() : () -> ()
  tt.return
}

// -----

tt.func @cluster_arrive() {
  // expected-error @below {{'ttng.cluster_arrive' op attribute 'relaxed' failed to satisfy constraint: bool attribute}}
  "ttng.cluster_arrive"() {relaxed = 1 : i32} : () -> ()
  tt.return
}

// -----

tt.func @cluster_wait(%x: i32) {
  // expected-error @below {{'ttng.cluster_wait' op requires zero operands}}
  "ttng.cluster_wait"(%x) : (i32) -> ()
  tt.return
}

// -----

tt.func @cluster_barrier(%x: i32) {
  // expected-error @below {{'ttng.cluster_barrier' op operand #0 must be variadic of}}
  "ttng.cluster_barrier"(%x) : (i32) -> ()
  tt.return
}

// -----

tt.func @fence_of_mbarriers(%x: i32) {
  // expected-error @below {{'ttng.fence_mbarrier_init_release_cluster' op requires zero operands}}
  "ttng.fence_mbarrier_init_release_cluster"(%x) : (i32) -> ()
  tt.return
}

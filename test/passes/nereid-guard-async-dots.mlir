// A loop that leaves dots in flight moves into a branch together with their wait.
// RUN: nereid-opt %s --nereid-guard-async-dots | FileCheck %s

#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
!acc = tensor<64x64xf32, #mma>
!tile = !ttg.memdesc<64x64xf16, #shared, #smem>

module attributes {"ttg.num-warps" = 4 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {

// The results of the loop that no dot computes leave the branch, too.
// CHECK-LABEL: tt.func @guarded(
// CHECK: [[C:%.*]] = arith.cmpi slt, %{{.*}}, %{{.*}} : i32
// CHECK: [[R:%.*]]:2 = scf.if [[C]] -> (tensor<64x64xf32, #mma>, i32) {
// CHECK:   [[L:%.*]]:2 = scf.for
// CHECK:   [[W:%.*]] = ttng.warp_group_dot_wait [[L]]#0 {pendings = 0 : i32}
// CHECK:   scf.yield [[W]], [[L]]#1
// CHECK: } else {
// CHECK:   scf.yield %{{.*}}, %{{.*}} : tensor<64x64xf32, #mma>, i32
// CHECK: }
// CHECK-NOT: warp_group_dot_wait
// CHECK: tt.return [[R]]#0, [[R]]#1
tt.func @guarded(%x: !tile, %y: !tile, %from: i32, %to: i32) -> (!acc, i32) {
  %zero = arith.constant dense<0.0> : !acc
  %one = arith.constant 1 : i32
  %r:2 = scf.for %i = %from to %to step %one iter_args(%a = %zero, %n = %one) -> (!acc, i32) : i32 {
    %d = ttng.warp_group_dot %x, %y, %a {inputPrecision = 0 : i32, isAsync = true} : !tile * !tile -> !acc
    %m = arith.addi %n, %i : i32
    scf.yield %d, %m : !acc, i32
  }
  %w = ttng.warp_group_dot_wait %r#0 {pendings = 0 : i32} : !acc
  tt.return %w, %r#1 : !acc, i32
}

// The only use of the results rounds them: the branches yield rounded ones.
// CHECK-LABEL: tt.func @rounded(
// CHECK: [[R:%.*]] = scf.if %{{.*}} -> (tensor<64x64xf16, #mma>) {
// CHECK:   [[W:%.*]] = ttng.warp_group_dot_wait
// CHECK:   [[T:%.*]] = arith.truncf [[W]]
// CHECK:   scf.yield [[T]]
// CHECK: } else {
// CHECK:   [[Z:%.*]] = arith.truncf
// CHECK:   scf.yield [[Z]]
// CHECK: }
// CHECK-NOT: arith.truncf
// CHECK: tt.return [[R]]
tt.func @rounded(%x: !tile, %y: !tile, %to: i32) -> tensor<64x64xf16, #mma> {
  %zero = arith.constant dense<0.0> : !acc
  %none = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r = scf.for %i = %none to %to step %one iter_args(%a = %zero) -> (!acc) : i32 {
    %d = ttng.warp_group_dot %x, %y, %a {inputPrecision = 0 : i32, isAsync = true} : !tile * !tile -> !acc
    scf.yield %d : !acc
  }
  %w = ttng.warp_group_dot_wait %r {pendings = 0 : i32} : !acc
  %h = arith.truncf %w : !acc to tensor<64x64xf16, #mma>
  tt.return %h : tensor<64x64xf16, #mma>
}

// Another use requires the unrounded results.
// CHECK-LABEL: tt.func @rounded_and_used(
// CHECK: scf.if %{{.*}} -> (tensor<64x64xf32, #mma>) {
// CHECK-NOT: arith.truncf
// CHECK: }
// CHECK: arith.truncf
tt.func @rounded_and_used(%x: !tile, %y: !tile, %to: i32) -> (tensor<64x64xf16, #mma>, !acc) {
  %zero = arith.constant dense<0.0> : !acc
  %none = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r = scf.for %i = %none to %to step %one iter_args(%a = %zero) -> (!acc) : i32 {
    %d = ttng.warp_group_dot %x, %y, %a {inputPrecision = 0 : i32, isAsync = true} : !tile * !tile -> !acc
    scf.yield %d : !acc
  }
  %w = ttng.warp_group_dot_wait %r {pendings = 0 : i32} : !acc
  %h = arith.truncf %w : !acc to tensor<64x64xf16, #mma>
  tt.return %h, %w : tensor<64x64xf16, #mma>, !acc
}

// A first iteration always exists.
// CHECK-LABEL: tt.func @certain(
// CHECK-NOT: scf.if
// CHECK: ttng.warp_group_dot_wait
tt.func @certain(%x: !tile, %y: !tile) -> !acc {
  %zero = arith.constant dense<0.0> : !acc
  %none = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %ten = arith.constant 10 : i32
  %r = scf.for %i = %none to %ten step %one iter_args(%a = %zero) -> (!acc) : i32 {
    %d = ttng.warp_group_dot %x, %y, %a {inputPrecision = 0 : i32, isAsync = true} : !tile * !tile -> !acc
    scf.yield %d : !acc
  }
  %w = ttng.warp_group_dot_wait %r {pendings = 0 : i32} : !acc
  tt.return %w : !acc
}

// The wait also completes a dot from outside of the loop, and one in flight after it: neither can move.
// CHECK-LABEL: tt.func @others(
// CHECK-NOT: scf.if
tt.func @others(%x: !tile, %y: !tile, %to: i32) -> (!acc, !acc, !acc) {
  %zero = arith.constant dense<0.0> : !acc
  %none = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r = scf.for %i = %none to %to step %one iter_args(%a = %zero) -> (!acc) : i32 {
    %d = ttng.warp_group_dot %x, %y, %a {inputPrecision = 0 : i32, isAsync = true} : !tile * !tile -> !acc
    scf.yield %d : !acc
  }
  %e = ttng.warp_group_dot %x, %y, %zero {inputPrecision = 0 : i32, isAsync = true} : !tile * !tile -> !acc
  %w:2 = ttng.warp_group_dot_wait %r, %e {pendings = 0 : i32} : !acc, !acc
  %s = scf.for %i = %none to %to step %one iter_args(%a = %zero) -> (!acc) : i32 {
    %d = ttng.warp_group_dot %x, %y, %a {inputPrecision = 0 : i32, isAsync = true} : !tile * !tile -> !acc
    scf.yield %d : !acc
  }
  %f = ttng.warp_group_dot %x, %y, %zero {inputPrecision = 0 : i32, isAsync = true} : !tile * !tile -> !acc
  %v = ttng.warp_group_dot_wait %s {pendings = 1 : i32} : !acc
  tt.return %w#0, %w#1, %v : !acc, !acc, !acc
}

// Unsigned bounds are compared as the loop compares them.
// CHECK-LABEL: tt.func @unsigned(
// CHECK: arith.cmpi ult
// CHECK: scf.if
tt.func @unsigned(%x: !tile, %y: !tile, %to: i32) -> !acc {
  %zero = arith.constant dense<0.0> : !acc
  %none = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r = scf.for unsigned %i = %none to %to step %one iter_args(%a = %zero) -> (!acc) : i32 {
    %d = ttng.warp_group_dot %x, %y, %a {inputPrecision = 0 : i32, isAsync = true} : !tile * !tile -> !acc
    scf.yield %d : !acc
  }
  %w = ttng.warp_group_dot_wait %r {pendings = 0 : i32} : !acc
  tt.return %w : !acc
}

// An accumulator that changes under a condition before the next loop continues with it is complete where the branches join.
// CHECK-LABEL: tt.func @changed(
// CHECK: [[R:%.*]] = scf.if
// CHECK:   ttng.warp_group_dot_wait
// CHECK: } else {
// CHECK: }
// CHECK: [[W:%.*]] = ttng.warp_group_dot_wait [[R]] {pendings = 0 : i32}
// CHECK: scf.if
// CHECK:   arith.addf [[W]], [[W]]
tt.func @changed(%x: !tile, %y: !tile, %to: i32, %double: i1) -> !acc {
  %zero = arith.constant dense<0.0> : !acc
  %none = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %r = scf.for %i = %none to %to step %one iter_args(%a = %zero) -> (!acc) : i32 {
    %d = ttng.warp_group_dot %x, %y, %a {inputPrecision = 0 : i32, isAsync = true} : !tile * !tile -> !acc
    scf.yield %d : !acc
  }
  %w = ttng.warp_group_dot_wait %r {pendings = 0 : i32} : !acc
  %c = scf.if %double -> (!acc) {
    %sum = arith.addf %w, %w : !acc
    scf.yield %sum : !acc
  } else {
    scf.yield %w : !acc
  }
  %s = scf.for %i = %none to %to step %one iter_args(%a = %c) -> (!acc) : i32 {
    %d = ttng.warp_group_dot %x, %y, %a {inputPrecision = 0 : i32, isAsync = true} : !tile * !tile -> !acc
    scf.yield %d : !acc
  }
  %v = ttng.warp_group_dot_wait %s {pendings = 0 : i32} : !acc
  tt.return %v : !acc
}

// The iteration computes with an accumulator of the previous one while another dot is in flight.
// CHECK-LABEL: tt.func @carried(
// CHECK: scf.for {{.*}} iter_args([[A:%.*]] = %{{.*}})
// CHECK-NEXT: [[W:%.*]] = ttng.warp_group_dot_wait [[A]] {pendings = 0 : i32}
// CHECK-NEXT: ttng.warp_group_dot
// CHECK-NEXT: arith.addf [[W]], [[W]]
tt.func @carried(%x: !tile, %y: !tile) -> !acc {
  %zero = arith.constant dense<0.0> : !acc
  %none = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %ten = arith.constant 10 : i32
  %r = scf.for %i = %none to %ten step %one iter_args(%a = %zero) -> (!acc) : i32 {
    %d = ttng.warp_group_dot %x, %y, %zero {inputPrecision = 0 : i32, isAsync = true} : !tile * !tile -> !acc
    %e = arith.addf %a, %a : !acc
    %w:2 = ttng.warp_group_dot_wait %d, %e {pendings = 0 : i32} : !acc, !acc
    %f = ttng.warp_group_dot %x, %y, %w#1 {inputPrecision = 0 : i32, isAsync = true} : !tile * !tile -> !acc
    %v = ttng.warp_group_dot_wait %f {pendings = 0 : i32} : !acc
    scf.yield %v : !acc
  }
  tt.return %r : !acc
}

// With one dot only, and with a dot in flight at the end of the iteration, there is no wait.
// CHECK-LABEL: tt.func @earlier(
// CHECK: iter_args
// CHECK-NEXT: arith.addf
// CHECK: iter_args
// CHECK-NEXT: ttng.warp_group_dot %
tt.func @earlier(%x: !tile, %y: !tile) -> (!acc, !acc, !acc) {
  %zero = arith.constant dense<0.0> : !acc
  %none = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %ten = arith.constant 10 : i32
  %r = scf.for %i = %none to %ten step %one iter_args(%a = %zero) -> (!acc) : i32 {
    %e = arith.addf %a, %a : !acc
    %d = ttng.warp_group_dot %x, %y, %e {inputPrecision = 0 : i32, isAsync = true} : !tile * !tile -> !acc
    %w = ttng.warp_group_dot_wait %d {pendings = 0 : i32} : !acc
    scf.yield %w : !acc
  }
  %s:2 = scf.for %i = %none to %ten step %one iter_args(%a = %zero, %b = %zero) -> (!acc, !acc) : i32 {
    %c = ttng.warp_group_dot %x, %y, %b {inputPrecision = 0 : i32, isAsync = true} : !tile * !tile -> !acc
    %e = arith.addf %a, %a : !acc
    %w = ttng.warp_group_dot_wait %c {pendings = 0 : i32} : !acc
    %d = ttng.warp_group_dot %x, %y, %e {inputPrecision = 0 : i32, isAsync = true} : !tile * !tile -> !acc
    scf.yield %w, %d : !acc, !acc
  }
  %v = ttng.warp_group_dot_wait %s#1 {pendings = 0 : i32} : !acc
  tt.return %r, %s#0, %v : !acc, !acc, !acc
}

// After a wait, uses of its operand are uses of its result, also in regions; those before it remain. The wait for a buffer
// changes nothing.
// CHECK-LABEL: tt.func @passed_on(
// CHECK: [[D:%.*]] = ttng.warp_group_dot %{{.*}}, %{{.*}}, %{{.*}} {
// CHECK-NEXT: [[E:%.*]] = ttng.warp_group_dot %{{.*}}, %{{.*}}, [[D]] {
// CHECK-NEXT: [[W:%.*]]:3 = ttng.warp_group_dot_wait [[D]], [[E]], %arg0 {pendings = 1 : i32}
// CHECK-NEXT: scf.if
// CHECK-NEXT:   [[F:%.*]] = ttng.warp_group_dot %arg0, %{{.*}}, [[W]]#1 {
// CHECK: [[V:%.*]] = ttng.warp_group_dot_wait [[W]]#1 {pendings = 0 : i32}
// CHECK-NEXT: tt.return [[W]]#0, [[V]]
tt.func @passed_on(%x: !tile, %y: !tile, %c: i1) -> (!acc, !acc) {
  %zero = arith.constant dense<0.0> : !acc
  %d = ttng.warp_group_dot %x, %y, %zero {inputPrecision = 0 : i32, isAsync = true} : !tile * !tile -> !acc
  %e = ttng.warp_group_dot %x, %y, %d {inputPrecision = 0 : i32, isAsync = true} : !tile * !tile -> !acc
  %w:3 = ttng.warp_group_dot_wait %d, %e, %x {pendings = 1 : i32} : !acc, !acc, !tile
  scf.if %c {
    %f = ttng.warp_group_dot %x, %y, %e {inputPrecision = 0 : i32, isAsync = true} : !tile * !tile -> !acc
    %u = ttng.warp_group_dot_wait %f {pendings = 0 : i32} : !acc
    scf.yield
  }
  %v = ttng.warp_group_dot_wait %e {pendings = 0 : i32} : !acc
  tt.return %d, %e : !acc, !acc
}

}

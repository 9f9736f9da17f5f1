// The last step of tritongpu-pipeline: dots of warp groups become asynchronous. Each wait is before the first op that
// needs a result, a buffer or registers of a dot in flight, and leaves younger dots in flight.

// RUN: nereid-opt %s --tritongpu-pipeline | FileCheck %s
// RUN: nereid-opt %s --tritongpu-pipeline --tritongpu-pipeline | FileCheck %s
// RUN: nereid-opt %s --tritongpu-pipeline --remarks-filter-passed=tritongpu-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: nereid-opt %s --tritongpu-pipeline --triton-loop-aware-cse --cse | FileCheck %s --check-prefix=MERGE

#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 64, 16]}>
#rows = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {

// The copy goes to the slot that the dot of the iteration before reads: only that dot is waited for.
// CHECK-LABEL: @same_slot
// CHECK: scf.for
// CHECK: ttng.warp_group_dot {{.*}} {inputPrecision = 0 : i32, isAsync = true}
// CHECK: ttng.warp_group_dot_wait {{.*}} {pendings = 1 : i32}
// CHECK-NEXT: ttg.async_copy_global_to_local
// CHECK-NOT: warp_group_dot_wait
// CHECK: scf.yield
// CHECK: ttng.warp_group_dot_wait {{.*}} {pendings = 0 : i32} : tensor<64x64xf32, #mma>
// REMARK: stays in flight until the next iteration
tt.func @same_slot(%n: i32, %p: tensor<64x64x!tt.ptr<f16>, #blocked>, %a: !ttg.memdesc<64x64xf16, #shared, #smem>) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %ring = ttg.local_alloc : () -> !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable>
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %read = %c0, %write = %c2) -> (tensor<64x64xf32, #mma>, i32, i32) : i32 {
    %b = ttg.memdesc_index %ring[%read] : !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
    %d = ttng.warp_group_dot %a, %b, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
    %w = ttg.memdesc_index %ring[%write] : !ttg.memdesc<3x64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
    %t = ttg.async_copy_global_to_local %p, %w : tensor<64x64x!tt.ptr<f16>, #blocked> -> <64x64xf16, #shared, #smem, mutable>
    %g = ttg.async_commit_group tokens %t
    %read1 = arith.addi %read, %c1 : i32
    %read2 = arith.cmpi sge, %read1, %c3 : i32
    %read3 = arith.select %read2, %c0, %read1 : i32
    %write1 = arith.addi %write, %c1 : i32
    %write2 = arith.cmpi sge, %write1, %c3 : i32
    %write3 = arith.select %write2, %c0, %write1 : i32
    scf.yield %d, %read3, %write3 : tensor<64x64xf32, #mma>, i32, i32
  }
  tt.return %r#0 : tensor<64x64xf32, #mma>
}

// The copy goes to a slot that no dot in flight reads. Two iterations are in flight at most.
// CHECK-LABEL: @spare_slot
// CHECK: scf.for
// CHECK: ttng.warp_group_dot
// CHECK-NOT: warp_group_dot_wait
// CHECK: ttg.async_copy_global_to_local
// CHECK: ttng.warp_group_dot_wait {{.*}} {pendings = 1 : i32}
// CHECK-NEXT: scf.yield
tt.func @spare_slot(%n: i32, %p: tensor<64x64x!tt.ptr<f16>, #blocked>, %a: !ttg.memdesc<64x64xf16, #shared, #smem>) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %ring = ttg.local_alloc : () -> !ttg.memdesc<4x64x64xf16, #shared, #smem, mutable>
  %c2 = arith.constant 2 : i32
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %read = %c0, %write = %c2) -> (tensor<64x64xf32, #mma>, i32, i32) : i32 {
    %b = ttg.memdesc_index %ring[%read] : !ttg.memdesc<4x64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
    %d = ttng.warp_group_dot %a, %b, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem, mutable> -> tensor<64x64xf32, #mma>
    %w = ttg.memdesc_index %ring[%write] : !ttg.memdesc<4x64x64xf16, #shared, #smem, mutable> -> !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
    %t = ttg.async_copy_global_to_local %p, %w : tensor<64x64x!tt.ptr<f16>, #blocked> -> <64x64xf16, #shared, #smem, mutable>
    %g = ttg.async_commit_group tokens %t
    %read1 = arith.addi %read, %c1 : i32
    %read2 = arith.cmpi sge, %read1, %c4 : i32
    %read3 = arith.select %read2, %c0, %read1 : i32
    %write1 = arith.addi %write, %c1 : i32
    %write2 = arith.cmpi sge, %write1, %c4 : i32
    %write3 = arith.select %write2, %c0, %write1 : i32
    scf.yield %d, %read3, %write3 : tensor<64x64xf32, #mma>, i32, i32
  }
  tt.return %r#0 : tensor<64x64xf32, #mma>
}

// Attention with the second dot one iteration late: both dots are in flight together, and the softmax runs while the
// second one is. The accumulator is scaled before the first dot, because the assembler serializes wgmma when other
// instructions access accumulators of a later dot. The loop carries operand A: the second dot is complete before the
// next value of it is computed, and after the softmax.
// CHECK-LABEL: @late_second_dot
// CHECK: scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}, %[[P:.*]] = %{{.*}})
// CHECK-NEXT: %[[SCALED:.*]] = arith.mulf %[[ACC]],
// CHECK-NEXT: %[[C:.*]] = ttng.warp_group_dot_wait %[[SCALED]] {pendings = 0 : i32}
// CHECK-NEXT: %[[S:.*]] = ttng.warp_group_dot
// CHECK-NEXT: %[[O:.*]] = ttng.warp_group_dot %[[P]], %{{.*}}, %[[C]]
// CHECK-NEXT: %[[W:.*]]:{{[0-9]}} = ttng.warp_group_dot_wait %[[S]], {{.*}} {pendings = 1 : i32}
// CHECK-NEXT: %[[E:.*]] = math.exp2 %[[W]]#0
// CHECK-NEXT: %[[END:.*]]:{{[0-9]}} = ttng.warp_group_dot_wait %[[O]], %[[E]], {{.*}} {pendings = 0 : i32}
// CHECK-NEXT: arith.truncf %[[END]]#1
// CHECK: scf.yield %[[END]]#0
// CHECK-NOT: warp_group_dot_wait
// CHECK: tt.return
tt.func @late_second_dot(%n: i32, %q: !ttg.memdesc<64x64xf16, #shared, #smem>, %k: !ttg.memdesc<64x64xf16, #shared, #smem>, %v: !ttg.memdesc<64x64xf16, #shared, #smem>, %first: tensor<64x64xf16, #rows>) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %half = arith.constant dense<0.5> : tensor<64x64xf32, #mma>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %p = %first) -> (tensor<64x64xf32, #mma>, tensor<64x64xf16, #rows>) : i32 {
    %s = ttng.warp_group_dot %q, %k, %zero {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    %scaled = arith.mulf %acc, %half : tensor<64x64xf32, #mma>
    %o = ttng.warp_group_dot %p, %v, %scaled {inputPrecision = 0 : i32} : tensor<64x64xf16, #rows> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    %e = math.exp2 %s : tensor<64x64xf32, #mma>
    %h = arith.truncf %e : tensor<64x64xf32, #mma> to tensor<64x64xf16, #mma>
    %next = ttg.convert_layout %h : tensor<64x64xf16, #mma> -> tensor<64x64xf16, #rows>
    scf.yield %o, %next : tensor<64x64xf32, #mma>, tensor<64x64xf16, #rows>
  }
  tt.return %r#0 : tensor<64x64xf32, #mma>
}

// The same, with the values of operand A carried before their conversion. The accumulator is used before the first dot of
// the next iteration: the second dot is complete at the end of the iteration, because the assembler would move the use
// before a wait in the next one.
// CHECK-LABEL: @early
// CHECK: scf.for {{.*}} iter_args(%[[ACC:.*]] = %{{.*}}, %{{.*}} = %{{.*}})
// CHECK-NEXT: %[[SCALED:.*]] = arith.mulf %[[ACC]],
// CHECK-NEXT: %[[C:.*]] = ttng.warp_group_dot_wait %[[SCALED]] {pendings = 0 : i32}
// CHECK-NEXT: %[[S:.*]] = ttng.warp_group_dot
// CHECK-NEXT: arith.truncf
// CHECK: %[[O:.*]] = ttng.warp_group_dot %{{.*}}, %{{.*}}, %[[C]]
// CHECK-NEXT: ttng.warp_group_dot_wait %[[S]], {{.*}} {pendings = 1 : i32}
// CHECK-NEXT: math.exp2
// CHECK-NEXT: %[[END:.*]]:{{[0-9]}} = ttng.warp_group_dot_wait %[[O]], {{.*}} {pendings = 0 : i32}
// CHECK-NEXT: scf.yield %[[END]]#0
tt.func @early(%n: i32, %q: !ttg.memdesc<64x64xf16, #shared, #smem>, %k: !ttg.memdesc<64x64xf16, #shared, #smem>, %v: !ttg.memdesc<64x64xf16, #shared, #smem>, %first: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %half = arith.constant dense<0.5> : tensor<64x64xf32, #mma>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %e = %first) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) : i32 {
    %s = ttng.warp_group_dot %q, %k, %zero {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    %h = arith.truncf %e : tensor<64x64xf32, #mma> to tensor<64x64xf16, #mma>
    %p = ttg.convert_layout %h : tensor<64x64xf16, #mma> -> tensor<64x64xf16, #rows>
    %scaled = arith.mulf %acc, %half : tensor<64x64xf32, #mma>
    %o = ttng.warp_group_dot %p, %v, %scaled {inputPrecision = 0 : i32} : tensor<64x64xf16, #rows> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    %next = math.exp2 %s : tensor<64x64xf32, #mma>
    scf.yield %o, %next : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
  }
  tt.return %r#0 : tensor<64x64xf32, #mma>
}

// Registers of operand A are computed again in the next iteration: not before the dot that reads them is complete. The wait passes
// on what they are computed from, so that nothing moves before it.
// CHECK-LABEL: @registers
// CHECK: scf.for
// CHECK: %[[X:.*]] = tt.load
// CHECK: %[[W:.*]]:2 = ttng.warp_group_dot_wait %{{.*}}, %[[X]] {pendings = 0 : i32}
// CHECK-NEXT: arith.sitofp %[[W]]#1
// CHECK: ttng.warp_group_dot %{{.*}}, %{{.*}}, %[[W]]#0
// CHECK-NEXT: scf.yield
tt.func @registers(%n: i32, %p: tensor<64x64x!tt.ptr<i8>, #mma>, %b: !ttg.memdesc<64x64xf16, #shared, #smem>) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %x = tt.load %p : tensor<64x64x!tt.ptr<i8>, #mma>
    %f = arith.sitofp %x : tensor<64x64xi8, #mma> to tensor<64x64xf16, #mma>
    %a = ttg.convert_layout %f : tensor<64x64xf16, #mma> -> tensor<64x64xf16, #rows>
    %d = ttng.warp_group_dot %a, %b, %acc {inputPrecision = 0 : i32} : tensor<64x64xf16, #rows> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    scf.yield %d : tensor<64x64xf32, #mma>
  }
  tt.return %r : tensor<64x64xf32, #mma>
}

// A buffer that the loop fills from registers, and dots that accumulate onto each other.
// CHECK-LABEL: @buffer_in_loop
// CHECK: scf.for {{.*}} iter_args(%[[ACC:.*]] = %
// CHECK: tt.load
// CHECK-NEXT: %[[W:.*]] = ttng.warp_group_dot_wait %[[ACC]] {pendings = 0 : i32}
// CHECK-NEXT: ttg.local_alloc
// CHECK-NEXT: %[[D:.*]] = ttng.warp_group_dot %{{.*}}, %{{.*}}, %[[W]]
// CHECK-NEXT: %[[E:.*]] = ttng.warp_group_dot %{{.*}}, %{{.*}}, %[[D]]
// CHECK-NEXT: scf.yield %[[E]]
tt.func @buffer_in_loop(%n: i32, %p: tensor<64x64x!tt.ptr<f16>, #blocked>, %a: !ttg.memdesc<64x64xf16, #shared, #smem>) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %x = tt.load %p : tensor<64x64x!tt.ptr<f16>, #blocked>
    %b = ttg.local_alloc %x : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
    %d = ttng.warp_group_dot %a, %b, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    %e = ttng.warp_group_dot %b, %a, %d {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    scf.yield %e : tensor<64x64xf32, #mma>
  }
  tt.return %r : tensor<64x64xf32, #mma>
}

// A result that is used besides being an accumulator is complete before the second dot changes its registers.
// CHECK-LABEL: @used_twice
// CHECK: %[[D:.*]] = ttng.warp_group_dot
// CHECK-NEXT: %[[W:.*]]:{{[0-9]}} = ttng.warp_group_dot_wait %[[D]], {{.*}} {pendings = 0 : i32}
// CHECK-NEXT: %[[E:.*]] = ttng.warp_group_dot %{{.*}}, %{{.*}}, %[[W]]#0
// CHECK-NEXT: %[[X:.*]]:{{[0-9]}} = ttng.warp_group_dot_wait %[[E]], {{.*}} {pendings = 0 : i32}
// CHECK-NEXT: arith.addf %[[W]]#0, %[[X]]#0
tt.func @used_twice(%a: !ttg.memdesc<64x64xf16, #shared, #smem>) -> tensor<64x64xf32, #mma> {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %d = ttng.warp_group_dot %a, %a, %zero {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
  %e = ttng.warp_group_dot %a, %a, %d {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
  %s = arith.addf %d, %e : tensor<64x64xf32, #mma>
  tt.return %s : tensor<64x64xf32, #mma>
}

// A dot in a nested loop: the outer loop's dot is complete before the inner loop begins, the inner one's after its loop.
// CHECK-LABEL: @nested
// CHECK: scf.for
// CHECK: %[[D:.*]] = ttng.warp_group_dot
// CHECK-NEXT: %[[W:.*]]:{{[0-9]}} = ttng.warp_group_dot_wait %[[D]], {{.*}} {pendings = 0 : i32}
// CHECK-NEXT: %[[IN:.*]] = scf.for {{.*}} = %[[W]]#0)
// CHECK: ttng.warp_group_dot
// CHECK: %[[OUT:.*]] = ttng.warp_group_dot_wait %[[IN]] {pendings = 0 : i32}
// CHECK-NEXT: scf.yield %[[OUT]]
tt.func @nested(%n: i32, %a: !ttg.memdesc<64x64xf16, #shared, #smem>) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %d = ttng.warp_group_dot %a, %a, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    %in = scf.for %j = %c0 to %n step %c1 iter_args(%inner = %d) -> (tensor<64x64xf32, #mma>) : i32 {
      %e = ttng.warp_group_dot %a, %a, %inner {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
      scf.yield %e : tensor<64x64xf32, #mma>
    }
    scf.yield %in : tensor<64x64xf32, #mma>
  }
  tt.return %r : tensor<64x64xf32, #mma>
}

// A state that is read and scaled before it is updated: both precede the dots that do not depend on them, so that all
// dots are in flight together.
// CHECK-LABEL: @state
// CHECK: scf.for {{.*}} iter_args(%[[STATE:.*]] = %
// CHECK-NEXT: %[[H:.*]] = arith.truncf %[[STATE]]
// CHECK-NEXT: %[[T:.*]] = arith.mulf %[[STATE]],
// CHECK-NEXT: %[[PINNED:.*]]:2 = ttng.warp_group_dot_wait %[[H]], %[[T]] {pendings = 0 : i32}
// CHECK-NEXT: %[[S:.*]] = ttng.warp_group_dot
// CHECK-NEXT: ttg.local_alloc %[[PINNED]]#0
// CHECK-NEXT: %[[R:.*]] = ttng.warp_group_dot
// CHECK-NEXT: %[[N:.*]] = ttng.warp_group_dot %{{.*}}, %{{.*}}, %[[PINNED]]#1
// CHECK-NEXT: ttng.warp_group_dot_wait {{.*}} {pendings = 1 : i32}
tt.func @state(%n: i32, %out: tensor<64x64x!tt.ptr<f32>, #mma>, %a: !ttg.memdesc<64x64xf16, #shared, #smem>) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %no = arith.constant false
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %half = arith.constant dense<0.5> : tensor<64x64xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%state = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %s = ttng.warp_group_dot %a, %a, %zero, %no {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    %h = arith.truncf %state : tensor<64x64xf32, #mma> to tensor<64x64xf16, #mma>
    %b = ttg.local_alloc %h : (tensor<64x64xf16, #mma>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
    %o = ttng.warp_group_dot %a, %b, %zero, %no {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    %t = arith.mulf %state, %half : tensor<64x64xf32, #mma>
    %d = ttng.warp_group_dot %a, %a, %t {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    %sum = arith.addf %s, %o : tensor<64x64xf32, #mma>
    tt.store %out, %sum : tensor<64x64x!tt.ptr<f32>, #mma>
    scf.yield %d : tensor<64x64xf32, #mma>
  }
  tt.return %r : tensor<64x64xf32, #mma>
}

// An accumulator that is scaled by what the loop computes from a dot: all dots in flight are complete before.
// CHECK-LABEL: @scaled_late
// CHECK: %[[ACC:.*]] = ttng.warp_group_dot_wait %{{.*}} {pendings = 0 : i32}
// CHECK: ttng.warp_group_dot_wait %{{.*}} {pendings = 1 : i32}
// CHECK-NEXT: math.exp2
// CHECK-NEXT: %[[W:.*]]:{{[0-9]}} = ttng.warp_group_dot_wait %{{.*}}, %[[ACC]], {{.*}} {pendings = 0 : i32}
// CHECK-NEXT: arith.mulf %[[W]]#1
// CHECK-NEXT: ttng.warp_group_dot
tt.func @scaled_late(%n: i32, %out: tensor<64x64x!tt.ptr<f32>, #mma>, %a: !ttg.memdesc<64x64xf16, #shared, #smem>) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %no = arith.constant false
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %s = ttng.warp_group_dot %a, %a, %zero, %no {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    %o = ttng.warp_group_dot %a, %a, %zero, %no {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    %e = math.exp2 %s : tensor<64x64xf32, #mma>
    %t = arith.mulf %acc, %e : tensor<64x64xf32, #mma>
    %d = ttng.warp_group_dot %a, %a, %t {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    tt.store %out, %o : tensor<64x64x!tt.ptr<f32>, #mma>
    scf.yield %d : tensor<64x64xf32, #mma>
  }
  tt.return %r : tensor<64x64xf32, #mma>
}

// The operands of both dots become equal after the waits were placed. Each dot keeps its buffer: the first one is written while
// the second dot of the iteration before is in flight.
// MERGE-LABEL: @equal_later
// MERGE: scf.for
// MERGE: ttng.warp_group_dot_wait {{.*}} {pendings = 1 : i32}
// MERGE: %[[FIRST:.*]] = ttg.local_alloc %[[X:.*]] :
// MERGE: ttng.warp_group_dot %{{.*}}, %[[FIRST]], {{.*}}isAsync = true
// MERGE: ttng.warp_group_dot_wait {{.*}} {pendings = 1 : i32}
// MERGE: %[[SECOND:.*]] = ttg.local_alloc %[[X]] :
// MERGE: ttng.warp_group_dot %{{.*}}, %[[SECOND]], {{.*}}isAsync = true
tt.func @equal_later(%n: i32, %a: !ttg.memdesc<64x64xf16, #shared, #smem>, %start: tensor<64x64xf16, #blocked>) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %r:4 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %sum = %zero, %u = %start, %v = %start) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>, tensor<64x64xf16, #blocked>, tensor<64x64xf16, #blocked>) : i32 {
    %x = arith.addf %u, %u : tensor<64x64xf16, #blocked>
    %b = ttg.local_alloc %x : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
    %d = ttng.warp_group_dot %a, %b, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    %y = arith.addf %v, %v : tensor<64x64xf16, #blocked>
    %c = ttg.local_alloc %y : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
    %e = ttng.warp_group_dot %a, %c, %sum {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    scf.yield %d, %e, %x, %y : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>, tensor<64x64xf16, #blocked>, tensor<64x64xf16, #blocked>
  }
  tt.return %r#0, %r#1 : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
}
// Two carried values are the same in each iteration: one wait after the loop passes on the one value, so that registers of the
// dot in flight are not copied.
// CHECK-LABEL: @equal_carried
// CHECK: %[[LOOP:.*]]:2 = scf.for
// CHECK-NOT: warp_group_dot_wait {{.*}} {pendings = 0 : i32}
// CHECK: scf.yield
// CHECK: %[[SUM:.*]] = ttng.warp_group_dot_wait %[[LOOP]]#0 {pendings = 0 : i32} : tensor<64x64xf32, #mma>
// CHECK-NEXT: tt.return %[[SUM]], %[[SUM]]
tt.func @equal_carried(%n: i32, %a: !ttg.memdesc<64x64xf16, #shared, #smem>) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %same = %zero) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) : i32 {
    %d = ttng.warp_group_dot %a, %a, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    scf.yield %d, %d : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
  }
  tt.return %r#0, %r#1 : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
}

// The results differ for a loop without iterations, so both values are carried: the end of an iteration copies the registers of
// the dot, which is complete before.
// CHECK-LABEL: @carried_twice
// CHECK: scf.for
// CHECK: ttng.warp_group_dot_wait {{.*}} {pendings = 0 : i32}
// CHECK: scf.yield
// CHECK-NOT: warp_group_dot_wait
// CHECK: tt.return
tt.func @carried_twice(%n: i32, %a: !ttg.memdesc<64x64xf16, #shared, #smem>, %first: tensor<64x64xf32, #mma>) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %last = %first) -> (tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>) : i32 {
    %d = ttng.warp_group_dot %a, %a, %acc {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    scf.yield %d, %d : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
  }
  tt.return %r#0, %r#1 : tensor<64x64xf32, #mma>, tensor<64x64xf32, #mma>
}

// The first accumulator is a sum, or zero if the loop before has no iteration. The next iteration completes the second dot
// before it accumulates onto its result: that dot is complete at the end of its iteration, because the assembler would
// serialize all dots for the copies of the first accumulator.
// CHECK-LABEL: @joined
// CHECK: scf.for
// CHECK: scf.for
// CHECK: %[[O:.*]] = ttng.warp_group_dot %{{.*}}, %{{.*}}, %{{.*}} {inputPrecision = 0 : i32, isAsync = true} : tensor<
// CHECK-NEXT: %[[W:.*]]:{{[0-9]}} = ttng.warp_group_dot_wait %[[O]], {{.*}} {pendings = 0 : i32}
// CHECK-NEXT: scf.yield %[[W]]#0
tt.func @joined(%n: i32, %m: i32, %q: !ttg.memdesc<64x64xf16, #shared, #smem>, %k: !ttg.memdesc<64x64xf16, #shared, #smem>, %v: !ttg.memdesc<64x64xf16, #shared, #smem>, %x: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %first = scf.for %j = %c0 to %m step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %next = arith.addf %sum, %x : tensor<64x64xf32, #mma>
    scf.yield %next : tensor<64x64xf32, #mma>
  }
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %first) -> (tensor<64x64xf32, #mma>) : i32 {
    %s = ttng.warp_group_dot %q, %k, %zero {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    %e = math.exp2 %s : tensor<64x64xf32, #mma>
    %h = arith.truncf %e : tensor<64x64xf32, #mma> to tensor<64x64xf16, #mma>
    %p = ttg.convert_layout %h : tensor<64x64xf16, #mma> -> tensor<64x64xf16, #rows>
    %scaled = arith.mulf %acc, %e : tensor<64x64xf32, #mma>
    %o = ttng.warp_group_dot %p, %v, %scaled {inputPrecision = 0 : i32} : tensor<64x64xf16, #rows> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    scf.yield %o : tensor<64x64xf32, #mma>
  }
  tt.return %r : tensor<64x64xf32, #mma>
}

// So is a first accumulator that a condition chooses, and one that an outer loop computes.
// CHECK-LABEL: @joined_by_condition
// CHECK: %[[O:.*]] = ttng.warp_group_dot {{.*}} : tensor<
// CHECK-NEXT: ttng.warp_group_dot_wait %[[O]], {{.*}} {pendings = 0 : i32}
// CHECK-NEXT: scf.yield
tt.func @joined_by_condition(%n: i32, %c: i1, %q: !ttg.memdesc<64x64xf16, #shared, #smem>, %k: !ttg.memdesc<64x64xf16, #shared, #smem>, %v: !ttg.memdesc<64x64xf16, #shared, #smem>, %x: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %first = scf.if %c -> (tensor<64x64xf32, #mma>) {
    %twice = arith.addf %x, %x : tensor<64x64xf32, #mma>
    scf.yield %twice : tensor<64x64xf32, #mma>
  } else {
    scf.yield %zero : tensor<64x64xf32, #mma>
  }
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %first) -> (tensor<64x64xf32, #mma>) : i32 {
    %s = ttng.warp_group_dot %q, %k, %zero {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    %e = math.exp2 %s : tensor<64x64xf32, #mma>
    %h = arith.truncf %e : tensor<64x64xf32, #mma> to tensor<64x64xf16, #mma>
    %p = ttg.convert_layout %h : tensor<64x64xf16, #mma> -> tensor<64x64xf16, #rows>
    %scaled = arith.mulf %acc, %e : tensor<64x64xf32, #mma>
    %o = ttng.warp_group_dot %p, %v, %scaled {inputPrecision = 0 : i32} : tensor<64x64xf16, #rows> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    scf.yield %o : tensor<64x64xf32, #mma>
  }
  tt.return %r : tensor<64x64xf32, #mma>
}

// CHECK-LABEL: @joined_by_outer_loop
// CHECK: %[[O:.*]] = ttng.warp_group_dot {{.*}} : tensor<
// CHECK-NEXT: ttng.warp_group_dot_wait %[[O]], {{.*}} {pendings = 0 : i32}
// CHECK-NEXT: scf.yield
tt.func @joined_by_outer_loop(%n: i32, %m: i32, %q: !ttg.memdesc<64x64xf16, #shared, #smem>, %k: !ttg.memdesc<64x64xf16, #shared, #smem>, %v: !ttg.memdesc<64x64xf16, #shared, #smem>, %x: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %all = scf.for %j = %c0 to %m step %c1 iter_args(%first = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %first) -> (tensor<64x64xf32, #mma>) : i32 {
      %s = ttng.warp_group_dot %q, %k, %zero {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
      %e = math.exp2 %s : tensor<64x64xf32, #mma>
      %h = arith.truncf %e : tensor<64x64xf32, #mma> to tensor<64x64xf16, #mma>
      %p = ttg.convert_layout %h : tensor<64x64xf16, #mma> -> tensor<64x64xf16, #rows>
      %scaled = arith.mulf %acc, %e : tensor<64x64xf32, #mma>
      %o = ttng.warp_group_dot %p, %v, %scaled {inputPrecision = 0 : i32} : tensor<64x64xf16, #rows> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
      scf.yield %o : tensor<64x64xf32, #mma>
    }
    %next = arith.mulf %r, %x : tensor<64x64xf32, #mma>
    scf.yield %next : tensor<64x64xf32, #mma>
  }
  tt.return %all : tensor<64x64xf32, #mma>
}

// The loop before has iterations, so its sum is the only first accumulator: the second dot stays in flight.
// CHECK-LABEL: @not_joined
// CHECK: %[[O:.*]] = ttng.warp_group_dot {{.*}} : tensor<
// CHECK-NEXT: scf.yield %[[O]]
tt.func @not_joined(%n: i32, %q: !ttg.memdesc<64x64xf16, #shared, #smem>, %k: !ttg.memdesc<64x64xf16, #shared, #smem>, %v: !ttg.memdesc<64x64xf16, #shared, #smem>, %x: tensor<64x64xf32, #mma>) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %c8 = arith.constant 8 : i32
  %first = scf.for %j = %c0 to %c8 step %c1 iter_args(%sum = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %next = arith.addf %sum, %x : tensor<64x64xf32, #mma>
    scf.yield %next : tensor<64x64xf32, #mma>
  }
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %first) -> (tensor<64x64xf32, #mma>) : i32 {
    %s = ttng.warp_group_dot %q, %k, %zero {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    %e = math.exp2 %s : tensor<64x64xf32, #mma>
    %h = arith.truncf %e : tensor<64x64xf32, #mma> to tensor<64x64xf16, #mma>
    %p = ttg.convert_layout %h : tensor<64x64xf16, #mma> -> tensor<64x64xf16, #rows>
    %scaled = arith.mulf %acc, %e : tensor<64x64xf32, #mma>
    %o = ttng.warp_group_dot %p, %v, %scaled {inputPrecision = 0 : i32} : tensor<64x64xf16, #rows> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    scf.yield %o : tensor<64x64xf32, #mma>
  }
  tt.return %r : tensor<64x64xf32, #mma>
}

// An outer loop carries results of dots only: the second dot stays in flight.
// CHECK-LABEL: @carried_by_outer_loop
// CHECK: %[[O:.*]] = ttng.warp_group_dot {{.*}} : tensor<
// CHECK-NEXT: scf.yield %[[O]]
tt.func @carried_by_outer_loop(%n: i32, %m: i32, %q: !ttg.memdesc<64x64xf16, #shared, #smem>, %k: !ttg.memdesc<64x64xf16, #shared, #smem>, %v: !ttg.memdesc<64x64xf16, #shared, #smem>) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %all = scf.for %j = %c0 to %m step %c1 iter_args(%first = %zero) -> (tensor<64x64xf32, #mma>) : i32 {
    %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %first) -> (tensor<64x64xf32, #mma>) : i32 {
      %s = ttng.warp_group_dot %q, %k, %zero {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
      %e = math.exp2 %s : tensor<64x64xf32, #mma>
      %h = arith.truncf %e : tensor<64x64xf32, #mma> to tensor<64x64xf16, #mma>
      %p = ttg.convert_layout %h : tensor<64x64xf16, #mma> -> tensor<64x64xf16, #rows>
      %scaled = arith.mulf %acc, %e : tensor<64x64xf32, #mma>
      %o = ttng.warp_group_dot %p, %v, %scaled {inputPrecision = 0 : i32} : tensor<64x64xf16, #rows> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
      scf.yield %o : tensor<64x64xf32, #mma>
    }
    scf.yield %r : tensor<64x64xf32, #mma>
  }
  tt.return %all : tensor<64x64xf32, #mma>
}

// The loop carries the result for its end only, and the next iteration stores into the buffer: it is complete in each iteration.
// CHECK-LABEL: @last_only
// CHECK: scf.for
// CHECK: ttg.local_alloc
// CHECK-NEXT: %[[D:.*]] = ttng.warp_group_dot
// CHECK-NEXT: %[[W:.*]]:2 = ttng.warp_group_dot_wait %[[D]], {{.*}} {pendings = 0 : i32}
// CHECK-NEXT: scf.yield %[[W]]#0
tt.func @last_only(%n: i32, %start: tensor<64x64xf16, #blocked>, %next: tensor<64x64xf16, #blocked>) -> tensor<64x64xf32, #mma> {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #mma>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%unused = %zero, %x = %start) -> (tensor<64x64xf32, #mma>, tensor<64x64xf16, #blocked>) : i32 {
    %false = arith.constant false
    %b = ttg.local_alloc %x : (tensor<64x64xf16, #blocked>) -> !ttg.memdesc<64x64xf16, #shared, #smem>
    %d = ttng.warp_group_dot %b, %b, %zero, %false {inputPrecision = 0 : i32} : !ttg.memdesc<64x64xf16, #shared, #smem> * !ttg.memdesc<64x64xf16, #shared, #smem> -> tensor<64x64xf32, #mma>
    scf.yield %d, %next : tensor<64x64xf32, #mma>, tensor<64x64xf16, #blocked>
  }
  tt.return %r#0 : tensor<64x64xf32, #mma>
}
}

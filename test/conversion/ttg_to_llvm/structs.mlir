// Tensors and buffers of public functions are LLVM structs, and casts to and from such structs are read.
// RUN: nereid-opt %s --allocate-shared-memory --convert-triton-gpu-to-llvm | FileCheck %s
// RUN: nereid-opt %s --allocate-shared-memory --convert-triton-gpu-to-llvm --convert-nv-gpu-to-llvm -o /dev/null

#b = #ttg.blocked<{sizePerThread = [2], threadsPerWarp = [32], warpsPerCTA = [2], order = [0]}>
#b2 = #ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 4], warpsPerCTA = [2, 1], order = [1, 0]}>
#row = #ttg.slice<{dim = 0, parent = #b2}>
#line = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#tile = #ttg.swizzled_shared<{vec = 4, perPhase = 1, maxPhase = 4, order = [1, 0]}>
#pad = #ttg.padded_shared<[64:+8] {order = [1, 0], shape = [64, 32]}>
#smem = #ttg.shared_memory
module attributes {"ttg.num-warps" = 2 : i32, "ttg.num-ctas" = 1 : i32, "ttg.threads-per-warp" = 32 : i32, ttg.target = "cuda:90"} {
  // One field per register, in order; the scratch pointers follow; the result is a struct, too.
  // CHECK-LABEL: llvm.func @add(
  // CHECK-SAME: %[[X:.*]]: !llvm.struct<(f32, f32, f32, f32)>, %[[Y:.*]]: !llvm.struct<(f32, f32, f32, f32)>, %{{.*}}: !llvm.ptr<1>, %{{.*}}: !llvm.ptr<1>) -> !llvm.struct<(f32, f32, f32, f32)>
  // CHECK-SAME: nvvm.kernel
  // CHECK-DAG: %[[X0:.*]] = llvm.extractvalue %[[X]][0]
  // CHECK-DAG: %[[X3:.*]] = llvm.extractvalue %[[X]][3]
  // CHECK-DAG: %[[Y0:.*]] = llvm.extractvalue %[[Y]][0]
  // CHECK-DAG: %[[Y3:.*]] = llvm.extractvalue %[[Y]][3]
  // CHECK: %[[S0:.*]] = llvm.fadd %[[X0]], %[[Y0]]
  // CHECK: %[[S3:.*]] = llvm.fadd %[[X3]], %[[Y3]]
  // CHECK: llvm.insertvalue %[[S0]], %{{.*}}[0]
  // CHECK: %[[ALL:.*]] = llvm.insertvalue %[[S3]], %{{.*}}[3]
  // CHECK: llvm.return %[[ALL]]
  tt.func public @add(%x: tensor<256xf32, #b>, %y: tensor<256xf32, #b>) -> tensor<256xf32, #b> {
    %s = arith.addf %x, %y : tensor<256xf32, #b>
    tt.return %s : tensor<256xf32, #b>
  }

  // Element types are LLVM types; several results form a struct; an unused argument is not unpacked.
  // CHECK-LABEL: llvm.func @kinds(
  // CHECK-SAME: !llvm.struct<(ptr<1>, ptr<1>)>, %{{.*}}: !llvm.struct<(i8, i8)>, %[[N:.*]]: i32, %{{.*}}: !llvm.struct<(i1, i1)>
  // CHECK-SAME: -> !llvm.struct<(i32, struct<(i32, i32)>)>
  // CHECK-NOT: extractvalue
  // CHECK: llvm.insertvalue %[[N]], %{{.*}}[0] : !llvm.struct<(i32, struct<(i32, i32)>)>
  // CHECK: llvm.insertvalue %{{.*}}, %{{.*}}[1] : !llvm.struct<(i32, struct<(i32, i32)>)>
  tt.func public @kinds(%p: tensor<128x!tt.ptr<f32>, #b>, %q: tensor<128xf8E5M2, #b>, %n: i32, %m: tensor<8xi1, #row>) -> (i32, tensor<128xi32, #b>) {
    %t = tt.splat %n : i32 -> tensor<128xi32, #b>
    tt.return %n, %t : i32, tensor<128xi32, #b>
  }

  // A buffer is a base and an offset per dimension. Only a view can have offsets other than 0.
  // CHECK-LABEL: llvm.func @buffers(
  // CHECK-SAME: %[[A:.*]]: !llvm.struct<(ptr<3>, i32)>, %[[V:.*]]: !llvm.struct<(ptr<3>, i32, i32)>,
  // CHECK: %[[BASE:.*]] = llvm.extractvalue %[[A]][0]
  // CHECK-NOT: llvm.extractvalue %[[A]]
  // CHECK: %[[VIEW:.*]] = llvm.extractvalue %[[V]][0]
  // CHECK: %[[I:.*]] = llvm.extractvalue %[[V]][1]
  // CHECK: llvm.lshr %[[I]], %{{.*}} : i32
  // CHECK: %[[J:.*]] = llvm.extractvalue %[[V]][2]
  // CHECK: llvm.getelementptr %[[VIEW]]
  // CHECK: store
  tt.func public @buffers(%a: !ttg.memdesc<128xf32, #line, #smem, mutable>, %v: !ttg.memdesc<16x32xf16, #tile, #smem, mutable, 64x32>, %x: tensor<128xf32, #b>, %y: tensor<16x32xf16, #b2>) {
    ttg.local_store %x, %a : tensor<128xf32, #b> -> !ttg.memdesc<128xf32, #line, #smem, mutable>
    ttg.local_store %y, %v : tensor<16x32xf16, #b2> -> !ttg.memdesc<16x32xf16, #tile, #smem, mutable, 64x32>
    tt.return
  }

  // A view of a padded buffer, and a returned buffer: at offset 0.
  // CHECK-LABEL: llvm.func @padded(
  // CHECK-SAME: %[[V:.*]]: !llvm.struct<(ptr<3>, i32, i32)>
  // CHECK-SAME: -> !llvm.struct<(ptr<3>, i32, i32)>
  // CHECK: %[[BASE:.*]] = llvm.getelementptr
  // CHECK: %[[R:.*]] = llvm.insertvalue %[[BASE]], %{{.*}}[0]
  // CHECK: llvm.insertvalue %{{.*}}, %[[R]][1]
  // CHECK: llvm.return
  tt.func public @padded(%v: !ttg.memdesc<16x32xf16, #pad, #smem, mutable, 64x32>) -> !ttg.memdesc<16x32xf16, #pad, #smem, mutable, 64x32> {
    tt.return %v : !ttg.memdesc<16x32xf16, #pad, #smem, mutable, 64x32>
  }

  // Casts, and ops of the llvm dialect between them.
  // CHECK-LABEL: llvm.func @casts(
  // CHECK-SAME: %[[P:.*]]: !llvm.ptr, %[[S:.*]]: !llvm.struct<(i32, i32)>, %[[G:[^ ]*]]: !llvm.ptr<1>,
  // CHECK-NOT: unrealized_conversion_cast
  // CHECK: %[[S0:.*]] = llvm.extractvalue %[[S]][0]
  // CHECK: %[[S1:.*]] = llvm.extractvalue %[[S]][1]
  // CHECK: %[[D0:.*]] = llvm.add %[[S0]], %[[S0]]
  // CHECK: %[[D1:.*]] = llvm.add %[[S1]], %[[S1]]
  // CHECK: llvm.insertvalue %[[D0]]
  // CHECK: %[[D:.*]] = llvm.insertvalue %[[D1]]
  // CHECK: llvm.store volatile %[[D]], %[[P]]
  // CHECK: llvm.load %[[G]] : !llvm.ptr<1> -> i32
  tt.func public @casts(%p: !llvm.ptr, %s: !llvm.struct<(i32, i32)>, %g: !tt.ptr<i32>) {
    %t = builtin.unrealized_conversion_cast %s : !llvm.struct<(i32, i32)> to tensor<128xi32, #b>
    %u = arith.addi %t, %t : tensor<128xi32, #b>
    %v = builtin.unrealized_conversion_cast %u : tensor<128xi32, #b> to !llvm.struct<(i32, i32)>
    llvm.store volatile %v, %p : !llvm.struct<(i32, i32)>, !llvm.ptr
    %h = builtin.unrealized_conversion_cast %g : !tt.ptr<i32> to !llvm.ptr<1>
    %w = llvm.load %h : !llvm.ptr<1> -> i32
    llvm.store %w, %p : i32, !llvm.ptr
    tt.return
  }
}

// Round trips of TMA copies and descriptors: custom form, generic form, bytecode.
// RUN: nereid-opt %s | nereid-opt | FileCheck %s
// RUN: nereid-opt --mlir-print-op-generic %s | nereid-opt | FileCheck %s
// RUN: nereid-opt --emit-bytecode %s | nereid-opt | FileCheck %s

#bar = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>
#tile = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#cube = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16, rank = 3}>
#rows = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>
#smem = #ttg.shared_memory

module attributes {"ttg.num-ctas" = 1 : i32, "ttg.num-warps" = 4 : i32, ttg.target = "cuda:90", "ttg.threads-per-warp" = 32 : i32} {
  // CHECK-LABEL: tt.func @load
  // CHECK-SAME: %[[D:[^:]+]]: !tt.tensordesc<tensor<128x64xf16, #[[S:shared[0-9]*]]>>, %[[D3:[^:]+]]: !tt.tensordesc<tensor<1x128x64xf16, #[[S3:.+]]>>, %[[T:[^:]+]]: !ttg.memdesc<128x64xf16, #[[S]], #smem, mutable>, %[[B:[^:]+]]: !ttg.memdesc<1xi64, #[[SB:.+]], #smem, mutable>, %[[I:[^:]+]]: i32, %[[P:[^:]+]]: i1
  tt.func @load(%desc: !tt.tensordesc<tensor<128x64xf16, #tile>>, %desc3: !tt.tensordesc<tensor<1x128x64xf16, #cube>>, %to: !ttg.memdesc<128x64xf16, #tile, #smem, mutable>, %bar: !ttg.memdesc<1xi64, #bar, #smem, mutable>, %i: i32, %pred: i1) {
    // CHECK: ttng.async_tma_copy_global_to_local %[[D]][%[[I]], %[[I]]] %[[T]], %[[B]], %[[P]] : !tt.tensordesc<tensor<128x64xf16, #[[S]]>>, !ttg.memdesc<1xi64, #[[SB]], #smem, mutable> -> !ttg.memdesc<128x64xf16, #[[S]], #smem, mutable>
    ttng.async_tma_copy_global_to_local %desc[%i, %i] %to, %bar, %pred : !tt.tensordesc<tensor<128x64xf16, #tile>>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<128x64xf16, #tile, #smem, mutable>
    // CHECK: ttng.async_tma_copy_global_to_local %[[D3]][%[[I]], %[[I]], %[[I]]] %[[T]], %[[B]], %[[P]] cacheModifier = ca evictionPolicy = evict_first {isVolatile = true} : !tt.tensordesc<tensor<1x128x64xf16, #[[S3]]>>
    ttng.async_tma_copy_global_to_local %desc3[%i, %i, %i] %to, %bar, %pred cacheModifier = ca evictionPolicy = evict_first {isVolatile = true} : !tt.tensordesc<tensor<1x128x64xf16, #cube>>, !ttg.memdesc<1xi64, #bar, #smem, mutable> -> !ttg.memdesc<128x64xf16, #tile, #smem, mutable>
    tt.return
  }

  // CHECK-LABEL: tt.func @store
  // CHECK-SAME: %[[D:[^:]+]]: !tt.tensordesc<tensor<128x64xsi8, #[[S:.+]]>>, %[[T:[^:]+]]: !ttg.memdesc<128x64xi8, #[[S]], #smem>, %[[I:[^:]+]]: i32
  tt.func @store(%desc: !tt.tensordesc<tensor<128x64xsi8, #tile>>, %from: !ttg.memdesc<128x64xi8, #tile, #smem>, %i: i32) {
    // CHECK: ttng.async_tma_copy_local_to_global %[[D]][%[[I]], %[[I]]] %[[T]] : !tt.tensordesc<tensor<128x64xsi8, #[[S]]>>, !ttg.memdesc<128x64xi8, #[[S]], #smem>
    ttng.async_tma_copy_local_to_global %desc[%i, %i] %from : !tt.tensordesc<tensor<128x64xsi8, #tile>>, !ttg.memdesc<128x64xi8, #tile, #smem>
    // CHECK: ttng.async_tma_reduce max, %[[D]][%[[I]], %[[I]]] %[[T]] : !tt.tensordesc<tensor<128x64xsi8, #[[S]]>>, !ttg.memdesc<128x64xi8, #[[S]], #smem>
    ttng.async_tma_reduce max, %desc[%i, %i] %from : !tt.tensordesc<tensor<128x64xsi8, #tile>>, !ttg.memdesc<128x64xi8, #tile, #smem>
    // CHECK: ttng.async_tma_store_wait {pendings = 1 : i32}
    ttng.async_tma_store_wait {pendings = 1 : i32}
    tt.return
  }

  // CHECK-LABEL: tt.func @rows
  // CHECK-SAME: %[[D:[^:]+]]: !tt.tensordesc<tensor<1x64xbf16, #[[S:.+]]>>, %[[X:[^:]+]]: tensor<32xi32, #[[R:.+]]>, %[[Y:[^:]+]]: i32, %[[T:[^:]+]]: !ttg.memdesc<32x64xbf16, #[[S]], #smem, mutable>, %[[B:[^:]+]]: !ttg.memdesc<1xi64, #[[SB:.+]], #smem, mutable>, %[[P:[^:]+]]: i1
  tt.func @rows(%desc: !tt.tensordesc<tensor<1x64xbf16, #tile>>, %x: tensor<32xi32, #rows>, %y: i32, %buf: !ttg.memdesc<32x64xbf16, #tile, #smem, mutable>, %bar: !ttg.memdesc<1xi64, #bar, #smem, mutable>, %pred: i1) {
    // CHECK: ttng.async_tma_gather %[[D]][%[[X]], %[[Y]]] %[[T]], %[[B]], %[[P]] : !tt.tensordesc<tensor<1x64xbf16, #[[S]]>>, tensor<32xi32, #[[R]]>, i32, !ttg.memdesc<1xi64, #[[SB]], #smem, mutable>, !ttg.memdesc<32x64xbf16, #[[S]], #smem, mutable>, i1
    ttng.async_tma_gather %desc[%x, %y] %buf, %bar, %pred : !tt.tensordesc<tensor<1x64xbf16, #tile>>, tensor<32xi32, #rows>, i32, !ttg.memdesc<1xi64, #bar, #smem, mutable>, !ttg.memdesc<32x64xbf16, #tile, #smem, mutable>, i1
    // CHECK: ttng.async_tma_scatter %[[D]][%[[X]], %[[Y]]] %[[T]] : !tt.tensordesc<tensor<1x64xbf16, #[[S]]>>, tensor<32xi32, #[[R]]>, i32, !ttg.memdesc<32x64xbf16, #[[S]], #smem, mutable>
    ttng.async_tma_scatter %desc[%x, %y] %buf : !tt.tensordesc<tensor<1x64xbf16, #tile>>, tensor<32xi32, #rows>, i32, !ttg.memdesc<32x64xbf16, #tile, #smem, mutable>
    tt.return
  }

  // A descriptor whose block has several rows.
  // CHECK-LABEL: tt.func @block_of_rows
  tt.func @block_of_rows(%desc: !tt.tensordesc<tensor<16x64xf16, #tile>>, %x: tensor<32xi32, #rows>, %y: i32, %buf: !ttg.memdesc<32x64xf16, #tile, #smem, mutable>, %bar: !ttg.memdesc<1xi64, #bar, #smem, mutable>, %pred: i1) {
    // CHECK: ttng.async_tma_gather {{.*}} : !tt.tensordesc<tensor<16x64xf16, #{{.*}}>>, tensor<32xi32
    ttng.async_tma_gather %desc[%x, %y] %buf, %bar, %pred : !tt.tensordesc<tensor<16x64xf16, #tile>>, tensor<32xi32, #rows>, i32, !ttg.memdesc<1xi64, #bar, #smem, mutable>, !ttg.memdesc<32x64xf16, #tile, #smem, mutable>, i1
    tt.return
  }

  // CHECK-LABEL: tt.func @descriptor
  // CHECK-SAME: %[[P:[^:]+]]: !tt.ptr<i8>, %[[A:[^:]+]]: !tt.ptr<f16>, %[[N:[^:]+]]: i32, %[[S:[^:]+]]: i64
  tt.func @descriptor(%at: !tt.ptr<i8>, %base: !tt.ptr<f16>, %n: i32, %stride: i64) -> !tt.tensordesc<tensor<128x64xf16, #tile>> {
    // CHECK: ttng.tensormap_create %[[P]], %[[A]], [%[[N]], %[[N]]], [%[[N]], %[[N]]], [%[[S]]], [%[[N]], %[[N]]] {elem_type = 6 : i32, fill_mode = 0 : i32, interleave_layout = 0 : i32, swizzle_mode = 3 : i32} : (!tt.ptr<i8>, !tt.ptr<f16>, i32, i32, i32, i32, i64, i32, i32) -> ()
    ttng.tensormap_create %at, %base, [%n, %n], [%n, %n], [%stride], [%n, %n] {elem_type = 6 : i32, fill_mode = 0 : i32, interleave_layout = 0 : i32, swizzle_mode = 3 : i32} : (!tt.ptr<i8>, !tt.ptr<f16>, i32, i32, i32, i32, i64, i32, i32) -> ()
    // CHECK: ttng.tensormap_create %[[P]], %[[A]], [%[[N]]], [%[[N]]], [], [%[[N]]] {elem_type = 6
    ttng.tensormap_create %at, %base, [%n], [%n], [], [%n] {elem_type = 6 : i32, fill_mode = 0 : i32, interleave_layout = 0 : i32, swizzle_mode = 0 : i32} : (!tt.ptr<i8>, !tt.ptr<f16>, i32, i32, i32) -> ()
    // CHECK: ttng.tensormap_fenceproxy_acquire %[[P]] : !tt.ptr<i8>
    ttng.tensormap_fenceproxy_acquire %at : !tt.ptr<i8>
    // CHECK: %[[R:.+]] = ttng.reinterpret_tensor_descriptor %[[P]] : !tt.ptr<i8> to !tt.tensordesc<tensor<128x64xf16, #{{.+}}>>
    %d = ttng.reinterpret_tensor_descriptor %at : !tt.ptr<i8> to !tt.tensordesc<tensor<128x64xf16, #tile>>
    tt.return %d : !tt.tensordesc<tensor<128x64xf16, #tile>>
  }
}

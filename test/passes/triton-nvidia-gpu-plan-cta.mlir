// RUN: nereid-opt %s --convert-triton-to-tritongpu=num-ctas=2 --triton-nvidia-gpu-plan-cta --tritongpu-remove-layout-conversions -o - | FileCheck %s
// RUN: nereid-opt %s --convert-triton-to-tritongpu=num-ctas=4 --triton-nvidia-gpu-plan-cta --tritongpu-remove-layout-conversions -o - | FileCheck %s --check-prefix=FOUR
// With one CTA nothing changes.
// RUN: nereid-opt %s --convert-triton-to-tritongpu -o %t.a && nereid-opt %t.a --triton-nvidia-gpu-plan-cta -o %t.b && nereid-opt %t.a -o %t.c && cmp %t.b %t.c

// Encodings are in the order of their uses. Two CTAs: halves of the columns of the result, all rows of A in both.
// CHECK-DAG: #[[C:.*]] = #ttg.blocked<{sizePerThread = [4, 4]{{.*}}CGALayout = {{\[\[}}0, 1]]}>
// CHECK-DAG: #[[A:.*]] = #ttg.blocked<{sizePerThread = [1, 1]{{.*}}CGALayout = {{\[\[}}0, 0]]}>
// CHECK-DAG: #[[B:.*]] = #ttg.blocked<{sizePerThread = [1, 1]{{.*}}CGALayout = {{\[\[}}0, 1]]}>
// CHECK-DAG: #[[ROWS:.*]] = #ttg.blocked<{sizePerThread = [1, 1]{{.*}}CGALayout = {{\[\[}}1, 0]]}>
// CHECK-DAG: #[[SAME:.*]] = #ttg.blocked<{sizePerThread = [1, 1], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1]{{.*}}CGALayout = {{\[\[}}0, 0]]}>
// CHECK-LABEL: tt.func public @dot
// CHECK: tt.load {{.*}} : tensor<128x64x!tt.ptr<f16>, #[[A]]>
// CHECK: tt.load {{.*}} : tensor<64x256x!tt.ptr<f16>, #[[B]]>
// CHECK: tt.dot {{.*}} -> tensor<128x256xf32, #[[C]]>
// Four: halves of rows and columns.
// FOUR-DAG: #[[C:.*]] = #ttg.blocked<{sizePerThread = [4, 4]{{.*}}CGALayout = {{\[\[}}1, 0], [0, 1]]}>
// FOUR-DAG: #[[A:.*]] = #ttg.blocked<{sizePerThread = [1, 1]{{.*}}CGALayout = {{\[\[}}1, 0], [0, 0]]}>
// FOUR-DAG: #[[B:.*]] = #ttg.blocked<{sizePerThread = [1, 1]{{.*}}CGALayout = {{\[\[}}0, 0], [0, 1]]}>
// FOUR-LABEL: tt.func public @dot
// FOUR: tt.load {{.*}} : tensor<128x64x!tt.ptr<f16>, #[[A]]>
// FOUR: tt.load {{.*}} : tensor<64x256x!tt.ptr<f16>, #[[B]]>
// FOUR: tt.dot {{.*}} -> tensor<128x256xf32, #[[C]]>
tt.func public @dot(%a: !tt.ptr<f16>, %b: !tt.ptr<f16>, %c: !tt.ptr<f32>) {
  %k = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %m = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %n = tt.make_range {end = 256 : i32, start = 0 : i32} : tensor<256xi32>
  %mc = tt.expand_dims %m {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %kr = tt.expand_dims %k {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %kc = tt.expand_dims %k {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %nr = tt.expand_dims %n {axis = 0 : i32} : tensor<256xi32> -> tensor<1x256xi32>
  %a64 = arith.constant dense<64> : tensor<128x1xi32>
  %b256 = arith.constant dense<256> : tensor<64x1xi32>
  %c256 = arith.constant dense<256> : tensor<128x1xi32>
  %ar = arith.muli %mc, %a64 : tensor<128x1xi32>
  %br = arith.muli %kc, %b256 : tensor<64x1xi32>
  %cr = arith.muli %mc, %c256 : tensor<128x1xi32>
  %ab = tt.broadcast %ar : tensor<128x1xi32> -> tensor<128x64xi32>
  %ak = tt.broadcast %kr : tensor<1x64xi32> -> tensor<128x64xi32>
  %bb = tt.broadcast %br : tensor<64x1xi32> -> tensor<64x256xi32>
  %bn = tt.broadcast %nr : tensor<1x256xi32> -> tensor<64x256xi32>
  %cb = tt.broadcast %cr : tensor<128x1xi32> -> tensor<128x256xi32>
  %cn = tt.broadcast %nr : tensor<1x256xi32> -> tensor<128x256xi32>
  %ao = arith.addi %ab, %ak : tensor<128x64xi32>
  %bo = arith.addi %bb, %bn : tensor<64x256xi32>
  %co = arith.addi %cb, %cn : tensor<128x256xi32>
  %as = tt.splat %a : !tt.ptr<f16> -> tensor<128x64x!tt.ptr<f16>>
  %bs = tt.splat %b : !tt.ptr<f16> -> tensor<64x256x!tt.ptr<f16>>
  %cs = tt.splat %c : !tt.ptr<f32> -> tensor<128x256x!tt.ptr<f32>>
  %ap = tt.addptr %as, %ao : tensor<128x64x!tt.ptr<f16>>, tensor<128x64xi32>
  %bp = tt.addptr %bs, %bo : tensor<64x256x!tt.ptr<f16>>, tensor<64x256xi32>
  %cp = tt.addptr %cs, %co : tensor<128x256x!tt.ptr<f32>>, tensor<128x256xi32>
  %x = tt.load %ap : tensor<128x64x!tt.ptr<f16>>
  %y = tt.load %bp : tensor<64x256x!tt.ptr<f16>>
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %d = tt.dot %x, %y, %zero : tensor<128x64xf16> * tensor<64x256xf16> -> tensor<128x256xf32>
  tt.store %cp, %d : tensor<128x256x!tt.ptr<f32>>
  tt.return
}

// A row is reduced, so each CTA has half of the rows.
// CHECK-LABEL: tt.func public @reduce
// CHECK: tt.load {{.*}} : tensor<16x64x!tt.ptr<f32>, #[[ROWS]]>
// CHECK: }) : (tensor<16x64xf32, #[[ROWS]]>)
tt.func public @reduce(%x: !tt.ptr<f32>, %o: !tt.ptr<f32>) {
  %m = tt.make_range {end = 16 : i32, start = 0 : i32} : tensor<16xi32>
  %n = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %mc = tt.expand_dims %m {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %nr = tt.expand_dims %n {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %pitch = arith.constant dense<64> : tensor<16x1xi32>
  %r = arith.muli %mc, %pitch : tensor<16x1xi32>
  %rb = tt.broadcast %r : tensor<16x1xi32> -> tensor<16x64xi32>
  %nb = tt.broadcast %nr : tensor<1x64xi32> -> tensor<16x64xi32>
  %at = arith.addi %rb, %nb : tensor<16x64xi32>
  %xs = tt.splat %x : !tt.ptr<f32> -> tensor<16x64x!tt.ptr<f32>>
  %p = tt.addptr %xs, %at : tensor<16x64x!tt.ptr<f32>>, tensor<16x64xi32>
  %v = tt.load %p : tensor<16x64x!tt.ptr<f32>>
  %s = "tt.reduce"(%v) <{axis = 1 : i32}> ({
  ^bb0(%e: f32, %f: f32):
    %g = arith.addf %e, %f : f32
    tt.reduce.return %g : f32
  }) : (tensor<16x64xf32>) -> tensor<16xf32>
  %os = tt.splat %o : !tt.ptr<f32> -> tensor<16x!tt.ptr<f32>>
  %q = tt.addptr %os, %m : tensor<16x!tt.ptr<f32>>, tensor<16xi32>
  tt.store %q, %s : tensor<16x!tt.ptr<f32>>
  tt.return
}

// Loads and stores through descriptors have the parts of the dot. Rows of less than 16 bytes are not divided.
// CHECK-LABEL: tt.func public @descriptors
// CHECK: tt.descriptor_load {{.*}} -> tensor<128x64xf16, #[[A]]>
// CHECK: tt.descriptor_load {{.*}} -> tensor<64x256xf16, #[[B]]>
// CHECK: tt.descriptor_store {{.*}}, tensor<128x256xf32, #[[B]]>
// CHECK: tt.descriptor_store {{.*}}, tensor<1x4xf32, #[[SAME]]>
// FOUR-LABEL: tt.func public @descriptors
tt.func public @descriptors(%a: !tt.tensordesc<tensor<128x64xf16>>, %b: !tt.tensordesc<tensor<64x256xf16>>, %c: !tt.tensordesc<tensor<128x256xf32>>, %e: !tt.tensordesc<tensor<1x4xf32>>, %i: i32) {
  %zero = arith.constant dense<0.0> : tensor<128x256xf32>
  %few = arith.constant dense<1.0> : tensor<1x4xf32>
  %x = tt.descriptor_load %a[%i, %i] : !tt.tensordesc<tensor<128x64xf16>> -> tensor<128x64xf16>
  %y = tt.descriptor_load %b[%i, %i] : !tt.tensordesc<tensor<64x256xf16>> -> tensor<64x256xf16>
  %d = tt.dot %x, %y, %zero : tensor<128x64xf16> * tensor<64x256xf16> -> tensor<128x256xf32>
  tt.descriptor_store %c[%i, %i], %d : !tt.tensordesc<tensor<128x256xf32>>, tensor<128x256xf32>
  tt.descriptor_store %e[%i, %i], %few : !tt.tensordesc<tensor<1x4xf32>>, tensor<1x4xf32>
  tt.return
}

// RUN: nereid-opt %s --nereid-derive-grid --split-input-file | FileCheck %s
// RUN: nereid-opt %s --nereid-derive-grid --split-input-file --remarks-filter-missed=nereid-derive-grid 2>&1 | FileCheck %s --check-prefix=REMARK

// Elements in blocks: the mask of the store bounds the program id.
// CHECK: #[[MAP:.*]] = affine_map<()[s0] -> (s0 ceildiv 128)>
// CHECK: @elements({{.*}}nereid.grid = #nereid.grid<#[[MAP]], args = [1]>
tt.func public @elements(%x: !tt.ptr<f32>, %n: i32) {
  %c128 = arith.constant 128 : i32
  %zero = arith.constant dense<0.0> : tensor<128xf32>
  %p = tt.get_program_id x : i32
  %start = arith.muli %p, %c128 : i32
  %range = tt.make_range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %starts = tt.splat %start : i32 -> tensor<128xi32>
  %offsets = arith.addi %starts, %range : tensor<128xi32>
  %limit = tt.splat %n : i32 -> tensor<128xi32>
  %mask = arith.cmpi slt, %offsets, %limit : tensor<128xi32>
  %base = tt.splat %x : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %pointers = tt.addptr %base, %offsets : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  tt.store %pointers, %zero, %mask : tensor<128x!tt.ptr<f32>>
  tt.return
}

// -----

// Tiles of a matrix that one program id counts: rows by division, columns by remainder.
// CHECK: #[[MAP:.*]] = affine_map<()[s0, s1] -> (((s0 + 63) floordiv 64) * (s1 ceildiv 32))>
// CHECK: @tiles({{.*}}nereid.grid = #nereid.grid<#[[MAP]], args = [2, 1]>
tt.func public @tiles(%x: !tt.ptr<f32>, %m: i32, %n: i32) {
  %c32 = arith.constant 32 : i32
  %c63 = arith.constant 63 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<32x64xf32>
  %p = tt.get_program_id x : i32
  %more = arith.addi %n, %c63 : i32
  %across = arith.divsi %more, %c64 : i32
  %row = arith.divsi %p, %across : i32
  %column = arith.remsi %p, %across : i32
  %top = arith.muli %row, %c32 : i32
  %left = arith.muli %column, %c64 : i32
  %r0 = tt.make_range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %r1 = tt.make_range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %tops = tt.splat %top : i32 -> tensor<32xi32>
  %lefts = tt.splat %left : i32 -> tensor<64xi32>
  %rows = arith.addi %tops, %r0 : tensor<32xi32>
  %columns = arith.addi %lefts, %r1 : tensor<64xi32>
  %rows1 = tt.expand_dims %rows {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %columns1 = tt.expand_dims %columns {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %ms = tt.splat %m : i32 -> tensor<32x1xi32>
  %ns = tt.splat %n : i32 -> tensor<1x64xi32>
  %inside_rows = arith.cmpi slt, %rows1, %ms : tensor<32x1xi32>
  %inside_columns = arith.cmpi sgt, %ns, %columns1 : tensor<1x64xi32>
  %mask_rows = tt.broadcast %inside_rows : tensor<32x1xi1> -> tensor<32x64xi1>
  %mask_columns = tt.broadcast %inside_columns : tensor<1x64xi1> -> tensor<32x64xi1>
  %mask = arith.andi %mask_rows, %mask_columns : tensor<32x64xi1>
  %strides = tt.splat %n : i32 -> tensor<32x1xi32>
  %starts = arith.muli %rows1, %strides : tensor<32x1xi32>
  %starts1 = tt.broadcast %starts : tensor<32x1xi32> -> tensor<32x64xi32>
  %columns2 = tt.broadcast %columns1 : tensor<1x64xi32> -> tensor<32x64xi32>
  %offsets = arith.addi %starts1, %columns2 : tensor<32x64xi32>
  %base = tt.splat %x : !tt.ptr<f32> -> tensor<32x64x!tt.ptr<f32>>
  %pointers = tt.addptr %base, %offsets : tensor<32x64x!tt.ptr<f32>>, tensor<32x64xi32>
  tt.store %pointers, %zero, %mask : tensor<32x64x!tt.ptr<f32>>
  tt.return
}

// -----

// A store through a descriptor is bounded by its shape; y by the condition around it; z is not used.
// CHECK: #[[MAP:.*]] = affine_map<()[s0, s1] -> (s0 ceildiv 16, s1)>
// CHECK: @descriptor({{.*}}nereid.grid = #nereid.grid<#[[MAP]], args = [2, 5]>
tt.func public @descriptor(%d: !tt.tensordesc<tensor<8x16xf32>>, %m: i32, %n: i32, %s: i64, %t: i64, %batch: i32) {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %zero = arith.constant dense<0.0> : tensor<8x16xf32>
  %p = tt.get_program_id x : i32
  %q = tt.get_program_id y : i32
  %left = arith.muli %p, %c16 : i32
  %live = arith.cmpi ult, %q, %batch : i32
  scf.if %live {
    tt.descriptor_store %d[%c0, %left], %zero : !tt.tensordesc<tensor<8x16xf32>>, tensor<8x16xf32>
  }
  tt.return
}

// -----

// No program id, no arguments.
// CHECK: #[[MAP:.*]] = affine_map<() -> (1)>
// CHECK: @single({{.*}}nereid.grid = #nereid.grid<#[[MAP]], args = []>
tt.func public @single(%x: !tt.ptr<i32>) {
  %c = arith.constant 1 : i32
  tt.store %x, %c : !tt.ptr<i32>
  tt.return
}

// -----

// A second store without the mask, a negative offset, an author's grid, the number of programs.
// CHECK-LABEL: @unmasked
// CHECK-NOT: nereid.grid
// REMARK: program id x has no bound that is common to all stores of the kernel
tt.func public @unmasked(%x: !tt.ptr<i32>, %n: i32) {
  %p = tt.get_program_id x : i32
  %live = arith.cmpi slt, %p, %n : i32
  %at = tt.addptr %x, %p : !tt.ptr<i32>, i32
  tt.store %at, %p, %live : !tt.ptr<i32>
  tt.store %at, %n : !tt.ptr<i32>
  tt.return
}

// CHECK-LABEL: @negative
// CHECK-NOT: nereid.grid
tt.func public @negative(%x: !tt.ptr<i32>, %n: i32) {
  %c = arith.constant -4 : i32
  %p = tt.get_program_id x : i32
  %before = arith.addi %p, %c : i32
  %live = arith.cmpi slt, %before, %n : i32
  tt.store %x, %p, %live : !tt.ptr<i32>
  tt.return
}

// CHECK-LABEL: @otherwise
// CHECK-NOT: nereid.grid
tt.func public @otherwise(%x: !tt.ptr<i32>, %n: i32) {
  %p = tt.get_program_id x : i32
  %live = arith.cmpi slt, %p, %n : i32
  scf.if %live {
  } else {
    tt.store %x, %p : !tt.ptr<i32>
  }
  tt.return
}

// CHECK: @own({{.*}}nereid.grid = #nereid.grid<#{{.*}}, args = []>
tt.func public @own(%x: !tt.ptr<i32>, %n: i32) attributes {nereid.grid = #nereid.grid<affine_map<() -> (7)>, args = []>} {
  tt.return
}

// CHECK-LABEL: @persistent
// CHECK-NOT: nereid.grid
// REMARK: the kernel reads the number of programs
tt.func public @persistent(%x: !tt.ptr<i32>) {
  %count = tt.get_num_programs x : i32
  tt.store %x, %count : !tt.ptr<i32>
  tt.return
}

// -----

// The callee may read program ids.
// CHECK-LABEL: @caller
// CHECK-NOT: nereid.grid
// REMARK: the kernel calls a function that is not inlined
tt.func public @caller(%x: !tt.ptr<i32>) {
  tt.call @callee(%x) : (!tt.ptr<i32>) -> ()
  tt.return
}
tt.func private @callee(%x: !tt.ptr<i32>) attributes {noinline = true} {
  %p = tt.get_program_id x : i32
  tt.store %x, %p : !tt.ptr<i32>
  tt.return
}

// RUN: nereid-opt %s --test-print-membar | FileCheck %s

// Addresses from quotients and remainders: a value is determined by all of its digits.

#rows = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>

module attributes {"ttg.num-warps" = 4 : i32, "ttg.threads-per-warp" = 32 : i32, "ttg.num-ctas" = 1 : i32} {

// Quotient and remainder determine the index: each iteration stores to other addresses.
// CHECK-LABEL: @all_digits
// CHECK-NOT: local_barrier
// CHECK: tt.return
tt.func public @all_digits(%x: !tt.ptr<f16>, %v: tensor<512xf16, #rows>, %n: i32) {
  %zero = arith.constant 0 : i32
  %step = arith.constant 512 : i32
  %per_row = arith.constant dense<360> : tensor<512xi32, #rows>
  %pitch = arith.constant dense<1000> : tensor<512xi32, #rows>
  %r = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #rows>
  %s = tt.splat %x : !tt.ptr<f16> -> tensor<512x!tt.ptr<f16>, #rows>
  scf.for %i = %zero to %n step %step : i32 {
    %first = tt.splat %i : i32 -> tensor<512xi32, #rows>
    %index = arith.addi %first, %r : tensor<512xi32, #rows>
    %column = arith.remsi %index, %per_row : tensor<512xi32, #rows>
    %row = arith.divsi %index, %per_row : tensor<512xi32, #rows>
    %start = arith.muli %row, %pitch : tensor<512xi32, #rows>
    %offset = arith.addi %start, %column : tensor<512xi32, #rows>
    %p = tt.addptr %s, %offset : tensor<512x!tt.ptr<f16>, #rows>, tensor<512xi32, #rows>
    tt.store %p, %v : tensor<512x!tt.ptr<f16>, #rows>
  }
  tt.return
}

// (i / 9) % 32, i % 9 and i / 288; the lowest two bits of the index stay in one thread.
// CHECK-LABEL: @nested_digits
// CHECK-NOT: local_barrier
// CHECK: tt.return
tt.func public @nested_digits(%x: !tt.ptr<f16>, %v: tensor<512xf16, #rows>, %n: i32) {
  %zero = arith.constant 0 : i32
  %step = arith.constant 512 : i32
  %nine = arith.constant dense<9> : tensor<512xi32, #rows>
  %heads = arith.constant dense<32> : tensor<512xi32, #rows>
  %all = arith.constant dense<288> : tensor<512xi32, #rows>
  %r = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #rows>
  %s = tt.splat %x : !tt.ptr<f16> -> tensor<512x!tt.ptr<f16>, #rows>
  scf.for %i = %zero to %n step %step : i32 {
    %first = tt.splat %i : i32 -> tensor<512xi32, #rows>
    %index = arith.addi %first, %r : tensor<512xi32, #rows>
    %low = arith.remsi %index, %nine : tensor<512xi32, #rows>
    %quotient = arith.divsi %index, %nine : tensor<512xi32, #rows>
    %middle = arith.remsi %quotient, %heads : tensor<512xi32, #rows>
    %high = arith.divsi %index, %all : tensor<512xi32, #rows>
    %a = arith.muli %low, %heads : tensor<512xi32, #rows>
    %b = arith.addi %a, %middle : tensor<512xi32, #rows>
    %c = arith.muli %high, %all : tensor<512xi32, #rows>
    %offset = arith.addi %b, %c : tensor<512xi32, #rows>
    %p = tt.addptr %s, %offset : tensor<512x!tt.ptr<f16>, #rows>, tensor<512xi32, #rows>
    tt.store %p, %v : tensor<512x!tt.ptr<f16>, #rows>
  }
  tt.return
}

// 16 elements of a row are low bits of the index, followed by digits of the high bits.
// CHECK-LABEL: @digits_above_bits
// CHECK-NOT: local_barrier
// CHECK: tt.return
tt.func public @digits_above_bits(%x: !tt.ptr<f16>, %v: tensor<512xf16, #rows>, %n: i32) {
  %zero = arith.constant 0 : i32
  %step = arith.constant 512 : i32
  %sixteen = arith.constant dense<16> : tensor<512xi32, #rows>
  %seven = arith.constant dense<7> : tensor<512xi32, #rows>
  %all = arith.constant dense<112> : tensor<512xi32, #rows>
  %wide = arith.constant dense<20> : tensor<512xi32, #rows>
  %pitch = arith.constant dense<200> : tensor<512xi32, #rows>
  %r = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #rows>
  %s = tt.splat %x : !tt.ptr<f16> -> tensor<512x!tt.ptr<f16>, #rows>
  scf.for %i = %zero to %n step %step : i32 {
    %first = tt.splat %i : i32 -> tensor<512xi32, #rows>
    %index = arith.addi %first, %r : tensor<512xi32, #rows>
    %low = arith.remui %index, %sixteen : tensor<512xi32, #rows>
    %quotient = arith.divui %index, %sixteen : tensor<512xi32, #rows>
    %middle = arith.remui %quotient, %seven : tensor<512xi32, #rows>
    %high = arith.divui %index, %all : tensor<512xi32, #rows>
    %a = arith.muli %middle, %wide : tensor<512xi32, #rows>
    %b = arith.addi %a, %low : tensor<512xi32, #rows>
    %c = arith.muli %high, %pitch : tensor<512xi32, #rows>
    %offset = arith.addi %b, %c : tensor<512xi32, #rows>
    %p = tt.addptr %s, %offset : tensor<512x!tt.ptr<f16>, #rows>, tensor<512xi32, #rows>
    tt.store %p, %v : tensor<512x!tt.ptr<f16>, #rows>
  }
  tt.return
}

// Rows that are shorter than the remainder overlap.
// CHECK-LABEL: @overlapping_digits
// CHECK: scf.for
// CHECK: ttg.local_barrier{{$}}
// CHECK-NEXT: tt.store
tt.func public @overlapping_digits(%x: !tt.ptr<f16>, %v: tensor<512xf16, #rows>, %n: i32) {
  %zero = arith.constant 0 : i32
  %step = arith.constant 512 : i32
  %per_row = arith.constant dense<360> : tensor<512xi32, #rows>
  %pitch = arith.constant dense<359> : tensor<512xi32, #rows>
  %r = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #rows>
  %s = tt.splat %x : !tt.ptr<f16> -> tensor<512x!tt.ptr<f16>, #rows>
  scf.for %i = %zero to %n step %step : i32 {
    %first = tt.splat %i : i32 -> tensor<512xi32, #rows>
    %index = arith.addi %first, %r : tensor<512xi32, #rows>
    %column = arith.remsi %index, %per_row : tensor<512xi32, #rows>
    %row = arith.divsi %index, %per_row : tensor<512xi32, #rows>
    %start = arith.muli %row, %pitch : tensor<512xi32, #rows>
    %offset = arith.addi %start, %column : tensor<512xi32, #rows>
    %p = tt.addptr %s, %offset : tensor<512x!tt.ptr<f16>, #rows>, tensor<512xi32, #rows>
    tt.store %p, %v : tensor<512x!tt.ptr<f16>, #rows>
  }
  tt.return
}

// A remainder alone repeats.
// CHECK-LABEL: @one_digit
// CHECK: scf.for
// CHECK: ttg.local_barrier{{$}}
// CHECK-NEXT: tt.store
tt.func public @one_digit(%x: !tt.ptr<f16>, %v: tensor<512xf16, #rows>, %n: i32) {
  %zero = arith.constant 0 : i32
  %step = arith.constant 512 : i32
  %per_row = arith.constant dense<1000> : tensor<512xi32, #rows>
  %r = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #rows>
  %s = tt.splat %x : !tt.ptr<f16> -> tensor<512x!tt.ptr<f16>, #rows>
  scf.for %i = %zero to %n step %step : i32 {
    %first = tt.splat %i : i32 -> tensor<512xi32, #rows>
    %index = arith.addi %first, %r : tensor<512xi32, #rows>
    %column = arith.remsi %index, %per_row : tensor<512xi32, #rows>
    %p = tt.addptr %s, %column : tensor<512x!tt.ptr<f16>, #rows>, tensor<512xi32, #rows>
    tt.store %p, %v : tensor<512x!tt.ptr<f16>, #rows>
  }
  tt.return
}

// A load of the thread's own element, and one of the next element, which another thread stores.
// CHECK-LABEL: @shifted_digits
// CHECK: tt.load
// CHECK-NOT: local_barrier
// CHECK: tt.store
// CHECK: ttg.local_barrier{{$}}
// CHECK-NEXT: tt.load
tt.func public @shifted_digits(%x: !tt.ptr<f16>) -> tensor<512xf16, #rows> {
  %per_row = arith.constant dense<360> : tensor<512xi32, #rows>
  %pitch = arith.constant dense<1000> : tensor<512xi32, #rows>
  %one = arith.constant dense<1> : tensor<512xi32, #rows>
  %r = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #rows>
  %s = tt.splat %x : !tt.ptr<f16> -> tensor<512x!tt.ptr<f16>, #rows>
  %column = arith.remsi %r, %per_row : tensor<512xi32, #rows>
  %row = arith.divsi %r, %per_row : tensor<512xi32, #rows>
  %start = arith.muli %row, %pitch : tensor<512xi32, #rows>
  %offset = arith.addi %start, %column : tensor<512xi32, #rows>
  %p = tt.addptr %s, %offset : tensor<512x!tt.ptr<f16>, #rows>, tensor<512xi32, #rows>
  %v = tt.load %p : tensor<512x!tt.ptr<f16>, #rows>
  tt.store %p, %v : tensor<512x!tt.ptr<f16>, #rows>
  %q = tt.addptr %p, %one : tensor<512x!tt.ptr<f16>, #rows>, tensor<512xi32, #rows>
  %w = tt.load %q : tensor<512x!tt.ptr<f16>, #rows>
  tt.return %w : tensor<512xf16, #rows>
}

}

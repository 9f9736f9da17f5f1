// Invalid functions, calls and argument attributes: each diagnostic states the expected and the actual form.
// RUN: nereid-opt %s --split-input-file --verify-diagnostics

tt.func @axis() {
  // expected-error @+1 {{expected string or keyword containing one of the following enum values for attribute 'axis' [x, y, z]}}
  %0 = tt.get_program_id w : i32
  tt.return
}

// -----

tt.func @id_type() {
  // expected-error @+1 {{'tt.get_num_programs' op result #0 must be 32-bit signless integer, but got 'i64'}}
  %0 = tt.get_num_programs x : i64
  tt.return
}

// -----

tt.func @id_type_too() {
  // expected-error @+1 {{'tt.get_program_id' op result #0 must be 32-bit signless integer, but got 'i64'}}
  %0 = tt.get_program_id x : i64
  tt.return
}

// -----

tt.func @unknown_callee() {
  // expected-error @+1 {{'tt.call' op calls @nobody, but the module has no tt.func of this name}}
  tt.call @nobody() : () -> ()
  tt.return
}

// -----

tt.func private @callee() {
  tt.return
}
// expected-error @+1 {{'tt.call' op is outside of a tt.func: expected a caller}}
tt.call @callee() : () -> ()

// -----

tt.func private @callee() {
  tt.return
}
func.func @caller() {
  // expected-error @+1 {{'tt.call' op is outside of a tt.func: expected a caller}}
  tt.call @callee() : () -> ()
  return
}

// -----

tt.func private @callee(i32) -> f32
tt.func @operands() {
  // expected-error @+1 {{'tt.call' op passes 0 operands to callee @callee, which expects 1}}
  %0 = tt.call @callee() : () -> f32
  tt.return
}

// -----

tt.func private @callee(i32) -> f32
tt.func @results(%x: i32) {
  // expected-error @+1 {{'tt.call' op has 0 results of callee @callee, which returns 1}}
  tt.call @callee(%x) : (i32) -> ()
  tt.return
}

// -----

tt.func private @callee(i32) -> f32
tt.func @operand_type(%x: i64) {
  // expected-error @+1 {{'tt.call' op operand #0 is i64, but callee @callee expects i32}}
  %0 = tt.call @callee(%x) : (i64) -> f32
  tt.return
}

// -----

tt.func private @callee(i32) -> f32
tt.func @result_type(%x: i32) {
  // expected-error @+1 {{'tt.call' op result #0 is f16, but callee @callee returns f32}}
  %0 = tt.call @callee(%x) : (i32) -> f16
  tt.return
}

// -----

tt.func private @return_count() -> i32 {
  // expected-error @+1 {{'tt.return' op returns 0 values from function @return_count, which has 1 results}}
  tt.return
}

// -----

tt.func private @return_type(%x: i64) -> i32 {
  // expected-error @+1 {{'tt.return' op returns as #0 a value of type i64, expects i32 in function @return_type}}
  tt.return %x : i64
}

// -----

tt.func @outer() {
  // expected-error @+1 {{'tt.func' op expects parent op 'builtin.module'}}
  tt.func @inner() {
    tt.return
  }
  tt.return
}

// -----

// expected-error @+1 {{'tt.func' op expects tt.divisibility of argument #0 to be a positive integer, or one per dimension, got "16"}}
tt.func @divisibility_kind(%p: !tt.ptr<f32> {tt.divisibility = "16"}) {
  tt.return
}

// -----

// expected-error @+1 {{'tt.func' op expects tt.contiguity of argument #1 to be a positive integer, or one per dimension, got 0 : i32}}
tt.func @contiguity_zero(%x: i32, %p: !tt.ptr<f32> {tt.contiguity = 0 : i32}) {
  tt.return
}

// -----

// expected-error @+1 {{'tt.func' op expects tt.constancy of argument #0 to be a positive integer, or one per dimension, got -1 : i64}}
tt.func @constancy_negative(%p: !tt.ptr<f32> {tt.constancy = -1 : i64}) {
  tt.return
}

// -----

// expected-error @+1 {{'tt.func' op has tt.nv_tma_desc on argument #0 but is not a kernel: only public functions are launched with descriptors}}
tt.func private @descriptor_of_device_function(%p: !tt.ptr<i8> {tt.nv_tma_desc = 1 : i32}) {
  tt.return
}

// -----

tt.func @num_stages_kind(%n: i32) {
  // expected-error @+1 {{'scf.for' op expects tt.num_stages to be an integer from 0 to 128, got "3"}}
  scf.for %i = %n to %n step %n : i32 {
  } {tt.num_stages = "3"}
  tt.return
}

// -----

tt.func @latency_number(%p: !tt.ptr<i32>) {
  // expected-error @+1 {{'tt.load' op expects tt.latency to be an integer from 0 to 128, got -3 : i32}}
  %0 = tt.load %p {tt.latency = -3 : i32} : !tt.ptr<i32>
  tt.return
}

// -----

tt.func @last_stage_number(%n: i32) {
  // expected-error @+1 {{'scf.for' op expects tt.scheduled_max_stage to be an integer from 0 to 128, got 100000 : i32}}
  scf.for %i = %n to %n step %n : i32 {
  } {tt.scheduled_max_stage = 100000 : i32}
  tt.return
}

// -----

tt.func @flatten_kind(%n: i32) {
  // expected-error @+1 {{'scf.for' op expects tt.flatten to be a unit attribute or a bool, got 1 : i32}}
  scf.for %i = %n to %n step %n : i32 {
  } {tt.flatten = 1 : i32}
  tt.return
}

// -----

tt.func @hint_kind(%n: i32) {
  // expected-error @+1 {{'arith.addi' op expects tt.divisibility to be a positive integer, or one per dimension, got unit}}
  %0 = arith.addi %n, %n {tt.divisibility} : i32
  tt.return
}

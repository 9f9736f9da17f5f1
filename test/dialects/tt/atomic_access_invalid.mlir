// RUN: nereid-opt %s --split-input-file --verify-diagnostics

tt.func @load(%p: !tt.ptr<i32>) {
  // expected-error @below {{expects the order relaxed or acquire}}
  %x = tt.atomic_load release, gpu, %p : (!tt.ptr<i32>) -> i32
  tt.return
}

// -----

tt.func @store(%p: !tt.ptr<i32>, %x: i32) {
  // expected-error @below {{expects the order relaxed or release}}
  tt.atomic_store acq_rel, gpu, %p, %x : !tt.ptr<i32>
  tt.return
}

// -----

tt.func @poll(%p: !tt.ptr<i32>, %x: i32) {
  // expected-error @below {{expects the order relaxed or acquire}}
  %b = tt.atomic_poll acq_rel, gpu, %p, %x : !tt.ptr<i32>, i32 -> i1
  tt.return
}

// -----

tt.func @narrow(%p: !tt.ptr<i8>, %x: i8) {
  // expected-error @below {{expects integers of 16, 32 or 64 bits, got i8}}
  %b = tt.atomic_poll acquire, gpu, %p, %x : !tt.ptr<i8>, i8 -> i1
  tt.return
}

// -----

tt.func @type(%p: !tt.ptr<i32>) {
  // expected-error @below {{ptr points to the type of result}}
  %x = tt.atomic_load acquire, gpu, %p : (!tt.ptr<i32>) -> f32
  tt.return
}

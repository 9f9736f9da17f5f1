// RUN: nereid-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{grid expects a map with 1 to 3 results, got 4}}
#a = #nereid.grid<affine_map<() -> (1, 1, 1, 1)>, args = []>

// -----

// expected-error @below {{grid expects a map with 1 to 3 results, got 0}}
#a = #nereid.grid<affine_map<() -> ()>, args = []>

// -----

// expected-error @below {{grid expects one argument position for each of the map's 2 inputs, got 1}}
#a = #nereid.grid<affine_map<(m)[n] -> (m, n)>, args = [0]>

// -----

// expected-error @below {{grid expects argument positions of at least 0, got -1}}
#a = #nereid.grid<affine_map<(m) -> (m)>, args = [-1]>

// -----

// expected-error @below {{grid expects per_sm from 0 to 1024, got -2}}
#a = #nereid.grid<affine_map<(m) -> (m)>, args = [0], per_sm = -2>

// -----

// expected-error @below {{launch_options expects num_warps to be a power of two from 1 to 32, got 6}}
#a = #nereid.launch_options<num_warps = 6>

// -----

// expected-error @below {{launch_options expects num_warps to be a power of two from 1 to 32, got 64}}
#a = #nereid.launch_options<num_warps = 64>

// -----

// expected-error @below {{launch_options expects num_ctas to be a power of two from 1 to 16, got 32}}
#a = #nereid.launch_options<num_ctas = 32>

// -----

// expected-error @below {{launch_options expects num_stages from 1 to 64, got -1}}
#a = #nereid.launch_options<num_stages = -1>

// -----

// expected-error @below {{launch_options expects maxnreg from 1 to 256, got 257}}
#a = #nereid.launch_options<maxnreg = 257>

// -----

// expected-error @below {{launch_options expects ptx_version from 70 to 99, got 8}}
#a = #nereid.launch_options<ptx_version = 8>

// -----

// expected-error @below {{role in a descriptor expects its group, an integer of at least 0}}
#a = #nereid.role<base>

// -----

// expected-error @below {{role shape or stride expects dim from 0 to 4, got -1}}
#a = #nereid.role<shape, group = 0>

// -----

// expected-error @below {{role shape or stride expects dim from 0 to 4, got 5}}
#a = #nereid.role<stride, group = 0, dim = 5>

// -----

// expected-error @below {{role expects dim for a shape or stride only, got 0}}
#a = #nereid.role<padding, group = 0, dim = 0>

// -----

// expected-error @below {{role of a scratch pointer expects no descriptor group, got 0}}
#a = #nereid.role<global_scratch, group = 0>

// -----

// expected-error @below {{descriptor expects an integer or float element of 8, 16, 32 or 64 bits}}
#a = #nereid.descriptor<element = i1, block = [64]>

// -----

// expected-error @below {{descriptor expects a block of 1 to 5 dimensions, got 6}}
#a = #nereid.descriptor<element = f16, block = [1, 1, 1, 1, 1, 64]>

// -----

// expected-error @below {{descriptor expects block dimensions of at least 1, got 0}}
#a = #nereid.descriptor<element = f16, block = [512, 0]>

// -----

// expected-error @below {{descriptor expects a swizzle of 0, 32, 64 or 128 bytes, got 16}}
#a = #nereid.descriptor<element = f16, block = [64], swizzle = 16>

// -----

// expected-error @below {{descriptor expects a float element when out-of-bounds elements read as NaN}}
#a = #nereid.descriptor<element = i8, block = [64], nan_padding = true>

// -----

// expected-error @below {{has nereid.options with num_warps = 4, which contradicts ttg.num-warps = 2}}
module attributes {"ttg.num-warps" = 2 : i32, nereid.options = #nereid.launch_options<num_warps = 4>} {
}

// -----

// expected-error @below {{has nereid.options with num_ctas = 2, which contradicts ttg.num-ctas = 1}}
module attributes {"ttg.num-ctas" = 1 : i32, nereid.options = #nereid.launch_options<num_ctas = 2>} {
}

// -----

// expected-error @below {{has nereid.options with maxnreg = 128, which contradicts ttg.maxnreg = 168}}
module attributes {"ttg.maxnreg" = 168 : i32, nereid.options = #nereid.launch_options<maxnreg = 128>} {
}

// -----

// expected-error @below {{has nereid.grid, which specifies the launch of a kernel and is expected on a public function}}
module attributes {nereid.grid = #nereid.grid<affine_map<() -> (1)>, args = []>} {
}

// -----

// expected-error @below {{the nereid dialect has no such attribute on operations}}
module attributes {nereid.options = 4 : i32} {
}

// -----

// expected-error @below {{has the attribute nereid.option = 4 : i32; the nereid dialect has no such attribute}}
module attributes {nereid.option = 4 : i32} {
}

// -----

// expected-error @below {{has nereid.options, which is expected on a module}}
tt.func public @f() attributes {nereid.options = #nereid.launch_options<num_warps = 4>} {
  tt.return
}

// -----

// expected-error @below {{has nereid.grid, which specifies the launch of a kernel and is expected on a public function}}
tt.func private @f(%n: i32) attributes {nereid.grid = #nereid.grid<affine_map<(n) -> (n)>, args = [0]>} {
  tt.return
}

// -----

// expected-error @below {{has nereid.grid with argument position 2, but 1 arguments}}
tt.func public @f(%n: i32) attributes {nereid.grid = #nereid.grid<affine_map<(n) -> (n)>, args = [2]>} {
  tt.return
}

// -----

// expected-error @below {{has nereid.grid with argument 0, of type !tt.ptr<f32>, and expects an integer}}
tt.func public @f(%n: !tt.ptr<f32>) attributes {nereid.grid = #nereid.grid<affine_map<(n) -> (n)>, args = [0]>} {
  tt.return
}

// -----

// expected-error @below {{has argument 0 of type f32 with #nereid.role<descriptor, group = 0>, which expects !tt.tensordesc or a pointer}}
tt.func public @f(%n: f32 {nereid.role = #nereid.role<descriptor, group = 0>}) {
  tt.return
}

// -----

// expected-error @below {{has argument 1 of type i16 with #nereid.role<shape, group = 0, dim = 0>, which expects i32 or i64}}
tt.func public @f(%d: !tt.ptr<f16> {nereid.role = #nereid.role<base, group = 0>}, %n: i16 {nereid.role = #nereid.role<shape, group = 0, dim = 0>}) {
  tt.return
}

// -----

// expected-error @below {{which expects i64}}
tt.func public @f(%d: !tt.ptr<f16> {nereid.role = #nereid.role<base, group = 0>}, %n: i32 {nereid.role = #nereid.role<stride, group = 0, dim = 0>}) {
  tt.return
}

// -----

// expected-error @below {{which expects i1}}
tt.func public @f(%d: !tt.ptr<f16> {nereid.role = #nereid.role<base, group = 0>}, %n: i32 {nereid.role = #nereid.role<padding, group = 0>}) {
  tt.return
}

// -----

// expected-error @below {{which expects a pointer}}
tt.func public @f(%n: i64 {nereid.role = #nereid.role<global_scratch>}) {
  tt.return
}

// -----

// expected-error @below {{has argument 0 in descriptor group 0, which expects exactly one argument with role descriptor or base, got 0}}
tt.func public @f(%n: i32 {nereid.role = #nereid.role<shape, group = 0, dim = 0>}) {
  tt.return
}

// -----

// expected-error @below {{which expects exactly one argument with role descriptor or base, got 2}}
tt.func public @f(%a: !tt.ptr<f16> {nereid.role = #nereid.role<base, group = 0>}, %b: !tt.ptr<f16> {nereid.role = #nereid.role<base, group = 0>}) {
  tt.return
}

// -----

// expected-error @below {{has argument 0 of type i32 with nereid.descriptor, which expects !tt.tensordesc or a pointer}}
tt.func public @f(%n: i32 {nereid.descriptor = #nereid.descriptor<element = f16, block = [64]>}) {
  tt.return
}

// -----

// expected-error @below {{has nereid.role on argument 0, which the launcher sets: it is expected on a public function}}
tt.func private @f(%a: !tt.ptr<f16> {nereid.role = #nereid.role<base, group = 0>}) {
  tt.return
}

// -----

// expected-error @below {{the nereid dialect has no such attribute on arguments}}
tt.func public @f(%a: !tt.ptr<f16> {nereid.rule = #nereid.role<base, group = 0>}) {
  tt.return
}

// -----

// expected-error @below {{the nereid dialect has no such attribute on operations}}
module attributes {nereid.metadata = 1 : i32} {
}

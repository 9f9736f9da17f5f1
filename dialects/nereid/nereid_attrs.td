// Attributes of the `nereid` dialect. nereid_attrs.c verifies their values, nereid_placement.c their locations.
#ifndef NEREID_NEREID_ATTRS_TD
#define NEREID_NEREID_ATTRS_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/EnumAttr.td"
include "dialects/nereid/nereid_dialect.td"
include "dialects/nereid/nereid_enums.td"

class Nereid_Attr<string name, string attrMnemonic> : AttrDef<Nereid_Dialect, name> {
  let mnemonic = attrMnemonic;
  let genVerifyDecl = 1;
}

def Nereid_GridAttr : Nereid_Attr<"Grid", "grid"> {
  let summary = "grid of a kernel as a function of its arguments";
  let description = [{
    `map` computes the one to three dimensions of the grid. Its dimensions and then its symbols are bound, in order, to
    the integer kernel arguments at the positions `args`. Only a symbol may be a factor of a product, so a kernel whose
    grid is the product of two tile counts binds symbols:

    ```mlir
    nereid.grid = #nereid.grid<affine_map<(d0) -> (d0 ceildiv 1024)>, args = [3]>
    nereid.grid = #nereid.grid<affine_map<()[s0, s1] -> ((s0 ceildiv 128) * (s1 ceildiv 256))>, args = [3, 4]>
    ```

    `per_sm = k` makes the kernel persistent: the first dimension is limited to `k` times the number of multiprocessors
    of the device. 0, the default, means no limit. With `num-ctas` above 1 the grid counts clusters.
  }];
  let parameters = (ins
    "::mlir::AffineMapAttr":$map,
    "::mlir::DenseI32ArrayAttr":$args,
    DefaultValuedParameter<"int", "0">:$per_sm
  );
  let assemblyFormat = "`<` $map `,` `args` `=` $args (`,` `per_sm` `=` $per_sm^)? `>`";
}

def Nereid_LaunchOptionsAttr : Nereid_Attr<"LaunchOptions", "launch_options"> {
  let summary = "options of a compilation and launch";
  let description = [{
    Options that a user of Triton passes in the call and that Triton's IR does not contain. 0 means not specified. A
    command-line option of the same name overrides it; an attribute of `ttg` on the same module must agree with it.

    - `num_warps`, `num_ctas`: a power of two; `num_ctas` is at most 16, the largest cluster.
    - `num_stages`: the number of loop iterations that the pipeliner keeps in flight.
    - `maxnreg`: registers per thread, at most 256.
    - `ptx_version`: ten times the version, 87 for 8.7.
    - `cooperative`: a cooperative launch, with all CTAs of the grid resident at once.
    - `pdl`: programmatic dependent launch.
    - `fp_fusion`: multiply and add may be contracted to fma.
  }];
  let parameters = (ins
    DefaultValuedParameter<"int", "0">:$num_warps,
    DefaultValuedParameter<"int", "0">:$num_stages,
    DefaultValuedParameter<"int", "0">:$num_ctas,
    DefaultValuedParameter<"int", "0">:$maxnreg,
    DefaultValuedParameter<"int", "0">:$ptx_version,
    DefaultValuedParameter<"bool", "false">:$cooperative,
    DefaultValuedParameter<"bool", "false">:$pdl,
    DefaultValuedParameter<"bool", "true">:$fp_fusion
  );
  let assemblyFormat = "`<` struct(params) `>`";
}

def Nereid_RoleAttr : Nereid_Attr<"Role", "role"> {
  let summary = "role of an argument that the launcher fills";
  let description = [{
    The caller passes a tensor descriptor as one argument, the kernel takes several. `group` numbers the descriptors of
    a kernel; the arguments of one group are filled from one descriptor: the descriptor itself (`descriptor`) or its
    `base` pointer, the `shape` and `stride` of dimension `dim`, and the `padding` flag. `global_scratch` and
    `profile_scratch` are the two pointers at the end of every compiled kernel; they have no group.

    ```mlir
    %a: !tt.tensordesc<tensor<128x64xf16>> {nereid.role = #nereid.role<descriptor, group = 0>},
    %a_0: i32 {nereid.role = #nereid.role<shape, group = 0, dim = 0>}
    ```
  }];
  let parameters = (ins
    EnumParameter<Nereid_RoleKind>:$kind,
    DefaultValuedParameter<"int", "-1">:$group,
    DefaultValuedParameter<"int", "-1">:$dim
  );
  let assemblyFormat = "`<` $kind (`,` `group` `=` $group^)? (`,` `dim` `=` $dim^)? `>`";
}

def Nereid_DescriptorAttr : Nereid_Attr<"Descriptor", "descriptor"> {
  let summary = "parameters of a tensor map that the host encodes for an argument";
  let description = [{
    The type `!tt.tensordesc` contains these parameters; the type of a pointer that replaces it does not. `block` is the
    tile that the kernel accesses. Its dimensions may exceed 256, the limit of a TMA box: the host divides the tile into
    boxes (docs/abi.md). `swizzle` is the number of bytes over which TMA swizzles (0, 32, 64 or 128). With `fp4_padded`,
    two 4-bit floats share a byte and eight bytes in sixteen are padding. With `nan_padding`, out-of-bounds elements
    read as NaN, otherwise as zero.
  }];
  let parameters = (ins
    "::mlir::Type":$element,
    "::mlir::DenseI32ArrayAttr":$block,
    DefaultValuedParameter<"int", "0">:$swizzle,
    DefaultValuedParameter<"bool", "false">:$fp4_padded,
    DefaultValuedParameter<"bool", "false">:$nan_padding
  );
  let assemblyFormat = "`<` struct(params) `>`";
}

#endif

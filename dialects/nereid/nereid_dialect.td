// The dialect record of `nereid`, which has only attributes and no operations.
#ifndef NEREID_NEREID_DIALECT_TD
#define NEREID_NEREID_DIALECT_TD

include "mlir/IR/OpBase.td"

def Nereid_Dialect : Dialect {
  let name = "nereid";
  let cppNamespace = "::nereid::nereid_";
  let summary = "Launch data of kernels: grid, options, argument roles";
  let description = [{
    Triton keeps the grid, the launch options and the roles of kernel arguments in Python objects outside the IR, so
    printed IR does not contain them. This dialect attaches them to the module, the kernel and its arguments, so that a
    compilation can start at any stage.

    | attribute           | attached to       | value                      |
    |---------------------|-------------------|----------------------------|
    | `nereid.options`    | the module        | `#nereid.launch_options`   |
    | `nereid.grid`       | a public function | `#nereid.grid`             |
    | `nereid.role`       | its arguments     | `#nereid.role`             |
    | `nereid.descriptor` | its arguments     | `#nereid.descriptor`       |
    | `nereid.metadata`   | the module        | a string, docs/metadata.md: data that lowering erases from the IR |
  }];
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = "void addOwnInterfaces() {}";
}

#endif

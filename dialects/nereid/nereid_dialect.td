// The dialect record of `nereid`. It has attributes only: nothing in it computes.
#ifndef NEREID_NEREID_DIALECT_TD
#define NEREID_NEREID_DIALECT_TD

include "mlir/IR/OpBase.td"

def Nereid_Dialect : Dialect {
  let name = "nereid";
  let cppNamespace = "::nereid::nereid_";
  let summary = "How a kernel is launched";
  let description = [{
    Triton hands the grid, the launch options and the meaning of kernel arguments from Python object to Python object
    beside the IR; text that was printed and read back has lost them. This dialect writes them down on the module, the
    kernel and its arguments, so that every stage can be the entry of a compilation.

    | attribute           | sits on           | value                      |
    |---------------------|-------------------|----------------------------|
    | `nereid.options`    | the module        | `#nereid.launch_options`   |
    | `nereid.metadata`   | the module        | a string, docs/metadata.md |
    | `nereid.grid`       | a public function | `#nereid.grid`             |
    | `nereid.role`       | its arguments     | `#nereid.role`             |
    | `nereid.descriptor` | its arguments     | `#nereid.descriptor`       |
    | `nereid.metadata`   | the module        | a string, docs/metadata.md: what lowering would forget |
  }];
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let useDefaultAttributePrinterParser = 1;
}

#endif

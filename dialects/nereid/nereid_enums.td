// Enums of the `nereid` dialect.
#ifndef NEREID_NEREID_ENUMS_TD
#define NEREID_NEREID_ENUMS_TD

include "mlir/IR/EnumAttr.td"

def Nereid_RoleKind : I32EnumAttr<"RoleKind", "role of a kernel argument that the launcher fills", [
  I32EnumAttrCase<"Descriptor", 1, "descriptor">,
  I32EnumAttrCase<"Base", 2, "base">,
  I32EnumAttrCase<"Shape", 3, "shape">,
  I32EnumAttrCase<"Stride", 4, "stride">,
  I32EnumAttrCase<"Padding", 5, "padding">,
  I32EnumAttrCase<"GlobalScratch", 6, "global_scratch">,
  I32EnumAttrCase<"ProfileScratch", 7, "profile_scratch">
]> {
  let cppNamespace = "::nereid::nereid_";
}

#endif

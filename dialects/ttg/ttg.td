// The whole ttg dialect: what mlir-tblgen and ods-bindgen read.
include "dialects/ttg/ttg_dialect.td"
include "dialects/ttg/ttg_enums.td"
include "dialects/ttg/ttg_attrs.td"
include "dialects/ttg/ttg_types.td"

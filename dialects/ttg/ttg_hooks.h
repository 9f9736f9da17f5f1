/* What the seam asks of the ttg dialect beside the hooks that ods-bindgen declares from the .td files: the text of
 * encodings, refusing what other hardware has, attributes of the dialect on operations. All are functions of the IR
 * they are given: no state, any thread that may touch the IR. */
#ifndef NEREID_DIALECTS_TTG_TTG_HOOKS_H
#define NEREID_DIALECTS_TTG_TTG_HOOKS_H

#include "seam/hooks.h"

#include <mlir-c/IR.h>
#include <mlir-c/Support.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The encoding `#ttg.<mnemonic>` with the given keys: `inside` is the DictionaryAttr between the braces, `outside` what
 * is written beside them (intervals, paddings, alignment). Both spellings of the CTA layout are read. Null after one
 * error has been reported to `sink`. */
MlirAttribute nereid_ttg_encoding_parse(nereid_error_sink_t sink, MlirStringRef mnemonic, MlirAttribute inside,
                                        MlirAttribute outside);

/* Where an encoding's text goes: pieces of text, and attributes that are printed by their alias where they have one. */
typedef struct nereid_ttg_printer {
  void (*text)(MlirStringRef text, void *user_data);
  void (*attribute)(MlirAttribute attribute, void *user_data);
  void *user_data;
} nereid_ttg_printer_t;

/* Prints what follows the mnemonic, `<{...}>`, with keys and spacing of Triton 3.6. */
void nereid_ttg_encoding_print(MlirAttribute encoding, const nereid_ttg_printer_t *printer);

/* Reports at `location` that Nereid does not know `name` ("#ttg.amd_mfma", "nvws.aref.create"), and why when it is
 * something of Triton's for other hardware or of a front end. */
void nereid_ttg_refuse(MlirLocation location, MlirStringRef name);

/* A `ttg.` attribute on any operation: its kind, and that the operation may have it. */
MlirLogicalResult nereid_ttg_operation_attribute_verify(MlirOperation op, MlirNamedAttribute attribute);

#ifdef __cplusplus
}
#endif

#endif

/* Hooks of the ttg dialect for the seam, in addition to those that ods-bindgen declares from the .td files: the text of
 * encodings, rejection of names for other hardware. Pure functions of the IR: they keep no state and may run on any
 * thread that may access the IR. */
#ifndef NEREID_DIALECTS_TTG_TTG_HOOKS_H
#define NEREID_DIALECTS_TTG_TTG_HOOKS_H

#include "seam/hooks.h"

#include <mlir-c/IR.h>
#include <mlir-c/Support.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Creates the encoding `#ttg.<mnemonic>` with the given keys: `inside` is the DictionaryAttr between the braces,
 * `outside` the text outside of them (intervals, paddings, alignment). Both spellings of the CTA layout are accepted.
 * Null after one error reported to `sink`. */
MlirAttribute nereid_ttg_encoding_parse(nereid_error_sink_t sink, MlirStringRef mnemonic, MlirAttribute inside,
                                        MlirAttribute outside);

/* The output of an encoding's printer: pieces of text, and attributes that are printed by their alias if they have
 * one. */
typedef struct nereid_ttg_printer {
  void (*text)(MlirStringRef text, void *user_data);
  void (*attribute)(MlirAttribute attribute, void *user_data);
  void *user_data;
} nereid_ttg_printer_t;

/* The minor number of the first Triton version with #ttg.generic_linear. Before, #ttg.linear need not be a
 * permutation. */
enum { NEREID_TTG_GENERIC_LINEAR_SINCE = 8 };

/* Returns "linear" or "generic_linear", as the version that the context prints spells the encoding; null for other
 * attributes, whose mnemonic is always the same. */
const char *nereid_ttg_encoding_mnemonic(MlirAttribute encoding);

/* Prints the text after the mnemonic, `<{...}>`, with keys and spacing of Triton 3.6. */
void nereid_ttg_encoding_print(MlirAttribute encoding, const nereid_ttg_printer_t *printer);

/* Reports at `location` that Nereid does not support `name` ("#ttg.amd_mfma", "nvws.aref.create"), with the reason when
 * it is a name of Triton for other hardware or of a front end. */
void nereid_ttg_refuse(MlirLocation location, MlirStringRef name);

#ifdef __cplusplus
}
#endif

#endif

/* For tools written in C: the main function of mlir-opt, and parsing with the positions of names, for editors. */
#ifndef NEREID_SEAM_TOOLS_H
#define NEREID_SEAM_TOOLS_H

#include <mlir-c/IR.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Examines the text of the input, called `name`, before it is parsed. Returns how many bytes of it to skip, or a
 * negative number after a message, when it is not to be parsed. */
typedef intptr_t (*NereidMlirInputCheck)(MlirStringRef text, MlirStringRef name);

/* Does all that mlir-opt does, with the registered passes and the dialects of `registry`; `name` is for --help.
 * Returns the exit status. */
MLIR_CAPI_EXPORTED int nereidMlirOptMain(int argc, char **argv, MlirStringRef name, MlirDialectRegistry registry,
                                         NereidMlirInputCheck check);

/* Registers arith's range-based simplifications: int-range-optimizations, arith-int-range-narrowing and
 * arith-unsigned-when-equivalent. Once per process. */
MLIR_CAPI_EXPORTED void nereidMlirRegisterArithPasses(void);

/* Whether errors at operations get a note with the operation in its generic form; true at first. */
MLIR_CAPI_EXPORTED void nereidMlirContextPrintOpOnDiagnostic(MlirContext context, bool enable);

/* --- parsing with positions --- */

typedef enum NereidMlirSourceKind {
  NereidMlirSourceOperation, /* op; the range is that of its name; uses: of its symbol */
  NereidMlirSourceResults,   /* op; a group of results that begins with number `index`: %5 or %5:2 */
  NereidMlirSourceBlock,     /* block; a block without a label has an empty range */
  NereidMlirSourceArgument,  /* block; its argument number `index` */
  NereidMlirSourceAttribute, /* name, attribute: of an alias */
  NereidMlirSourceType,      /* name, type: of an alias */
} NereidMlirSourceKind;

/* A range of the text, in bytes from its start; `end` is exclusive. */
typedef struct NereidMlirSourceRange {
  intptr_t start, end;
} NereidMlirSourceRange;

/* One definition, and the names that refer to it. Lives as long as the call of the callback. */
typedef struct NereidMlirSource {
  NereidMlirSourceKind kind;
  NereidMlirSourceRange range, scope; /* scope: of a whole operation */
  intptr_t index, nUses;
  const NereidMlirSourceRange *uses;
  MlirOperation op;
  MlirBlock block;
  MlirStringRef name;
  MlirAttribute attribute;
  MlirType type;
} NereidMlirSource;

typedef void (*NereidMlirSourceCallback)(const NereidMlirSource *source, void *userData);

/* Appends the operations of `text`, called `name` in locations, to `block` without verifying them, and calls back for
 * each definition. `text` must be followed by a NUL. False, and no call, after an error; the block is then empty. */
MLIR_CAPI_EXPORTED bool nereidMlirBlockParse(MlirContext context, MlirStringRef text, MlirStringRef name,
                                             MlirBlock block, NereidMlirSourceCallback callback, void *userData);

#ifdef __cplusplus
}
#endif

#endif

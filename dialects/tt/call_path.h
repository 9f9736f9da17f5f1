/* Errors about calls, with notes that show the call path from a kernel.
 *
 *   error: 'tt.call' op calls @nowhere, but the module has no tt.func of this name
 *   note: @g is called here, by @mid
 *   note: @mid is called here, by @kernel */
#ifndef NEREID_DIALECTS_TT_CALL_PATH_H
#define NEREID_DIALECTS_TT_CALL_PATH_H

#include "dialects/diagnose.h"
#include "seam/context.h"

enum { NEREID_TT_CALL_PATH_LENGTH = 16, NEREID_TT_CALL_PATH_TEXT = 320 };

typedef struct nereid_tt_call_path {
  NereidMlirNote notes[NEREID_TT_CALL_PATH_LENGTH]; /* the text is in `texts`: must not be moved */
  char texts[NEREID_TT_CALL_PATH_LENGTH][NEREID_TT_CALL_PATH_TEXT];
  intptr_t length;
} nereid_tt_call_path_t;

/* Finds the first call of the function that contains `op`, the first one of its caller, and so on; ends at a function
 * without calls or at the limit of notes. Searches the module for each, so use it for errors only. */
void nereid_tt_call_path_find(MlirOperation op, nereid_tt_call_path_t *out);

/* nereid_diagnose with these notes. Always returns failure. */
MlirLogicalResult nereid_tt_diagnose_call(MlirOperation op, const char *format, ...) NEREID_PRINTF(2, 3);

#endif

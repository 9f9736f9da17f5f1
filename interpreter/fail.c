/* Failures of a run: a diagnostic at an op, or no more memory.
 *
 *   k.ttir:7:3: error: 'tt.load' op reads 4 bytes outside every argument's buffer …
 *
 * Programs run on several threads: a machine keeps its first error, and launch.c reports that of the first program. */
#include "interpreter/machine.h"

#include "mlir-c/Diagnostics.h"

#include <stdarg.h>
#include <stdio.h>

bool nereid_machine_error(const nereid_step_t *step, const char *format, ...) {
  char reason[NEREID_ERROR_TEXT - 128], text[NEREID_ERROR_TEXT];
  nereid_machine_t *machine = step->machine;
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(step->op));
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(reason, sizeof reason, format, arguments);
  va_end(arguments);
  snprintf(text, sizeof text, "'%.*s' op %s", (int)name.length, name.data, reason);
  if (!machine || !machine->keeps_error) {
    mlirEmitError(mlirOperationGetLocation(step->op), text);
  } else if (!machine->error.text[0]) {
    machine->error.location = mlirOperationGetLocation(step->op);
    memcpy(machine->error.text, text, sizeof text);
  }
  return false;
}

bool nereid_machine_exhausted(nereid_machine_t *machine) {
  machine->out_of_memory = true;
  return false;
}

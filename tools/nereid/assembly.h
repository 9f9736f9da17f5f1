/* Inline assembly for the interpreter. */
#ifndef NEREID_TOOLS_ASSEMBLY_H
#define NEREID_TOOLS_ASSEMBLY_H

#include "nereid/interpreter.h"

/* Runs the text on the emulator. Has the signature that nereid_interpreter_options_t requires; `user_data` is not
 * used. */
bool tool_run_assembly(const nereid_interpreter_assembly_t *assembly, void *user_data, nereid_message_t *message);

#endif

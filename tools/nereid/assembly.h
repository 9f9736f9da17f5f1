/* Inline assembly for the interpreter. */
#ifndef NEREID_TOOLS_ASSEMBLY_H
#define NEREID_TOOLS_ASSEMBLY_H

#include "nereid/interpreter.h"

/* As nereid_interpreter_options_t wants it: runs the text on the emulator. `user_data` is not used. */
bool tool_run_assembly(const nereid_interpreter_assembly_t *assembly, void *user_data, nereid_message_t *message);

#endif

/* Completions of the command line for shells, from the option tables. */
#ifndef NEREID_TOOLS_COMPLETIONS_H
#define NEREID_TOOLS_COMPLETIONS_H

#include "tools/nereid/tool.h"

/* Prints the completions of `shell`, "bash", "zsh" or "fish", on stdout. Returns the exit code: 2 for another shell. */
int tool_print_completions(const char *shell, const tool_command_t *const *commands, size_t n_commands);

#endif

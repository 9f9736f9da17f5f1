/* The store that a command line and the environment name. */
#ifndef NEREID_TOOLS_STORE_PLACE_H
#define NEREID_TOOLS_STORE_PLACE_H

#include "nereid/store.h"
#include "tools/nereid/tool.h"

/* Splits places into the folder and the server of `out_options`, and opens them. A place is a folder, or a URL
 * (redis://, rediss://, unix://); at most one of each. Without places, those of the environment variable NEREID_STORE
 * are used, separated by commas; `*out_store` is null when there are none. NEREID_STORE_LIMIT is the limit of the
 * folder (a number with K, M, G or T), NEREID_REDIS_PASSWORD the password. Problems of the store are printed as
 * warnings of `command`. Returns TOOL_CONTINUE, or the exit code after an error on stderr. */
int tool_store_open(nereid_arena_t *arena, const tool_command_t *command, const tool_list_t *places, bool is_read_only,
                    nereid_store_t **out_store);

/* Parses a number of bytes such as 512M; false when it is malformed or overflows. */
bool tool_store_parse_bytes(const char *text, uint64_t *out_bytes);

#endif

/* Compiles the C source of a library. */
#ifndef NEREID_TOOLS_AOT_OBJECT_H
#define NEREID_TOOLS_AOT_OBJECT_H

#include "tools/nereid/tool.h"

typedef struct tool_aot_toolchain {
  const char *cc;       /* a program; null: $CC, else cc */
  const char *cflags;   /* more arguments for it, separated by spaces; null: none */
  tool_list_t includes; /* folders of Nereid's headers; empty: those of this installation */
} tool_aot_toolchain_t;

/* Returns whether the path has the suffix of an object, an archive or a shared library: .o, .a, .so. */
bool tool_aot_is_object(const char *path);

/* Finds the programs and headers that an output requires. NEREID_ERROR_NOT_FOUND: the message names the option that
 * specifies the missing one. */
NEREID_MUST_USE nereid_status_t tool_aot_check_toolchain(nereid_arena_t *arena, const tool_aot_toolchain_t *toolchain,
                                                         nereid_message_t *message);

/* Compiles `source`, whose header has the name `header_name` and the text `header`, in the folder `folder`, and reads
 * the object, archive or shared library for `path` into `arena`. The bytes depend on the texts and the toolchain only.
 *   NEREID_ERROR_TOOL        a program failed; the message has its output
 *   NEREID_ERROR_NOT_FOUND   as above
 *   NEREID_ERROR_IO, NEREID_ERROR_MEMORY, NEREID_ERROR_CANCELLED */
NEREID_MUST_USE nereid_status_t tool_aot_compile_source(nereid_arena_t *arena, const tool_aot_toolchain_t *toolchain,
                                                        const char *folder, const char *header_name, const char *header,
                                                        const char *source, const char *path, nereid_view_t *out_bytes,
                                                        nereid_message_t *message);

#endif

/* The actions of `nereid store`. */
#ifndef NEREID_TOOLS_STORE_H
#define NEREID_TOOLS_STORE_H

#include "nereid/store.h"
#include "tools/nereid/tool.h"

/* What the actions share. */
typedef struct tool_store {
  nereid_arena_t *arena;
  nereid_store_t *store; /* has a folder */
  bool json, remove;
  const char *limit, *output; /* null: not given */
  tool_list_t operands;       /* after the action */
} tool_store_t;

extern const tool_command_t tool_command_store;

/* Each prints its report and returns the exit code. */
int tool_store_list(const tool_store_t *request);
int tool_store_stat(const tool_store_t *request);
int tool_store_verify(const tool_store_t *request);
int tool_store_collect(const tool_store_t *request);
int tool_store_export(const tool_store_t *request);
int tool_store_import(const tool_store_t *request);

/* A list of keys in an arena. */
typedef struct tool_store_keys {
  nereid_store_item_t *data;
  size_t size;
} tool_store_keys_t;

/* Collects the units of the folder; with operands only those whose keys begin with one of them. Returns TOOL_CONTINUE,
 * or the exit code after an error on stderr: the folder cannot be read, or an operand matches no unit. */
int tool_store_select(const tool_store_t *request, tool_store_keys_t *out_keys);

#endif

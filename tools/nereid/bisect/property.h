/* The property of a run that `nereid bisect` and `nereid reduce` search for. */
#ifndef NEREID_TOOLS_PROPERTY_H
#define NEREID_TOOLS_PROPERTY_H

#include "base/message.h"

#include <stdbool.h>

typedef enum tool_property_kind {
  TOOL_PROPERTY_NUMBERS,       /* a tensor differs from the interpreter's by more than its tolerance */
  TOOL_PROPERTY_RACE,          /* the race detector reports a race */
  TOOL_PROPERTY_FAULT,         /* the run fails, or violates a rule */
  TOOL_PROPERTY_COUNTER,       /* a counter of the emulator is over or under a limit */
  TOOL_PROPERTY_CRASH,         /* the compiler ends by a signal, or with an internal error */
  TOOL_PROPERTY_COMPILE_ERROR, /* the compiler reports an error */
} tool_property_kind_t;

typedef struct tool_property {
  tool_property_kind_t kind;
  char counter[64]; /* "shared_wavefronts.load" */
  char relation;    /* '<' or '>'; 0: no limit was given */
  double limit;
} tool_property_t;

/* Parses "numbers", "race", "fault", "counter=NAME", "counter=NAME>N", "counter=NAME<N", "crash" or "compile-error".
 * NEREID_ERROR_ARGUMENT: malformed. */
NEREID_MUST_USE nereid_status_t tool_property_parse(const char *text, tool_property_t *out_property,
                                                    nereid_message_t *message);

/* Finds a counter in the JSON that --counters prints; the sum of its members for a group such as "global_sectors".
 * "bank_conflicts" and the other counters of loops are sums over the loops. False: there is none of that name. */
bool tool_property_counter(const char *json, const char *name, double *out_value);

#endif

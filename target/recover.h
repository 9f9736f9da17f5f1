/* Coming back from a fatal error of LLVM.
 *
 * LLVM answers what it cannot select with report_fatal_error, which ends the process. Inside nereid_recover_run it
 * comes back instead. What LLVM was working on is then in an unknown state: the caller abandons it (leaks it, on
 * purpose) and goes on with a fresh LLVM context. */
#ifndef NEREID_TARGET_RECOVER_H
#define NEREID_TARGET_RECOVER_H

#include "base/status.h"

#include <stddef.h>

/* Runs `body(argument)` and returns what it returns, or NEREID_ERROR_INTERNAL with LLVM's reason in `message` (ends in
 * a NUL, cut at `message_size` bytes) when LLVM gave up. Nests; any number of threads at once. A body must not hold a
 * lock or a resource that only it can free across a call into LLVM. */
NEREID_MUST_USE nereid_status_t nereid_recover_run(nereid_status_t (*body)(void *argument), void *argument,
                                                   char *message, size_t message_size);

/* Registers the NVPTX target and the fatal error handler: once per process, from any thread; cheap afterwards. */
void nereid_target_initialize(void);

#endif

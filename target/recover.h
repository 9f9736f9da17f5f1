/* Recovers from fatal errors of LLVM.
 *
 * On instructions that it cannot select, LLVM calls report_fatal_error, which ends the process. Inside
 * nereid_recover_run it returns instead. The state of LLVM is then unknown: the caller abandons (intentionally leaks)
 * the LLVM context and continues with a new one. */
#ifndef NEREID_TARGET_RECOVER_H
#define NEREID_TARGET_RECOVER_H

#include "base/status.h"

#include <stddef.h>

/* Runs `body(argument)` and returns its status, or NEREID_ERROR_INTERNAL with LLVM's reason in `message`
 * (NUL-terminated, truncated to `message_size` bytes) after a fatal error. May be nested; thread safe. A body must not
 * hold a lock, or a resource that only it can free, across a call into LLVM. */
NEREID_MUST_USE nereid_status_t nereid_recover_run(nereid_status_t (*body)(void *argument), void *argument,
                                                   char *message, size_t message_size);

/* Registers the NVPTX target and the fatal error handler: once per process, from any thread; later calls are
 * inexpensive. */
void nereid_target_initialize(void);

#endif

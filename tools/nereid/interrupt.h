/* SIGINT, SIGTERM and SIGHUP while files of ours exist that nobody else would remove. */
#ifndef NEREID_TOOLS_INTERRUPT_H
#define NEREID_TOOLS_INTERRUPT_H

#include "base/cancellation.h"

/* From here to the matching end, which may nest and be on several threads, such a signal requests the cancellation that
 * is returned instead of ending the process; a second signal ends it at once. Null when there is no file descriptor for
 * it: then signals end the process. Signals that the process was started to ignore (nohup) stay ignored. */
const nereid_cancellation_t *tool_interrupt_begin(void);
void tool_interrupt_end(void);

/* Whether such a signal came. Work that has not begun is not to begin. */
bool tool_interrupt_is_caught(void);

/* Ends the process by the signal that came, so that a shell sees it; returns when none did. */
void tool_interrupt_finish(void);

#endif

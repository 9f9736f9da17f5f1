/* Handling of SIGINT, SIGTERM and SIGHUP while temporary files exist that only this process removes. */
#ifndef NEREID_TOOLS_INTERRUPT_H
#define NEREID_TOOLS_INTERRUPT_H

#include "base/cancellation.h"

/* Begins a section that ends with tool_interrupt_end. Sections may nest and run on several threads. Within them such a
 * signal requests the returned cancellation instead of ending the process; a second signal, or 5 seconds, end it at
 * once. Null when no file descriptor is left for the cancellation: signals then end the process. Signals that the
 * process inherited as ignored (nohup) stay ignored. */
const nereid_cancellation_t *tool_interrupt_begin(void);
void tool_interrupt_end(void);

/* Returns whether such a signal arrived. Work that has not started must then not start. */
bool tool_interrupt_is_caught(void);

/* Leaves all sections, discards a caught signal and creates another cancellation: for a process that fork has just
 * created. */
void tool_interrupt_forget(void);

/* Ends the process by the signal that arrived, so that a shell sees it; returns when there was none. */
void tool_interrupt_finish(void);

#endif

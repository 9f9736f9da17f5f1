/* Moves copies of registers after the wait for the wgmma that writes them. */
#ifndef NEREID_TARGET_WAIT_COPIES_H
#define NEREID_TARGET_WAIT_COPIES_H

#include <stddef.h>

/* Moves copies directly before a wgmma.wait_group after it, in place. */
void nereid_target_copy_after_waits(char *ptx, size_t size);

#endif

/* Renumbers call sequences in PTX comments. */
#ifndef NEREID_TARGET_CALLSEQ_H
#define NEREID_TARGET_CALLSEQ_H

#include <stddef.h>

/* Renumbers the calls in comments from 0, in place; `ptx` has space for a final NUL. Returns the size. */
size_t nereid_target_renumber_calls(char *ptx, size_t size);

#endif

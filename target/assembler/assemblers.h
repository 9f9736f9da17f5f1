/* The two implementations of nereid_assemble, with the contract of assemble.h for each argument; and what they share
 * (text.c). */
#ifndef NEREID_TARGET_ASSEMBLERS_H
#define NEREID_TARGET_ASSEMBLERS_H

#include "target/assembler/assemble_types.h"

NEREID_MUST_USE nereid_status_t nereid_assemble_ptxas(nereid_view_t ptx, const char *program,
                                                      const nereid_assemble_options_t *options,
                                                      const nereid_report_t *report, nereid_arena_t *arena,
                                                      nereid_assembled_t *out_assembled);

NEREID_MUST_USE nereid_status_t nereid_assemble_nvjitlink(nereid_view_t ptx, const nereid_assemble_options_t *options,
                                                          const nereid_report_t *report, nereid_arena_t *arena,
                                                          nereid_assembled_t *out_assembled);

/* Parses an assembler's log: errors and warnings become reports, located in the input; notes that wgmma instructions
 * are serialized or waited for (C7510 to C7520) become warnings at the kernel; register and spill counts go to
 * `assembled`. Returns the number of errors that were reported. */
unsigned nereid_assembler_read_log(nereid_view_t log, const nereid_assemble_options_t *options,
                                   const nereid_report_t *report, nereid_assembled_t *assembled);

/* Splits `text` at spaces into `words`, at most `capacity` of them, copied into `scratch`. Returns their number, or
 * `capacity` + 1 if there are more, or if out of memory. */
size_t nereid_assembler_split(const char *text, nereid_arena_t *scratch, const char **words, size_t capacity);

#endif

/* The two assemblers behind nereid_assemble; see assemble.h for the contract of each argument. */
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

/* Takes an assembler's log apart: errors and warnings become located reports under `name`, register and spill
 * counts go to `assembled`. Returns the number of errors that were reported. */
unsigned nereid_assembler_read_log(nereid_view_t log, const char *name, const nereid_report_t *report,
                                   nereid_assembled_t *assembled);

/* Splits `text` at blanks into `words`, at most `room` of them, copied into `scratch`. Returns how many there are, or
 * `room` + 1 when they are more or memory is out. */
size_t nereid_assembler_split(const char *text, nereid_arena_t *scratch, const char **words, size_t room);

#endif

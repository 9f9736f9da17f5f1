/* Options and results of assemblers; see assemble.h. */
#ifndef NEREID_TARGET_ASSEMBLE_TYPES_H
#define NEREID_TARGET_ASSEMBLE_TYPES_H

#include "base/arena.h"
#include "target/limits.h"
#include "target/target.h"

typedef enum nereid_assembler {
  NEREID_ASSEMBLER_AUTO = 0,     /* ptxas, or nvJitLink if there is no ptxas */
  NEREID_ASSEMBLER_PTXAS = 1,    /* ptxas only */
  NEREID_ASSEMBLER_NVJITLINK = 2 /* nvJitLink only */
} nereid_assembler_t;

typedef struct nereid_assemble_options {
  nereid_assembler_t assembler;
  bool lineinfo;        /* keep source lines */
  bool no_fp_fusion;    /* passed on: the assembler contracts too */
  const char *name;     /* name of the input in messages; null: "PTX" */
  nereid_view_t quoted; /* generated PTX, whose lines errors quote as no file has them; empty: the input is a file */
  struct {
    const char *name, *file;
    unsigned line, column;
  } kernel;              /* source location for messages about the whole kernel; name null: unknown */
  const char *ptxas;     /* path of the assembler; null: search CUDA_HOME, CUDA_PATH, PATH, /usr/local/cuda */
  const char *arguments; /* more arguments for the assembler, separated by spaces; null: none */
  nereid_target_t target;
  const nereid_limits_t *limits; /* limits of the whole compilation, borrowed; null: none */
  uint32_t time_limit;           /* milliseconds that ptxas may run; 0: as long as it takes */
} nereid_assemble_options_t;

typedef struct nereid_assembled {
  nereid_view_t cubin;                /* allocated in the arena */
  nereid_assembler_t used;            /* never AUTO */
  unsigned registers;                 /* most per thread of any entry; 0: the assembler reports none */
  unsigned spill_stores, spill_loads; /* bytes per thread that all functions store to and load from local memory because
                                         registers do not suffice; 0 also when the assembler reports none */
} nereid_assembled_t;

#endif

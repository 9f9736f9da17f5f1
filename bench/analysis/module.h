/* Text of modules for measuring analyses. */
#ifndef NEREID_BENCH_ANALYSIS_MODULE_H
#define NEREID_BENCH_ANALYSIS_MODULE_H

#include <stdbool.h>
#include <stddef.h>

/* Shapes of the call graph. Callees precede their callers. */
typedef enum shape {
  ONE,  /* one function with that many ops */
  DEEP, /* that many functions of about 30 ops; each calls the next, every tenth with a buffer live across the call */
  WIDE, /* that many functions and one that calls each of them */
} shape_t;

/* Returns the text of a ttgir module, to be freed; null: out of memory. Loops are cf blocks or scf.for. */
char *bench_module(shape_t shape, size_t size, bool cf);

#endif

/* Modules to measure analyses on, as text. */
#ifndef NEREID_BENCH_ANALYSIS_MODULE_H
#define NEREID_BENCH_ANALYSIS_MODULE_H

#include <stdbool.h>
#include <stddef.h>

/* Shapes of call graph. Callees stand in front of their callers. */
typedef enum shape {
  ONE,  /* one function of that many ops */
  DEEP, /* that many functions of some 30 ops, each calls the next, every tenth with a buffer live across the call */
  WIDE, /* that many functions and one that calls each of them */
} shape_t;

/* The text of a ttgir module, to be freed; null when memory is out. Its loops are blocks of cf, or scf.for. */
char *bench_module(shape_t shape, size_t size, bool cf);

#endif

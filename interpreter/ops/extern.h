/* Interfaces of the files that implement libdevice functions. */
#ifndef NEREID_INTERPRETER_EXTERN_H
#define NEREID_INTERPRETER_EXTERN_H

#include "interpreter/machine.h"

/* A function on words; the result is not necessarily truncated. */
typedef struct nereid_extern_word {
  const char *name; /* without __nv_ */
  int arity;
  uint64_t (*apply)(const uint64_t *x);
} nereid_extern_word_t;

/* Returns the function with that name, without __nv_; null: not one of these. (extern_integer.c) */
const nereid_extern_word_t *nereid_extern_find_word(nereid_view_t name);

/* A function with a rounding in its name: fadd_rd, double2int_rz, fma_ru, llrintf. */
typedef struct nereid_extern_rounded {
  enum { NEREID_EXTERN_ARITHMETIC, NEREID_EXTERN_TO_INTEGER, NEREID_EXTERN_TO_FLOAT } kind;
  char operation; /* of arithmetic: + - * / r(eciprocal) s(quare root) f(ma) =(the operand) */
  int rounding;   /* FE_TONEAREST, ... */
  bool away;      /* rounds to an integer, ties away from zero */
  bool is_signed; /* signedness of the converted integer */
  int arity;
} nereid_extern_rounded_t;

/* Parses a function name with a rounding mode; false: not of that kind. (extern_rounded.c) */
bool nereid_extern_find_rounded(nereid_view_t name, nereid_extern_rounded_t *out_function);

/* Computes the result's bits, from operands of kind `from` to kind `to`. */
uint64_t nereid_extern_apply_rounded(const nereid_extern_rounded_t *function, nereid_kind_t from, nereid_kind_t to,
                                     const uint64_t *x);

#endif

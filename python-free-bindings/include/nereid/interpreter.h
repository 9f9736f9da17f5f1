/* The reference interpreter: evaluates the IR of a kernel without layouts, threads or a GPU.
 *
 *   %s = arith.addf %x, %y : tensor<1024xf32>       one step that adds 1024 elements
 *
 *   nereid_interpreter_argument_t arguments[] = {
 *       {.kind = NEREID_INTERPRETER_BUFFER, .memory = x, .size = sizeof x, .alignment = 16, .name = "x"},
 *       {.kind = NEREID_INTERPRETER_BITS, .bits = n, .name = "n"}};
 *   nereid_interpreter_run_text(compiler, text, "k.ttir", NULL, grid, 2, arguments, NULL, &message);
 *
 * Each op is evaluated on whole tensors. Programs of the grid run sequentially or, if their order has no effect, on
 * several threads; values are rounded in software (docs/interpreter.md). The other engines are compared with it. Part
 * of libnereid, not of libnereid-launch.
 *
 * Ownership: buffers and strings are borrowed for the call, arguments of a callback are valid during the callback.
 * Threads: runs of different modules and compilers may be concurrent. */
#ifndef NEREID_INTERPRETER_H
#define NEREID_INTERPRETER_H

#include "base/message.h"
#include "base/view.h"

#include "mlir-c/IR.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { NEREID_INTERPRETER_DESCRIPTOR_RANK = 5 };

typedef enum nereid_interpreter_argument_kind {
  NEREID_INTERPRETER_BITS,       /* a scalar, or a pointer to no buffer: null */
  NEREID_INTERPRETER_BUFFER,     /* a pointer to `memory`: a virtual address (base/kernel/address.h) */
  NEREID_INTERPRETER_DESCRIPTOR, /* a tensor descriptor of `memory` */
} nereid_interpreter_argument_kind_t;

/* One kernel argument. Several arguments may share memory. */
typedef struct nereid_interpreter_argument {
  nereid_interpreter_argument_kind_t kind;
  uint64_t bits; /* BITS: in the low bits */
  void *memory;  /* BUFFER, DESCRIPTOR: borrowed for the run; read and written in place */
  size_t size;   /* bytes of it */
  /* BUFFER, DESCRIPTOR: of the address that the kernel sees, a power of two; 0: any. The memory may have less. */
  uint64_t alignment;
  const char *name; /* for messages; may be null */
  /* DESCRIPTOR: in elements, outermost dimension first */
  int rank;
  int64_t shape[NEREID_INTERPRETER_DESCRIPTOR_RANK], strides[NEREID_INTERPRETER_DESCRIPTOR_RANK];
  bool nan_padding; /* elements outside of the tensor read as NaN, not as zero */
} nereid_interpreter_argument_t;

/* Inline assembly to run on many sets of registers. */
typedef struct nereid_interpreter_assembly {
  nereid_view_t text, constraints; /* PTX with $0, $1, ... for results, then operands; LLVM's constraints, "=r,r" */
  size_t n_results, n_operands;    /* registers */
  const unsigned *result_bits, *operand_bits;
  size_t n_calls;
  const uint64_t *operands; /* [operand][call] */
  uint64_t *results;        /* [result][call], to be set */
} nereid_interpreter_assembly_t;

/* A value that the program just computed. */
typedef struct nereid_interpreter_value {
  MlirValue value; /* an op's result or a block's argument */
  /* Values and pointers: one per element, in row-major order, zero-extended. A single one applies to all elements of a
   * tensor; several of a scalar are those of several executions of its region. */
  size_t count;
  const uint64_t *words;
} nereid_interpreter_value_t;

typedef struct nereid_interpreter_options {
  /* Receives printed text, a line at a time with its newline; null: it is discarded. */
  void (*print)(nereid_view_t line, void *user_data);
  /* Runs inline assembly, concurrently on several threads; false with a message on failure. Null: inline assembly is an
   * error. */
  bool (*assembly)(const nereid_interpreter_assembly_t *assembly, void *user_data, nereid_message_t *message);
  /* Receives every value, concurrently on several threads; false with a message ends the run with an error at the
   * value's op. May be null. */
  bool (*watch)(const nereid_interpreter_value_t *value, void *user_data, nereid_message_t *message);
  void *user_data;
  unsigned threads; /* host threads, used if the order of programs has no effect; 0: one per processor */
  uint64_t steps;   /* over all programs; exceeding it is an error at the next op; 0: no limit */
} nereid_interpreter_options_t;

/* Runs the public function `kernel` (null: the only one) of a verified builtin.module, at the stage of tt or ttgir,
 * once for every point of `grid`. `options` and `message` may be null.
 *   NEREID_ERROR_PROGRAM    an error of the program (an out-of-bounds access, a failed assertion) or an unsupported op,
 *                           with a diagnostic at the op
 *   NEREID_ERROR_NOT_FOUND  no kernel of that name
 *   NEREID_ERROR_ARGUMENT   number or kind of the arguments, or the grid, do not fit
 *   NEREID_ERROR_MEMORY
 * Writes before an error are kept. A module must not run on several threads at the same time. During the run,
 * multithreading of its context is enabled. */
NEREID_MUST_USE nereid_status_t nereid_interpreter_run(MlirOperation module, const char *kernel, const uint32_t grid[3],
                                                       size_t n_arguments,
                                                       const nereid_interpreter_argument_t *arguments,
                                                       const nereid_interpreter_options_t *options,
                                                       nereid_message_t *message);

struct nereid_compiler;

/* The same for IR as text or MLIR bytecode, tt or ttgir, which `compiler` (nereid/compile.h) parses; its diagnostic
 * handler receives the errors. `name`: of the input in diagnostics; null: "input". Must not run while the compiler
 * compiles. Errors as above, and NEREID_ERROR_PROGRAM when the input does not parse or is of a later stage. */
NEREID_MUST_USE nereid_status_t nereid_interpreter_run_text(struct nereid_compiler *compiler, nereid_view_t input,
                                                            const char *name, const char *kernel,
                                                            const uint32_t grid[3], size_t n_arguments,
                                                            const nereid_interpreter_argument_t *arguments,
                                                            const nereid_interpreter_options_t *options,
                                                            nereid_message_t *message);

#ifdef __cplusplus
}
#endif

#endif

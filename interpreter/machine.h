/* The interpreter's machine: the interface of the op families.
 *
 *   function ── slots: one per SSA value, with storage that is reused each time the value is computed
 *       └── body: region ── blocks ── steps: op, row of its family's table, slots of operands and results
 *
 * A value is an array of words, one per element in row-major order, with the element's bits in the low bits and
 * zeros above. A scalar has one word. A region that combines scalars (tt.reduce) runs on many of them at once: its
 * values then have one word per lane, and a single word represents any number of equal ones. */
#ifndef NEREID_INTERPRETER_MACHINE_H
#define NEREID_INTERPRETER_MACHINE_H

#include "base/map.h"
#include "interpreter/number.h"
#include "nereid/dialects/ops.h"
#include "nereid/dialects/tt.h"
#include "nereid/interpreter.h"

enum { NEREID_MACHINE_RANK = 32 };

/* The interpreter's representation of a type. */
typedef struct nereid_shape {
  nereid_kind_t element;
  unsigned bytes; /* bytes of an element in memory */
  bool local;     /* a view of a buffer in shared memory: the value is a nereid_local_t */
  int rank;       /* 0: a scalar */
  int64_t extent[NEREID_MACHINE_RANK];
  size_t count; /* elements */
} nereid_shape_t;

typedef struct nereid_slot {
  MlirValue value; /* for diagnostics */
  nereid_shape_t shape;
  uint64_t *words;
  size_t count, capacity; /* words used; words allocated */
  uint64_t *marks; /* undefined.c: per word, the step that produced the undefined value, or 0; valid if is_undefined */
  size_t mark_capacity;
  bool is_undefined; /* some mark is set */
} nereid_slot_t;

typedef struct nereid_machine nereid_machine_t;
typedef struct nereid_step nereid_step_t;
typedef struct nereid_function nereid_function_t;

/* An elementwise op on one element; `x` has one word per operand. Returns the result's bits, not necessarily
 * truncated. */
typedef uint64_t (*nereid_lane_fn)(const nereid_step_t *step, const uint64_t *x);

/* Any other op; false after a diagnostic. */
typedef bool (*nereid_step_fn)(nereid_machine_t *machine, const nereid_step_t *step);

/* Whether the result of an elementwise op on these words is undefined (docs/numerics.md). */
typedef bool (*nereid_undefined_fn)(const nereid_step_t *step, const uint64_t *x);

/* One op of a family: exactly one of `lane`, `run` and `ends` is set. */
typedef struct nereid_machine_row {
  nereid_op_kind_t kind;
  nereid_lane_fn lane;
  nereid_step_fn run;
  enum { NEREID_ENDS_NOT, NEREID_ENDS_REGION, NEREID_ENDS_BLOCK } ends; /* forwards its operands; branches */
  const void *data;                                                     /* for functions shared by several rows */
  bool is_ordered;                                                      /* other programs can observe its order */
  unsigned n_own;                                                       /* temporary slots per step */
  nereid_undefined_fn is_undefined;                                     /* of `lane`; null: never */
  unsigned moves; /* number of leading operands whose elements it only moves */
  bool (*prepare)(nereid_machine_t *machine,
                  nereid_step_t *step); /* called once when the step is decoded; may be null */
} nereid_machine_row_t;

/* The families. Each table ends with a row of kind NEREID_OP_UNKNOWN. */
extern const nereid_machine_row_t nereid_machine_integer_rows[];
extern const nereid_machine_row_t nereid_machine_float_rows[];
extern const nereid_machine_row_t nereid_machine_cast_rows[];
extern const nereid_machine_row_t nereid_machine_math_rows[];
extern const nereid_machine_row_t nereid_machine_extern_rows[];
extern const nereid_machine_row_t nereid_machine_assembly_rows[];
extern const nereid_machine_row_t nereid_machine_memory_rows[];
extern const nereid_machine_row_t nereid_machine_atomic_rows[];
extern const nereid_machine_row_t nereid_machine_block_rows[];
extern const nereid_machine_row_t nereid_machine_shape_rows[];
extern const nereid_machine_row_t nereid_machine_reduce_rows[];
extern const nereid_machine_row_t nereid_machine_dot_rows[];
extern const nereid_machine_row_t nereid_machine_dot_scaled_rows[];
extern const nereid_machine_row_t nereid_machine_control_rows[];
extern const nereid_machine_row_t nereid_machine_debug_rows[];
extern const nereid_machine_row_t nereid_machine_local_rows[];
extern const nereid_machine_row_t nereid_machine_async_rows[];
extern const nereid_machine_row_t nereid_machine_barrier_rows[];
extern const nereid_machine_row_t nereid_machine_tensormap_rows[];
extern const nereid_machine_row_t nereid_machine_warps_rows[];

typedef struct nereid_code_block {
  size_t n_arguments, n_steps;
  nereid_slot_t **arguments;
  nereid_step_t *steps;
} nereid_code_block_t;

typedef struct nereid_code_region {
  size_t n_blocks;
  nereid_code_block_t *blocks;
  bool lanewise; /* one block of elementwise steps: can run on many lanes at once */
} nereid_code_region_t;

struct nereid_step {
  nereid_machine_t *machine; /* machine of the step; null: only for diagnostics at an op */
  MlirOperation op;
  const nereid_machine_row_t *row;
  size_t n_operands, n_results, n_regions, n_successors;
  nereid_slot_t **operands, **results;
  nereid_slot_t *own; /* row->n_own temporary slots */
  nereid_code_region_t *regions;
  nereid_code_block_t **successors;
  nereid_kind_t from, to; /* element kinds of the first operand and the first result */
  int64_t detail; /* integer computed from the attributes at decoding: a predicate, a rounding mode; see decode.c */
};

struct nereid_function {
  MlirOperation op;
  nereid_code_region_t body;
  bool decoded, active; /* active: a call of it has not returned */
};

/* Memory that a program may access: `size` bytes at a virtual address (base/kernel/address.h). */
typedef struct nereid_machine_buffer {
  uint64_t address, size;
  char *memory;     /* host memory */
  const char *name; /* name of the argument; may be null */
  bool is_scratch;  /* not an argument's buffer */
} nereid_machine_buffer_t;

enum { NEREID_ERROR_TEXT = 640 };

/* A deferred error. */
typedef struct nereid_kept_error {
  MlirLocation location;
  char text[NEREID_ERROR_TEXT]; /* empty: none */
} nereid_kept_error_t;

struct nereid_machine {
  nereid_arena_t arena; /* code, slots and their words: bounded by one set of values, independent of loop counts */
  MlirOperation module;
  nereid_map_t slots;     /* MlirValue -> nereid_slot_t * */
  nereid_map_t functions; /* MlirOperation -> nereid_function_t * */
  const nereid_machine_row_t *rows[NEREID_OP_COUNT];
  size_t n_buffers, buffer_capacity, last_buffer; /* the last buffer that an access hit */
  nereid_machine_buffer_t *buffers;
  uint64_t position, scratch_position; /* of nereid_address_assign: arguments; scratch memory */
  nereid_map_t tensormaps;             /* address -> nereid_block_t *: tensor maps created by the program */
  struct nereid_crew *crew;            /* inside of ttg.warp_specialize; else null */
  uint64_t progress;                   /* counts events that may end a wait: changes of mbarriers */
  uint32_t grid[3], program[3];
  nereid_interpreter_options_t options;
  uint64_t n_steps;  /* steps executed so far */
  uint64_t *scratch; /* for parallel assignment */
  size_t scratch_capacity;
  bool out_of_memory;
  bool has_undefined;  /* some value is or was undefined: marks are propagated */
  nereid_slot_t saved; /* marks of an assignment in progress */
  bool is_ordered;     /* its programs can observe their order */
  bool keeps_error;    /* defers the first error, for runs on several machines */
  nereid_kept_error_t error;
};

/* --- decode.c --- */

/* Decodes a function and its callees if necessary; null after a diagnostic. */
nereid_function_t *nereid_machine_function(nereid_machine_t *machine, MlirOperation function);

/* Computes the shape of a type; false: not supported. */
bool nereid_machine_shape(MlirType type, nereid_shape_t *out_shape);

/* --- machine.c --- */

/* Resizes a slot to `count` words; null: out of memory. Contents are undefined. */
uint64_t *nereid_machine_resize(nereid_machine_t *machine, nereid_slot_t *slot, size_t count);

/* Resizes result `index` of the step to its type's count. */
uint64_t *nereid_machine_result(nereid_machine_t *machine, const nereid_step_t *step, size_t index);

/* Word `i` of a slot, which may store one word for all elements. */
static inline uint64_t nereid_machine_word(const nereid_slot_t *slot, size_t i) {
  return slot->words[slot->count == 1 ? 0 : i];
}

/* Element `i` of the indices of a gather or scatter. Those below 32 bits are unsigned: uint8 reaches 256 elements. */
static inline int64_t nereid_machine_index(const nereid_slot_t *indices, size_t i) {
  const unsigned bits = indices->shape.element.bits;
  const uint64_t word = nereid_machine_word(indices, i);
  return bits < 32 ? (int64_t)word : nereid_bits_signed(word, bits);
}

/* Copies values to slots as if at once: a destination may be a source. */
bool nereid_machine_assign(nereid_machine_t *machine, size_t n, nereid_slot_t *const *to, nereid_slot_t *const *from);

/* Runs a region whose block arguments are set. Returns the step that ended it, whose operands are the results; null
 * after a diagnostic. */
const nereid_step_t *nereid_machine_region(nereid_machine_t *machine, const nereid_code_region_t *region);

/* Returns the target block of cf.br or cf.cond_br, with its arguments set; null: out of memory. (control.c) */
const nereid_code_block_t *nereid_machine_branch(nereid_machine_t *machine, const nereid_step_t *step);

/* Diagnostic at the op: "'tt.x' op <message>". Always false. */
bool nereid_machine_error(const nereid_step_t *step, const char *format, ...) NEREID_PRINTF(2, 3);

/* Records that the machine is out of memory. Always false. */
bool nereid_machine_exhausted(nereid_machine_t *machine);

/* Row-major coordinates of element `index`. */
static inline void nereid_shape_coordinates(const nereid_shape_t *shape, size_t index, int64_t *out) {
  for (int d = shape->rank; d-- > 0;) {
    out[d] = (int64_t)(index % (size_t)shape->extent[d]);
    index /= (size_t)shape->extent[d];
  }
}

/* The row-major index of the element at coordinates. */
static inline size_t nereid_shape_index(const nereid_shape_t *shape, const int64_t *at) {
  size_t index = 0;
  for (int d = 0; d < shape->rank; ++d)
    index = index * (size_t)shape->extent[d] + (size_t)at[d];
  return index;
}

/* --- undefined.c --- */

/* Reports the use of element `i` of an undefined slot by a step; true if that element is defined. */
bool nereid_undefined_report(const nereid_step_t *step, const nereid_slot_t *slot, size_t i);

/* Whether the step may use the element as stored data, an address, a mask or a condition. False after a diagnostic
 * at the op that produced the undefined value. */
static inline bool nereid_undefined_use(const nereid_step_t *step, const nereid_slot_t *slot, size_t i) {
  return !slot->is_undefined || nereid_undefined_report(step, slot, i);
}

/* Before a step: checks its conditions and clears the marks of its results. */
bool nereid_undefined_begin(const nereid_step_t *step);
/* After a step: marks its undefined results. False: out of memory. */
bool nereid_undefined_follow(nereid_machine_t *machine, const nereid_step_t *step);
/* Around a parallel assignment of n slots: saves the marks of the sources, sets those of the destinations. */
bool nereid_undefined_save(nereid_machine_t *machine, size_t n, nereid_slot_t *const *from);
bool nereid_undefined_restore(nereid_machine_t *machine, size_t n, nereid_slot_t *const *to);

/* --- buffers.c --- */

/* Prints " at element [3, 17]", or nothing for a scalar. */
void nereid_machine_print_index(char *out, size_t size, const nereid_shape_t *shape, size_t index);

/* Gives the program access to an argument's memory, at a virtual address of that alignment (0: any). Memory that is
 * added again, with the same size, keeps its first address. NEREID_ERROR_ARGUMENT: the alignment is not a power of two,
 * or the address space is exhausted; NEREID_ERROR_MEMORY. */
NEREID_MUST_USE nereid_status_t nereid_machine_add_buffer(nereid_machine_t *machine,
                                                          const nereid_interpreter_argument_t *argument,
                                                          uint64_t *out_address);

/* The same for `size` bytes of scratch memory. Its addresses are apart from those of arguments and depend only on the
 * order of the calls. */
NEREID_MUST_USE nereid_status_t nereid_machine_add_scratch(nereid_machine_t *machine, void *memory, uint64_t size,
                                                           uint64_t alignment, uint64_t *out_address);

/* Returns the host memory of `bytes` bytes at a virtual address. Null, after a diagnostic that names element `index`
 * of `shape`: not all bytes are in one buffer. `verb`: "reads" or "writes". */
void *nereid_machine_access(nereid_machine_t *machine, const nereid_step_t *step, uint64_t address, unsigned bytes,
                            const nereid_shape_t *shape, size_t index, const char *verb);

/* Reads an element of that shape's type from memory as a word; writes it. Memory may be unaligned. */
uint64_t nereid_machine_load(const void *memory, const nereid_shape_t *shape);
void nereid_machine_store(void *memory, const nereid_shape_t *shape, uint64_t word);

/* --- memory.c --- */

/* Performs tt.load into `to`, of its shape. `mask`, `other`: may be null. */
bool nereid_machine_load_elements(nereid_machine_t *machine, const nereid_step_t *step, const nereid_slot_t *pointers,
                                  const nereid_slot_t *mask, const nereid_slot_t *other, nereid_slot_t *to);

/* The slot of an optional operand; null for a null value. */
const nereid_slot_t *nereid_machine_slot(const nereid_machine_t *machine, MlirValue value);

/* --- atomic.c --- */

/* The new value in memory after an atomic operation. */
uint64_t nereid_machine_combine(nereid_tt_rmw_op_t op, nereid_kind_t kind, uint64_t old, uint64_t value);

/* --- block.c --- */

enum { NEREID_BLOCK_RANK = 8 };

/* A block pointer or a tensor descriptor: the words of its slot. */
typedef struct nereid_block {
  uint64_t base, nan_padding;
  int64_t rank, shape[NEREID_BLOCK_RANK], strides[NEREID_BLOCK_RANK], offsets[NEREID_BLOCK_RANK]; /* elements */
} nereid_block_t;

/* Returns the block in `slot`, resized for one; null: out of memory. */
nereid_block_t *nereid_machine_block(nereid_machine_t *machine, nereid_slot_t *slot);

/* Moves the block at coordinates (operands from `first` on) to or from a slot that is not a view. */
bool nereid_machine_load_box(nereid_machine_t *machine, const nereid_step_t *step, size_t first, nereid_slot_t *to);
bool nereid_machine_store_box(nereid_machine_t *machine, const nereid_step_t *step, size_t first,
                              const nereid_slot_t *from);
bool nereid_machine_reduce_box(nereid_machine_t *machine, const nereid_step_t *step, size_t first,
                               nereid_tt_descriptor_reduce_kind_t how, const nereid_slot_t *from);

/* Rows by index: operand `rows` has the row indices, operand `rows` + 1 the first column. */
bool nereid_machine_gather_rows(nereid_machine_t *machine, const nereid_step_t *step, size_t rows, nereid_slot_t *to);
bool nereid_machine_scatter_rows(nereid_machine_t *machine, const nereid_step_t *step, size_t rows,
                                 const nereid_slot_t *from);

bool nereid_machine_load_block(nereid_machine_t *machine, const nereid_step_t *step);
bool nereid_machine_store_block(nereid_machine_t *machine, const nereid_step_t *step);

/* --- dot.c --- */

/* results[0] = operands[0] * operands[1] + operands[2]; no operand is a view. */
bool nereid_machine_dot(nereid_machine_t *machine, const nereid_step_t *step, nereid_tt_input_precision_t precision);

/* --- local.c --- */

enum { NEREID_LOCAL_RANK = 8 };

/* A view of a buffer in shared memory: the words of its slot. A buffer has a word per element. */
typedef struct nereid_local {
  uint64_t *words;
  int64_t offset, strides[NEREID_LOCAL_RANK]; /* elements */
} nereid_local_t;

/* arith.select of views. */
extern const nereid_machine_row_t nereid_machine_local_select;

/* The first element of a view. */
uint64_t *nereid_machine_local_word(const nereid_slot_t *view);

/* Returns `slot`, or for a view its elements in `dense`; null: out of memory. */
const nereid_slot_t *nereid_machine_dense(nereid_machine_t *machine, const nereid_slot_t *slot, nereid_slot_t *dense);

/* Gives `dense` the shape of a view; the caller fills it and writes it to the view. */
void nereid_machine_dense_begin(const nereid_slot_t *view, nereid_slot_t *dense);
void nereid_machine_local_write(const nereid_slot_t *view, const nereid_slot_t *values);

/* --- barrier.c --- */

/* Completes expected bytes of an mbarrier. */
bool nereid_machine_complete_bytes(nereid_machine_t *machine, const nereid_step_t *step, const nereid_slot_t *barrier,
                                   uint64_t bytes);

/* --- warps.c --- */

typedef enum nereid_yield {
  NEREID_YIELD_AGAIN, /* other partitions ran; the condition may hold now */
  NEREID_YIELD_STUCK, /* deadlock */
  NEREID_YIELD_STOP,  /* another partition failed with a diagnostic */
} nereid_yield_t;

/* Lets other partitions of ttg.warp_specialize run. */
nereid_yield_t nereid_machine_yield(nereid_machine_t *machine);

#endif

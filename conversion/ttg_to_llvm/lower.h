/* The walk that turns ttg into the LLVM dialect, as the op families see it.
 *
 *   %x : tensor<1024xf32, #blocked>        %x.0, %x.1 … %x.7 : f32      one LLVM value per register of a thread
 *   %y = arith.addf %x, %x                 %y.0 = llvm.fadd %x.0, %x.0 …
 *
 * A tensor is an array of per-thread values in a side map, never an LLVM struct: nothing has to be packed, unpacked or
 * folded away later. Two registers that hold the same value (a splat, a broadcast dimension) share one MlirValue, and
 * elementwise ops are emitted once per distinct operand tuple.
 *
 * An op family is one .c file with a table of rows; a row names the op and the static function that lowers it. The
 * function reads the operands' values, emits at lower->builder, and sets the results' values. It answers false after it
 * has emitted a diagnostic at the op. */
#ifndef NEREID_CONVERSION_TTG_TO_LLVM_LOWER_H
#define NEREID_CONVERSION_TTG_TO_LLVM_LOWER_H

#include "analysis/axis/axis_info.h"
#include "analysis/call_graph.h"
#include "base/map.h"
#include "dialects/ttg/encoding/blocked.h"
#include "layout/linear_layout.h"
#include "nereid/builder.h"
#include "nereid/dialects/ops.h"

#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"
#include "mlir-c/IR.h"

typedef struct nereid_lower_row nereid_lower_row_t;
typedef struct nereid_lower_workers nereid_lower_workers_t; /* warps.h */

/* What the target and the caller decide. */
typedef struct nereid_lower_options {
  int32_t capability;  /* 80, 86, 89, 90 */
  int32_t ptx_version; /* 87 is 8.7 */
  bool fp_fusion;      /* multiplies and adds may contract */
} nereid_lower_options_t;

/* The per-thread values of one tt value: one for a scalar, one per register for a tensor. */
typedef struct nereid_lowered {
  intptr_t count;
  MlirValue *values; /* owned by the conversion's arena */
} nereid_lowered_t;

/* LLVM-dialect types that every family needs; made once per conversion. */
typedef struct nereid_lower_types {
  MlirType i1, i8, i16, i32, i64, f16, bf16, f32, f64;
  MlirType ptr, ptr_global, ptr_shared; /* address spaces 0, 1, 3 */
  MlirType none;                        /* llvm.void */
} nereid_lower_types_t;

enum { NEREID_LOWER_OVERFLOWS = 4 };

/* Which frames a function, or something that it calls, has anything in; and whether it must be told which warps run it,
 * as partitions of ttg.warp_specialize do. */
typedef struct nereid_lower_needs {
  bool shared, scratch, warps;
} nereid_lower_needs_t;

/* How much was emitted of what costs more than an instruction, for remarks. */
typedef struct nereid_lower_emitted {
  int64_t combinations; /* copies of a region */
  int64_t shuffles, warp_reductions, barriers;
} nereid_lower_emitted_t;

typedef struct nereid_lower {
  nereid_builder_t builder; /* where the next op goes; its location is the current op's */
  MlirContext context;
  MlirOperation module;   /* the builtin.module */
  MlirBlock module_block; /* its body, where globals and declarations go */
  nereid_arena_t *arena;
  nereid_lower_options_t options;
  nereid_lower_types_t types;
  nereid_thread_grid_t grid;
  const nereid_lower_row_t *const *rows; /* by op kind; null where there is none */
  nereid_call_graph_t graph;             /* of the module before conversion */
  nereid_lower_needs_t *needs;           /* by the number of a function of `graph` */
  nereid_axis_result_t axis;             /* about the values of the module before conversion */
  MlirAttribute contract;                /* #llvm.fastmath<contract> or null: for fmul, fadd, fsub and the like */
  struct {
    MlirAttribute arith, llvm;
  } overflow[NEREID_LOWER_OVERFLOWS]; /* overflow flags of arith and those of llvm: none, nsw, nuw, both */

  nereid_lower_emitted_t emitted;

  nereid_map_t declared; /* name, a StringAttr -> function type that nereid_lower_declare gave it */
  nereid_map_t strings;  /* bytes, a StringAttr -> the global's name, a StringAttr */

  /* of the function being converted */
  MlirOperation function; /* the tt.func */
  bool is_kernel;
  MlirBlock entry;                 /* of the llvm.func; its arguments are those of the function */
  nereid_lower_workers_t *workers; /* of a kernel with warps for partitions; null: all warps run the function */

  /* of the warps whose code is lowered: all of the function's, or a partition's (warps.h) */
  MlirBlock prologue;       /* ends in a branch to the body; of a function its entry */
  MlirValue thread_id;      /* i32, among these warps */
  MlirValue first_warp;     /* i32, of these in the CTA; null: 0 */
  MlirValue barrier;        /* i32: the number of the barrier that is theirs; null: 0, for all threads of the CTA */
  MlirBlock after;          /* where a region of ttg.warp_specialize goes on that ends here */
  MlirValue shared_base;    /* ptr<3>, null until used: see nereid_lower_shared_pointer */
  MlirValue scratch_base;   /* ptr<1>, null until used: see nereid_lower_scratch_pointer */
  MlirValue print_buffer;   /* ptr, null until something is printed */
  nereid_map_t values;      /* MlirValue -> nereid_lowered_t * */
  nereid_map_t blocks;      /* MlirBlock -> its block in the llvm.func */
  nereid_map_t looping;     /* MlirBlocks of the function that are in a loop */
  nereid_map_t constants;   /* of these warps: attribute -> its llvm.mlir.constant in the prologue */
  nereid_map_t coordinates; /* of these warps: tensor type -> nereid_coordinates_t * */
  nereid_map_t layouts;     /* encoding x shape, as tensor type -> nereid_layout_t * */
  nereid_map_t over_budget; /* tensor types that a remark has told to be too large */
} nereid_lower_t;

/* Lowers `op`; false after a diagnostic. */
typedef bool (*nereid_lower_fn)(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row);

/* One op of a family. `to` is the LLVM-dialect op of a one-to-one lowering, for functions that serve many rows. */
struct nereid_lower_row {
  nereid_op_kind_t kind;
  nereid_lower_fn lower;
  const char *to;
};

/* The families. Each table ends with a row of kind NEREID_OP_UNKNOWN. */
extern const nereid_lower_row_t nereid_lower_arith_rows[];
extern const nereid_lower_row_t nereid_lower_float_cast_rows[];
extern const nereid_lower_row_t nereid_lower_math_rows[];
extern const nereid_lower_row_t nereid_lower_constant_rows[];
extern const nereid_lower_row_t nereid_lower_view_rows[];
extern const nereid_lower_row_t nereid_lower_memory_rows[];
extern const nereid_lower_row_t nereid_lower_atomic_rows[];
extern const nereid_lower_row_t nereid_lower_async_copy_rows[];
extern const nereid_lower_row_t nereid_lower_shared_rows[];
extern const nereid_lower_row_t nereid_lower_dot_rows[];
extern const nereid_lower_row_t nereid_lower_program_rows[];
extern const nereid_lower_row_t nereid_lower_extern_rows[];
extern const nereid_lower_row_t nereid_lower_debug_rows[];
extern const nereid_lower_row_t nereid_lower_control_flow_rows[];
extern const nereid_lower_row_t nereid_lower_call_rows[];
extern const nereid_lower_row_t nereid_lower_warp_specialize_rows[];
extern const nereid_lower_row_t nereid_lower_mbarrier_rows[];
extern const nereid_lower_row_t nereid_lower_convert_layout_rows[];
extern const nereid_lower_row_t nereid_lower_reduce_rows[];
extern const nereid_lower_row_t nereid_lower_scan_rows[];
extern const nereid_lower_row_t nereid_lower_histogram_rows[];
extern const nereid_lower_row_t nereid_lower_gather_rows[];
extern const nereid_lower_row_t nereid_lower_pair_rows[];
extern const nereid_lower_row_t nereid_lower_map_rows[];
extern const nereid_lower_row_t nereid_lower_fp4_rows[];

/* --- values --- */

/* The per-thread values of `value`, which must have been lowered. */
nereid_lowered_t nereid_lower_get(nereid_lower_t *lower, MlirValue value);

/* Sets the per-thread values of `value`; the array is not copied and must live in the arena. */
void nereid_lower_set(nereid_lower_t *lower, MlirValue value, nereid_lowered_t lowered);

/* Sets a scalar's one value. */
void nereid_lower_set_scalar(nereid_lower_t *lower, MlirValue value, MlirValue lowered);

/* Sets all registers of a value to `lowered`; false when memory is out. */
bool nereid_lower_set_splat(nereid_lower_t *lower, MlirValue value, MlirValue lowered);

/* An array of `count` null values in the arena. */
nereid_lowered_t nereid_lower_array(nereid_lower_t *lower, intptr_t count);

/* Operand or result `index` of `op`, lowered. */
nereid_lowered_t nereid_lower_operand(nereid_lower_t *lower, MlirOperation op, intptr_t index);

/* Emits one element of an elementwise op: from one value per operand to the result's value. `element` is the LLVM type
 * of a result element. Null after a diagnostic. */
typedef MlirValue (*nereid_element_fn)(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row,
                                       MlirType element, const MlirValue *operands);

/* Lowers an op with one result whose operands are scalars or tensors of one layout: calls `emit` once per distinct
 * tuple of operand values, and once for registers that the axis information knows to be equal. The op must be pure. */
bool nereid_lower_elementwise(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row,
                              nereid_element_fn emit);

/* --- types and layouts --- */

/* The LLVM type of a scalar, or of a tensor's element: tt.ptr is !llvm.ptr<1> (by its address space), fp8 is i8, fp4 is
 * i8, index is i32. Null for a type that has none. */
MlirType nereid_lower_type(nereid_lower_t *lower, MlirType type);

/* The element type of a tensor, the type itself otherwise. */
MlirType nereid_lower_element_type(MlirType type);

/* Bits that an element takes in memory (i1 is 8) and in a register (i1 is 1). Pointers are 64. */
unsigned nereid_lower_memory_bits(MlirType element);

/* The linear layout of a tensor type with an encoding; kept for the conversion. Null after a diagnostic at
 * lower->builder.location when the encoding is not distributed. */
const nereid_layout_t *nereid_lower_layout(nereid_lower_t *lower, MlirType tensor);

/* Whether `type` is a !tt.tensordesc. */
bool nereid_lower_is_descriptor_type(MlirType type);

/* An f16 of the value of `bits`, an i8 that holds a number of type `fp8`; null when no GPU knows that type. */
MlirValue nereid_lower_widen_fp8(nereid_lower_t *lower, MlirType fp8, MlirValue bits);

/* The bits of a float attribute, in the low bits of the word. */
uint64_t nereid_lower_float_bits(MlirAttribute value);

/* Dictionary `attributes` with `name` set to `value`. */
MlirAttribute nereid_lower_with_attribute(nereid_lower_t *lower, MlirAttribute attributes, const char *name,
                                          MlirAttribute value);

/* Sets the result of `op` to registers of its first operand, when every thread already holds what it needs: `from` is
 * the operand's layout, seen as a tensor of the result's shape, and `to` the result's. */
bool nereid_lower_rename(nereid_lower_t *lower, MlirOperation op, const nereid_layout_t *from,
                         const nereid_layout_t *to);

/* Elements that one thread holds: 1 for a scalar. */
intptr_t nereid_lower_registers(nereid_lower_t *lower, MlirType type);

/* Where a thread's elements lie: the coordinate of register r in dimension d is base[d] ^ offset[r][d]; the xor is an
 * addition wherever `disjoint`. Bases are i32 and live in the prologue, so they can be used anywhere. */
typedef struct nereid_coordinates {
  intptr_t rank, registers;
  MlirValue base[NEREID_TTG_MAX_RANK];
  bool disjoint[NEREID_TTG_MAX_RANK]; /* no bit is set by both the thread and the register */
  const int32_t *offsets;             /* [registers][rank] */
} nereid_coordinates_t;

const nereid_coordinates_t *nereid_lower_coordinates(nereid_lower_t *lower, MlirType tensor);

/* i32 coordinate of register `r` in dimension `d`, emitted here. */
MlirValue nereid_lower_coordinate(nereid_lower_t *lower, const nereid_coordinates_t *coordinates, intptr_t r,
                                  intptr_t d);

/* i32: the part of the coordinate in dimension `d` that lane and warp decide, emitted here. */
MlirValue nereid_lower_thread_coordinate(nereid_lower_t *lower, const nereid_layout_t *layout, int d);

/* i1 that is true for exactly one of the threads that hold the same elements of `tensor`; null when all differ. */
MlirValue nereid_lower_unique_thread(nereid_lower_t *lower, MlirType tensor);

/* i1: this thread is the one that writes `type` out. Of a tensor, as above; a scalar is written by the first thread of
 * the first CTA. Null when every thread writes. */
MlirValue nereid_lower_storing_thread(nereid_lower_t *lower, MlirType type);

/* --- the function --- */

/* Runs the following emissions in the prologue, where every block of these warps can use the result. Returns the
 * builder to restore with nereid_lower_leave_prologue. */
nereid_builder_t nereid_lower_enter_prologue(nereid_lower_t *lower);
void nereid_lower_leave_prologue(nereid_lower_t *lower, nereid_builder_t saved);

/* The CTA's shared memory at byte `offset` of this function's frame: ptr<3>. */
MlirValue nereid_lower_shared_pointer(nereid_lower_t *lower, int64_t offset);

/* The CTA's global scratch at byte `offset` of this function's frame: ptr<1>. */
MlirValue nereid_lower_scratch_pointer(nereid_lower_t *lower, int64_t offset);

/* i32: the program id along `axis` 0, 1 or 2. A cluster is one program. */
MlirValue nereid_lower_program_id(nereid_lower_t *lower, int axis);

/* A declaration `name : type` in the module, made on first use; false after a diagnostic. */
bool nereid_lower_declare(nereid_lower_t *lower, const char *name, MlirType function_type);

/* Constant bytes in the module, aligned to 8; ptr<1> to the first. Equal ones share one global. */
MlirValue nereid_lower_bytes(nereid_lower_t *lower, MlirStringRef bytes);

/* A constant NUL-ended string in the module; ptr (generic) to its first byte. */
MlirValue nereid_lower_string(nereid_lower_t *lower, MlirStringRef text);

/* Splits the current block: what follows goes to the returned new block, and the builder stays at the end of the first
 * half. For lowerings that need a branch. */
MlirBlock nereid_lower_split_block(nereid_lower_t *lower);

/* Runs what follows only where `condition`, an i1, holds; returns the block to go on in with nereid_lower_end_if. */
MlirBlock nereid_lower_begin_if(nereid_lower_t *lower, MlirValue condition);
void nereid_lower_end_if(nereid_lower_t *lower, MlirBlock rest);

/* Diagnostic at the op: "'tt.x' op <message>". Always false, so that lowerings can return it. */
bool nereid_lower_error(MlirOperation op, const char *format, ...) NEREID_PRINTF(2, 3);

#endif

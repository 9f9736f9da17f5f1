/* The state of the conversion from ttg to the LLVM dialect, by lifetime: a module, a function, the warps that run the
 * code being lowered. A nereid_lower_t links the three and holds the insertion point. */
#ifndef NEREID_CONVERSION_TTG_TO_LLVM_CONTEXT_H
#define NEREID_CONVERSION_TTG_TO_LLVM_CONTEXT_H

#include "analysis/axis/axis_info.h"
#include "analysis/call_graph.h"
#include "base/map.h"
#include "dialects/ttg/encoding/blocked.h"
#include "nereid/builder.h"
#include "nereid/dialects/ops.h"

#include "mlir-c/IR.h"

typedef struct nereid_lower_row nereid_lower_row_t;
typedef struct nereid_lower_word nereid_lower_word_t; /* emit.c */

/* What the target and the caller decide. */
typedef struct nereid_lower_options {
  int32_t capability;  /* 80, 86, 89, 90 */
  int32_t ptx_version; /* 87 is 8.7 */
  bool global_order;   /* barriers between dependent accesses to global memory */
  bool fp_fusion;      /* multiplies and adds may contract */
  bool wgmma;          /* sm_90a, not sm_90 */
  bool kernel_tensors; /* kernels may have tensors, buffers and results; ops of the llvm dialect are copied */
} nereid_lower_options_t;

/* LLVM-dialect types that every family needs. */
typedef struct nereid_lower_types {
  MlirType i1, i8, i16, i32, i64, f16, bf16, f32, f64;
  MlirType ptr, ptr_global, ptr_shared; /* address spaces 0, 1, 3 */
  MlirType none;                        /* llvm.void */
} nereid_lower_types_t;

enum { NEREID_LOWER_OVERFLOWS = 4 };

/* The hidden parameters of a function: the frames in which it, or a function that it calls, has buffers; and, for
 * functions called in partitions of ttg.warp_specialize, the warps that run it. */
typedef struct nereid_lower_needs {
  bool shared, scratch, warps;
} nereid_lower_needs_t;

/* Numbers of emitted instructions of some kinds, for remarks. */
typedef struct nereid_lower_emitted {
  int64_t combinations; /* copies of a region */
  int64_t shuffles, warp_reductions, barriers;
} nereid_lower_emitted_t;

/* The state of one conversion. */
typedef struct nereid_lower_module {
  MlirOperation op; /* the builtin.module */
  MlirBlock block;  /* its body, where globals and declarations go */
  MlirContext context;
  nereid_arena_t *arena;
  nereid_lower_options_t options;
  nereid_lower_types_t types;
  const nereid_lower_row_t *const *rows; /* by op kind; null where there is none */
  nereid_call_graph_t graph;             /* call graph before conversion */
  nereid_lower_needs_t *needs;           /* indexed by function of `graph` */
  nereid_axis_result_t axis;             /* axis information before conversion */
  bool asserts_contiguity;               /* `axis` contains assertions of the program (tt.contiguity) */
  MlirAttribute contract;                /* #llvm.fastmath<contract> or null: for fmul, fadd, fsub and the like */
  struct {
    MlirAttribute arith, llvm;
  } overflow[NEREID_LOWER_OVERFLOWS]; /* overflow flags of arith and those of llvm: none, nsw, nuw, both */
  nereid_lower_emitted_t emitted;
  nereid_map_t declared; /* name, a StringAttr -> the type that nereid_lower_declare declared it with */
  nereid_map_t strings;  /* bytes, a StringAttr -> the global's name, a StringAttr */
  nereid_map_t layouts;  /* tensor type -> nereid_layout_t * */
} nereid_lower_module_t;

/* The state of one function. */
typedef struct nereid_lower_function {
  MlirOperation op; /* the tt.func */
  bool is_kernel;
  MlirBlock loading_block;        /* the last block of a loop that loaded a tensor from global memory */
  intptr_t loaded_bytes;          /* per thread, by the loads of loading_block so far */
  intptr_t most_loaded_bytes;     /* the largest loaded_bytes of any block in a loop */
  MlirBlock entry;                /* entry block of the llvm.func */
  bool has_other_warps;           /* a kernel that is launched with more warps than its own */
  MlirValue print_buffer;         /* ptr, null until something is printed */
  nereid_map_t values;            /* MlirValue -> nereid_lowered_t * */
  nereid_map_t blocks;            /* MlirBlock -> its block in the llvm.func */
  nereid_map_t looping;           /* MlirBlocks of the function that are in a loop */
  nereid_map_t words;             /* the first part of a 32-bit word -> nereid_lower_word_t * (nereid_emit_split) */
  nereid_lower_word_t *last_word; /* null: none */
  int32_t wgmma_groups;           /* commit groups per warp_group_dot; 0: not computed yet (nereid_wgmma_groups) */
  nereid_map_t over_budget;       /* tensor types that a remark has reported as too large */
} nereid_lower_function_t;

/* The warps that run the code being lowered: all of the function's, or those of a partition of ttg.warp_specialize. */
typedef struct nereid_lower_warp_group {
  nereid_thread_grid_t grid;
  MlirBlock prologue;       /* ends in a branch to the body; of a function its entry */
  MlirValue thread_id;      /* i32, within the group */
  MlirValue uniform_thread; /* i32, thread_id of the warp's first lane; null until used */
  MlirValue first_warp;     /* i32, the group's first warp in the CTA; null: 0 */
  MlirValue barrier;        /* i32, the id of the group's barrier; null: 0, for all threads of the CTA */
  MlirValue shared_base;    /* ptr<3>, null until used: see nereid_lower_shared_pointer */
  MlirValue scratch_base;   /* ptr<1>, null until used: see nereid_lower_scratch_pointer */
  nereid_map_t constants;   /* attribute -> its llvm.mlir.constant in the prologue */
  nereid_map_t coordinates; /* tensor type -> nereid_coordinates_t * */
} nereid_lower_warp_group_t;

/* The insertion point, function and warp group of emitted ops. A copy with another builder or group emits elsewhere, so
 * no state has to be restored. */
typedef struct nereid_lower {
  nereid_builder_t builder; /* its location is the current op's */
  MlirContext context;
  nereid_arena_t *arena;
  const nereid_lower_types_t *types; /* of `module` */
  nereid_lower_module_t *module;
  nereid_lower_function_t *function;
  nereid_lower_warp_group_t *group;
} nereid_lower_t;

/* Lowers `op`; false after a diagnostic. */
typedef bool (*nereid_lower_fn)(nereid_lower_t *lower, MlirOperation op, const nereid_lower_row_t *row);

/* One op of a family. `to` is the LLVM-dialect op of a one-to-one lowering, for functions that serve many rows. */
struct nereid_lower_row {
  nereid_op_kind_t kind;
  nereid_lower_fn lower;
  const char *to;
};

/* Zeroes `module` and sets its context, operation, arena, types and maps: enough to emit ops. `op` is a module. */
void nereid_lower_module_initialize(nereid_lower_module_t *module, MlirOperation op, nereid_arena_t *arena);

/* A group without values in the arena: the first block of its code is `prologue`. */
nereid_lower_warp_group_t nereid_lower_warp_group_at(nereid_arena_t *arena, MlirBlock prologue,
                                                     nereid_thread_grid_t grid);

/* `lower` at the end of the group's prologue, where every block of the group can use the results; the location is the
 * function's. */
nereid_lower_t nereid_lower_in_prologue(const nereid_lower_t *lower);

/* `lower` at the end of `block`. */
nereid_lower_t nereid_lower_at_end(const nereid_lower_t *lower, MlirBlock block);

/* Diagnostic at the op: "'tt.x' op <message>". Always false, so that lowerings can return it. */
bool nereid_lower_error(MlirOperation op, const char *format, ...) NEREID_PRINTF(2, 3);

#endif

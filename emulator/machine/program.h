/* What PTX is decoded to, and what executes it. Private to the emulator.
 *
 * A register is an array of 32 lanes (u8, u16, u32 or u64 by its declaration), a predicate a mask of 32 bits. An
 * operand says in which of three blocks of memory its array lies, the warp's registers, the program's constants (an
 * immediate is an array of 32 equal values) or the warp's special registers, so that an instruction reads all alike:
 *
 *   add.s32 %r1, %tid.x, 5   ->   {add_u32, {registers + 0}, {specials + 0}, {constants + 128}}
 */
#ifndef NEREID_EMULATOR_PROGRAM_H
#define NEREID_EMULATOR_PROGRAM_H

#include "base/arena.h"
#include "base/vector.h"
#include "emulator/emulator.h"

typedef unsigned __int128 emu_modifiers_t;

/* clang-format off */
#define EMU_MODIFIERS(X) \
  X(rn) X(rz) X(rm) X(rp) X(rni) X(rzi) X(rmi) X(rpi) X(rna) X(ftz) X(sat) X(satfinite) X(relu) X(approx) X(full) \
  X(lo) X(hi) X(wide) X(cc) X(xorsign) X(abs) X(NaN) X(eq) X(ne) X(lt) X(le) X(gt) X(ge) X(ls) X(hs) X(equ) X(neu) \
  X(ltu) X(leu) X(gtu) X(geu) X(num) X(nan) X(and) X(or) X(xor) X(uni) X(sync) X(aligned) X(wrap) X(clamp) X(l) X(r) \
  X(global) X(shared) X(shared_cluster) X(local) X(param) X(const) X(volatile) X(relaxed) X(acquire) X(release) \
  X(acq_rel) X(sc) X(cta) X(cluster) X(gpu) X(sys) X(nc) X(weak) X(v2) X(v4) X(v8) X(ca) X(cg) X(cs) X(lu) X(cv) X(wb) \
  X(wt) X(hint) X(eviction) X(prefetch) X(add) X(min) X(max) X(inc) X(dec) X(exch) X(cas) X(noftz) X(up) X(down) \
  X(bfly) X(idx) X(all) X(any) X(ballot) X(popc) X(arrive) X(red) X(warp) X(to) X(shiftamt) X(finite) X(infinite) \
  X(number) X(notanumber) X(normal) X(subnormal) X(f4e) X(b4e) X(rc8) X(ecl) X(ecr) X(rc16) X(fractional) X(range) \
  X(mmio) X(gl) X(m8n8) X(x1) X(x2) X(x4) X(trans)
/* clang-format on */

typedef enum emu_modifier {
#define X(name) EMU_##name,
  EMU_MODIFIERS(X)
#undef X
      EMU_MODIFIER_COUNT
} emu_modifier_t;
_Static_assert(EMU_MODIFIER_COUNT <= 128, "modifiers are bits of emu_modifiers_t");

#define EMU_BIT(name) ((emu_modifiers_t)1 << EMU_##name)
#define EMU_SPACES                                                                                                     \
  (EMU_BIT(global) | EMU_BIT(shared) | EMU_BIT(shared_cluster) | EMU_BIT(local) | EMU_BIT(param) | EMU_BIT(const))
#define EMU_HAS(insn, name) (((insn)->modifiers & EMU_BIT(name)) != 0)

typedef enum emu_type {
  EMU_NONE,
  EMU_U8,
  EMU_U16,
  EMU_U32,
  EMU_U64,
  EMU_S8,
  EMU_S16,
  EMU_S32,
  EMU_S64,
  EMU_B8,
  EMU_B16,
  EMU_B32,
  EMU_B64,
  EMU_F16,
  EMU_F16X2,
  EMU_BF16,
  EMU_BF16X2,
  EMU_F32,
  EMU_F64,
  EMU_TF32,
  EMU_E4M3X2,
  EMU_E5M2X2,
  EMU_E4M3,
  EMU_E5M2,
  EMU_S4,
  EMU_U4,
  EMU_B1,
  EMU_U16X2,
  EMU_S16X2,
  EMU_B128,
  EMU_PRED,
} emu_type_t;

enum { EMU_REGISTERS, EMU_CONSTANTS, EMU_SPECIALS, EMU_BASES };
enum { EMU_MAX_OPERANDS = 320, EMU_MAX_LISTS = 4, EMU_MAX_TYPES = 4, EMU_LANES = 32 };

typedef struct emu_operand {
  uint32_t offset; /* bytes into its block; of a register its number, until its function has been read */
  uint8_t base;
  uint8_t size;        /* bytes per lane; 0: a predicate, one mask */
  uint8_t negated : 1; /* a predicate read through ! */
  uint8_t absent : 1;
  uint8_t written : 1; /* a destination */
} emu_operand_t;

typedef struct emu_warp emu_warp_t;
typedef struct emu_insn emu_insn_t;

/* What an instruction asks of the loop that runs it. */
typedef enum emu_next {
  EMU_ADVANCE, /* to the next instruction */
  EMU_JUMPED,  /* the warp's groups were rearranged */
  EMU_WAIT,    /* the group stays here until other lanes come */
  EMU_BLOCKED, /* the group waits at a barrier */
  EMU_STALL,   /* the group waits for an event, its state says so, and then executes the instruction again */
  EMU_FAILED,  /* the warp's message is set */
} emu_next_t;

typedef emu_next_t (*emu_execute_t)(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask);

typedef enum emu_access { EMU_READ, EMU_WRITE, EMU_UPDATE /* by an atomic */ } emu_access_t;

typedef enum emu_space {
  EMU_GENERIC,
  EMU_GLOBAL,
  EMU_SHARED,
  EMU_LOCAL,
  EMU_PARAM,
  EMU_SHARED_CLUSTER, /* shared memory of any CTA of the cluster: EMU_RANK_SHIFT */
} emu_space_t;

/* A 32-bit address in the shared::cluster window: 0 or 1 + the CTA's rank above an offset. 0: the CTA's own memory, so
 * shared::cta addresses are shared::cluster ones. */
enum { EMU_RANK_SHIFT = 24, EMU_OFFSET_MASK = (1 << EMU_RANK_SHIFT) - 1, EMU_MAX_CLUSTER = 16 };

/* What may follow an instruction. */
enum { EMU_FLOW_NEXT, EMU_FLOW_BRANCH /* its target */, EMU_FLOW_TABLE /* its list */, EMU_FLOW_END };

struct emu_insn { /* what every execution reads comes first: one line of the cache */
  emu_execute_t execute;
  emu_operand_t *operands; /* n_operands, in the program's arena */
  emu_modifiers_t modifiers;
  emu_operand_t guard;
  uint8_t has_guard, klass, n_vector, space, size, flow;
  uint16_t variant;
  uint8_t types[EMU_MAX_TYPES];
  uint32_t target;     /* of a branch or call */
  int64_t offset;      /* of the address */
  emu_execute_t inner; /* what a wrapper calls: with another rounding mode */
  int64_t offsets[2];  /* of the addresses of the second and the third */
  struct {
    uint16_t first, count; /* in operands */
  } lists[EMU_MAX_LISTS];  /* of V and W, in their order */
  const uint32_t *list;    /* targets of brx.idx; triples {from, to, bytes} of calls; M, N, K of a matrix product */
  const char *text;        /* in the program's text, for messages */
  uint32_t n_list, line, place; /* line of the text; in the source, by number */
  uint16_t n_operands, text_size;
  uint8_t choices[4];
};

typedef struct emu_region {
  uint64_t address, bytes;
  uint8_t *host;
  const char *label;
  uint8_t *undefined; /* of scratch: bits that nothing has written; null: all is */
} emu_region_t;

struct nereid_emulator_memory {
  nereid_arena_t arena;
  NEREID_VECTOR(emu_region_t) regions;
  uint64_t next;
};

typedef struct emu_variable { /* .global and .const of the module */
  const char *name;
  uint64_t address;
  uint32_t bytes;
  const uint8_t *initial;
} emu_variable_t;

struct nereid_emulator_kernel {
  nereid_emulator_program_t *program;
  nereid_view_t name;
  const char *name_text;
  bool is_entry, defined;
  uint8_t visit;                  /* 0, 1: its calls are being followed, 2: done */
  uint32_t nested;                /* calls at once below it, but for those through addresses */
  uint32_t entry, end;            /* pcs */
  uint32_t register_bytes, frame; /* of its registers: how many, and where in the warp's block */
  uint32_t line;
  NEREID_VECTOR(nereid_emulator_parameter_t) parameters;
  uint32_t parameter_bytes;
  NEREID_VECTOR(nereid_emulator_parameter_t) formals; /* of a .func: offset in local memory, results first */
  uint32_t n_results;
  uint32_t block[3];
  uint32_t cluster[3]; /* .reqnctapercluster; zeros: none */
};

typedef struct emu_local { /* a .local variable, in the thread's local memory */
  uint32_t offset, bytes;
} emu_local_t;

typedef struct emu_place {             /* in the source, by the numbers of .loc */
  uint32_t file, line, column, caller; /* caller: the place where this was inlined, 0: it was not */
  const char *text;                    /* null: the file has no name */
} emu_place_t;

struct nereid_emulator_program {
  nereid_arena_t arena;
  const char *name;
  nereid_view_t text;
  NEREID_VECTOR(emu_insn_t) insns;
  NEREID_VECTOR(nereid_emulator_kernel_t *) functions;
  NEREID_VECTOR(emu_variable_t) variables;
  NEREID_VECTOR(const char *) files; /* by number of .file */
  NEREID_VECTOR(emu_place_t) places; /* 0 is none */
  uint8_t *constants;
  uint32_t constant_bytes, constant_capacity;
  uint32_t register_bytes, local_bytes, shared_static;
  uint64_t next_variable, next_constant;
  bool has_atomics, calls_addresses;
  uint32_t call_depth; /* calls of functions with a body that a thread can be in at once; 0: there are none */
  NEREID_VECTOR(emu_local_t) locals;
};

/* Where spaces lie among generic addresses. Global memory begins far below. */
#define EMU_SHARED_WINDOW UINT64_C(0x00007f0000000000)
#define EMU_LOCAL_WINDOW UINT64_C(0x00007e0000000000)
#define EMU_PARAM_WINDOW UINT64_C(0x00007d0000000000)
#define EMU_WINDOW_BYTES UINT64_C(0x0000000100000000)
#define EMU_FUNCTIONS_AT UINT64_C(0x0000000400000000)
#define EMU_FUNCTION_BYTES 128
#define EMU_CONSTANTS_AT UINT64_C(0x0000000600000000)
#define EMU_VARIABLES_AT UINT64_C(0x0000000800000000)
#define EMU_BUFFERS_AT UINT64_C(0x0000001000000000)

/* Special registers: each an array of 32 u32 in the warp's block, in this order; lanemasks follow. */
enum {
  EMU_TID_X,
  EMU_TID_Y,
  EMU_TID_Z,
  EMU_NTID_X,
  EMU_NTID_Y,
  EMU_NTID_Z,
  EMU_CTAID_X,
  EMU_CTAID_Y,
  EMU_CTAID_Z,
  EMU_NCTAID_X,
  EMU_NCTAID_Y,
  EMU_NCTAID_Z,
  EMU_LANEID,
  EMU_WARPID,
  EMU_NWARPID,
  EMU_SMID,
  EMU_NSMID,
  EMU_GRIDID,
  EMU_LANEMASK_EQ,
  EMU_LANEMASK_LT,
  EMU_LANEMASK_LE,
  EMU_LANEMASK_GT,
  EMU_LANEMASK_GE,
  EMU_DYNAMIC_SMEM,
  EMU_TOTAL_SMEM,
  EMU_CLUSTER_CTAID_X,
  EMU_CLUSTER_CTAID_Y,
  EMU_CLUSTER_CTAID_Z,
  EMU_CLUSTER_NCTAID_X,
  EMU_CLUSTER_NCTAID_Y,
  EMU_CLUSTER_NCTAID_Z,
  EMU_CLUSTERID_X,
  EMU_CLUSTERID_Y,
  EMU_CLUSTERID_Z,
  EMU_NCLUSTERID_X,
  EMU_NCLUSTERID_Y,
  EMU_NCLUSTERID_Z,
  EMU_CLUSTER_CTARANK,
  EMU_CLUSTER_NCTARANK,
  EMU_EXPLICIT_CLUSTER, /* a predicate */
  EMU_CLOCK_LO,
  EMU_CLOCK_HI,
  EMU_CLOCK_64, /* two places */
  EMU_SPECIAL_COUNT = EMU_CLOCK_64 + 2
};

typedef struct emu_group { /* lanes of a warp that go together */
  uint32_t mask, pc, depth;
  enum { EMU_RUNNING, EMU_WAITING, EMU_AT_BARRIER, EMU_AT_EVENT /* of an mbarrier or barrier.cluster */ } state;
  uint32_t barrier; /* AT_BARRIER: its number */
} emu_group_t;

typedef struct emu_cta emu_cta_t;
typedef struct emu_cluster emu_cluster_t;

struct emu_warp {
  uint8_t *base[EMU_BASES];
  emu_cta_t *cta;
  uint32_t index; /* in its CTA */
  uint32_t live;  /* lanes that have not exited */
  uint32_t carry; /* CC.CF of each lane */
  emu_group_t groups[EMU_LANES];
  uint32_t n_groups, current;
  uint32_t (*returns)[EMU_LANES]; /* [depth] */
  uint64_t executed, backward;
  bool yield;                       /* ends its turn */
  bool regrouped;                   /* a group of its may go on that could not */
  uint32_t committed[3][EMU_LANES]; /* groups of asynchronous effects (effect.h), by kind and lane */
  uint32_t cluster_arrived;         /* lanes that arrived at barrier.cluster and have not waited for it */
  uint32_t cluster_phase;           /* per lane: the phase at which they did */
  uint32_t timed_out;               /* lanes whose try_wait may give up */
};

static inline void emu_add_group(emu_warp_t *warp, uint32_t mask, uint32_t pc, uint32_t depth) {
  warp->groups[warp->n_groups++] = (emu_group_t){.mask = mask, .pc = pc, .depth = depth, .state = EMU_RUNNING};
}

typedef struct emu_barrier {
  uint32_t arrived, expected, all, any, count; /* any, all, count: of bar.red */
  bool in_use;
} emu_barrier_t;

typedef struct emu_mbarrier { /* an mbarrier that init made and nothing made invalid */
  uint32_t offset;            /* in shared memory */
  uint64_t bits;              /* what lies there as long as nothing else writes over it */
} emu_mbarrier_t;
typedef struct emu_race_cta emu_race_cta_t;

struct emu_cta {
  emu_cluster_t *cluster;
  const nereid_emulator_kernel_t *kernel;
  const nereid_emulator_launch_t *launch;
  const emu_region_t *regions;
  size_t n_regions, last_region;
  uint32_t id[3], rank, n_threads, n_warps; /* rank: in its cluster */
  uint8_t *block;                           /* what the rest lies in (cta.c) */
  emu_warp_t *warps;
  uint8_t *shared, *local;
  uint8_t *published; /* shared memory as the async proxy sees it, and who wrote each byte; null: it sees all */
  uint16_t *owners;
  uint32_t shared_bytes, local_bytes;
  emu_barrier_t barriers[16];
  NEREID_VECTOR(emu_mbarrier_t) mbarriers; /* in the cluster's arena */
  struct emu_undefined *undefined;         /* null: nobody asks */
  struct emu_frames *frames;               /* null: the program calls no functions */
  emu_race_cta_t *race;                    /* null: races are not looked for */
  nereid_emulator_counters_t counters;
  uint64_t warp_instructions, thread_instructions;
  char *printed;
  size_t printed_size, printed_capacity;
};

/* The CTAs that run together, one at least. They have one scheduler, one queue of effects and one failure. */
struct emu_cluster {
  nereid_arena_t arena;
  const nereid_emulator_launch_t *launch;
  const nereid_emulator_kernel_t *kernel;
  const emu_region_t *regions;
  size_t n_regions;
  emu_cta_t *ctas;
  uint32_t n_ctas, id[3];
  struct emu_effect *first, *last; /* the queue (effect.h) */
  struct emu_effect *landing;      /* the effect that lands now, whose accesses these are; null: none */
  uint64_t serial, random;
  uint64_t completions, timeouts; /* completed phases; fruitless rounds of timed out waits since the last one */
  uint32_t barrier_phase;         /* of barrier.cluster */
  bool keeps_landed;              /* effects stay in the queue until they are waited for */
  nereid_message_t message;
  nereid_status_t status;
};

/* One row per form: `name` with the types of `types` ("s32", "f32.f16"; "int" stands for any integer, "bit" for bN too,
 * '|' separates alternatives), all of `needs` and at most `may` besides.
 * Behind the name stand the words that are no modifiers, which the opcode has in any order: "mma m16n8k16 row col". A
 * word may be a choice, "row|col", or optional, "noinc?": insn->choices has for each such word in its order which one
 * it is, or whether it is there. "row.col" stands for two words that follow each other, * for a number.
 * `klass` may carry a number for the function, insn->variant: KLASS | EMU_VARIANT(n).
 * `operands` is pairs: what and how wide;
 *   d destination   s source   p predicate destination   q predicate source   o optional |p   Q optional , q
 *   m address       v vector or scalar destination   w vector or scalar source   O optional source   N nothing
 *   C source that is there when another operand follows it
 *   V W one or a list in braces of any length, destinations or sources: insn->lists
 *   A optional predicate or 32-bit source   T [tensor map, {coordinates}], the latter in insn->lists
 * widths: 0 1 2 that of the type, W twice that of type 0, b h w l 1 2 4 8 bytes, * any, - none. */
#define EMU_VARIANT(n) ((n) << 8)

typedef struct emu_form {
  const char *name, *types, *operands;
  emu_modifiers_t needs, may;
  emu_execute_t execute;
  int klass;
} emu_form_t;

/* The families: tables ended by a row without a name. */
/* clang-format off */
#define EMU_FAMILIES(X) \
  X(integer) X(carry) X(packed) X(bits) X(float) X(half) X(special) X(compare) X(convert_lanes) X(convert) X(move) \
  X(memory) X(wide) X(hint) X(atomic) X(warp) X(barrier) X(control) \
  X(cluster) X(mbarrier) X(async) X(bulk) X(tensor) X(tensor_map) X(fence) \
  X(matrix) X(mma) X(wmma) X(wgmma)
/* clang-format on */
#define X(family) extern const emu_form_t nereid_emulator_##family##_forms[];
EMU_FAMILIES(X)
#undef X

unsigned nereid_emulator_type_size(emu_type_t type);

/* Fails at an instruction: "k.ptx:12 (kernels.py:3): ...: thread (1,0,0) of CTA (0,0,0): <sentence>". */
emu_next_t nereid_emulator_fail(emu_warp_t *warp, const emu_insn_t *insn, int lane, const char *format, ...)
    NEREID_PRINTF(4, 5);

/* The bytes of a lane's access, null after failing. */
uint8_t *nereid_emulator_access(emu_warp_t *warp, const emu_insn_t *insn, int lane, emu_space_t space, uint64_t address,
                                uint32_t bytes, emu_access_t access);

/* The same for all lanes of `mask`, which is not empty, in the instruction's space; those of the others get a place
 * that can be read. A request of `bytes` each, a power of two. False after failing. */
bool nereid_emulator_access_lanes(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask, const uint64_t *addresses,
                                  uint32_t bytes, emu_access_t access, uint8_t **places);

/* The same for 32 lanes whose bytes follow each other from `address` on, in global or shared memory. Null when they are
 * not of one piece, or the request is not simple for another reason: then it is nereid_emulator_access_lanes'. */
uint8_t *nereid_emulator_access_run(emu_warp_t *warp, const emu_insn_t *insn, uint64_t address, uint32_t bytes,
                                    emu_access_t access);

/* All lanes of an operand of up to 64 bits, zero-extended; those of `mask` to an operand, truncated. */
void nereid_emulator_lanes(const emu_warp_t *warp, const emu_operand_t *operand, uint64_t *out);
void nereid_emulator_set_lanes(emu_warp_t *warp, const emu_operand_t *operand, const uint64_t *values, uint32_t mask);

/* Counts a request of the lanes of `mask`. */
void nereid_emulator_count(emu_warp_t *warp, const uint64_t *addresses, uint32_t mask, uint32_t bytes,
                           emu_space_t space, bool store);
void nereid_emulator_count_run(emu_warp_t *warp, uint64_t address, uint32_t bytes, emu_space_t space, bool store);
/* Whether every lane of `members` that lives is in `mask`. */
bool nereid_emulator_all_here(const emu_warp_t *warp, uint32_t members, uint32_t mask);

/* Whether an instruction goes on that all of the warp's live lanes must reach together, and one that they must where it
 * is .aligned. EMU_WAIT, EMU_FAILED else. */
emu_next_t nereid_emulator_converged(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask);
emu_next_t nereid_emulator_aligned(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask);

/* Moves the lanes of the current group, each to its own pc at `depth`. */
void nereid_emulator_regroup(emu_warp_t *warp, uint32_t lanes, const uint32_t *pcs, uint32_t depth);
void nereid_emulator_exit(emu_warp_t *warp, uint32_t mask);
/* Lets a barrier's waiters go when enough threads are there. */
void nereid_emulator_barrier_check(emu_cta_t *cta, unsigned id);

/* The built-in functions of CUDA's device runtime. */
emu_next_t nereid_emulator_vprintf(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask);
emu_next_t nereid_emulator_assertfail(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask);
emu_next_t nereid_emulator_call(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask);
emu_next_t nereid_emulator_move_each(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask);
/* Of hints: read, and without effect. */
emu_next_t nereid_emulator_nothing(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask);
emu_next_t nereid_emulator_pack(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask);
emu_next_t nereid_emulator_unpack(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask);
emu_next_t nereid_emulator_rounded(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask);

/* Bytes at an address as `nereid_emulator_access` finds them, aligned to `alignment`. */
uint8_t *nereid_emulator_reach(emu_warp_t *warp, const emu_insn_t *insn, int lane, emu_space_t space, uint64_t address,
                               uint32_t bytes, uint32_t alignment, emu_access_t access);
/* Whether the bytes at a global address are all of one buffer. */
bool nereid_emulator_is_there(emu_cta_t *cta, uint64_t address, uint32_t bytes);
/* The CTA whose shared memory has those bytes, and their offset in it; null after failing. */
emu_cta_t *nereid_emulator_shared_range(emu_warp_t *warp, const emu_insn_t *insn, int lane, emu_space_t space,
                                        uint64_t address, uint32_t bytes, uint32_t alignment, uint32_t *out_offset);
/* What a reduction leaves of `old`. */
uint64_t nereid_emulator_combined(const emu_insn_t *insn, uint64_t old, uint64_t with);
/* Whether any of its threads has not exited. */
bool nereid_emulator_lives(const emu_cta_t *cta);

/* barrier.cluster: lets the waiters go when all live threads have arrived. */
void nereid_emulator_cluster_check(emu_cluster_t *cluster);
/* Lets everything that waits for an event look again. */
void nereid_emulator_wake(emu_cluster_t *cluster);
uint64_t nereid_emulator_random(emu_cluster_t *cluster);
/* Makes the CTA of that rank; its block, null at first, is the caller's. False: no memory. */
bool nereid_emulator_start_cta(emu_cta_t *cta, emu_cluster_t *cluster, uint32_t rank);
nereid_status_t nereid_emulator_run_cluster(emu_cluster_t *cluster);

#endif

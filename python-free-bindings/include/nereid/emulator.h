/* The PTX emulator: runs PTX kernels on the host. Requires neither a GPU, nor MLIR, nor LLVM.
 *
 *   nereid_emulator_program_t *program;
 *   nereid_emulator_memory_t *memory;
 *   nereid_emulator_load(nereid_view(text), "k.ptx", &program, &message);
 *   nereid_emulator_memory_create(&memory);
 *   nereid_emulator_memory_add(memory, x, sizeof x, 16, "x", &block.x);     // the address that the kernel sees
 *   nereid_emulator_launch_t launch = {.grid = {8, 1, 1}, .parameters = &block, .parameter_bytes = sizeof block,
 *                                      .memory = memory, .racecheck = true, .race = report_race};
 *   nereid_emulator_run(nereid_emulator_kernel(program, NULL), &launch, &report);
 *   nereid_emulator_memory_destroy(memory);
 *   nereid_emulator_unload(program);
 *
 * docs/emulator.md describes the model, docs/racecheck.md the race detector.
 *
 * Ownership: `load` and `create` transfer ownership to the caller, who calls `unload` and `destroy` (null is valid).
 * Kernels, their names and their parameters belong to the program, which must outlive every launch. Arguments of a
 * callback are valid during the call only. Zeroed structures select the defaults. Threads: a program is read-only after
 * loading; several threads may launch it concurrently. A memory is not thread-safe: concurrent launches need separate
 * ones. Callbacks run on the thread that called nereid_emulator_run, after the grid has ended. */
#ifndef NEREID_EMULATOR_H
#define NEREID_EMULATOR_H

#include "base/message.h"
#include "base/view.h"

#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nereid_emulator_program nereid_emulator_program_t;
typedef struct nereid_emulator_kernel nereid_emulator_kernel_t;
typedef struct nereid_emulator_memory nereid_emulator_memory_t;

/* Parses and decodes PTX. `name` is used in messages. Both strings are copied.
 *   NEREID_ERROR_PROGRAM   malformed, or an unsupported instruction form; the message names the line
 *                          ("k.ptx:12: ...")
 *   NEREID_ERROR_MEMORY */
NEREID_MUST_USE nereid_status_t nereid_emulator_load(nereid_view_t text, const char *name,
                                                     nereid_emulator_program_t **out_program,
                                                     nereid_message_t *message);

/* Frees a program with its kernels. Null is valid. */
void nereid_emulator_unload(nereid_emulator_program_t *program);

/* Returns a kernel (.entry) by name; null: the only one. Null when there is none or, without a name, more than one.
 * Valid as long as the program. */
const nereid_emulator_kernel_t *nereid_emulator_kernel(const nereid_emulator_program_t *program, const char *name);

typedef struct nereid_emulator_parameter {
  const char *name;
  uint32_t offset, size; /* bytes in the parameter block */
} nereid_emulator_parameter_t;

/* Returns the kernel's name. Name and parameters are valid as long as the program. */
const char *nereid_emulator_kernel_name(const nereid_emulator_kernel_t *kernel);
/* Returns the number of parameters, and the parameters in declaration order. */
size_t nereid_emulator_kernel_parameters(const nereid_emulator_kernel_t *kernel,
                                         const nereid_emulator_parameter_t **out_parameters);
/* Gets the block of .reqntid; zeros without it. */
void nereid_emulator_kernel_block(const nereid_emulator_kernel_t *kernel, uint32_t out_block[3]);
/* Returns the size of the parameter block, bytes. */
uint32_t nereid_emulator_kernel_parameter_bytes(const nereid_emulator_kernel_t *kernel);

/* Global memory: host buffers at virtual addresses, which depend only on the order, sizes and alignments of the buffers
 * and are at least 2^36 bytes apart, beyond the range of 32-bit indices (base/kernel/address.h). */
NEREID_MUST_USE nereid_status_t nereid_emulator_memory_create(nereid_emulator_memory_t **out_memory);

/* As nereid_emulator_memory_create, with all buffers after the address `start`, so that several memories of a process
 * can have different addresses. NEREID_ERROR_ARGUMENT: `start` is not below 2^62. NEREID_ERROR_MEMORY. */
NEREID_MUST_USE nereid_status_t nereid_emulator_memory_create_at(uint64_t start, nereid_emulator_memory_t **out_memory);

/* Destroys the memory; the host buffers are no longer borrowed. Null is valid. */
void nereid_emulator_memory_destroy(nereid_emulator_memory_t *memory);

/* Binds a host buffer, which is borrowed until the memory is destroyed. `alignment`: a power of two. `label` is the
 * buffer's name in messages, borrowed, may be null.
 *   NEREID_ERROR_ARGUMENT   `alignment` is not a power of two, or the address space is exhausted
 *   NEREID_ERROR_MEMORY */
NEREID_MUST_USE nereid_status_t nereid_emulator_memory_add(nereid_emulator_memory_t *memory, void *host, size_t bytes,
                                                           uint64_t alignment, const char *label,
                                                           uint64_t *out_address);

/* Marks the buffer at that address as scratch: its bytes are uninitialized until written, for initcheck.
 *   NEREID_ERROR_NOT_FOUND   no buffer starts there
 *   NEREID_ERROR_MEMORY */
NEREID_MUST_USE nereid_status_t nereid_emulator_memory_scratch(nereid_emulator_memory_t *memory, uint64_t address);

/* Removes the buffer that starts at `address`, which is no longer borrowed. The address is not reused: a later access
 * fails as a use of freed memory.
 *   NEREID_ERROR_NOT_FOUND   no buffer starts there
 *   NEREID_ERROR_MEMORY */
NEREID_MUST_USE nereid_status_t nereid_emulator_memory_remove(nereid_emulator_memory_t *memory, uint64_t address);

/* Returns the host address of `bytes` bytes at `address`; null when they are not within one buffer. Valid as long as
 * the buffer. */
void *nereid_emulator_memory_host(const nereid_emulator_memory_t *memory, uint64_t address, size_t bytes);

/* Marks bytes of scratch as initialized, after the host wrote them. Bytes outside of scratch are ignored. */
void nereid_emulator_memory_define(nereid_emulator_memory_t *memory, uint64_t address, size_t bytes);

typedef enum nereid_emulator_schedule {
  NEREID_EMULATOR_ROUND_ROBIN, /* 256 instructions per time slice */
  NEREID_EMULATOR_RANDOM,      /* any warp, 1 to 64 instructions, by seed */
  NEREID_EMULATOR_ADVERSARIAL, /* one warp until it waits */
} nereid_emulator_schedule_t;

/* The landing time of asynchronous effects: cp.async, bulk copies, wgmma. */
typedef enum nereid_emulator_landing {
  NEREID_EMULATOR_LAND_AT_ISSUE,
  NEREID_EMULATOR_LAND_AT_WAIT, /* when something waits for them, or nothing else can run */
  NEREID_EMULATOR_LAND_RANDOM,  /* at any time between, by seed */
} nereid_emulator_landing_t;

/* The visibility of threads' writes to shared memory in the async proxy (wgmma's operands, bulk copies). */
typedef enum nereid_emulator_proxy {
  NEREID_EMULATOR_PROXY_AT_ONCE,  /* all writes */
  NEREID_EMULATOR_PROXY_AT_FENCE, /* writes before the writing thread's last fence.proxy.async */
} nereid_emulator_proxy_t;

/* Classes of instructions, for the counters. */
enum {
  NEREID_EMULATOR_CLASS_INTEGER,
  NEREID_EMULATOR_CLASS_FLOAT,
  NEREID_EMULATOR_CLASS_SPECIAL, /* ex2, rcp, sin, ... */
  NEREID_EMULATOR_CLASS_CONVERT,
  NEREID_EMULATOR_CLASS_MOVE, /* mov, selp, prmt, comparisons, cvta */
  NEREID_EMULATOR_CLASS_MEMORY,
  NEREID_EMULATOR_CLASS_ATOMIC,
  NEREID_EMULATOR_CLASS_WARP, /* shfl, vote, match, redux */
  NEREID_EMULATOR_CLASS_BARRIER,
  NEREID_EMULATOR_CLASS_CONTROL,
  NEREID_EMULATOR_CLASS_MATRIX, /* mma, wmma, wgmma.mma_async */
  NEREID_EMULATOR_CLASS_COUNT,
};

/* Counters of the model in docs/emulator.md; independent of the number of host threads. */
typedef struct nereid_emulator_counters {
  uint64_t warp_instructions[NEREID_EMULATOR_CLASS_COUNT];
  uint64_t thread_instructions[NEREID_EMULATOR_CLASS_COUNT];
  uint64_t global_requests[2], global_sectors[2], global_bytes[2]; /* loads, stores; atomics are stores */
  uint64_t shared_requests[2], shared_wavefronts[2], shared_bytes[2];
  uint64_t local_bytes[2];
  uint64_t barriers;
  uint64_t bulk_copies, bulk_bytes; /* cp.async.bulk, tensor ones too, and cp.reduce.async.bulk */
} nereid_emulator_counters_t;

typedef enum nereid_emulator_race_class {
  NEREID_EMULATOR_RACE_DATA,       /* unordered accesses */
  NEREID_EMULATOR_RACE_PROXY,      /* ordered, but without fence.proxy.async */
  NEREID_EMULATOR_RACE_REGISTER,   /* registers of a wgmma in flight, or without wgmma.fence */
  NEREID_EMULATOR_RACE_TENSOR_MAP, /* a tensor map without its release or acquire */
} nereid_emulator_race_class_t;

typedef struct nereid_emulator_race_side {
  const char *program, *what; /* name of the PTX; kind of access: "write", "read by cp.async", ... */
  const char *source;         /* "lib.py:7, called at k.py:20"; null: unknown */
  uint32_t line, source_line;
  nereid_view_t text; /* text of the instruction */
  uint32_t thread[3], cta[3], warp;
  bool whole; /* all of the warp, `thread` is its first */
} nereid_emulator_race_side_t;

/* Two unordered accesses. `address`, `bytes`: their overlap, of the first of `count` such pairs. */
typedef struct nereid_emulator_race {
  nereid_emulator_race_class_t kind;
  const char *space;
  uint64_t address, count;
  uint32_t bytes;
  nereid_emulator_race_side_t earlier, later;
} nereid_emulator_race_t;

typedef struct nereid_emulator_place {
  const char *program, *source; /* name of the PTX; source location, as "lib.py:7, called at k.py:20"; null: unknown */
  uint32_t line, source_line;
  nereid_view_t text; /* text of the instruction */
} nereid_emulator_place_t;

/* Live shared memory of a caller that a callee, called at `call`, overwrote before the caller's read. `count` bytes,
 * the lowest at `address`. */
typedef struct nereid_emulator_overwrite {
  uint64_t address, count;
  nereid_emulator_place_t stored, call, overwritten, read;
} nereid_emulator_overwrite_t;

/* Rules of the PTX ISA whose violation the hardware tolerates. A launch reports it and continues as the hardware does,
 * unless `stop_on` has the rule's bit. Columns: enumerator, name, section of the PTX ISA, summary. */
#define NEREID_EMULATOR_RULES(X)                                                                                       \
  X(MBARRIER_REUSE, "mbarrier-reuse", "mbarrier.init",                                                                 \
    "`mbarrier.init` on an mbarrier that was not invalidated; the new one replaces it")                                \
  X(MBARRIER_INVALID, "mbarrier-invalid", "mbarrier.inval", "`mbarrier.inval` without an mbarrier; it has no effect")  \
  X(BULK_AT_EXIT, "bulk-at-exit", "Shared State Space",                                                                \
    "a CTA exits without a wait for a bulk copy that accesses its shared memory, with `--racecheck` or if effects do " \
    "not "                                                                                                             \
    "land at their issue; the memory may already belong to another CTA")                                               \
  X(UNINITIALIZED, "uninitialized", "Memory Consistency Model: Initialization",                                        \
    "with `--initcheck`: a use of uninitialized bits; they are zeros")

typedef enum nereid_emulator_rule {
#define X(id, name, section, summary) NEREID_EMULATOR_RULE_##id,
  NEREID_EMULATOR_RULES(X)
#undef X
      NEREID_EMULATOR_RULE_COUNT
} nereid_emulator_rule_t;

/* Return the columns of a rule, static storage; null when there is no such rule. */
const char *nereid_emulator_rule_name(nereid_emulator_rule_t rule);
const char *nereid_emulator_rule_section(nereid_emulator_rule_t rule);
const char *nereid_emulator_rule_summary(nereid_emulator_rule_t rule);

/* The violations of one rule by one instruction: `count` of them; the other fields describe the first one of the first
 * CTA. */
typedef struct nereid_emulator_violation {
  nereid_emulator_rule_t rule;
  uint64_t count;
  const char *sentence;
  uint32_t thread[3], cta[3];
  nereid_emulator_place_t place;
} nereid_emulator_violation_t;

/* The writes of a launch to the bytes that it watches, by any instruction. The other fields describe the last one; of
 * several CTAs, that of the last one in the grid. */
typedef struct nereid_emulator_write {
  uint64_t count; /* number of threads */
  uint32_t thread[3], cta[3];
  nereid_emulator_place_t place;
} nereid_emulator_write_t;

/* Counters of one loop of the PTX over all warps of a launch, without inner loops and called functions. All but
 * `iterations` are sums over the iterations. */
typedef struct nereid_emulator_loop {
  nereid_emulator_place_t place; /* its first instruction */
  uint64_t iterations;           /* sum over all warps */
  uint64_t instructions;         /* warp instructions */
  uint64_t mma, wgmma;           /* mma and wmma.mma; wgmma.mma_async */
  uint64_t copies, bulk_copies;  /* cp.async; bulk and tensor copies */
  uint64_t waits;                /* for groups of cp.async, of bulk copies and of wgmma, and at mbarriers */
  uint64_t barriers;             /* of warps that arrive, not completed ones */
  uint64_t shared_requests, shared_wavefronts;
  uint64_t bank_conflicts; /* wavefronts beyond one per 32 lanes (of 8 bytes: 16, of 16: 8) */
} nereid_emulator_loop_t;

/* Counters of one instruction of the PTX over all warps of a launch. The sums over all instructions are the launch's
 * counters, if asynchronous operations land at their issue; a later landing counts for the instruction that waits.
 * Pairs are loads and stores. A completed barrier counts for the instruction of its last arrival. */
typedef struct nereid_emulator_cost {
  nereid_emulator_place_t place;
  uint32_t kind;           /* its class, NEREID_EMULATOR_CLASS_... */
  uint64_t warps, threads; /* instructions of warps and of threads */
  uint64_t global_requests[2], global_sectors[2], global_bytes[2];
  uint64_t shared_requests[2], shared_wavefronts[2], shared_bytes[2];
  uint64_t local_bytes[2];
  uint64_t bank_conflicts; /* as in nereid_emulator_loop_t */
  uint64_t barriers, bulk_copies, bulk_bytes;
} nereid_emulator_cost_t;

/* The kind of an event of the timeline. COPY and the following are asynchronous operations in flight. */
typedef enum nereid_emulator_event_kind {
  NEREID_EMULATOR_EVENT_RUN,      /* consecutive instructions of one source line, none of those below */
  NEREID_EMULATOR_EVENT_ISSUE,    /* one that issues, commits, fences or arrives */
  NEREID_EMULATOR_EVENT_WAIT,     /* for groups of asynchronous operations */
  NEREID_EMULATOR_EVENT_BARRIER,  /* a wait at bar.sync or barrier.cluster */
  NEREID_EMULATOR_EVENT_MBARRIER, /* a wait for a phase of an mbarrier */
  NEREID_EMULATOR_EVENT_COPY,     /* cp.async */
  NEREID_EMULATOR_EVENT_LOAD,     /* bulk or tensor copy, tracked by an mbarrier */
  NEREID_EMULATOR_EVENT_STORE,    /* bulk or tensor copy or reduction, in a bulk group */
  NEREID_EMULATOR_EVENT_SEND,     /* st.async, red.async */
  NEREID_EMULATOR_EVENT_WGMMA,    /* wgmma.mma_async of four warps, of which `warp` is the first */
} nereid_emulator_event_kind_t;

/* An event of the timeline (docs/emulator.md, "Timeline"). It lasts from step `begin` to step `end`, which is greater.
 * Events of one warp, too, may overlap: those of its diverged groups of lanes, and those in flight. */
typedef struct nereid_emulator_event {
  nereid_emulator_event_kind_t kind;
  uint64_t begin, end;
  uint32_t cta[3], warp;   /* the warp that executes or issues it */
  uint32_t lanes;          /* a mask */
  uint32_t count;          /* RUN: instructions; LOAD, SEND: bytes; else 0 */
  uint32_t barrier, phase; /* BARRIER: its number; tracked by, or waiting for an mbarrier: its address, its parity */
  bool complete;           /* false: unfinished when the launch failed, or a wait that timed out */
  nereid_emulator_place_t place; /* RUN: the first instruction */
} nereid_emulator_event_t;

/* Selects the events of a timeline. Zeros: the CTAs of the first cluster, 200,000 events. */
typedef struct nereid_emulator_timeline {
  uint64_t first, ctas; /* number of the first CTA in the grid, x fastest; number of CTAs, 0: those of its cluster */
  uint64_t limit;       /* maximum number of events; the report counts the others */
} nereid_emulator_timeline_t;

typedef struct nereid_emulator_launch {
  uint32_t grid[3];
  uint32_t block[3];      /* zeros: .reqntid */
  uint32_t cluster[3];    /* CTAs of a cluster; zeros: .reqnctapercluster, else 1. The grid counts CTAs */
  uint32_t shared_bytes;  /* dynamic shared memory */
  const void *parameters; /* the parameter block */
  uint32_t parameter_bytes;
  nereid_emulator_memory_t *memory;
  uint32_t threads; /* host threads; 0: one per processor */
  nereid_emulator_schedule_t schedule;
  uint64_t seed;
  nereid_emulator_landing_t landing;
  nereid_emulator_proxy_t proxy;
  uint64_t steps; /* instructions that a warp may execute, else the launch fails; 0: any number */
  bool count;
  bool initcheck;   /* track uninitialized bits, and report their uses */
  uint32_t stop_on; /* bit 1 << rule: the launch fails at the first violation of the rule */
  bool racecheck;   /* detect races; the CTAs run sequentially */
  /* Receives each race, one per pair of instructions, after the launch; may be null. */
  void (*race)(void *user_data, const nereid_emulator_race_t *race);
  /* Receives each report of the frame check, one per four instructions, after the launch; may be null. */
  void (*overwrite)(void *user_data, const nereid_emulator_overwrite_t *overwrite);
  /* Receives each violation, one per rule and instruction, after the launch; may be null. */
  void (*violation)(void *user_data, const nereid_emulator_violation_t *violation);
  /* Receives the output of vprintf, in the order of CTAs, after the launch; null: it is discarded. */
  void (*print)(void *user_data, nereid_view_t text);
  void *user_data;
  /* With `count`: receives each loop that was executed, in the order of the PTX, after the launch; may be null. */
  void (*loop)(void *user_data, const nereid_emulator_loop_t *loop);
  /* Receives the events of the timeline, by CTA and begin, after the launch, also a failed one; null: no timeline. Of
   * events with the same begin, the longer ones come first. `landing` AT_WAIT shows operations in flight. */
  void (*event)(void *user_data, const nereid_emulator_event_t *event);
  nereid_emulator_timeline_t timeline;
  /* With `count`: receives each instruction that was executed, in the order of the PTX, after the launch, also a failed
   * one; may be null. */
  void (*cost)(void *user_data, const nereid_emulator_cost_t *cost);
  const void *watch;    /* host bytes of a buffer in `memory` whose writes are recorded; null: none */
  uint32_t watch_bytes; /* number of them */
  /* Receives the last write to the watched bytes after the launch, also a failed one; not called if there was none. */
  void (*write)(void *user_data, const nereid_emulator_write_t *write);
} nereid_emulator_launch_t;

typedef struct nereid_emulator_report {
  nereid_message_t message; /* the failure: location in PTX and source, thread, address */
  nereid_emulator_counters_t counters;
  uint64_t warp_instructions, thread_instructions;
  uint64_t races;      /* pairs of instructions */
  uint64_t overwrites; /* reports of the frame check */
  uint64_t violations; /* of rules, by instruction */
  uint64_t dropped;    /* events that the limit of the timeline left out */
} nereid_emulator_report_t;

/* Runs the grid to completion. NEREID_ERROR_PROGRAM: an error of the kernel, see the report; NEREID_ERROR_ARGUMENT;
 * NEREID_ERROR_MEMORY. Writes before a failure are kept. */
NEREID_MUST_USE nereid_status_t nereid_emulator_run(const nereid_emulator_kernel_t *kernel,
                                                    const nereid_emulator_launch_t *launch,
                                                    nereid_emulator_report_t *report);

/* --- the emulator as a device of nereid/launch.h --- */

struct nereid_device;

/* Options of an emulator device. A zeroed structure with `size` set is the default. */
typedef struct nereid_emulator_device_options {
  size_t size;             /* sizeof(nereid_emulator_device_options_t): later versions append fields */
  int32_t capability;      /* compute capability, 80 to 90; 0: 90 */
  int32_t multiprocessors; /* for grids that depend on their number; 0: 132 */
  uint32_t threads;        /* host threads; 0: one per processor */
  nereid_emulator_schedule_t schedule;
  nereid_emulator_landing_t landing;
  nereid_emulator_proxy_t proxy;
  uint64_t seed;
  uint64_t steps;   /* instructions that a warp may execute, else the launch fails; 0: any number */
  uint32_t stop_on; /* bit 1 << rule: a launch fails at the first violation of the rule */
  bool count;       /* fill the counters of the report */
  bool racecheck;   /* detect races; a race does not make the launch fail: see the report */
  bool initcheck;   /* a launch fails at a use of an uninitialized bit of device memory */
  /* As in nereid_emulator_launch_t. They are called during nereid_kernel_launch and must not call the device. */
  void (*race)(void *user_data, const nereid_emulator_race_t *race);
  void (*overwrite)(void *user_data, const nereid_emulator_overwrite_t *overwrite);
  void (*violation)(void *user_data, const nereid_emulator_violation_t *violation);
  void (*print)(void *user_data, nereid_view_t text);
  void *user_data; /* borrowed until the device is closed */
} nereid_emulator_device_options_t;

/* Opens an emulator as a device: every function of nereid/launch.h works on it as on a GPU, without a driver. It loads
 * PTX only. A launch returns when the kernel has ended; after a fault it returns NEREID_ERROR_DEVICE with the
 * emulator's message (location in the source and in the PTX), and the device remains usable. Work is
 * complete when a call returns, so streams only capture graphs (nereid/stream.h); events use the host's clock. Device
 * memory is zeroed on allocation; freed addresses are not reused. Variables of a module have their initial values at
 * each launch. Any thread may use the device; launches are serialized. `options` may be null.
 *   NEREID_ERROR_ARGUMENT   `size` or `capability` is out of range
 *   NEREID_ERROR_MEMORY */
NEREID_MUST_USE nereid_status_t nereid_device_open_emulator(const nereid_emulator_device_options_t *options,
                                                            struct nereid_device **out_device,
                                                            nereid_message_t *message);

/* Copies the report of the last launch, failed or not.
 *   NEREID_ERROR_ARGUMENT    the device is not an emulator
 *   NEREID_ERROR_NOT_FOUND   no kernel was launched */
NEREID_MUST_USE nereid_status_t nereid_emulator_device_report(struct nereid_device *device,
                                                              nereid_emulator_report_t *out_report,
                                                              nereid_message_t *message);

/* Experimental: the declarations below may change in any version. Define NEREID_EXPERIMENTAL before the include to use
 * them. All declarations above are stable: names, values, sizes and meaning stay within a major version. */

#ifdef NEREID_EXPERIMENTAL

/* Writes the counters to a file as one JSON object, an entry per line; `n_loops` may be 0. */
void nereid_emulator_counters_print(const nereid_emulator_counters_t *counters, const nereid_emulator_loop_t *loops,
                                    size_t n_loops, FILE *file);
/* As text of five lines. */
void nereid_emulator_overwrite_print(const nereid_emulator_overwrite_t *overwrite, FILE *file);
/* As text of two lines. */
void nereid_emulator_violation_print(const nereid_emulator_violation_t *violation, FILE *file);
/* Writes a timeline in the Trace Event format, which Perfetto and chrome://tracing open: one process per CTA, one track
 * per warp and tracks for asynchronous operations; a step is shown as a microsecond. `file` is borrowed until `close`.
 *
 *   nereid_emulator_trace_t *trace = nereid_emulator_trace_open(file);
 *   launch.event = nereid_emulator_trace_event, launch.user_data = trace;
 *
 * `open` returns null when it is out of memory. `close` completes the file and frees the trace (null is valid);
 * `dropped`: as in the report. NEREID_ERROR_IO: the file cannot be written; NEREID_ERROR_MEMORY: tracks are missing. */
typedef struct nereid_emulator_trace nereid_emulator_trace_t;
nereid_emulator_trace_t *nereid_emulator_trace_open(FILE *file);
void nereid_emulator_trace_event(void *trace, const nereid_emulator_event_t *event);
NEREID_MUST_USE nereid_status_t nereid_emulator_trace_close(nereid_emulator_trace_t *trace, uint64_t dropped);
/* One race, as text of four lines or as a JSON object in one. */
void nereid_emulator_race_print(const nereid_emulator_race_t *race, bool json, FILE *file);

#endif /* NEREID_EXPERIMENTAL */

#ifdef __cplusplus
}
#endif

#endif

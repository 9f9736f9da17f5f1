/* The PTX emulator: runs kernels from their PTX text on the host; needs neither a GPU, nor MLIR, nor LLVM.
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
 * Ownership: what `load` and `create` return is the caller's until `unload` and `destroy`, for which null is valid.
 * Kernels, their names and their parameters belong to the program; it must outlive every launch. What a callback gets
 * lives for the call only. Zeroed structures select the defaults.
 * Threads: a program is read-only after loading, and any number of threads may launch it at once. A memory is used by
 * one thread at a time: concurrent launches need a memory each. Callbacks run on the thread that called
 * nereid_emulator_run, after the grid has ended. */
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

/* Reads PTX. `name` appears in messages and is copied, as the text is. The text is decoded once.
 *   NEREID_ERROR_PROGRAM   malformed, or a form that the emulator does not handle; the message names the line
 *                          ("k.ptx:12: ...")
 *   NEREID_ERROR_MEMORY */
NEREID_MUST_USE nereid_status_t nereid_emulator_load(nereid_view_t text, const char *name,
                                                     nereid_emulator_program_t **out_program,
                                                     nereid_message_t *message);

/* Frees a program with its kernels. Null is valid. */
void nereid_emulator_unload(nereid_emulator_program_t *program);

/* A kernel (.entry) by name, null: the only one. Null when there is none or, without a name, more than one. It lives as
 * long as the program. */
const nereid_emulator_kernel_t *nereid_emulator_kernel(const nereid_emulator_program_t *program, const char *name);

typedef struct nereid_emulator_parameter {
  const char *name;
  uint32_t offset, size; /* bytes in the parameter block */
} nereid_emulator_parameter_t;

/* Its name in the text; it and the parameters live as long as the program. */
const char *nereid_emulator_kernel_name(const nereid_emulator_kernel_t *kernel);
/* How many parameters it has, and these in the order of their declaration. */
size_t nereid_emulator_kernel_parameters(const nereid_emulator_kernel_t *kernel,
                                         const nereid_emulator_parameter_t **out_parameters);
/* The block of .reqntid; zeros when the kernel requires none. */
void nereid_emulator_kernel_block(const nereid_emulator_kernel_t *kernel, uint32_t out_block[3]);
/* Bytes of the parameter block. */
uint32_t nereid_emulator_kernel_parameter_bytes(const nereid_emulator_kernel_t *kernel);

/* Global memory: host buffers at virtual addresses, which depend only on the order, sizes and alignments of the buffers
 * and are at least 2^36 bytes apart: no index of 32 bits leads from one to another (base/kernel/address.h). */
NEREID_MUST_USE nereid_status_t nereid_emulator_memory_create(nereid_emulator_memory_t **out_memory);

/* Ends the borrowing of all buffers. Null is valid. */
void nereid_emulator_memory_destroy(nereid_emulator_memory_t *memory);

/* `host` is borrowed until the memory is destroyed. `alignment`: a power of two. `label` is said in messages, borrowed,
 * may be null.
 *   NEREID_ERROR_ARGUMENT   another alignment, or more than the address space has
 *   NEREID_ERROR_MEMORY */
NEREID_MUST_USE nereid_status_t nereid_emulator_memory_add(nereid_emulator_memory_t *memory, void *host, size_t bytes,
                                                           uint64_t alignment, const char *label,
                                                           uint64_t *out_address);

/* The buffer at that address is scratch: what nobody has written there is undefined, which initcheck sees.
 *   NEREID_ERROR_NOT_FOUND   none begins there
 *   NEREID_ERROR_MEMORY */
NEREID_MUST_USE nereid_status_t nereid_emulator_memory_scratch(nereid_emulator_memory_t *memory, uint64_t address);

/* Removes the buffer that begins at `address` and ends its borrowing. The address is not assigned again: a later access
 * fails as a use of freed memory.
 *   NEREID_ERROR_NOT_FOUND   no buffer begins there
 *   NEREID_ERROR_MEMORY */
NEREID_MUST_USE nereid_status_t nereid_emulator_memory_remove(nereid_emulator_memory_t *memory, uint64_t address);

/* The host's copy of `bytes` bytes at `address`; null when they are not within one buffer. Valid as long as the buffer. */
void *nereid_emulator_memory_host(const nereid_emulator_memory_t *memory, uint64_t address, size_t bytes);

/* Marks bytes of scratch as written, after the host wrote them. Bytes outside of scratch are ignored. */
void nereid_emulator_memory_define(nereid_emulator_memory_t *memory, uint64_t address, size_t bytes);

typedef enum nereid_emulator_schedule {
  NEREID_EMULATOR_ROUND_ROBIN, /* 256 instructions per turn */
  NEREID_EMULATOR_RANDOM,      /* any warp, 1 to 64 instructions, by seed */
  NEREID_EMULATOR_ADVERSARIAL, /* one warp as far as it goes */
} nereid_emulator_schedule_t;

/* When asynchronous effects land: cp.async, bulk copies, wgmma. */
typedef enum nereid_emulator_landing {
  NEREID_EMULATOR_LAND_AT_ISSUE,
  NEREID_EMULATOR_LAND_AT_WAIT, /* when something waits for them, or nothing else can go on */
  NEREID_EMULATOR_LAND_RANDOM,  /* at any time between, by seed */
} nereid_emulator_landing_t;

/* What the async proxy (wgmma's operands, bulk copies) reads of what threads wrote to shared memory. */
typedef enum nereid_emulator_proxy {
  NEREID_EMULATOR_PROXY_AT_ONCE,  /* everything */
  NEREID_EMULATOR_PROXY_AT_FENCE, /* what the writing thread had before its last fence.proxy.async */
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

/* Counted by the model of docs/emulator.md; the same for any number of threads. */
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
  const char *program, *what; /* of the PTX; "write", "read by cp.async", ... */
  const char *source;         /* "lib.py:7, called at k.py:20"; null: not known */
  uint32_t line, source_line;
  nereid_view_t text; /* of the instruction */
  uint32_t thread[3], cta[3], warp;
  bool whole; /* all of the warp, `thread` is its first */
} nereid_emulator_race_side_t;

/* Two accesses that nothing orders. `address`, `bytes`: where they meet, of the first of `count` such pairs. */
typedef struct nereid_emulator_race {
  nereid_emulator_race_class_t kind;
  const char *space;
  uint64_t address, count;
  uint32_t bytes;
  nereid_emulator_race_side_t earlier, later;
} nereid_emulator_race_t;

typedef struct nereid_emulator_place {
  const char *program, *source; /* of the PTX; "lib.py:7, called at k.py:20", null: not known */
  uint32_t line, source_line;
  nereid_view_t text; /* of the instruction */
} nereid_emulator_place_t;

/* Shared memory that a function, reached by `call`, overwrote while a value of its caller was in it that is read behind
 * the call. `count` bytes, the lowest at `address`. */
typedef struct nereid_emulator_overwrite {
  uint64_t address, count;
  nereid_emulator_place_t stored, call, overwritten, read;
} nereid_emulator_overwrite_t;

/* Rules of the PTX ISA whose violation the hardware tolerates. A launch reports it and continues as the hardware does,
 * unless `stop_on` has the rule's bit. Columns: enumerator, name, section of the PTX ISA, summary. */
#define NEREID_EMULATOR_RULES(X)                                                                                       \
  X(MBARRIER_REUSE, "mbarrier-reuse", "mbarrier.init",                                                                 \
    "`mbarrier.init` where an mbarrier is that was not invalidated; the new one replaces it")                          \
  X(MBARRIER_INVALID, "mbarrier-invalid", "mbarrier.inval", "`mbarrier.inval` where no mbarrier is; it has no effect") \
  X(UNINITIALIZED, "uninitialized", "Memory Consistency Model: Initialization",                                        \
    "with `--initcheck`: bits that nothing has written are used; they are zeros")

typedef enum nereid_emulator_rule {
#define X(id, name, section, summary) NEREID_EMULATOR_RULE_##id,
  NEREID_EMULATOR_RULES(X)
#undef X
      NEREID_EMULATOR_RULE_COUNT
} nereid_emulator_rule_t;

/* Its columns, static storage; null when there is no such rule. */
const char *nereid_emulator_rule_name(nereid_emulator_rule_t rule);
const char *nereid_emulator_rule_section(nereid_emulator_rule_t rule);
const char *nereid_emulator_rule_summary(nereid_emulator_rule_t rule);

/* The violations of one rule by one instruction: `count` of them, the rest of the first CTA's first. */
typedef struct nereid_emulator_violation {
  nereid_emulator_rule_t rule;
  uint64_t count;
  const char *sentence;
  uint32_t thread[3], cta[3];
  nereid_emulator_place_t place;
} nereid_emulator_violation_t;

typedef struct nereid_emulator_launch {
  uint32_t grid[3];
  uint32_t block[3];      /* zeros: what .reqntid says */
  uint32_t cluster[3];    /* CTAs of a cluster; zeros: what .reqnctapercluster says, else 1. The grid counts CTAs */
  uint32_t shared_bytes;  /* dynamic shared memory */
  const void *parameters; /* the parameter block */
  uint32_t parameter_bytes;
  nereid_emulator_memory_t *memory;
  uint32_t threads; /* of the host; 0: as many as it has */
  nereid_emulator_schedule_t schedule;
  uint64_t seed;
  nereid_emulator_landing_t landing;
  nereid_emulator_proxy_t proxy;
  uint64_t steps; /* instructions that a warp may execute, else the launch fails; 0: any number */
  bool count;
  bool initcheck;   /* follow bits that nothing has written, and report where they matter */
  uint32_t stop_on; /* bit 1 << rule: the launch fails at the first violation of the rule */
  bool racecheck;   /* look for races; the CTAs run one after the other */
  /* Gets each race, one per pair of instructions, after the launch; may be null. */
  void (*race)(void *user_data, const nereid_emulator_race_t *race);
  /* Gets what the frame check found, one per four instructions, after the launch; may be null. */
  void (*overwrite)(void *user_data, const nereid_emulator_overwrite_t *overwrite);
  /* Gets the violations, one per rule and instruction, after the launch; may be null. */
  void (*violation)(void *user_data, const nereid_emulator_violation_t *violation);
  /* Gets what vprintf wrote, CTA after CTA, after the launch; null: it is dropped. */
  void (*print)(void *user_data, nereid_view_t text);
  void *user_data;
} nereid_emulator_launch_t;

typedef struct nereid_emulator_report {
  nereid_message_t message; /* why the launch failed: place in PTX and source, thread, address */
  nereid_emulator_counters_t counters;
  uint64_t warp_instructions, thread_instructions;
  uint64_t races;      /* pairs of instructions */
  uint64_t overwrites; /* that the frame check found */
  uint64_t violations; /* of rules, by instruction */
} nereid_emulator_report_t;

/* Runs the grid to its end. NEREID_ERROR_PROGRAM: the kernel did something wrong, see the report;
 * NEREID_ERROR_ARGUMENT; NEREID_ERROR_MEMORY. What CTAs wrote before a failure stays written. */
NEREID_MUST_USE nereid_status_t nereid_emulator_run(const nereid_emulator_kernel_t *kernel,
                                                    const nereid_emulator_launch_t *launch,
                                                    nereid_emulator_report_t *report);

/* --- the emulator as a device of nereid/launch.h --- */

struct nereid_device;

/* What an emulator device is and checks. A zeroed structure with `size` set is the default. */
typedef struct nereid_emulator_device_options {
  size_t size;             /* sizeof(nereid_emulator_device_options_t): later versions append fields */
  int32_t capability;      /* compute capability, 80 to 90; 0: 90 */
  int32_t multiprocessors; /* for grids that depend on their number; 0: 132 */
  uint32_t threads;        /* of the host; 0: as many as it has */
  nereid_emulator_schedule_t schedule;
  nereid_emulator_landing_t landing;
  nereid_emulator_proxy_t proxy;
  uint64_t seed;
  uint64_t steps;   /* instructions that a warp may execute, else the launch fails; 0: any number */
  uint32_t stop_on; /* bit 1 << rule: a launch fails at the first violation of the rule */
  bool count;       /* fill the counters of the report */
  bool racecheck;   /* detect races; a race does not make the launch fail: see the report */
  bool initcheck;   /* a launch fails where an uninitialized bit of device memory matters */
  /* As in nereid_emulator_launch_t. They are called during nereid_kernel_launch and must not call the device. */
  void (*race)(void *user_data, const nereid_emulator_race_t *race);
  void (*overwrite)(void *user_data, const nereid_emulator_overwrite_t *overwrite);
  void (*violation)(void *user_data, const nereid_emulator_violation_t *violation);
  void (*print)(void *user_data, nereid_view_t text);
  void *user_data; /* borrowed until the device is closed */
} nereid_emulator_device_options_t;

/* Opens an emulator as a device: every function of nereid/launch.h works on it as on a GPU, without a driver. It loads
 * PTX only. A launch returns when the kernel has ended; a fault makes it NEREID_ERROR_DEVICE, with the emulator's message
 * (place in the source and in the PTX), and the device remains usable. Streams are ignored, events take the host's time.
 * Device memory is zeroed when it is allocated; freed addresses are not assigned again. Variables of a module have
 * their initial values at each launch. Any thread may use the device; launches run one after another. `options` may be
 * null.
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

/* Experimental: what follows may change in any version. Define NEREID_EXPERIMENTAL before the include to use it; all
 * above is stable: names, values, sizes and meaning stay within a major version. */

#ifdef NEREID_EXPERIMENTAL

/* The counters as one JSON object, an entry per line, into a file. */
void nereid_emulator_counters_print(const nereid_emulator_counters_t *counters, FILE *file);
/* As text of five lines. */
void nereid_emulator_overwrite_print(const nereid_emulator_overwrite_t *overwrite, FILE *file);
/* As text of two lines. */
void nereid_emulator_violation_print(const nereid_emulator_violation_t *violation, FILE *file);
/* One race, as text of four lines or as a JSON object in one. */
void nereid_emulator_race_print(const nereid_emulator_race_t *race, bool json, FILE *file);

#endif /* NEREID_EXPERIMENTAL */

#ifdef __cplusplus
}
#endif

#endif

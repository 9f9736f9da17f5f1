/* Lazy kernels: a template of IR and a list of configurations, compiled in the background and tuned by the first
 * launch.
 *
 *   const nereid_constant_t small[] = {{"BLOCK", "256"}}, large[] = {{"BLOCK", "2048"}};
 *   const nereid_lazy_configuration_t configurations[] = {{.num_warps = 4, .n_constants = 1, .constants = small},
 *                                                         {.num_warps = 8, .n_constants = 1, .constants = large}};
 *   nereid_lazy_options_t options = {.size = sizeof options, .path = "softmax.ttir", .grid = "x = rows",
 *                                    .n_configurations = 2, .configurations = configurations,
 *                                    .compiler = nereid_lazy_compiler()};
 *   nereid_lazy_kernel_t *kernel;
 *   nereid_lazy_create(device, &options, &kernel, &message);             // compiles in the background
 *   nereid_lazy_launch(kernel, &launch, n, arguments, &message);         // times each configuration, then launches
 *   nereid_lazy_launch(kernel, &launch, n, arguments, &message);         // evaluates the grid and launches
 *   nereid_lazy_destroy(kernel);
 *
 * docs/kernels.md explains the rules. Lazy kernels are part of libnereid-launch; the compiler is a table of functions
 * that libnereid provides, so that a process without LLVM can use stored images. Ownership: `create` transfers
 * ownership to the caller, who destroys kernels before their pool, store and device. Everything in options and launches
 * is copied or read during the call, unless it is documented as borrowed. Thread safety: all functions except `create`
 * and `destroy` may be called from any thread, for one kernel at the same time. Messages may be null. */
#ifndef NEREID_KERNEL_H
#define NEREID_KERNEL_H

#include "base/cancellation.h"
#include "nereid/constants.h"
#include "nereid/launch.h"
#include "nereid/store.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct nereid_lazy_kernel nereid_lazy_kernel_t;
typedef struct nereid_lazy_pool nereid_lazy_pool_t;

enum {
  NEREID_LAZY_CONFIGURATIONS = 1024, /* limit of one kernel */
  NEREID_LAZY_VARIANTS = 16,         /* limit of specialized variants of one kernel; then the generic one is used */
  NEREID_LAZY_KEYS = 4096,           /* limit of tuned keys of one kernel; then the last winner is used */
  NEREID_LAZY_SPECIALIZED = 32,      /* arguments after these are not specialized */
};

/* --- configurations --- */

/* One way to compile the kernel. Zeros: the IR's values, else the compiler's defaults. */
typedef struct nereid_lazy_configuration {
  int32_t num_warps;  /* per CTA, a power of two */
  int32_t num_stages; /* loop iterations in flight */
  int32_t num_ctas;   /* per cluster, a power of two */
  int32_t maxnreg;    /* registers per thread */
  size_t n_constants;
  const nereid_constant_t *constants; /* values of the placeholders in the text and in the grid (nereid/constants.h) */
} nereid_lazy_configuration_t;

/* --- compilers --- */

/* A request to compile one configuration; valid during the call. */
typedef struct nereid_lazy_request {
  nereid_view_t text;                               /* IR without placeholders */
  const char *name;                                 /* name of the text in messages */
  const char *function;                             /* null: the only kernel of the module */
  const char *grid;                                 /* in names of arguments; null: the IR's */
  const char *target;                               /* "sm_90a" */
  bool ptx;                                         /* the device loads PTX, not cubins */
  int32_t num_warps, num_stages, num_ctas, maxnreg; /* 0: default */
  size_t n_properties;
  const uint8_t *properties; /* nereid_property_t of the first arguments; the others are AS_WRITTEN */
  const nereid_cancellation_t *cancellation;
} nereid_lazy_request_t;

/* A compiled kernel: cubin or PTX, and metadata. */
typedef struct nereid_lazy_image {
  nereid_view_t image, metadata;
  void *owner; /* owner of the bytes, passed to `release` */
} nereid_lazy_image_t;

/* A compiler of lazy kernels. A session is used by one thread at a time; `compile` may run in many threads with
 * different sessions. The message of a failed compilation contains its first diagnostic, with the location. */
typedef struct nereid_lazy_compiler {
  const char *(*version)(void); /* static storage */
  nereid_status_t (*create)(void **out_session);
  void (*destroy)(void *session);
  nereid_status_t (*compile)(void *session, const nereid_lazy_request_t *request, nereid_lazy_image_t *out_image,
                             nereid_message_t *message);
  void (*release)(nereid_lazy_image_t *image);
} nereid_lazy_compiler_t;

/* Returns Nereid's compiler. Only libnereid has this function; libnereid-launch does not. Static storage. */
const nereid_lazy_compiler_t *nereid_lazy_compiler(void);

/* --- the pool of background threads --- */

/* Creates a pool of `threads` threads (0: one per processor, at most 16), which are started when they are needed.
 * Kernels with the same pool share its threads; the queue is first in, first out. NEREID_ERROR_MEMORY. */
NEREID_MUST_USE nereid_status_t nereid_lazy_pool_create(uint32_t threads, nereid_lazy_pool_t **out_pool,
                                                        nereid_message_t *message);

/* Joins the threads. The kernels that use the pool must have been destroyed. Null is valid. */
void nereid_lazy_pool_destroy(nereid_lazy_pool_t *pool);

/* --- kernels --- */

/* Properties of arguments that select a variant: bits of `specialize`. */
enum {
  NEREID_LAZY_SPECIALIZE_DIVISIBLE = 1, /* integers and addresses: divisible by 16 or not */
  NEREID_LAZY_SPECIALIZE_ONE = 2,       /* integers: equal to 1 */
  NEREID_LAZY_SPECIALIZE_NULL = 4,      /* addresses: null */
};

/* The progress of a kernel. All pointers are valid during the call of the handler. */
typedef struct nereid_lazy_progress {
  bool tuning;            /* false: a configuration was compiled or loaded */
  size_t configuration;   /* the one that was finished */
  size_t done, total;     /* configurations of this variant, or of this tuning */
  nereid_status_t status; /* status of the configuration */
  const char *state;      /* its state, as in the report */
  double time;            /* tuning: its time, in the unit of the report; 0: none. Else milliseconds of compilation */
  const char *message;    /* the reason, if it was skipped; else null */
} nereid_lazy_progress_t;

/* Options of a kernel. A zeroed structure with `size` set, and `text` or `path`, is the default. */
typedef struct nereid_lazy_options {
  size_t size;          /* sizeof(nereid_lazy_options_t): later versions append fields */
  nereid_view_t text;   /* IR of any stage from ttir to ptx, with placeholders */
  const char *path;     /* a file with the IR, instead of `text` */
  const char *name;     /* name of the text in messages; null: the path, else "kernel" */
  const char *function; /* the public function to compile; null: the only one */
  const char *grid;     /* in names of arguments, "x = ceildiv(m, ${BLOCK_M})"; null: the IR's */
  const char *target;   /* "sm_90a"; null: that of the device */
  size_t n_configurations;
  const nereid_lazy_configuration_t *configurations; /* none: one with zeros */
  const nereid_lazy_compiler_t *compiler;            /* borrowed. Null: every image must be in the store */
  nereid_lazy_pool_t *pool;                          /* borrowed. Null: a pool of the kernel */
  /* Borrowed, may be null. Images are read from it before they are compiled and stored after it, tuning results before
   * and after a tuning; the store's handler receives its problems (docs/kernels.md). */
  nereid_store_t *store;

  /* Specialization: NEREID_LAZY_SPECIALIZE_ bits; 0: the unspecialized IR. */
  uint32_t specialize;
  uint32_t unspecialized; /* bit i: argument i is not specialized */

  /* Tuning. */
  uint32_t budget;   /* milliseconds of wall time for timing the configurations of one key; 0: 5,000 */
  uint32_t runs;     /* timed runs of a configuration; 0: 10, on the emulator 1 */
  double early_stop; /* a configuration is not repeated if its first run exceeds the best time times this; 0: 1.25 */
  bool no_flush;     /* do not flush the L2 cache before a timed run */
  /* Returns true to skip a compiled configuration before it is timed. On the launching thread; must not call the
   * kernel. May be null. */
  bool (*prune)(void *user_data, size_t configuration, const nereid_metadata_t *metadata, size_t n,
                const nereid_value_t *arguments);
  /* Receives the progress: of compilations on threads of the pool, of tuning on the launching thread; calls may be
   * concurrent. Must not call the kernel; may request a cancellation. May be null. */
  void (*progress)(void *user_data, const nereid_lazy_progress_t *progress);
  void *user_data; /* borrowed, for both */
  /* Borrowed. A request stops compilations, waiting launches and tuning: they return NEREID_ERROR_CANCELLED. After a
   * reset the kernel can be used again. Null: only `destroy` stops compilations. */
  const nereid_cancellation_t *cancellation;
} nereid_lazy_options_t;

/* Creates a kernel and starts to compile its configurations, for the unspecialized IR. The device is borrowed.
 *   NEREID_ERROR_ARGUMENT   `size`, neither or both of text and path, more than NEREID_LAZY_CONFIGURATIONS
 *                           configurations, neither a compiler nor a store, an unknown bit of `specialize`
 *   NEREID_ERROR_IO         the file cannot be read
 *   NEREID_ERROR_MEMORY */
NEREID_MUST_USE nereid_status_t nereid_lazy_create(nereid_device_t *device, const nereid_lazy_options_t *options,
                                                   nereid_lazy_kernel_t **out_kernel, nereid_message_t *message);

/* Stops compilations and unloads the modules. Launches of the kernel must have completed, and graphs that contain it
 * must have been destroyed. Null is valid. */
void nereid_lazy_destroy(nereid_lazy_kernel_t *kernel);

/* Waits until each configuration of the unspecialized IR is compiled and loaded, or has failed. Returns NEREID_OK
 * when at least one is valid; else the status and message of the first one, or NEREID_ERROR_CANCELLED. */
NEREID_MUST_USE nereid_status_t nereid_lazy_wait(nereid_lazy_kernel_t *kernel, nereid_message_t *message);

/* --- launches --- */

typedef struct nereid_lazy_launch {
  nereid_launch_t launch; /* grid zeros: the map of the configuration; stream; scratch, 0: allocated */
  uint64_t key;           /* selects the tuning result: calls with the same key and variant share one */
  /* Bytes of device memory of each argument that the kernel both reads and writes, in the order of the arguments:
   * tuning saves them and restores them before each run. 0: the argument is only read, or only written. Null: zeros. */
  const uint64_t *sizes;
} nereid_lazy_launch_t;

/* Launches the kernel. `launch` may be null. Arguments are those of nereid_kernel_launch; a descriptor of the kernel
 * requires a tensor, because the block shape is a configuration's.
 *
 * The first call with a key, and with properties of arguments that select another variant, waits for the compilation,
 * times the configurations on these arguments and launches the fastest one. Concurrent calls of the kernel with other
 * keys, or the same key, wait for it. Other calls take no lock and allocate nothing. If the stream is being captured,
 * nothing is timed: the call launches the key's winner, else the last winner of the variant, else the first valid
 * configuration, and the key stays undecided.
 *
 * A configuration that does not compile, does not load, is pruned or fails to launch is skipped; if none is left, the
 * status and message of the first one are returned. On every error the saved arguments have their values before the
 * call, and no work is pending.
 *   NEREID_ERROR_ARGUMENT    wrong count, kind or value of an argument; memory of another device
 *   NEREID_ERROR_TIMEOUT     no configuration completed a run within the budget
 *   NEREID_ERROR_CANCELLED
 *   NEREID_ERROR_NOT_FOUND   no compiler, and the images are not in the store; no such function
 *   others                   as nereid_compile and nereid_kernel_launch */
NEREID_MUST_USE nereid_status_t nereid_lazy_launch(nereid_lazy_kernel_t *kernel, const nereid_lazy_launch_t *launch,
                                                   size_t n, const nereid_value_t *arguments,
                                                   nereid_message_t *message);

/* Tunes as nereid_lazy_launch does, but launches nothing afterwards: for example before a capture. Arguments with a
 * size have their values before the call; those that are only written have arbitrary values. NEREID_ERROR_ARGUMENT also
 * when the stream is being captured. */
NEREID_MUST_USE nereid_status_t nereid_lazy_tune(nereid_lazy_kernel_t *kernel, const nereid_lazy_launch_t *launch,
                                                 size_t n, const nereid_value_t *arguments, nereid_message_t *message);

/* Gets the winner for a launch: its configuration, and its loaded kernel, which belongs to the lazy kernel. Takes no
 * lock. Outputs may be null. NEREID_ERROR_NOT_FOUND: not tuned yet. */
NEREID_MUST_USE nereid_status_t nereid_lazy_winner(const nereid_lazy_kernel_t *kernel,
                                                   const nereid_lazy_launch_t *launch, size_t n,
                                                   const nereid_value_t *arguments, size_t *out_configuration,
                                                   const nereid_kernel_t **out_kernel, nereid_message_t *message);

/* Prints everything that the kernel has decided as JSON (docs/kernels.md, "Report"), in `arena`.
 * NEREID_ERROR_MEMORY. */
NEREID_MUST_USE nereid_status_t nereid_lazy_report(nereid_lazy_kernel_t *kernel, nereid_arena_t *arena,
                                                   nereid_view_t *out_text);

/* --- keys --- */

/* Returns the bucket of a size: 0 for 0, else 1 + the base-2 logarithm rounded up. Sizes up to the next power of two
 * share a tuning result. */
static inline uint64_t nereid_lazy_bucket(uint64_t size) {
#if defined(__GNUC__)
  return size < 2 ? size : 65 - (uint64_t)__builtin_clzll(size - 1);
#else
  uint64_t bucket = size ? 1 : 0;
  for (uint64_t rest = size ? size - 1 : 0; rest; rest >>= 1)
    ++bucket;
  return bucket;
#endif
}

/* Returns a key of two values; repeat it for more. */
static inline uint64_t nereid_lazy_key(uint64_t key, uint64_t value) {
  key ^= value + UINT64_C(0x9e3779b97f4a7c15) + (key << 6) + (key >> 2);
  key *= UINT64_C(0xff51afd7ed558ccd);
  return key ^ (key >> 33);
}

#ifdef __cplusplus
}
#endif

#endif

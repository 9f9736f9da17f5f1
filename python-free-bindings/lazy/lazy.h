/* The internals of a lazy kernel.
 *
 *   kernel ── configuration 0, 1, ...        text and grid without placeholders
 *          ── variant ── build 0, 1, ...     one per configuration: compiled in the background, loaded
 *          ── decision ── result 0, 1, ...   one per key and variant: the winner, and what became of each configuration
 *          ── table                          decisions by key, read without a lock
 *
 * The kernel's lock protects variants, builds and the list of decisions. A variant, a loaded build and a published
 * decision do not change and live as long as the kernel. */
#ifndef NEREID_LAZY_LAZY_H
#define NEREID_LAZY_LAZY_H

#include "python-free-bindings/launch/driver.h"
#include "python-free-bindings/lazy/pool.h"

#include <stdatomic.h>
#include <stdio.h>

enum { NEREID_LAZY_VERSION_SIZE = 128 };

/* Properties of the first NEREID_LAZY_SPECIALIZED arguments, 4 bits each. */
typedef struct nereid_lazy_properties {
  uint64_t bits[2];
} nereid_lazy_properties_t;

typedef struct nereid_configured {
  nereid_lazy_configuration_t options; /* copied */
  nereid_view_t text;
  const char *grid;         /* null: the IR's */
  nereid_status_t status;   /* status of the replacement of placeholders */
  nereid_message_t message; /* if it failed */
} nereid_configured_t;

typedef enum nereid_lazy_build_state {
  NEREID_LAZY_BUILD_NONE = 0, /* not requested, or cancelled */
  NEREID_LAZY_BUILD_QUEUED,
  NEREID_LAZY_BUILD_RUNNING,
  NEREID_LAZY_BUILD_STORED, /* read from the store, not loaded yet */
  NEREID_LAZY_BUILD_READY,
  NEREID_LAZY_BUILD_FAILED,
} nereid_lazy_build_state_t;

/* One configuration of a variant. */
typedef struct nereid_lazy_build {
  nereid_job_t job; /* the first member: a job is its build */
  nereid_lazy_kernel_t *kernel;
  struct nereid_variant *variant;
  size_t configuration;
  nereid_lazy_build_state_t state;
  bool is_stored;            /* the image came from the store */
  bool skips_store;          /* the image of the store cannot be loaded */
  nereid_store_unit_t *unit; /* STORED */
  double milliseconds;
  nereid_status_t status;        /* FAILED */
  nereid_message_t message;      /* FAILED */
  nereid_module_t *module;       /* READY, owned */
  const nereid_kernel_t *loaded; /* READY */
} nereid_lazy_build_t;

typedef struct nereid_variant {
  struct nereid_variant *next;
  size_t index;
  nereid_lazy_properties_t properties;
  nereid_lazy_build_t builds[]; /* one per configuration */
} nereid_variant_t;

/* What became of a configuration in a tuning. */
typedef enum nereid_outcome {
  NEREID_OUTCOME_NONE = 0, /* not reached */
  NEREID_OUTCOME_TIMED,
  NEREID_OUTCOME_STOPPED, /* timed once: much slower than the best */
  NEREID_OUTCOME_ALONE,   /* not timed: no other configuration was left */
  NEREID_OUTCOME_PRUNED,
  NEREID_OUTCOME_NOT_BUILT, /* did not compile or load */
  NEREID_OUTCOME_NOT_LAUNCHED,
  NEREID_OUTCOME_TOO_SLOW, /* its first run took longer than the budget */
  NEREID_OUTCOME_LEFT_OUT, /* the budget was spent */
} nereid_outcome_t;

typedef struct nereid_measured {
  nereid_outcome_t outcome;
  uint32_t runs;
  double time;            /* median, in the unit of the device */
  nereid_status_t status; /* NOT_BUILT, NOT_LAUNCHED */
  const char *message;    /* allocated in the decision's arena; null: none */
} nereid_measured_t;

/* How a winner was found. */
typedef enum nereid_reason {
  NEREID_REASON_TUNED = 0,
  NEREID_REASON_ALONE, /* a single configuration was left */
  NEREID_REASON_STORE, /* a process tuned it before */
  NEREID_REASON_LIMIT, /* too many keys: the last winner */
} nereid_reason_t;

typedef struct nereid_decision {
  struct nereid_decision *next; /* the one before */
  nereid_arena_t arena;
  uint64_t key;
  nereid_lazy_properties_t properties; /* properties of the call; those of the variant may differ */
  const nereid_variant_t *variant;
  const nereid_kernel_t *winner; /* null: failed */
  size_t configuration;          /* configuration of the winner */
  nereid_reason_t reason;
  double milliseconds; /* wall time */
  nereid_status_t status;
  nereid_measured_t *results; /* one per configuration */
} nereid_decision_t;

/* An open hash table; a slot changes from null to a decision once. */
typedef struct nereid_decision_table {
  struct nereid_decision_table *retired; /* the smaller one before, which readers may still use */
  size_t mask, used;
  _Atomic(nereid_decision_t *) slots[];
} nereid_decision_table_t;

struct nereid_lazy_kernel {
  nereid_device_t *device;       /* borrowed */
  nereid_lazy_options_t options; /* texts are copied */
  nereid_arena_t arena;          /* holds the copies; not used after the creation */
  size_t n_configurations;
  nereid_configured_t *configurations;
  char target[16];
  char compiler[NEREID_LAZY_VERSION_SIZE]; /* version of the compiler, set if there is a store; empty: unknown */
  atomic_bool is_recorded;                 /* the compiler's version is in the store */
  bool is_emulated;
  nereid_lazy_pool_t *pool;
  bool owns_pool;
  nereid_cancellation_t *own_cancellation;   /* set by `destroy`; null: the caller's is used */
  const nereid_cancellation_t *cancellation; /* the caller's or our own */

  _Atomic(nereid_decision_table_t *) table; /* written with the lock held */

  pthread_mutex_t lock; /* protects the fields below */
  pthread_cond_t changed;
  size_t n_jobs; /* queued or running */
  size_t n_variants;
  nereid_variant_t *variants;   /* the last one is the unspecialized IR */
  bool is_tuning;               /* a thread tunes */
  nereid_decision_t *decisions; /* newest first */
  nereid_decision_t *failure;   /* the last tuning, if it failed */
  uint64_t n_captured;          /* launches in captures without a decision */
};

/* --- properties.c --- */

/* Returns the properties of the arguments that the policy selects. */
nereid_lazy_properties_t nereid_lazy_properties(const nereid_lazy_options_t *options, size_t n,
                                                const nereid_value_t *arguments);
nereid_property_t nereid_lazy_property(const nereid_lazy_properties_t *properties, size_t argument);
static inline bool nereid_lazy_properties_equal(const nereid_lazy_properties_t *a, const nereid_lazy_properties_t *b) {
  return a->bits[0] == b->bits[0] && a->bits[1] == b->bits[1];
}

/* Returns the properties in which each specialized argument is generic. */
nereid_lazy_properties_t nereid_lazy_generic_properties(const nereid_lazy_properties_t *properties);

/* Returns whether the unspecialized IR, of which `metadata` describes a build, states exactly these properties. */
bool nereid_lazy_states_properties(const nereid_metadata_t *metadata, const nereid_lazy_properties_t *properties);

/* --- variant.c --- */

/* Adds a variant without queueing its builds. With the lock held; null: out of memory. */
nereid_variant_t *nereid_variant_add(nereid_lazy_kernel_t *kernel, const nereid_lazy_properties_t *properties);

/* Queues the builds of a variant that are not built. Without the lock. */
void nereid_variant_queue(nereid_lazy_kernel_t *kernel, nereid_variant_t *variant);

/* Gets the variant for the properties, and queues its builds that are not built. NEREID_ERROR_MEMORY,
 * NEREID_ERROR_CANCELLED. */
NEREID_MUST_USE nereid_status_t nereid_variant_get(nereid_lazy_kernel_t *kernel,
                                                   const nereid_lazy_properties_t *properties,
                                                   nereid_variant_t **out_variant, nereid_message_t *message);

/* Waits until a thread of the pool or a launch changes the kernel, at most 20 ms, with the lock held. */
void nereid_lazy_wait_change(nereid_lazy_kernel_t *kernel);

/* Waits for a build. NEREID_OK: it is ready or failed. NEREID_ERROR_CANCELLED. */
NEREID_MUST_USE nereid_status_t nereid_lazy_build_wait(nereid_lazy_build_t *build, nereid_message_t *message);

/* --- build.c --- */

/* Runs a build as a job of the pool. */
void nereid_lazy_build_run(nereid_job_t *job, void *session, nereid_status_t session_status);

/* Loads the image of a build that the caller moved from STORED to RUNNING; if this fails, queues its compilation. */
void nereid_lazy_build_load(nereid_lazy_build_t *build);

/* --- table.c --- */

NEREID_MUST_USE nereid_status_t nereid_decision_table_initialize(nereid_lazy_kernel_t *kernel);
void nereid_decision_table_deinitialize(nereid_lazy_kernel_t *kernel);

/* Returns the decision for a key; null: none. Takes no lock. */
const nereid_decision_t *nereid_decision_find(const nereid_lazy_kernel_t *kernel, uint64_t key,
                                              const nereid_lazy_properties_t *properties);

/* Adds a decision with a winner to the table and the list. With the lock held. NEREID_ERROR_MEMORY. */
NEREID_MUST_USE nereid_status_t nereid_decision_publish(nereid_lazy_kernel_t *kernel, nereid_decision_t *decision);

/* Creates a decision without a winner. Null: out of memory. */
nereid_decision_t *nereid_decision_create(const nereid_lazy_kernel_t *kernel, uint64_t key,
                                          const nereid_lazy_properties_t *properties);
void nereid_decision_destroy(nereid_decision_t *decision);

/* --- tune.c --- */

/* The arguments of a launch. */
typedef struct nereid_call {
  const nereid_lazy_launch_t *launch;
  size_t n;
  const nereid_value_t *arguments;
} nereid_call_t;

/* Finds the winner of a variant on these arguments, and fills `decision`. The saved arguments have their values before
 * the call. The message is that of the first configuration that failed, if none is left. */
NEREID_MUST_USE nereid_status_t nereid_lazy_time(nereid_lazy_kernel_t *kernel, nereid_variant_t *variant,
                                                 const nereid_call_t *call, nereid_decision_t *decision,
                                                 nereid_message_t *message);

/* --- stored.c: all without effect when the kernel has no store --- */

/* Sets the version of the compiler. */
void nereid_stored_initialize(nereid_lazy_kernel_t *kernel);

/* Reads the image of a build, or claims its key (nereid_store_claim). */
NEREID_MUST_USE nereid_status_t nereid_stored_claim(nereid_lazy_build_t *build, nereid_store_unit_t **out_unit,
                                                    nereid_store_claim_t **out_claim, nereid_message_t *message);

/* Stores the message of a build whose program is wrong. */
void nereid_stored_put_failure(nereid_lazy_build_t *build, const nereid_message_t *message);

/* Stores the image of a loaded build. */
void nereid_stored_put(nereid_lazy_build_t *build, const nereid_lazy_image_t *image);

/* Reads the tuning result of the decision's key: its configuration and results. False: there is none. */
bool nereid_stored_decision_get(nereid_lazy_kernel_t *kernel, nereid_decision_t *decision);

/* Stores a decision that was tuned. */
void nereid_stored_decision_put(nereid_lazy_kernel_t *kernel, const nereid_decision_t *decision);

/* --- report.c --- */

/* Returns "queued", "compiling", "compiled", "stored", "failed" or "cancelled"; static storage. */
const char *nereid_lazy_build_state_name(const nereid_lazy_build_t *build);

/* Returns "timed", "stopped early", "pruned" …; static storage. */
const char *nereid_outcome_name(nereid_outcome_t outcome);

/* Prints a decision as JSON. */
void nereid_decision_print(FILE *out, const nereid_lazy_kernel_t *kernel, const nereid_decision_t *decision);

/* --- timer.c --- */

/* Times runs on a device: with events, or in warp instructions of the emulator. */
typedef struct nereid_timer {
  nereid_device_t *device;
  bool is_emulated;
  size_t n;
  nereid_event_t **events; /* two per run */
  uint64_t *counts;        /* instruction counts of the emulator, two per run */
} nereid_timer_t;

NEREID_MUST_USE nereid_status_t nereid_timer_initialize(nereid_timer_t *timer, nereid_device_t *device, size_t runs,
                                                        nereid_message_t *message);
void nereid_timer_deinitialize(nereid_timer_t *timer);
NEREID_MUST_USE nereid_status_t nereid_timer_start(nereid_timer_t *timer, size_t run, void *stream,
                                                   nereid_message_t *message);
NEREID_MUST_USE nereid_status_t nereid_timer_stop(nereid_timer_t *timer, size_t run, void *stream,
                                                  nereid_message_t *message);
/* Waits for the end of the run. */
NEREID_MUST_USE nereid_status_t nereid_timer_read(nereid_timer_t *timer, size_t run, double *out_time,
                                                  nereid_message_t *message);
const char *nereid_timer_unit(bool is_emulated);

/* --- saved.c --- */

/* Copies of the arguments that a kernel reads and writes, and the buffer that flushes the L2 cache. */
typedef struct nereid_saved {
  nereid_device_t *device;
  void *stream;
  size_t n;
  struct nereid_saved_region {
    uint64_t address, copy, bytes;
  } *regions;
  uint64_t flush, flush_bytes; /* 0: none */
} nereid_saved_t;

/* Checks the addresses of the arguments, and saves those with a size. NEREID_ERROR_ARGUMENT: the message names the
 * argument. */
NEREID_MUST_USE nereid_status_t nereid_saved_initialize(nereid_saved_t *saved, nereid_lazy_kernel_t *kernel,
                                                        const nereid_call_t *call, nereid_message_t *message);
/* Enqueues the copies back. */
NEREID_MUST_USE nereid_status_t nereid_saved_restore(const nereid_saved_t *saved, nereid_message_t *message);
/* Enqueues a write of the flush buffer. */
NEREID_MUST_USE nereid_status_t nereid_saved_flush(const nereid_saved_t *saved, nereid_message_t *message);
/* Frees the copies; waits for the work that uses them (nereid_device_free). */
void nereid_saved_deinitialize(nereid_saved_t *saved);

/* Checks that no argument is memory of another device. NEREID_ERROR_ARGUMENT: the message names the argument. */
NEREID_MUST_USE nereid_status_t nereid_lazy_check_memory(const nereid_lazy_kernel_t *kernel, const nereid_call_t *call,
                                                         nereid_message_t *message);

/* Milliseconds of CLOCK_MONOTONIC. */
double nereid_lazy_now(void);

#endif

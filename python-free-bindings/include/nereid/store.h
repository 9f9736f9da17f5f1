/* A store of compiled kernels that processes and machines share: a folder, a Redis server, or both.
 *
 *   nereid_store_options_t where = {.size = sizeof where, .folder = "/shared/kernels"};
 *   nereid_store_recipe_t recipe = {.size = sizeof recipe, .input = ir, .options = "num_warps=4",
 *                                   .architecture = "sm_90a", .compiler = nereid_compiler_version(),
 *                                   .assembler = "ptxas 13.0.88"};
 *   nereid_store_open(&where, &store, &message);
 *   nereid_store_key_make(&recipe, &key);
 *   if (nereid_store_claim(store, &key, 0, NULL, &unit, &claim, &message) == NEREID_OK)
 *     load(nereid_store_unit_content(unit));                      // hit: neither LLVM nor an assembler is necessary
 *   else                                                            // miss: this process compiles
 *     nereid_store_put(store, &key, &content, &message);
 *   nereid_store_claim_release(claim);
 *
 * A unit is an image (cubin or PTX), its metadata, and a tuning result: it appears, is replaced and is removed as a
 * whole. A unit is checked when it is read (key, sizes, BLAKE3 checksum); a damaged one is reported and is a miss. The
 * store is a cache: a folder that is read-only, full or removed, and a server that is not reachable, slow or full, cost
 * a miss or a warning, never a result. docs/store.md describes the format and the guarantees for concurrent processes.
 *
 * Functions may be called from any thread, unless stated otherwise. Messages may be null. */
#ifndef NEREID_STORE_H
#define NEREID_STORE_H

#include "base/cancellation.h"
#include "base/message.h"
#include "base/view.h"

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  NEREID_STORE_KEY_SIZE = 32,   /* bytes */
  NEREID_STORE_KEY_LETTERS = 64 /* letters of a printed key, without the NUL */
};

/* The name of a unit. */
typedef struct nereid_store_key {
  uint8_t bytes[NEREID_STORE_KEY_SIZE];
} nereid_store_key_t;

/* Everything on which a unit depends. Texts may be null, which equals an empty text. */
typedef struct nereid_store_recipe {
  size_t size;              /* sizeof(nereid_store_recipe_t): later versions append fields */
  nereid_view_t input;      /* text of the IR, or of PTX, as given to the compiler: it is not parsed */
  const char *options;      /* text that lists each option of the compilation; equal options, equal text */
  const char *architecture; /* "sm_90a" */
  const char *compiler;     /* nereid_compiler_version */
  const char *assembler;    /* "ptxas 13.0.88"; see nereid_store_assembler */
  const char *variant;      /* what else the unit depends on, such as the bucket of shapes that it was tuned for */
} nereid_store_recipe_t;

/* Sets the key: BLAKE3 in the mode of key derivation, with context "nereid store key 1", of the fields in their order
 * above, each preceded by its size as 8 bytes, least significant first. Any change of a byte gives another key.
 * NEREID_ERROR_ARGUMENT: null, or a wrong `size`. */
NEREID_MUST_USE nereid_status_t nereid_store_key_make(const nereid_store_recipe_t *recipe, nereid_store_key_t *out_key);

/* Prints a key as 64 lower-case hexadecimal digits and a NUL. */
void nereid_store_key_print(const nereid_store_key_t *key, char out_text[NEREID_STORE_KEY_LETTERS + 1]);

/* Parses such a text, in which upper-case digits are valid, too. False, with `out_key` unchanged, for other texts. */
bool nereid_store_key_parse(nereid_view_t text, nereid_store_key_t *out_key);

/* The contents of a unit: borrowed bytes. Each may be empty, but not all. */
typedef struct nereid_store_content {
  nereid_view_t image;    /* cubin or PTX, at most 1 GiB */
  nereid_view_t metadata; /* JSON (docs/metadata.md), at most 16 MiB */
  nereid_view_t tuning;   /* JSON of the tuner that chose the image, at most 16 MiB */
} nereid_store_content_t;

/* A unit that was read, and the memory of its contents. */
typedef struct nereid_store_unit nereid_store_unit_t;

/* Returns the contents, valid until the unit is destroyed. Texts are followed by a NUL that their size does not
 * count. */
nereid_store_content_t nereid_store_unit_content(const nereid_store_unit_t *unit);

/* Destroys a unit and its contents. Null is valid. */
void nereid_store_unit_destroy(nereid_store_unit_t *unit);

/* Values are stable. */
typedef enum nereid_store_event {
  NEREID_STORE_DAMAGED = 0, /* a unit failed its check and was treated as a miss; reported for each such read */
  NEREID_STORE_FOLDER = 1,  /* the folder could not be read or written; reported once per store */
  NEREID_STORE_SERVER = 2,  /* the server is unreachable, slow, full, or rejected a command; reported once per store */
} nereid_store_event_t;

/* Receives problems that cost a miss. `text` is one sentence, valid during the call. Called on the thread of the
 * failing call, on several threads at once. Must not call the store. */
typedef void (*nereid_store_handler_t)(void *user_data, nereid_store_event_t event, const char *text);

/* Options of a store. A zeroed structure with `size` set and a folder or a server is the default. Strings are read
 * during the call only. */
typedef struct nereid_store_options {
  size_t size;                    /* sizeof(nereid_store_options_t): later versions append fields */
  const char *folder;             /* created with its parents if it does not exist; null: no folder */
  uint64_t limit;                 /* bytes of all units in the folder; 0: 4 GiB */
  bool read_only;                 /* write nothing: neither units nor times of use */
  nereid_store_handler_t handler; /* null: problems are not reported */
  void *user_data;                /* borrowed, for the handler */
  const char *redis; /* redis://[USER:PASSWORD@]HOST[:PORT][/DATABASE], rediss:// for TLS, or unix://PATH; null: none */
  const char *password; /* password of the server; null: that of `redis`, or none */
  uint32_t time_limit;  /* milliseconds that one command to the server may take, with a new connection; 0: 500 */
  uint32_t lease;  /* milliseconds after which the claim of a process that died expires; 0: 60,000. Claims of running
                    * processes are renewed */
  uint32_t expiry; /* seconds since its last use after which the server drops a unit; 0: never */
} nereid_store_options_t;

typedef struct nereid_store nereid_store_t;

/* Opens a store. The server is contacted at the first use.
 *   NEREID_ERROR_ARGUMENT      neither folder nor server, or a malformed URL
 *   NEREID_ERROR_IO            the folder cannot be created, or is not a folder
 *   NEREID_ERROR_UNSUPPORTED   this build has no Redis client, or its client has no TLS
 *   NEREID_ERROR_MEMORY */
NEREID_MUST_USE nereid_status_t nereid_store_open(const nereid_store_options_t *options, nereid_store_t **out_store,
                                                  nereid_message_t *message);

/* Closes the store; its claims must have been released. Units stay valid. Null is valid. */
void nereid_store_close(nereid_store_t *store);

/* Reads a unit: from the folder, else from the server, which also copies it to the folder. Transfers ownership of the
 * unit to the caller; null on failure. A read unit counts as used (its file's modification time is the time of its last
 * use, to a second).
 *   NEREID_ERROR_NOT_FOUND   there is none, or it could not be read
 *   NEREID_ERROR_ARGUMENT, NEREID_ERROR_MEMORY */
NEREID_MUST_USE nereid_status_t nereid_store_get(nereid_store_t *store, const nereid_store_key_t *key,
                                                 nereid_store_unit_t **out_unit, nereid_message_t *message);

/* Stores a unit, and replaces one with the same key, atomically: in the folder it is written to a temporary file,
 * synchronized, renamed, and the folder synchronized. So a unit of a successful call survives any later failure of
 * processes. Then the least recently used units may be removed, to keep the folder below its limit.
 *   NEREID_ERROR_IO         no level stored it; the message has the reason
 *   NEREID_ERROR_ARGUMENT   the contents are empty, too large, or larger than half of the limit; the store is read-only
 *   NEREID_ERROR_MEMORY */
NEREID_MUST_USE nereid_status_t nereid_store_put(nereid_store_t *store, const nereid_store_key_t *key,
                                                 const nereid_store_content_t *content, nereid_message_t *message);

/* Removes a unit from the folder and the server. NEREID_ERROR_NOT_FOUND, NEREID_ERROR_IO. */
NEREID_MUST_USE nereid_status_t nereid_store_remove(nereid_store_t *store, const nereid_store_key_t *key,
                                                    nereid_message_t *message);

/* --- one compiler per key --- */

/* The right to compile a key, which other processes respect until it is released, or until the process dies or is
 * stopped and the lease expires. A thread of the store, which starts with its first claim, renews the lease. */
typedef struct nereid_store_claim nereid_store_claim_t;

/* Reads a unit, or claims its key. With a server, at most one process of all that use it has the claim of a key at a
 * time; the others wait for its unit. Waiting ends with the unit, with the claim (the process that had it released it
 * without a unit, or its lease expired), or after `wait` milliseconds (0: twice the lease).
 *   NEREID_OK                `*out_unit` is the unit
 *   NEREID_ERROR_NOT_FOUND   the caller compiles, puts the unit, then releases `*out_claim`. It is null without a
 *                            server, when the server failed, or when the wait passed: then others may compile, too
 *   NEREID_ERROR_CANCELLED   `cancellation`, which may be null, was requested
 *   NEREID_ERROR_ARGUMENT, NEREID_ERROR_MEMORY */
NEREID_MUST_USE nereid_status_t nereid_store_claim(nereid_store_t *store, const nereid_store_key_t *key, uint32_t wait,
                                                   const nereid_cancellation_t *cancellation,
                                                   nereid_store_unit_t **out_unit, nereid_store_claim_t **out_claim,
                                                   nereid_message_t *message);

/* Releases a claim, if it has not expired. Null is valid. */
void nereid_store_claim_release(nereid_store_claim_t *claim);

/* --- the assembler of the store --- */

/* Gets the assembler that last assembled for this store, for the recipe of a process that has none. NUL-terminated.
 * NEREID_ERROR_NOT_FOUND: nereid_store_set_assembler was not called yet. */
NEREID_MUST_USE nereid_status_t nereid_store_assembler(nereid_store_t *store, char out_text[64],
                                                       nereid_message_t *message);

/* Records it, in the folder and on the server, unless it is recorded already. At most 63 bytes of printable ASCII, else
 * NEREID_ERROR_ARGUMENT; NEREID_ERROR_IO. */
NEREID_MUST_USE nereid_status_t nereid_store_set_assembler(nereid_store_t *store, const char *text,
                                                           nereid_message_t *message);

/* --- maintenance of the folder --- */

/* A unit in the folder. */
typedef struct nereid_store_item {
  nereid_store_key_t key;
  uint64_t bytes; /* size of its file */
  int64_t used;   /* nanoseconds since 1970: the last use, to a second */
} nereid_store_item_t;

/* Returns false to end the walk. */
typedef bool (*nereid_store_visitor_t)(void *user_data, const nereid_store_item_t *item);

/* Visits the units of the folder in the order of their keys, without reading them. Units that other processes add or
 * remove meanwhile may be missing. NEREID_ERROR_IO: the folder cannot be read. NEREID_ERROR_ARGUMENT: the store has
 * no folder. NEREID_ERROR_MEMORY. */
NEREID_MUST_USE nereid_status_t nereid_store_walk(nereid_store_t *store, nereid_store_visitor_t visitor,
                                                  void *user_data, nereid_message_t *message);

/* Reads a unit of the folder like nereid_store_get, but does not count this as a use, and reports damage as a status.
 *   NEREID_ERROR_NOT_FOUND   there is none
 *   NEREID_ERROR_IO          it is damaged, or cannot be read; the message has the reason */
NEREID_MUST_USE nereid_status_t nereid_store_inspect(nereid_store_t *store, const nereid_store_key_t *key,
                                                     nereid_store_unit_t **out_unit, nereid_message_t *message);

typedef struct nereid_store_usage {
  uint64_t units, bytes;                 /* contents of the folder after the call */
  uint64_t removed_units, removed_bytes; /* least recently used first */
  uint64_t removed_files;                /* temporary files of processes that died, older than an hour */
} nereid_store_usage_t;

/* Removes the least recently used units until at most `limit` bytes remain, and old temporary files. `out_usage` may be
 * null. NEREID_ERROR_IO, NEREID_ERROR_ARGUMENT (no folder, or read-only), NEREID_ERROR_MEMORY. */
NEREID_MUST_USE nereid_status_t nereid_store_collect(nereid_store_t *store, uint64_t limit,
                                                     nereid_store_usage_t *out_usage, nereid_message_t *message);

/* Returns the limit of the folder, bytes. */
uint64_t nereid_store_limit(const nereid_store_t *store);

/* Counters of the operations on the store in this process. */
typedef struct nereid_store_counts {
  uint64_t folder_hits, server_hits, misses; /* of nereid_store_get and nereid_store_claim */
  uint64_t puts;                             /* units stored in at least one level */
  uint64_t damaged;                          /* units that failed their check */
  uint64_t failures;                         /* operations that failed in the folder or on the server */
  uint64_t waits;                            /* claims that waited for another process */
} nereid_store_counts_t;

nereid_store_counts_t nereid_store_counts(const nereid_store_t *store);

#ifdef __cplusplus
}
#endif

#endif

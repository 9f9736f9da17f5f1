/* Types of the race detector.
 *
 * A thread's clock stores for each thread u the time up to which u's accesses are ordered before it, and the time up to
 * which they are also ordered for the async proxy. Time is a per-warp counter, which every release advances. Clocks are
 * immutable and shared; after a barrier all threads share one. A thread's own accesses are ordered by program order and
 * are not in its clock.
 *
 * Each byte has a cell with its last write and the reads since: a record (instruction, warp and time) and a lane, or
 * a list of them. Bytes with the same history share a cell: 16 bytes, else 4. */
#ifndef NEREID_EMULATOR_RACE_PRIVATE_H
#define NEREID_EMULATOR_RACE_PRIVATE_H

#include "emulator/race/race.h"

enum {
  RACE_PAGE = 4096, /* bytes of memory covered by a page of cells */
  RACE_WORDS = RACE_PAGE / 4,
  RACE_QUADS = RACE_PAGE / 16,
  RACE_PHASES = 64, /* actors of a CTA besides its threads: mbarriers */
  RACE_SCOPES = 3,  /* CTA, cluster, GPU */
};

/* The accesses of an actor up to a time are ordered for generic accesses, and for those of the async proxy to shared
 * and to global memory, which have fences of their own. */
enum { RACE_GENERIC, RACE_PROXY_SHARED, RACE_PROXY_GLOBAL, RACE_VIEWS };

typedef struct race_part { /* times of one CTA's actors */
  uint32_t references, cta;
  uint32_t times[]; /* by view, then by actor */
} race_part_t;

typedef struct race_clock { /* null: an empty clock */
  uint32_t references, n;
  uint64_t serial;
  /* For fence.sc (sync.c); null, or clocks without these two fields. fences: clocks released by fences ordered
   * before. pending: clocks of fences that precede an observed access in coherence order; the next fence.sc acquires
   * them. */
  struct race_clock *fences, *pending;
  race_part_t *parts[]; /* by CTA number */
} race_clock_t;

typedef enum race_kind {
  RACE_WRITES = 1,
  RACE_ASYNC = 2,
  RACE_COPY = 4,
  RACE_ATOMIC = 8,
  RACE_WHOLE = 16,
  RACE_RULE = 32,
  RACE_TRACKED = 64 /* the change of an mbarrier when an operation completes */
} race_kind_t;

typedef struct race_end { /* a phase of an mbarrier that completed an operation for some of its lanes */
  struct race_end *next;
  uint32_t lanes, time, cta;
  uint16_t actor;
} race_end_t;

/* The accesses are ordered before what observes their end: of an operation, one of its ends. */
typedef struct race_record {
  uint32_t pc, cta, time;
  uint32_t flight;           /* lanes whose operation is in flight for its issuer, who has not waited for it */
  uint64_t seen[RACE_VIEWS]; /* serial of the last clock found to include it */
  uint32_t *times;           /* per lane, if their accesses or waits were at different times */
  race_end_t *phases;        /* owned */
  uint32_t lanes;            /* lanes that accessed */
  uint16_t warp;
  uint8_t kind, size, strong; /* strong: 0 weak, else 1 + scope */
  uint8_t marked, held;       /* held: the operation may still end */
} race_record_t;

typedef struct race_node {
  uint32_t record, lanes, next;
} race_node_t;

/* A cell: 0, record << 5 | lane, or RACE_LIST | node. */
#define RACE_LIST UINT32_C(0x80000000)

typedef struct race_bytes {
  uint32_t write[RACE_PAGE], read[RACE_PAGE];
} race_bytes_t;

typedef struct race_words {
  uint32_t write[RACE_WORDS], read[RACE_WORDS];
  uint64_t apart[RACE_WORDS / 64]; /* words whose bytes have cells of their own */
} race_words_t;

typedef struct race_page {
  uint32_t write[RACE_QUADS], read[RACE_QUADS];
  uint64_t apart[RACE_QUADS / 64]; /* quads whose words have cells of their own */
  race_words_t *words;             /* null until needed */
  race_bytes_t *bytes;
} race_page_t;

typedef struct race_location { /* clocks released to a location: per scope, of the CTA or cluster `owner` */
  uint64_t key;
  race_clock_t *released[RACE_SCOPES];
  uint32_t owner[RACE_SCOPES];
  race_clock_t *written, *read; /* clocks of fences ordered before its strong writes and reads */
} race_location_t;

typedef struct race_thread {
  race_clock_t *clock;
  uint32_t fenced[RACE_VIEWS]; /* own accesses up to this time are fenced for the async proxy, by view */
  race_clock_t *released[RACE_SCOPES], *observed[RACE_SCOPES]; /* by fences; by relaxed reads, for a later fence */
} race_thread_t;

typedef struct race_phase { /* a phase of an mbarrier */
  uint32_t offset, time;    /* 0: not used */
  race_clock_t *pending, *done;
} race_phase_t;

typedef struct race_register { /* register used by a wgmma */
  uint64_t touched, flight;    /* time of the last access by another instruction; wgmma in flight, 0: none */
  uint32_t touched_pc, flight_pc;
} race_register_t;

typedef struct race_event { /* an event of a thread */
  uint32_t cta, actor, time;
} race_event_t;

typedef struct race_events { /* one per thread */
  race_event_t *data;
  size_t size, capacity;
} race_events_t;

typedef struct race_map { /* a tensor map written by the kernel */
  uint64_t address;
  uint32_t writer_pc;
  race_event_t write;               /* the last write */
  race_events_t releases, acquires; /* releases after the write; acquires after a release */
} race_map_t;

typedef struct emu_race_cta {
  emu_race_t *race;
  emu_cta_t *cta;
  uint32_t number, cluster;
  race_thread_t *threads;
  uint32_t *times; /* per warp */
  race_page_t **pages;
  uint32_t n_pages;
  race_clock_t *barriers[16];
  race_clock_t *cluster_pending, *cluster_done; /* clocks of the first CTA of a cluster */
  race_phase_t phases[RACE_PHASES];
  race_register_t *registers; /* per warp, n_registers + 1; null until there is one */
} emu_race_cta_t;

typedef struct race_slot {
  uint64_t key;
  race_page_t *page;
} race_slot_t;

struct emu_race {
  const nereid_emulator_program_t *program;
  uint32_t n_warps, n_threads, n_actors; /* per CTA; threads are rounded up to warps */
  uint32_t block[3], grid[3];
  bool failed, crosses; /* out of memory; CTAs may synchronize */
  bool has_sc;          /* the program contains fence.sc or membar */
  bool has_two_ends;    /* the program contains waits for cp.async and its arrivals at mbarriers */
  uint64_t serial;
  race_record_t *records;
  uint32_t n_records, record_capacity, collect_at, *free_records, n_free, free_capacity;
  race_node_t *nodes;
  uint32_t n_nodes, node_capacity, free_node;
  race_slot_t *slots; /* pages of global memory, open addressing */
  size_t n_pages, slot_capacity;
  race_slot_t recent[8];
  race_location_t *locations;
  size_t n_locations, location_capacity;
  uint32_t recent_records[1024];
  uint64_t steps;               /* counter of rules.c */
  uint32_t *slots_of_registers; /* by offset / 4; 0: not used by a wgmma */
  uint32_t n_registers;
  uint8_t *watched;
  race_map_t *maps;
  size_t n_maps;
  emu_race_cta_t **running;
  size_t n_running, running_capacity;
  nereid_emulator_race_t *races;
  size_t n_races, race_capacity;
};

/* The accessing warp and lane, for a whole request. */
typedef struct race_access {
  emu_race_t *race;
  emu_race_cta_t *cta;
  uint32_t record, warp;
  uint8_t kind, size, strong;
  const race_clock_t *clock; /* clock of the current lane */
  uint32_t lane, good;       /* good: the record last found to be ordered */
  emu_race_cta_t *target;    /* CTA whose shared memory is accessed; null: global memory */
  /* For a store: the warp whose operands contain the stored values; else null. */
  const emu_warp_t *storing;
  const emu_insn_t *insn;
  uint8_t *const *places;
  uint32_t bytes;
} race_access_t;

/* clock.c */
race_clock_t *nereid_emulator_race_clock_keep(race_clock_t *clock);
void nereid_emulator_race_clock_drop(race_clock_t *clock);
/* The join of both clocks; a new reference. */
race_clock_t *nereid_emulator_race_clock_join(emu_race_t *race, race_clock_t *a, race_clock_t *b);
/* Replaces *clock by its join with `other`. */
void nereid_emulator_race_clock_learn(emu_race_t *race, race_clock_t **clock, race_clock_t *other);
/* Returns `clock` with more fences and pending ones as a new reference; takes ownership of `clock`. */
race_clock_t *nereid_emulator_race_clock_with(emu_race_t *race, race_clock_t *clock, race_clock_t *fences,
                                              race_clock_t *pending);
/* The same times without fences; a new reference. */
race_clock_t *nereid_emulator_race_clock_bare(emu_race_t *race, const race_clock_t *clock);
/* A copy with an exclusive part of `cta`, for race_clock_set. */
race_clock_t *nereid_emulator_race_clock_open(emu_race_t *race, const race_clock_t *clock, uint32_t cta);
const race_part_t *nereid_emulator_race_clock_part(const race_clock_t *clock, uint32_t cta);
/* The clock that releasing threads publish: their clocks, joined, with their own times. */
race_clock_t *nereid_emulator_race_release(emu_race_cta_t *cta, uint32_t warp, uint32_t mask);

/* shadow.c */
/* Checks and records an access to bytes of its target's memory. */
void nereid_emulator_race_range(race_access_t *access, uint64_t address, uint64_t bytes);
/* Visits the cells of a page, which may be null. */
void nereid_emulator_race_cells(race_page_t *page, void (*visit)(emu_race_t *race, uint32_t cell), emu_race_t *race);
void nereid_emulator_race_free_pages(race_page_t **pages, size_t n);

/* record.c */
/* Returns the record of the instruction that lanes of a warp execute; 0: out of memory. */
uint32_t nereid_emulator_race_record(emu_race_cta_t *cta, uint32_t warp, uint32_t pc, uint32_t lanes, uint8_t kind,
                                     uint8_t size, uint8_t strong);
/* Frees what a record owns. */
void nereid_emulator_race_record_clear(race_record_t *record);
/* Records an access by a lane; `strong`: 0 or 1 + the scope. */
void nereid_emulator_race_touch(emu_warp_t *warp, const emu_insn_t *insn, int lane, const emu_cta_t *target,
                                uint64_t address, uint32_t bytes, bool writes, int strong);

/* list.c */
void nereid_emulator_race_unit(race_access_t *access, uint32_t *write, uint32_t *read, uint64_t address,
                               uint32_t bytes);
/* Copies a cell's history for another cell. */
uint32_t nereid_emulator_race_list_copy(emu_race_t *race, uint32_t cell);
void nereid_emulator_race_list_free(emu_race_t *race, uint32_t cell);
/* Whether all lanes of a record are ordered before the access. */
bool nereid_emulator_race_all_ordered(const race_access_t *access, race_record_t *record);

/* sync.c */
int nereid_emulator_race_scope(const emu_insn_t *insn);
/* A strong read of a location acquires the clocks released there, now or at the next fence. */
void nereid_emulator_race_acquire(emu_race_cta_t *cta, race_thread_t *thread, uint64_t address,
                                  const emu_race_cta_t *target, int scope, bool now);
/* A strong write, which releases itself or by an earlier fence; `continues`: keeps the clocks released there. The
 * caller advances the warp's time. */
void nereid_emulator_race_write(emu_race_cta_t *cta, uint32_t warp, uint32_t lane, uint64_t address,
                                const emu_race_cta_t *target, int scope, bool releases, bool continues);
/* A strong access of GPU scope, which orders fence.sc. Called before the access's own edges. */
void nereid_emulator_race_communicate(emu_race_cta_t *cta, race_thread_t *thread, uint64_t address,
                                      const emu_race_cta_t *target, emu_access_t how);
bool nereid_emulator_race_is_sc(const emu_insn_t *insn);
/* Joins a clock into the lanes' clocks. */
void nereid_emulator_race_learn(emu_race_cta_t *cta, uint32_t warp, uint32_t mask, race_clock_t *news);
/* A weak write discards the clocks released to a location. */
void nereid_emulator_race_forget(emu_race_t *race, const emu_race_cta_t *target, uint64_t address);

/* report.c */
void nereid_emulator_race_report(const race_access_t *access, uint32_t record, uint32_t lane, uint64_t address,
                                 uint32_t bytes, nereid_emulator_race_class_t kind);

/* rules.c */
bool nereid_emulator_race_mark_registers(emu_race_t *race);

#endif

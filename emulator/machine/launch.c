/* Runs a launch: host threads take clusters of CTAs in order, sum their counters, and report output and the first
 * failure in CTA order. The result does not depend on the number of host threads. */
#include "emulator/checks/frames.h"
#include "emulator/checks/rules.h"
#include "emulator/checks/undefined.h"
#include "emulator/checks/watch.h"
#include "emulator/machine/costs.h"
#include "emulator/machine/effect.h"
#include "emulator/machine/loops.h"
#include "emulator/race/race.h"
#include "emulator/timeline/timeline.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct run {
  const nereid_emulator_kernel_t *kernel;
  nereid_emulator_launch_t launch;
  emu_region_t *regions;
  size_t n_regions;
  uint64_t n_ctas, n_clusters; /* `next` and `failed` count clusters */
  uint32_t clusters[3];        /* clusters of the grid */
  emu_race_t *race;            /* null: race detection is off */
  pthread_mutex_t lock;        /* protects the fields below */
  const emu_loops_t *loops;    /* null: loops are not counted */
  const uint8_t *moments;      /* for the timelines */
  emu_timeline_t **timelines;  /* per cluster, null where none is requested; null: no timeline */
  uint64_t next, failed;
  nereid_emulator_loop_t *loop_sums;
  nereid_emulator_cost_t *cost_sums; /* per instruction; null: not counted */
  nereid_status_t status;
  nereid_emulator_report_t *report;
  nereid_arena_t overwritten_in; /* findings of the frame check, and violations */
  emu_violations_t violations;
  emu_overwrites_t overwrites;
  emu_watch_t watch;
  uint64_t written; /* number of the cluster of the last watched write so far */
  struct output {
    char *text;
    size_t size;
  } *outputs; /* per CTA, if output is captured */
} run_t;

const nereid_emulator_kernel_t *nereid_emulator_kernel(const nereid_emulator_program_t *program, const char *name) {
  const nereid_emulator_kernel_t *found = NULL;
  for (size_t i = 0; i < program->functions.size; ++i) {
    const nereid_emulator_kernel_t *function = program->functions.data[i];
    if (!function->is_entry || !function->defined || (name && strcmp(name, function->name_text) != 0))
      continue;
    if (found)
      return NULL;
    found = function;
  }
  return found;
}

const char *nereid_emulator_kernel_name(const nereid_emulator_kernel_t *kernel) {
  return kernel->name_text;
}

size_t nereid_emulator_kernel_parameters(const nereid_emulator_kernel_t *kernel,
                                         const nereid_emulator_parameter_t **out_parameters) {
  *out_parameters = kernel->parameters.data;
  return kernel->parameters.size;
}

void nereid_emulator_kernel_block(const nereid_emulator_kernel_t *kernel, uint32_t out_block[3]) {
  memcpy(out_block, kernel->block, sizeof kernel->block);
}

uint32_t nereid_emulator_kernel_parameter_bytes(const nereid_emulator_kernel_t *kernel) {
  return kernel->parameter_bytes;
}

static void add_counters(nereid_emulator_counters_t *sum, const nereid_emulator_counters_t *part) {
  uint64_t numbers[sizeof *sum / sizeof(uint64_t)], more[sizeof *sum / sizeof(uint64_t)];
  memcpy(numbers, sum, sizeof numbers);
  memcpy(more, part, sizeof more);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; ++i)
    numbers[i] += more[i];
  memcpy(sum, numbers, sizeof numbers);
}

static void finish_cta(run_t *run, emu_cta_t *cta) {
  const uint32_t *grid = run->launch.grid;
  uint64_t number = cta->id[0] + (uint64_t)grid[0] * (cta->id[1] + (uint64_t)grid[1] * cta->id[2]);
  if (cta->frames && !nereid_emulator_frames_collect(cta->frames, &run->overwritten_in, &run->overwrites))
    run->status = nereid_message_set(&run->report->message, NEREID_ERROR_MEMORY, "out of memory for the frame check");
  add_counters(&run->report->counters, &cta->counters);
  if (cta->loop_counts)
    nereid_emulator_loops_add(run->loops, run->loop_sums, cta->loop_counts);
  if (cta->costs)
    nereid_emulator_costs_add(run->cost_sums, cta->costs, run->kernel->program->insns.size);
  run->report->warp_instructions += cta->warp_instructions;
  run->report->thread_instructions += cta->thread_instructions;
  if (run->outputs)
    run->outputs[number] = (struct output){cta->printed, cta->printed_size};
  else
    free(cta->printed);
}

static void finish_watch(run_t *run, const emu_watch_t *watch, uint64_t number) {
  const bool later = number >= run->written;
  nereid_emulator_watch_add(&run->watch.last, &watch->last, later);
  if (watch->last.count && later)
    run->written = number;
}

static void finish_cluster(run_t *run, emu_cluster_t *cluster, uint64_t number) {
  pthread_mutex_lock(&run->lock);
  if (cluster->watch)
    finish_watch(run, cluster->watch, number);
  if (cluster->status && number < run->failed) {
    run->failed = number;
    run->status = cluster->status;
    run->report->message = cluster->message;
  }
  for (uint32_t i = 0; i < cluster->n_ctas; ++i)
    finish_cta(run, &cluster->ctas[i]);
  if (!nereid_emulator_violations_collect(cluster, &run->overwritten_in, &run->violations))
    run->status = nereid_message_set(&run->report->message, NEREID_ERROR_MEMORY, "out of memory for violations");
  pthread_mutex_unlock(&run->lock);
}

/* Runs a cluster in `ctas`, whose memory it reuses. */
static bool start_cta(const run_t *run, emu_cluster_t *cluster, uint32_t rank) {
  emu_cta_t *cta = &cluster->ctas[rank];
  if (!nereid_emulator_start_cta(cta, cluster, rank))
    return false;
  if (run->kernel->program->call_depth)
    cta->frames = nereid_emulator_frames_create(cta);
  cta->loops = run->loops;
  if (run->loops)
    cta->loop_counts = nereid_arena_new(&cluster->arena, nereid_emulator_loop_t, run->loops->count + (size_t)1);
  cta->costs = run->cost_sums
                   ? nereid_arena_new(&cluster->arena, nereid_emulator_cost_t, run->kernel->program->insns.size + 1)
                   : NULL;
  if (run->launch.initcheck)
    cta->undefined = nereid_emulator_undefined_create(cta);
  return (cta->loop_counts || !run->loops) && (cta->costs || !run->cost_sums) &&
         (cta->undefined || !run->launch.initcheck) && (cta->frames || !run->kernel->program->call_depth) &&
         (!run->race || nereid_emulator_race_start(run->race, cta));
}

/* Starts the timeline of an initialized cluster that the launch selects. False: out of memory. */
static bool start_timeline(run_t *run, emu_cluster_t *cluster, uint64_t number) {
  if (!run->timelines || !nereid_emulator_timeline_selects(cluster))
    return true;
  cluster->timeline = run->timelines[number] = nereid_emulator_timeline_create(cluster, run->moments);
  return cluster->timeline != NULL;
}

static void run_cluster(run_t *run, uint64_t number, emu_cta_t *ctas) {
  const uint32_t *clusters = run->clusters, *shape = run->launch.cluster;
  emu_cluster_t cluster = {.launch = &run->launch,
                           .kernel = run->kernel,
                           .regions = run->regions,
                           .n_regions = run->n_regions,
                           .ctas = ctas,
                           .n_ctas = shape[0] * shape[1] * shape[2],
                           .keeps_landed = run->race != NULL,
                           .random = run->launch.seed ^ (number * UINT64_C(0xd1342543de82ef95))};
  emu_watch_t watch = run->watch;
  watch.last = (nereid_emulator_write_t){.count = 0};
  cluster.watch = watch.bytes ? &watch : NULL;
  nereid_arena_initialize(&cluster.arena);
  cluster.id[0] = (uint32_t)(number % clusters[0]);
  cluster.id[1] = (uint32_t)(number / clusters[0] % clusters[1]);
  cluster.id[2] = (uint32_t)(number / clusters[0] / clusters[1]);
  for (uint32_t i = 0; i < cluster.n_ctas; ++i)
    if (!start_cta(run, &cluster, i))
      cluster.status = nereid_message_set(&cluster.message, NEREID_ERROR_MEMORY, "out of memory for a CTA");
  if (!cluster.status && !start_timeline(run, &cluster, number))
    cluster.status = nereid_message_set(&cluster.message, NEREID_ERROR_MEMORY, "out of memory for the timeline");
  if (!cluster.status)
    (void)nereid_emulator_run_cluster(&cluster);
  if (cluster.status == NEREID_ERROR_MEMORY && !cluster.message.text[0])
    (void)nereid_message_set(&cluster.message, NEREID_ERROR_MEMORY,
                             "out of memory for the text that the kernel prints");
  finish_cluster(run, &cluster, number);
  for (uint32_t i = 0; i < cluster.n_ctas; ++i) {
    nereid_emulator_race_finish(&ctas[i]);
    nereid_emulator_frames_destroy(ctas[i].frames);
    nereid_emulator_undefined_destroy(ctas[i].undefined);
  }
  nereid_arena_deinitialize(&cluster.arena);
}

static void *work(void *data) {
  run_t *run = data;
  emu_cta_t ctas[EMU_MAX_CLUSTER] = {0};
  for (;;) {
    pthread_mutex_lock(&run->lock);
    uint64_t number = run->next++;
    bool done = number >= run->n_clusters || number > run->failed;
    pthread_mutex_unlock(&run->lock);
    if (done)
      break;
    run_cluster(run, number, ctas);
  }
  for (uint32_t i = 0; i < EMU_MAX_CLUSTER; ++i)
    free(ctas[i].block);
  return NULL;
}

/* Checks that the cluster shape divides the grid. */
static nereid_status_t check_cluster(run_t *run, nereid_message_t *message) {
  nereid_emulator_launch_t *launch = &run->launch;
  const uint32_t *required = run->kernel->cluster;
  uint64_t ctas = 1;
  for (int i = 0; i < 3; ++i) {
    uint32_t *size = &launch->cluster[i];
    *size = *size ? *size : required[i] ? required[i] : 1;
    if (required[i] && *size != required[i])
      return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "kernel '%s' requires clusters of %u,%u,%u CTAs",
                                run->kernel->name_text, required[0], required[1], required[2]);
    if (launch->grid[i] % *size)
      return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "a grid of %u CTAs is not a multiple of clusters of %u",
                                launch->grid[i], *size);
    ctas *= *size <= EMU_MAX_CLUSTER ? *size : EMU_MAX_CLUSTER + 1;
    run->clusters[i] = launch->grid[i] / *size;
  }
  if (ctas > EMU_MAX_CLUSTER)
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "a cluster has %d CTAs at most", (int)EMU_MAX_CLUSTER);
  run->n_clusters = run->n_ctas / ctas;
  return NEREID_OK;
}

static nereid_status_t check(run_t *run, nereid_message_t *message) {
  nereid_emulator_launch_t *launch = &run->launch;
  const nereid_emulator_kernel_t *kernel = run->kernel;
  uint32_t *block = launch->block;
  uint64_t threads = 1;
  for (int i = 0; i < 3; ++i) {
    block[i] = block[i] ? block[i] : kernel->block[i];
    if (kernel->block[i] && block[i] != kernel->block[i])
      return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "kernel '%s' requires a block of %u,%u,%u",
                                kernel->name_text, kernel->block[0], kernel->block[1], kernel->block[2]);
    threads *= block[i] <= 1024 ? block[i] : 4096;
    if (launch->grid[i] > INT32_MAX || (i && launch->grid[i] > 65535))
      return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "the grid is larger than the limit of a GPU");
  }
  if (!threads || threads > 1024)
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "kernel '%s' needs a block of 1 to 1024 threads",
                              kernel->name_text);
  if (kernel->max_threads && threads > kernel->max_threads)
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT,
                              "a block of %llu threads; .maxntid of kernel '%s' allows %llu",
                              (unsigned long long)threads, kernel->name_text, (unsigned long long)kernel->max_threads);
  if (launch->parameter_bytes < kernel->parameter_bytes || (launch->parameter_bytes && !launch->parameters))
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT,
                              "kernel '%s' has %u bytes of parameters, but %u are passed", kernel->name_text,
                              kernel->parameter_bytes, launch->parameter_bytes);
  if (launch->shared_bytes > 1 << 20)
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "more than 1 MiB of shared memory");
  run->n_ctas = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
  return check_cluster(run, message);
}

/* Maps the launch's buffers and initializes the module's variables. */
static nereid_status_t map_memory(run_t *run, nereid_arena_t *arena) {
  const nereid_emulator_program_t *program = run->kernel->program;
  size_t buffers = run->launch.memory ? run->launch.memory->regions.size : 0;
  run->regions = nereid_arena_new(arena, emu_region_t, buffers + program->variables.size + 1);
  for (size_t i = 0; run->regions && i < buffers; ++i)
    run->regions[run->n_regions++] = run->launch.memory->regions.data[i];
  for (size_t i = 0; run->regions && i < program->variables.size; ++i) {
    const emu_variable_t *variable = &program->variables.data[i];
    uint8_t *bytes = nereid_arena_allocate(arena, (size_t)variable->bytes + 1, 1);
    if (bytes && variable->initial)
      memcpy(bytes, variable->initial, variable->bytes);
    run->regions[run->n_regions++] = (emu_region_t){variable->address, variable->bytes, bytes, variable->name, NULL};
  }
  if (run->launch.print)
    run->outputs = run->n_ctas < UINT32_MAX ? nereid_arena_new(arena, struct output, run->n_ctas + 1) : NULL;
  return arena->failed ? NEREID_ERROR_MEMORY : NEREID_OK;
}

/* Returns the cluster of a CTA, given its index in the grid. */
static uint64_t cluster_of(const run_t *run, uint64_t cta) {
  const uint32_t *grid = run->launch.grid, *shape = run->launch.cluster, *clusters = run->clusters;
  uint64_t x = cta % grid[0], y = cta / grid[0] % grid[1], z = cta / grid[0] / grid[1];
  return x / shape[0] + clusters[0] * (y / shape[1] + clusters[1] * (z / shape[2]));
}

static void deliver(run_t *run) {
  for (uint64_t i = 0; run->outputs && i < run->n_ctas; ++i) {
    if (run->outputs[i].size && cluster_of(run, i) <= run->failed)
      run->launch.print(run->launch.user_data, nereid_view_of(run->outputs[i].text, run->outputs[i].size));
    free(run->outputs[i].text);
  }
}

static void deliver_races(run_t *run) {
  const nereid_emulator_race_t *races = NULL;
  if (!run->race)
    return;
  run->report->races = nereid_emulator_race_results(run->race, &races);
  for (uint64_t i = 0; run->launch.race && i < run->report->races; ++i)
    run->launch.race(run->launch.user_data, &races[i]);
  if (!run->status && nereid_emulator_race_failed(run->race))
    run->status = nereid_message_set(&run->report->message, NEREID_ERROR_MEMORY, "out of memory for the race detector");
  nereid_emulator_race_destroy(run->race);
}

static void deliver_violations(run_t *run) {
  nereid_emulator_violations_sort(&run->violations);
  run->report->violations = run->violations.items.size;
  for (size_t i = 0; run->launch.violation && i < run->violations.items.size; ++i)
    run->launch.violation(run->launch.user_data, &run->violations.items.data[i]);
}

static void deliver_overwrites(run_t *run) {
  nereid_emulator_frames_sort(&run->overwrites);
  run->report->overwrites = run->overwrites.items.size;
  for (size_t i = 0; run->launch.overwrite && i < run->overwrites.items.size; ++i)
    run->launch.overwrite(run->launch.user_data, &run->overwrites.items.data[i]);
  nereid_arena_deinitialize(&run->overwritten_in);
}

static void deliver_write(run_t *run) {
  if (run->launch.write && run->watch.last.count)
    run->launch.write(run->launch.user_data, &run->watch.last);
}

/* Prepares the timelines if they are requested. False: out of memory. */
static bool prepare_timelines(run_t *run, nereid_arena_t *arena) {
  if (!run->launch.event)
    return true;
  run->moments = nereid_emulator_timeline_moments(run->kernel->program, arena);
  run->timelines = nereid_arena_new(arena, emu_timeline_t *, run->n_clusters + 1);
  return run->moments && run->timelines;
}

static void deliver_timelines(run_t *run) {
  uint64_t left = nereid_emulator_timeline_limit(&run->launch);
  for (uint64_t i = 0; run->timelines && i < run->n_clusters; ++i)
    if (run->timelines[i]) {
      if (nereid_emulator_timeline_failed(run->timelines[i]) && !run->status)
        run->status = nereid_message_set(&run->report->message, NEREID_ERROR_MEMORY, "out of memory for the timeline");
      left -= nereid_emulator_timeline_deliver(run->timelines[i], &run->launch, left, &run->report->dropped);
      nereid_emulator_timeline_destroy(run->timelines[i]);
    }
}

/* Finds the loops if they are to be counted; false: out of memory. */
static bool prepare_loops(run_t *run, nereid_arena_t *arena) {
  if (!run->launch.count || !run->launch.loop)
    return true;
  run->loops = nereid_emulator_loops_find(run->kernel->program, arena);
  run->loop_sums = run->loops ? nereid_arena_new(arena, nereid_emulator_loop_t, run->loops->count + (size_t)1) : NULL;
  return run->loop_sums != NULL;
}

/* Allocates the counters per instruction if they are requested; false: out of memory. */
static bool prepare_costs(run_t *run, nereid_arena_t *arena) {
  if (!run->launch.count || !run->launch.cost)
    return true;
  run->cost_sums = nereid_arena_new(arena, nereid_emulator_cost_t, run->kernel->program->insns.size + 1);
  return run->cost_sums != NULL;
}

static void run_all(run_t *run) {
  enum { MOST = 256 };
  pthread_t threads[MOST];
  uint32_t n = run->launch.threads, started = 0;
  if (!n) {
    long here = sysconf(_SC_NPROCESSORS_ONLN);
    n = here > 0 ? (uint32_t)here : 1;
  }
  n = run->kernel->program->has_atomics || run->race || run->launch.initcheck ? 1 : n > MOST ? MOST : n;
  n = n > run->n_clusters ? (uint32_t)run->n_clusters : n;
  while (started + 1 < n && pthread_create(&threads[started], NULL, work, run) == 0)
    ++started;
  (void)work(run);
  for (uint32_t i = 0; i < started; ++i)
    pthread_join(threads[i], NULL);
}

nereid_status_t nereid_emulator_run(const nereid_emulator_kernel_t *kernel, const nereid_emulator_launch_t *launch,
                                    nereid_emulator_report_t *report) {
  nereid_emulator_report_t ignored;
  report = report ? report : &ignored;
  *report = (nereid_emulator_report_t){0};
  run_t run = {.kernel = kernel, .launch = *launch, .failed = UINT64_MAX, .report = report};
  nereid_arena_t arena;
  nereid_status_t status = check(&run, &report->message);
  if (status)
    return status;
  nereid_arena_initialize(&arena);
  if (map_memory(&run, &arena) || !prepare_loops(&run, &arena) || !prepare_costs(&run, &arena) ||
      !prepare_timelines(&run, &arena) || pthread_mutex_init(&run.lock, NULL)) {
    nereid_arena_deinitialize(&arena);
    return nereid_message_set(&report->message, NEREID_ERROR_MEMORY, "out of memory");
  }
  run.race = launch->racecheck ? nereid_emulator_race_create(kernel, &run.launch) : NULL;
  if (launch->racecheck && !run.race) {
    nereid_arena_deinitialize(&arena);
    return nereid_message_set(&report->message, NEREID_ERROR_MEMORY, "out of memory");
  }
  nereid_arena_initialize(&run.overwritten_in);
  run.watch = nereid_emulator_watch_begin(&run.launch, run.regions, run.n_regions);
  run_all(&run);
  deliver(&run);
  deliver_races(&run);
  deliver_violations(&run);
  deliver_overwrites(&run);
  deliver_write(&run);
  deliver_timelines(&run);
  if (run.loops)
    nereid_emulator_loops_report(run.loops, run.loop_sums, &run.launch);
  if (run.cost_sums)
    nereid_emulator_costs_report(kernel->program, run.cost_sums, &run.launch);
  pthread_mutex_destroy(&run.lock);
  nereid_arena_deinitialize(&arena);
  return run.status;
}

/* A launch: clusters of CTAs taken in their order by a few host threads, their counters summed, their output and the
 * first failure (in the order of CTAs) reported, so that nothing depends on how many threads there are. */
#include "emulator/effect.h"
#include "emulator/race.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct run {
  const nereid_emulator_kernel_t *kernel;
  nereid_emulator_launch_t launch;
  emu_region_t *regions;
  size_t n_regions;
  uint64_t n_ctas, n_clusters; /* `next` and `failed` count clusters */
  uint32_t clusters[3];        /* of the grid */
  emu_race_t *race;            /* null: none is looked for */
  pthread_mutex_t lock;        /* of what follows */
  uint64_t next, failed;
  nereid_status_t status;
  nereid_emulator_report_t *report;
  struct output {
    char *text;
    size_t size;
  } *outputs; /* per CTA, when printing is asked for */
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

static void set_special(uint8_t *specials, unsigned which, unsigned lane, uint32_t value) {
  memcpy(specials + which * 128 + lane * 4, &value, sizeof value);
}

static void set_specials(const emu_cta_t *cta, emu_warp_t *warp) {
  const uint32_t *block = cta->launch->block, *grid = cta->launch->grid, *shape = cta->launch->cluster;
  const uint32_t in[3] = {cta->id[0] % shape[0], cta->id[1] % shape[1], cta->id[2] % shape[2]};
  uint32_t explicitly = cta->kernel->cluster[0] || cta->cluster->n_ctas > 1 ? UINT32_MAX : 0;
  uint8_t *s = warp->base[EMU_SPECIALS];
  for (uint32_t lane = 0; lane < EMU_LANES; ++lane) {
    uint32_t thread = warp->index * EMU_LANES + lane;
    const uint32_t values[EMU_CLOCK_LO] = {thread % block[0],
                                           thread / block[0] % block[1],
                                           thread / block[0] / block[1],
                                           block[0],
                                           block[1],
                                           block[2],
                                           cta->id[0],
                                           cta->id[1],
                                           cta->id[2],
                                           grid[0],
                                           grid[1],
                                           grid[2],
                                           lane,
                                           warp->index,
                                           cta->n_warps,
                                           0,
                                           1,
                                           0,
                                           UINT32_C(1) << lane,
                                           (UINT32_C(1) << lane) - 1,
                                           UINT32_MAX >> (31 - lane),
                                           (UINT32_MAX << lane) << 1,
                                           UINT32_MAX << lane,
                                           cta->launch->shared_bytes,
                                           cta->shared_bytes,
                                           in[0],
                                           in[1],
                                           in[2],
                                           shape[0],
                                           shape[1],
                                           shape[2],
                                           cta->cluster->id[0],
                                           cta->cluster->id[1],
                                           cta->cluster->id[2],
                                           grid[0] / shape[0],
                                           grid[1] / shape[1],
                                           grid[2] / shape[2],
                                           cta->rank,
                                           cta->cluster->n_ctas,
                                           explicitly};
    for (unsigned i = 0; i < EMU_CLOCK_LO; ++i)
      set_special(s, i, lane, values[i]);
  }
}

/* Everything of a CTA in one block: registers, specials, return addresses, warps, shared, local. */
static void *make_cta(const run_t *run, emu_cta_t *cta) {
  const nereid_emulator_program_t *program = run->kernel->program;
  size_t registers = ((size_t)program->register_bytes + 63) / 64 * 64, specials = EMU_SPECIAL_COUNT * 128;
  size_t per_warp = registers + specials + sizeof(uint32_t[EMU_DEPTH][EMU_LANES]);
  size_t warps = (cta->n_warps * sizeof(emu_warp_t) + 63) / 64 * 64,
         shared = ((size_t)cta->shared_bytes + 63) / 64 * 64;
  bool fenced = run->launch.proxy == NEREID_EMULATOR_PROXY_AT_FENCE;
  uint8_t *block = calloc(1, warps + (fenced ? 4 : 1) * shared +
                                 cta->n_warps * (per_warp + (size_t)EMU_LANES * cta->local_bytes) + 64);
  if (!block)
    return NULL;
  cta->warps = (emu_warp_t *)(void *)block;
  cta->shared = block + warps;
  uint8_t *at = cta->shared + shared;
  if (fenced) {
    cta->published = at;
    cta->owners = (uint16_t *)(void *)(at + shared);
    at += 3 * shared;
  }
  for (uint32_t i = 0; i < cta->n_warps; ++i, at += per_warp) {
    emu_warp_t *warp = &cta->warps[i];
    warp->base[EMU_REGISTERS] = at;
    warp->base[EMU_SPECIALS] = at + registers;
    warp->returns = (uint32_t (*)[EMU_LANES])(void *)(at + registers + specials);
    warp->base[EMU_CONSTANTS] = program->constants;
  }
  cta->local = at;
  return block;
}

static void start_cta(const run_t *run, emu_cta_t *cta) {
  for (uint32_t i = 0; i < cta->n_warps; ++i) {
    emu_warp_t *warp = &cta->warps[i];
    uint32_t threads = cta->n_threads - i * EMU_LANES;
    warp->cta = cta;
    warp->index = i;
    warp->live = threads >= EMU_LANES ? UINT32_MAX : (UINT32_C(1) << threads) - 1;
    warp->groups[0] = (emu_group_t){warp->live, run->kernel->entry, 0, EMU_RUNNING};
    warp->n_groups = 1;
    set_specials(cta, warp);
  }
}

static void place_cta(const run_t *run, emu_cta_t *cta) {
  const uint32_t *shape = run->launch.cluster;
  const uint32_t in[3] = {cta->rank % shape[0], cta->rank / shape[0] % shape[1], cta->rank / shape[0] / shape[1]};
  for (int i = 0; i < 3; ++i)
    cta->id[i] = cta->cluster->id[i] * shape[i] + in[i];
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
  add_counters(&run->report->counters, &cta->counters);
  run->report->warp_instructions += cta->warp_instructions;
  run->report->thread_instructions += cta->thread_instructions;
  if (run->outputs)
    run->outputs[number] = (struct output){cta->printed, cta->printed_size};
  else
    free(cta->printed);
}

static void finish_cluster(run_t *run, emu_cluster_t *cluster, uint64_t number) {
  pthread_mutex_lock(&run->lock);
  if (cluster->status && number < run->failed) {
    run->failed = number;
    run->status = cluster->status;
    run->report->message = cluster->message;
  }
  for (uint32_t i = 0; i < cluster->n_ctas; ++i)
    finish_cta(run, &cluster->ctas[i]);
  pthread_mutex_unlock(&run->lock);
}

static void run_cluster(run_t *run, uint64_t number) {
  const uint32_t *block = run->launch.block, *clusters = run->clusters, *shape = run->launch.cluster;
  emu_cta_t ctas[EMU_MAX_CLUSTER] = {0};
  void *memory[EMU_MAX_CLUSTER] = {0};
  emu_cluster_t cluster = {.launch = &run->launch,
                           .ctas = ctas,
                           .n_ctas = shape[0] * shape[1] * shape[2],
                           .keeps_landed = run->race != NULL,
                           .random = run->launch.seed ^ (number * UINT64_C(0xd1342543de82ef95))};
  nereid_arena_initialize(&cluster.arena);
  cluster.id[0] = (uint32_t)(number % clusters[0]);
  cluster.id[1] = (uint32_t)(number / clusters[0] % clusters[1]);
  cluster.id[2] = (uint32_t)(number / clusters[0] / clusters[1]);
  for (uint32_t i = 0; i < cluster.n_ctas; ++i) {
    emu_cta_t *cta = &ctas[i];
    *cta = (emu_cta_t){.cluster = &cluster,
                       .rank = i,
                       .kernel = run->kernel,
                       .launch = &run->launch,
                       .regions = run->regions,
                       .n_regions = run->n_regions,
                       .n_threads = block[0] * block[1] * block[2],
                       .local_bytes = run->kernel->program->local_bytes};
    place_cta(run, cta);
    cta->n_warps = (cta->n_threads + EMU_LANES - 1) / EMU_LANES;
    cta->local_bytes = (cta->local_bytes + 15) / 16 * 16;
    cta->shared_bytes = (run->kernel->program->shared_static + 1023) / 1024 * 1024 + run->launch.shared_bytes;
    memory[i] = make_cta(run, cta);
    if (memory[i] && (!run->race || nereid_emulator_race_start(run->race, cta)))
      start_cta(run, cta);
    else
      cluster.status = nereid_message_set(&cluster.message, NEREID_ERROR_MEMORY, "out of memory for a CTA");
  }
  if (!cluster.status)
    (void)nereid_emulator_run_cluster(&cluster);
  if (cluster.status == NEREID_ERROR_MEMORY && !cluster.message.text[0])
    (void)nereid_message_set(&cluster.message, NEREID_ERROR_MEMORY, "out of memory for what the kernel prints");
  finish_cluster(run, &cluster, number);
  for (uint32_t i = 0; i < cluster.n_ctas; ++i) {
    nereid_emulator_race_finish(&ctas[i]);
    free(memory[i]);
  }
  nereid_arena_deinitialize(&cluster.arena);
}

static void *work(void *data) {
  run_t *run = data;
  for (;;) {
    pthread_mutex_lock(&run->lock);
    uint64_t number = run->next++;
    bool done = number >= run->n_clusters || number > run->failed;
    pthread_mutex_unlock(&run->lock);
    if (done)
      return NULL;
    run_cluster(run, number);
  }
}

/* The cluster's shape, which divides the grid. */
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
      return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "a grid of %u CTAs is no multiple of clusters of %u",
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
      return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "the grid is larger than a GPU's");
  }
  if (!threads || threads > 1024)
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT,
                              "a block has 1 to 1024 threads; kernel '%s' needs one that does", kernel->name_text);
  if (launch->parameter_bytes < kernel->parameter_bytes || (launch->parameter_bytes && !launch->parameters))
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "kernel '%s' has %u bytes of parameters, %u are given",
                              kernel->name_text, kernel->parameter_bytes, launch->parameter_bytes);
  if (launch->shared_bytes > 1 << 20)
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT, "more than 1 MiB of shared memory");
  run->n_ctas = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
  return check_cluster(run, message);
}

/* The launch's buffers and the module's variables as they are at first. */
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
    run->regions[run->n_regions++] = (emu_region_t){variable->address, variable->bytes, bytes, variable->name};
  }
  if (run->launch.print)
    run->outputs = run->n_ctas < UINT32_MAX ? nereid_arena_new(arena, struct output, run->n_ctas + 1) : NULL;
  return arena->failed ? NEREID_ERROR_MEMORY : NEREID_OK;
}

/* The cluster of a CTA, by its number in the grid. */
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

static void run_all(run_t *run) {
  enum { MOST = 256 };
  pthread_t threads[MOST];
  uint32_t n = run->launch.threads, started = 0;
  if (!n) {
    long here = sysconf(_SC_NPROCESSORS_ONLN);
    n = here > 0 ? (uint32_t)here : 1;
  }
  n = run->kernel->program->has_atomics || run->race ? 1 : n > MOST ? MOST : n;
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
  if (map_memory(&run, &arena) || pthread_mutex_init(&run.lock, NULL)) {
    nereid_arena_deinitialize(&arena);
    return nereid_message_set(&report->message, NEREID_ERROR_MEMORY, "out of memory");
  }
  run.race = launch->racecheck ? nereid_emulator_race_create(kernel, &run.launch) : NULL;
  if (launch->racecheck && !run.race) {
    nereid_arena_deinitialize(&arena);
    return nereid_message_set(&report->message, NEREID_ERROR_MEMORY, "out of memory");
  }
  run_all(&run);
  deliver(&run);
  deliver_races(&run);
  pthread_mutex_destroy(&run.lock);
  nereid_arena_deinitialize(&arena);
  return run.status;
}

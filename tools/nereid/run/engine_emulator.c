/* Runs the kernel's PTX on the PTX emulator, on the host.
 *
 * Tensors are used in place, at addresses that the emulator assigns. The addresses have exactly the alignment that the
 * signature promises. Output that the kernel prints goes to stdout, one CTA after the other. */
#include "base/vector.h"
#include "python-free-bindings/launch/image/image.h"
#include "tools/nereid/run/engine.h"

#include <stdio.h>
#include <stdlib.h>

enum { MULTIPROCESSORS = 132 }; /* number of multiprocessors of an H100, for kernels whose grid depends on it */

typedef struct emulation {
  nereid_arena_t arena;
  tool_job_t *job;
  nereid_emulator_program_t *program;
  const nereid_emulator_kernel_t *kernel;
  nereid_emulator_memory_t *memory;
  uint64_t *addresses; /* per tensor */
  uint8_t *parameters;
} emulation_t;

static nereid_status_t emulator_open(void **out_state, nereid_message_t *message) {
  static const char here[] = "the PTX emulator";
  (void)message;
  *out_state = (void *)(uintptr_t)here;
  return NEREID_OK;
}

static const char *emulator_describe(const void *state) {
  return state;
}

static const char *emulator_target(const void *state) {
  (void)state;
  return "sm_90a";
}

static void emulator_close(void *state) {
  (void)state;
}

/* Receives what a launch reports. */
typedef struct sink {
  nereid_arena_t *arena;
  FILE *races;                    /* null: races are only printed */
  FILE *timeline;                 /* null: no timeline */
  nereid_emulator_trace_t *trace; /* writes to it */
  NEREID_VECTOR(nereid_emulator_loop_t) loops;
} sink_t;

static void print_race(void *user_data, const nereid_emulator_race_t *race) {
  const sink_t *sink = user_data;
  nereid_emulator_race_print(race, false, stdout);
  if (sink->races)
    nereid_emulator_race_print(race, true, sink->races);
}

static void keep_loop(void *user_data, const nereid_emulator_loop_t *loop) {
  sink_t *sink = user_data;
  (void)nereid_vector_push(sink->arena, &sink->loops, *loop);
}

static void print_overwrite(void *user_data, const nereid_emulator_overwrite_t *overwrite) {
  (void)user_data;
  nereid_emulator_overwrite_print(overwrite, stdout);
}

static void print_violation(void *user_data, const nereid_emulator_violation_t *violation) {
  (void)user_data;
  nereid_emulator_violation_print(violation, stdout);
}

static void print_text(void *user_data, nereid_view_t text) {
  (void)user_data;
  fwrite(text.data, 1, text.size, stdout);
}

/* Returns the tensor's name in messages; "argument 0" when it has none. */
static const char *label_of(emulation_t *it, size_t tensor) {
  const char *name = it->job->tensor_names[tensor];
  return name && *name >= '0' && *name <= '9' ? nereid_arena_format(&it->arena, "argument %s", name) : name;
}

/* Places tensors in the order of the parameters, as the interpreter does, so that both engines assign the same
 * address. */
static nereid_status_t place_tensors(emulation_t *it, nereid_message_t *message) {
  tool_job_t *job = it->job;
  nereid_status_t status = nereid_emulator_memory_create(&it->memory);
  it->addresses = nereid_arena_new(&it->arena, uint64_t, job->n_tensors);
  for (size_t i = 0; !status && it->addresses && i < job->n_slots; ++i) {
    const tool_slot_t *slot = &job->slots[i];
    const size_t k = slot->tensor;
    if (slot->kind == TOOL_SLOT_TENSOR || slot->kind == TOOL_SLOT_DESCRIPTOR)
      status = nereid_emulator_memory_add(it->memory, job->tensors[k].data, job->tensors[k].bytes,
                                          tool_job_alignment(job, k), label_of(it, k), &it->addresses[k]);
  }
  return status || !it->addresses ? nereid_message_set(message, NEREID_ERROR_MEMORY, "the tensors do not fit") : status;
}

/* Writes `size` bytes to the location of parameter `index`. */
static nereid_status_t put_bytes(emulation_t *it, size_t index, const void *bytes, uint32_t size,
                                 nereid_message_t *message) {
  const nereid_emulator_parameter_t *parameters;
  size_t n = nereid_emulator_kernel_parameters(it->kernel, &parameters);
  if (index >= n || parameters[index].size > size)
    return nereid_message_set(message, NEREID_ERROR_ARGUMENT,
                              "the parameters of '%s' in the PTX differ from its metadata", it->job->metadata.name);
  memcpy(it->parameters + parameters[index].offset, bytes, parameters[index].size);
  return NEREID_OK;
}

static nereid_status_t put(emulation_t *it, size_t index, uint64_t value, nereid_message_t *message) {
  return put_bytes(it, index, &value, sizeof value, message);
}

static nereid_status_t put_descriptor(emulation_t *it, size_t index, nereid_message_t *message) {
  const tool_slot_t *slot = &it->job->slots[index];
  nereid_tma_request_t request = slot->request;
  nereid_tma_descriptor_t descriptor;
  request.address = it->addresses[slot->tensor];
  nereid_status_t status = nereid_tma_encode(NEREID_TMA_EMULATOR, NULL, &request, &descriptor, message);
  return status ? status : put_bytes(it, index, descriptor.bytes, sizeof descriptor.bytes, message);
}

/* Binds the two pointers after the arguments to zero-initialized scratch memory for all CTAs. */
static nereid_status_t put_scratch(emulation_t *it, nereid_message_t *message) {
  const nereid_metadata_t *metadata = &it->job->metadata;
  const uint64_t sizes[] = {metadata->global_scratch_size, metadata->profile_scratch_size};
  const uint64_t aligns[] = {metadata->global_scratch_align, metadata->profile_scratch_align};
  static const char *const names[] = {"the scratch memory", "the profile scratch memory"};
  const nereid_emulator_parameter_t *parameters;
  size_t n = nereid_emulator_kernel_parameters(it->kernel, &parameters);
  const uint32_t *grid = it->job->grid;
  uint64_t ctas = (uint64_t)grid[0] * grid[1] * grid[2] * (uint64_t)metadata->num_ctas;
  nereid_status_t status = NEREID_OK;
  for (size_t k = 0; !status && metadata->abi == NEREID_ABI_TRITON && k < 2 && it->job->n_slots + k < n; ++k) {
    uint64_t address = 0;
    if (sizes[k] && ctas && sizes[k] > (UINT64_C(1) << 34) / ctas)
      return nereid_message_set(message, NEREID_ERROR_MEMORY, "%s of this grid needs more than 16 GiB", names[k]);
    if (sizes[k] && ctas) {
      void *scratch = nereid_arena_allocate(&it->arena, ctas, sizes[k]);
      status = scratch ? nereid_emulator_memory_add(it->memory, scratch, ctas * sizes[k], aligns[k] ? aligns[k] : 1,
                                                    names[k], &address)
                       : NEREID_ERROR_MEMORY;
      if (!status && it->job->initcheck)
        status = nereid_emulator_memory_scratch(it->memory, address);
    }
    status = status ? nereid_message_set(message, status, "%s cannot be allocated", names[k])
                    : put(it, it->job->n_slots + k, address, message);
  }
  return status;
}

static nereid_status_t put_arguments(emulation_t *it, nereid_message_t *message) {
  tool_job_t *job = it->job;
  nereid_status_t status = NEREID_OK;
  it->parameters = nereid_arena_allocate(&it->arena, nereid_emulator_kernel_parameter_bytes(it->kernel) + 8, 1);
  if (!it->parameters)
    return nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
  for (size_t i = 0; !status && i < job->n_slots; ++i) {
    const tool_slot_t *slot = &job->slots[i];
    const uint64_t value = slot->kind == TOOL_SLOT_TENSOR   ? it->addresses[slot->tensor]
                           : slot->kind == TOOL_SLOT_SCALAR ? slot->bits
                                                            : 0;
    status = slot->kind == TOOL_SLOT_DESCRIPTOR ? put_descriptor(it, i, message) : put(it, i, value, message);
  }
  return status ? status : put_scratch(it, message);
}

static nereid_status_t load(emulation_t *it, nereid_message_t *message) {
  const tool_job_t *job = it->job;
  if (nereid_image_kind(job->image) != NEREID_IMAGE_PTX)
    return nereid_message_set(message, NEREID_ERROR_UNSUPPORTED, "the emulator runs PTX or IR, not a cubin");
  if (job->repeats)
    return nereid_message_set(message, NEREID_ERROR_UNSUPPORTED, "--bench times a GPU; the emulator has --counters");
  bool is_ptx = nereid_image_kind(job->source) == NEREID_IMAGE_PTX; /* source lines then refer to the input */
  const char *name = is_ptx && job->source_name ? job->source_name : job->metadata.name;
  nereid_status_t status = nereid_emulator_load(job->image, name, &it->program, message);
  if (status)
    return status;
  it->kernel = nereid_emulator_kernel(it->program, job->metadata.name);
  return it->kernel
             ? NEREID_OK
             : nereid_message_set(message, NEREID_ERROR_NOT_FOUND, "no kernel '%s' in the PTX", job->metadata.name);
}

/* Returns the launch that the job describes; the caller sets the handlers for printed output and reports. */
static nereid_emulator_launch_t launch_of(const emulation_t *it) {
  const tool_job_t *job = it->job;
  const uint32_t size = (uint32_t)job->metadata.num_ctas; /* the job's grid counts clusters */
  uint32_t required[3];
  nereid_emulator_launch_t launch = {
      .grid = {job->grid[0] * size, job->grid[1], job->grid[2]},
      .shared_bytes = job->metadata.shared > UINT32_MAX ? UINT32_MAX : (uint32_t)job->metadata.shared,
      .parameters = it->parameters,
      .parameter_bytes = nereid_emulator_kernel_parameter_bytes(it->kernel),
      .memory = it->memory,
      .schedule = job->schedule,
      .seed = job->seed,
      .landing = job->landing,
      .proxy = job->proxy,
      .steps = job->steps,
      .count = job->count,
      .racecheck = job->racecheck,
      .initcheck = job->initcheck,
      .stop_on = job->stop_on,
      .timeline = job->timeline,
  };
  if (size > 1) {
    launch.cluster[0] = size;
    launch.cluster[1] = launch.cluster[2] = 1;
  }
  nereid_emulator_kernel_block(it->kernel, required);
  if (job->metadata.block[0]) {
    memcpy(launch.block, job->metadata.block, sizeof launch.block);
  } else if (!required[0]) {
    launch.block[0] = (uint32_t)job->metadata.total_num_warps * 32;
    launch.block[1] = launch.block[2] = 1;
  }
  return launch;
}

static void trace_event(void *user_data, const nereid_emulator_event_t *event) {
  const sink_t *sink = user_data;
  nereid_emulator_trace_event(sink->trace, event);
}

/* Opens the files of the job's reports. */
static nereid_status_t open_sink(const tool_job_t *job, sink_t *sink, nereid_message_t *message) {
  if (job->races_path && !(sink->races = fopen(job->races_path, "w")))
    return nereid_message_set(message, NEREID_ERROR_IO, "%s cannot be written", job->races_path);
  if (job->timeline_path && !(sink->timeline = fopen(job->timeline_path, "w")))
    return nereid_message_set(message, NEREID_ERROR_IO, "%s cannot be written", job->timeline_path);
  sink->trace = sink->timeline ? nereid_emulator_trace_open(sink->timeline) : NULL;
  return !sink->timeline || sink->trace ? NEREID_OK : nereid_message_set(message, NEREID_ERROR_MEMORY, "out of memory");
}

static nereid_status_t close_sink(const tool_job_t *job, sink_t *sink, uint64_t dropped, nereid_message_t *message) {
  nereid_status_t status = nereid_emulator_trace_close(sink->trace, dropped);
  if (sink->timeline && fclose(sink->timeline) && !status)
    status = NEREID_ERROR_IO;
  if (status)
    status = nereid_message_set(message, status, "%s cannot be written", job->timeline_path);
  if (sink->races && fclose(sink->races) && !status)
    status = nereid_message_set(message, NEREID_ERROR_IO, "%s cannot be written", job->races_path);
  if (dropped)
    fprintf(stderr, "nereid run: the timeline is incomplete: %llu events exceed its limit (--timeline-events)\n",
            (unsigned long long)dropped);
  return status;
}

static nereid_emulator_launch_t with_sink(nereid_emulator_launch_t launch, sink_t *sink) {
  launch.print = print_text;
  launch.race = print_race;
  launch.overwrite = print_overwrite;
  launch.violation = print_violation;
  launch.loop = keep_loop;
  launch.event = sink->trace ? trace_event : NULL;
  launch.user_data = sink;
  return launch;
}

static nereid_status_t execute(emulation_t *it, nereid_message_t *message) {
  tool_job_t *job = it->job;
  nereid_emulator_report_t report = {0};
  sink_t sink = {.arena = &it->arena};
  nereid_status_t status = open_sink(job, &sink, message);
  if (!status) {
    const nereid_emulator_launch_t launch = with_sink(launch_of(it), &sink);
    status = nereid_emulator_run(it->kernel, &launch, &report);
    if (status)
      (void)nereid_message_set(message, status, "%s", report.message.text);
  }
  job->races = report.races;
  job->overwrites = report.overwrites;
  job->violations = report.violations;
  job->instructions = report.thread_instructions;
  const nereid_status_t closed = close_sink(job, &sink, report.dropped, status ? NULL : message);
  if (!status && !closed && job->count)
    nereid_emulator_counters_print(&report.counters, sink.loops.data, sink.loops.size, stdout);
  return status ? status : closed;
}

static nereid_status_t execute_observed(emulation_t *it, const tool_observer_t *observer, nereid_message_t *message) {
  nereid_emulator_report_t report = {0};
  nereid_emulator_launch_t launch = launch_of(it);
  observer->prepare(observer->user_data, &launch);
  const nereid_status_t status = nereid_emulator_run(it->kernel, &launch, &report);
  if (status)
    (void)nereid_message_set(message, status, "%s", report.message.text);
  observer->finish(observer->user_data, &report);
  return status;
}

static nereid_status_t emulator_run(void *state, tool_job_t *job, nereid_message_t *message) {
  emulation_t it = {.job = job};
  (void)state;
  nereid_arena_initialize(&it.arena);
  nereid_status_t status = tool_job_grid(job, MULTIPROCESSORS, message);
  if (!status)
    status = load(&it, message);
  if (!status)
    status = place_tensors(&it, message);
  if (!status)
    status = put_arguments(&it, message);
  if (!status)
    status = job->observer ? execute_observed(&it, job->observer, message) : execute(&it, message);
  nereid_emulator_memory_destroy(it.memory);
  nereid_emulator_unload(it.program);
  nereid_arena_deinitialize(&it.arena);
  return status;
}

const tool_engine_t tool_engine_emulator = {
    .name = "emulator",
    .stage = NEREID_STAGE_PTX,
    .open = emulator_open,
    .describe = emulator_describe,
    .target = emulator_target,
    .run = emulator_run,
    .close = emulator_close,
};

/* The frame check (frames.h).
 *
 * Call paths are numbered: 0 is the kernel; another path is {caller's path, pc of the call}. Path `a` encloses `b`
 * if a is on the way from b to the kernel. A write by path p destroys a value if the byte holds an unread value of a
 * path that encloses p. A later read by a path that the owner encloses, and the writer does not, reads the wrong
 * value. */
#include "emulator/checks/frames.h"

#include "emulator/machine/effect.h"
#include "emulator/machine/execute.h"

#include <stdlib.h>

typedef struct path {
  uint32_t parent, depth, call; /* pc of the call */
} path_t;

typedef struct written {
  uint32_t path, pc; /* pc + 1; 0: none */
} written_t;

typedef struct shadow {
  written_t last, replaced; /* replaced: writer of the destroyed unread value, if any */
  bool read;                /* the last value has been read */
} shadow_t;

struct emu_frames {
  emu_cta_t *cta;
  nereid_arena_t arena;
  NEREID_VECTOR(path_t) paths;
  uint32_t *lanes; /* the path of each thread */
  shadow_t *bytes;
  emu_overwrites_t found;
  bool failed;
};

emu_frames_t *nereid_emulator_frames_create(emu_cta_t *cta) {
  emu_frames_t *frames = calloc(1, sizeof *frames);
  if (!frames)
    return NULL;
  nereid_arena_initialize(&frames->arena);
  frames->cta = cta;
  frames->lanes = nereid_arena_new(&frames->arena, uint32_t, (size_t)cta->n_warps *EMU_LANES);
  frames->bytes = calloc((size_t)cta->shared_bytes + 1, sizeof *frames->bytes);
  path_t kernel = {0};
  if (frames->bytes && frames->lanes && nereid_vector_push(&frames->arena, &frames->paths, kernel))
    return frames;
  nereid_emulator_frames_destroy(frames);
  return NULL;
}

void nereid_emulator_frames_destroy(emu_frames_t *frames) {
  if (!frames)
    return;
  nereid_arena_deinitialize(&frames->arena);
  free(frames->bytes);
  free(frames);
}

static uint32_t pc_of(const emu_frames_t *frames, const emu_insn_t *insn) {
  return (uint32_t)(insn - frames->cta->kernel->program->insns.data);
}

static uint32_t path_of_call(emu_frames_t *frames, uint32_t parent, uint32_t call) {
  for (size_t i = 1; i < frames->paths.size; ++i)
    if (frames->paths.data[i].parent == parent && frames->paths.data[i].call == call)
      return (uint32_t)i;
  path_t path = {parent, frames->paths.data[parent].depth + 1, call};
  if (!nereid_vector_push(&frames->arena, &frames->paths, path)) {
    frames->failed = true;
    return parent;
  }
  return (uint32_t)frames->paths.size - 1;
}

void nereid_emulator_frames_call(emu_warp_t *warp, const emu_insn_t *insn, uint32_t mask) {
  emu_frames_t *frames = warp->cta->frames;
  uint32_t *paths = &frames->lanes[warp->index * EMU_LANES], call = pc_of(frames, insn);
  FOR_LANES(lane, mask) paths[lane] = path_of_call(frames, paths[lane], call);
}

void nereid_emulator_frames_return(emu_warp_t *warp, uint32_t mask) {
  emu_frames_t *frames = warp->cta->frames;
  uint32_t *paths = &frames->lanes[warp->index * EMU_LANES];
  FOR_LANES(lane, mask) paths[lane] = frames->paths.data[paths[lane]].parent;
}

uint32_t nereid_emulator_frames_path(const emu_warp_t *warp, int lane) {
  return warp->cta->frames->lanes[warp->index * EMU_LANES + (uint32_t)lane];
}

/* Whether `outer` equals or encloses `inner`. */
static bool around(const emu_frames_t *frames, uint32_t outer, uint32_t inner) {
  const path_t *paths = frames->paths.data;
  while (paths[inner].depth > paths[outer].depth)
    inner = paths[inner].parent;
  return inner == outer;
}

static void write_byte(const emu_frames_t *frames, shadow_t *byte, uint32_t path, uint32_t pc) {
  if (byte->replaced.pc && around(frames, path, byte->replaced.path))
    byte->replaced = (written_t){0}; /* the owner has stored a new value */
  if (byte->last.pc && !byte->read && byte->last.path != path && around(frames, byte->last.path, path))
    byte->replaced = byte->last;
  byte->last = (written_t){path, pc + 1};
  byte->read = false;
}

static nereid_emulator_place_t place(const emu_frames_t *frames, uint32_t pc) {
  const nereid_emulator_program_t *program = frames->cta->kernel->program;
  const emu_insn_t *insn = &program->insns.data[pc];
  const emu_place_t *source = insn->place ? &program->places.data[insn->place] : NULL;
  return (nereid_emulator_place_t){.program = program->name,
                                   .source = source ? source->text : NULL,
                                   .line = insn->line,
                                   .source_line = source ? source->line : 0,
                                   .text = nereid_emulator_statement(program, insn)};
}

static bool same(const nereid_emulator_overwrite_t *a, const nereid_emulator_overwrite_t *b) {
  return a->stored.text.data == b->stored.text.data && a->overwritten.text.data == b->overwritten.text.data &&
         a->call.text.data == b->call.text.data && a->read.text.data == b->read.text.data;
}

static bool add(nereid_arena_t *arena, emu_overwrites_t *list, const nereid_emulator_overwrite_t *found) {
  for (size_t i = 0; i < list->items.size; ++i) {
    nereid_emulator_overwrite_t *old = &list->items.data[i];
    if (same(old, found)) {
      old->count += found->count;
      old->address = found->address < old->address ? found->address : old->address;
      return true;
    }
  }
  return nereid_vector_push(arena, &list->items, *found);
}

/* Returns the call that leads to the writer from a path that is still active for the reader. */
static uint32_t call_between(const emu_frames_t *frames, uint32_t writer, uint32_t reader) {
  const path_t *paths = frames->paths.data;
  while (!around(frames, paths[writer].parent, reader))
    writer = paths[writer].parent;
  return paths[writer].call;
}

static void read_byte(emu_frames_t *frames, shadow_t *byte, uint32_t path, uint32_t pc, uint32_t offset) {
  byte->read = true;
  if (!byte->replaced.pc || !around(frames, byte->replaced.path, path) || around(frames, byte->last.path, path))
    return;
  nereid_emulator_overwrite_t found = {.address = offset,
                                       .count = 1,
                                       .stored = place(frames, byte->replaced.pc - 1),
                                       .overwritten = place(frames, byte->last.pc - 1),
                                       .call = place(frames, call_between(frames, byte->last.path, path)),
                                       .read = place(frames, pc)};
  frames->failed |= !add(&frames->arena, &frames->found, &found);
}

void nereid_emulator_frames_access(emu_warp_t *warp, const emu_insn_t *insn, int lane, uint32_t offset, uint32_t bytes,
                                   emu_access_t access) {
  emu_frames_t *frames = warp->cta->frames;
  uint32_t pc = pc_of(frames, insn);
  uint32_t path =
      warp->cta->cluster->landing ? warp->cta->cluster->landing->path : nereid_emulator_frames_path(warp, lane);
  for (uint32_t i = 0; i < bytes && offset + i < warp->cta->shared_bytes; ++i) {
    shadow_t *byte = &frames->bytes[offset + i];
    if (access != EMU_WRITE)
      read_byte(frames, byte, path, pc, offset + i);
    if (access != EMU_READ)
      write_byte(frames, byte, path, pc);
  }
}

bool nereid_emulator_frames_collect(const emu_frames_t *frames, nereid_arena_t *arena, emu_overwrites_t *overwrites) {
  bool good = !frames->failed;
  for (size_t i = 0; good && i < frames->found.items.size; ++i)
    good = add(arena, overwrites, &frames->found.items.data[i]);
  return good;
}

static int by_place(const void *a, const void *b) {
  const nereid_emulator_overwrite_t *one = a, *other = b;
  const uint32_t lines[][2] = {{one->read.line, other->read.line},
                               {one->stored.line, other->stored.line},
                               {one->overwritten.line, other->overwritten.line},
                               {one->call.line, other->call.line}};
  for (size_t i = 0; i < sizeof lines / sizeof *lines; ++i)
    if (lines[i][0] != lines[i][1])
      return lines[i][0] < lines[i][1] ? -1 : 1;
  return 0;
}

void nereid_emulator_frames_sort(emu_overwrites_t *overwrites) {
  if (overwrites->items.size)
    qsort(overwrites->items.data, overwrites->items.size, sizeof *overwrites->items.data, by_place);
}

static void print_place(const nereid_emulator_place_t *place, const char *what, FILE *file) {
  fprintf(file, "  %-12s%s:%u", what, place->program, place->line);
  if (place->source)
    fprintf(file, " (%s)", place->source);
  fprintf(file, ": %.*s\n", (int)place->text.size, place->text.data);
}

void nereid_emulator_overwrite_print(const nereid_emulator_overwrite_t *overwrite, FILE *file) {
  fprintf(file, "frame: a called function overwrites shared memory that its caller still reads, at 0x%x, %llu %s\n",
          (unsigned)overwrite->address, (unsigned long long)overwrite->count, overwrite->count == 1 ? "byte" : "bytes");
  print_place(&overwrite->stored, "stored", file);
  print_place(&overwrite->call, "call", file);
  print_place(&overwrite->overwritten, "overwritten", file);
  print_place(&overwrite->read, "read", file);
}

/* Random modules of recurrences, as linear attention one token at a time: a loop carries a matrix or a vector, and each
 * iteration updates it with vectors and scalars that it loads, and stores a reduction of it.
 *
 *   h' = g h      r = clamp(v - sum(h' k)) b      h = h' + k r      o = sum(h q)
 *
 * With random sizes, types, masks, initial and final states, more reductions, along the other dimension, too, and
 * pointers that are carried or computed, forwards or backwards. Operands are small integers, and |g| and |b| at most 1,
 * so that sums are exact and engines must agree in every bit. */
#include "module.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_STREAMS = 12, MAX_CARRIED = 16, TEXT = 80 };

typedef enum mask { UNMASKED, BY_WIDTH, BY_STEP } mask_t;

/* Vectors or scalars of which each iteration loads or stores one. */
typedef struct stream {
  const char *name, *base, *element; /* base: the kernel's argument */
  int size, stride;                  /* elements of a vector, or 0: scalars; elements from one to the next */
  mask_t mask;
  bool is_carried; /* its pointers, which each iteration advances */
  bool is_output;
} stream_t;

typedef struct recurrence {
  module_t *module;
  int rank, shape[2], axis;
  const char *sum; /* the type of the state */
  int steps, heads;
  bool is_backward, has_initial, has_final, has_delta, has_normalizer, has_maximum, has_other_axis;
  stream_t streams[MAX_STREAMS];
  int n_streams;
  char carried[MAX_CARRIED][3][TEXT]; /* argument and its initial value; its type; the value for the next iteration */
  int n_carried;
} recurrence_t;

/* --- types --- */

/* Prints "tensor<64xELEMENT>", or the element for size 0. */
static const char *vector(char out[TEXT], int size, const char *element) {
  if (size)
    snprintf(out, TEXT, "tensor<%dx%s>", size, element);
  else
    snprintf(out, TEXT, "%s", element);
  return out;
}

static const char *pointers(char out[TEXT], const stream_t *stream) {
  char element[TEXT];
  snprintf(element, sizeof element, "!tt.ptr<%s>", stream->element);
  return vector(out, stream->size, element);
}

static const char *state(const recurrence_t *recurrence, char out[TEXT], const char *element) {
  if (recurrence->rank == 1)
    return vector(out, recurrence->shape[0], element);
  snprintf(out, TEXT, "tensor<%dx%dx%s>", recurrence->shape[0], recurrence->shape[1], element);
  return out;
}

/* Defines %NAME, a constant of all elements. */
static void constant(module_t *module, const char *name, int size, const char *element, int value) {
  char type[TEXT];
  const char *point = element[0] == 'i' ? "" : ".0";
  vector(type, size, element);
  if (size)
    module_line(module, "%%%s = arith.constant dense<%d%s> : %s", name, value, point, type);
  else
    module_line(module, "%%%s = arith.constant %d%s : %s", name, value, point, type);
}

static void carry(recurrence_t *recurrence, const char *name, const char *first, const char *type, const char *next) {
  char (*entry)[TEXT] = recurrence->carried[recurrence->n_carried++];
  snprintf(entry[0], TEXT, "%%%s = %%%s", name, first);
  snprintf(entry[1], TEXT, "%s", type);
  snprintf(entry[2], TEXT, "%%%s", next);
}

/* --- streams --- */

static stream_t *find(recurrence_t *recurrence, const char *name) {
  for (int i = 0; i < recurrence->n_streams; ++i)
    if (strcmp(recurrence->streams[i].name, name) == 0)
      return &recurrence->streams[i];
  return NULL;
}

static stream_t *add(recurrence_t *recurrence, const char *name, int size) {
  static const char *const elements[] = {"bf16", "bf16", "f16", "f32", "f32", "i8"};
  module_t *module = recurrence->module;
  stream_t *stream = &recurrence->streams[recurrence->n_streams++];
  *stream = (stream_t){.name = name, .base = name, .element = elements[module_random(module, 6)], .size = size};
  stream->stride = (size ? size : 1) + (module_chance(module, 20) ? 1 + (int)module_random(module, 8) : 0);
  if (module_chance(module, 40))
    stream->mask = size && module_chance(module, 60) ? BY_WIDTH : BY_STEP;
  stream->is_carried = module_chance(module, 50);
  return stream;
}

static void add_output(recurrence_t *recurrence, const char *name, int size) {
  static const char *const elements[] = {"bf16", "f16", "f32"};
  stream_t *stream = add(recurrence, name, size);
  stream->element = elements[module_random(recurrence->module, 3)];
  stream->is_output = true;
}

/* Defines %RESULT, %POINTERS moved by the scalar %OFFSET. */
static void advance(module_t *module, const stream_t *stream, const char *result, const char *from,
                    const char *offset) {
  char type[TEXT], indices[TEXT];
  pointers(type, stream);
  vector(indices, stream->size, "i32");
  if (stream->size)
    module_line(module, "%%%s_s = tt.splat %%%s : i32 -> %s", result, offset, indices);
  module_line(module, "%%%s = tt.addptr %%%s, %%%s%s : %s, %s", result, from, stream->size ? result : offset,
              stream->size ? "_s" : "", type, indices);
}

/* Before the loop: the pointers %NAME_0 of row 0 of the head, or of the first row that is accessed; constants, and a
 * mask by the width. */
static void begin_stream(recurrence_t *recurrence, const stream_t *stream) {
  module_t *module = recurrence->module;
  const char *name = stream->name;
  const bool starts_last = stream->is_carried && recurrence->is_backward;
  char type[TEXT], indices[TEXT], text[TEXT], next[TEXT];
  pointers(type, stream);
  vector(indices, stream->size, "i32");
  module_line(module, "%%%s_n = arith.constant %d : i32", name, stream->stride * recurrence->steps);
  module_line(module, "%%%s_m = arith.constant %d : i32", name, stream->stride);
  module_line(module, "%%%s_d = arith.constant %d : i32", name,
              recurrence->is_backward ? -stream->stride : stream->stride);
  module_line(module, "%%%s_h = arith.muli %%head, %%%s_n : i32", name, name);
  module_line(module, "%%%s_l = arith.muli %%%s, %%%s_m : i32", name, starts_last ? "last" : "c0", name);
  module_line(module, "%%%s_a = arith.addi %%%s_h, %%%s_l : i32", name, name, name);
  module_line(module, "%%%s_%s = tt.addptr %%%s, %%%s_a : !tt.ptr<%s>, i32", name, stream->size ? "base" : "0",
              stream->base, name, stream->element);
  snprintf(text, sizeof text, "%s_o", name);
  constant(module, text, stream->size, stream->element, (int)module_random(module, 2));
  if (stream->size) {
    module_line(module, "%%%s_r = tt.make_range {end = %d : i32, start = 0 : i32} : %s", name, stream->size, indices);
    module_line(module, "%%%s_s = tt.splat %%%s_base : !tt.ptr<%s> -> %s", name, name, stream->element, type);
    module_line(module, "%%%s_0 = tt.addptr %%%s_s, %%%s_r : %s, %s", name, name, name, type, indices);
  }
  if (stream->mask == BY_WIDTH) {
    module_line(module, "%%%s_ws = tt.splat %%width : i32 -> %s", name, indices);
    module_line(module, "%%%s_w = arith.cmpi slt, %%%s_r, %%%s_ws : %s", name, name, name, indices);
  }
  if (!stream->is_carried)
    return;
  snprintf(text, sizeof text, "%s_t", name);
  snprintf(next, sizeof next, "%s_u", name);
  char first[TEXT];
  snprintf(first, sizeof first, "%s_0", name);
  carry(recurrence, text, first, type, next);
}

/* At the start of an iteration: the pointers %NAME_t of row %row, and a mask by the step. */
static void begin_row(recurrence_t *recurrence, const stream_t *stream) {
  module_t *module = recurrence->module;
  const char *name = stream->name;
  char result[TEXT], from[TEXT], offset[TEXT], type[TEXT];
  if (!stream->is_carried) {
    snprintf(result, sizeof result, "%s_t", name);
    snprintf(from, sizeof from, "%s_0", name);
    snprintf(offset, sizeof offset, "%s_i", name);
    module_line(module, "%%%s = arith.muli %%row, %%%s_m : i32", offset, name);
    advance(module, stream, result, from, offset);
  }
  if (stream->mask != BY_STEP)
    return;
  if (stream->size)
    module_line(module, "%%%s_w = tt.splat %%early : i1 -> %s", name, vector(type, stream->size, "i1"));
  else
    module_line(module, "%%%s_w = arith.andi %%early, %%early : i1", name);
}

/* At its end: the pointers %NAME_u of the next row. */
static void end_row(recurrence_t *recurrence, const stream_t *stream) {
  char result[TEXT], from[TEXT], offset[TEXT];
  if (!stream->is_carried)
    return;
  snprintf(result, sizeof result, "%s_u", stream->name);
  snprintf(from, sizeof from, "%s_t", stream->name);
  snprintf(offset, sizeof offset, "%s_d", stream->name);
  advance(recurrence->module, stream, result, from, offset);
}

/* --- values --- */

static int bits(const char *element) {
  return strcmp(element, "f64") == 0 ? 64 : strcmp(element, "f32") == 0 ? 32 : 16;
}

/* Defines %RESULT, %FROM in the other type. */
static void convert(module_t *module, const char *result, const char *from, int size, const char *element,
                    const char *to) {
  char old[TEXT], type[TEXT];
  const bool widens = bits(element) < bits(to);
  vector(old, size, element);
  vector(type, size, to);
  if (strcmp(element, to) == 0)
    module_line(module, "%%%s = arith.select %%true, %%%s, %%%s : %s", result, from, from, type);
  else
    module_line(module, "%%%s = arith.%s %%%s : %s to %s", result,
                element[0] == 'i' ? "sitofp"
                : widens          ? "extf"
                                  : "truncf",
                from, old, type);
}

/* Loads row %row of the stream and converts it to the type of the state: %NAME_v. */
static void load(recurrence_t *recurrence, const char *name) {
  module_t *module = recurrence->module;
  const stream_t *stream = find(recurrence, name);
  char type[TEXT], loaded[TEXT], result[TEXT];
  pointers(type, stream);
  if (stream->mask)
    module_line(module, "%%%s_x = tt.load %%%s_t, %%%s_w, %%%s_o : %s", name, name, name, name, type);
  else
    module_line(module, "%%%s_x = tt.load %%%s_t : %s", name, name, type);
  snprintf(loaded, sizeof loaded, "%s_x", name);
  snprintf(result, sizeof result, "%s_v", name);
  convert(module, result, loaded, stream->size, stream->element, recurrence->sum);
}

/* Stores %VALUE, of the type of the state, in row %row of the stream. */
static void store(recurrence_t *recurrence, const char *name, const char *value) {
  module_t *module = recurrence->module;
  const stream_t *stream = find(recurrence, name);
  char type[TEXT], result[TEXT];
  pointers(type, stream);
  snprintf(result, sizeof result, "%s_y", name);
  convert(module, result, value, stream->size, recurrence->sum, stream->element);
  if (stream->mask)
    module_line(module, "tt.store %%%s_t, %%%s, %%%s_w : %s", name, result, name, type);
  else
    module_line(module, "tt.store %%%s_t, %%%s : %s", name, result, type);
}

/* Defines %RESULT, the scalar or vector %VALUE as a tensor of the state's shape. A vector is along dimension `d`. */
static void spread(const recurrence_t *recurrence, const char *result, const char *value, int d, bool is_scalar) {
  module_t *module = recurrence->module;
  char type[TEXT], line[TEXT];
  const int *shape = recurrence->shape;
  state(recurrence, type, recurrence->sum);
  if (is_scalar) {
    module_line(module, "%%%s = tt.splat %%%s : %s -> %s", result, value, recurrence->sum, type);
    return;
  }
  if (recurrence->rank == 1) {
    module_line(module, "%%%s = arith.select %%true, %%%s, %%%s : %s", result, value, value, type);
    return;
  }
  snprintf(line, sizeof line, "tensor<%dx%dx%s>", d ? 1 : shape[0], d ? shape[1] : 1, recurrence->sum);
  module_line(module, "%%%s_e = tt.expand_dims %%%s {axis = %d : i32} : tensor<%dx%s> -> %s", result, value, 1 - d,
              shape[d], recurrence->sum, line);
  module_line(module, "%%%s = tt.broadcast %%%s_e : %s -> %s", result, result, line, type);
}

/* Defines %RESULT, the sum or maximum of the tensor along `axis`. */
static void reduce(const recurrence_t *recurrence, const char *result, const char *value, const char *type, int axis,
                   int size, bool is_maximum) {
  module_t *module = recurrence->module;
  const char *element = recurrence->sum;
  char to[TEXT];
  module_line(module, "%%%s = \"tt.reduce\"(%%%s) <{axis = %d : i32}> ({", result, value, axis);
  module_line(module, "^bb0(%%x: %s, %%y: %s):", element, element);
  module_line(module, "  %%z = arith.%s %%x, %%y : %s", is_maximum ? "maxnumf" : "addf", element);
  module_line(module, "  tt.reduce.return %%z : %s", element);
  module_line(module, "}) : (%s) -> %s", type, vector(to, size, element));
}

static void binary(const recurrence_t *recurrence, const char *result, const char *op, const char *a, const char *b,
                   const char *type) {
  module_line(recurrence->module, "%%%s = arith.%s %%%s, %%%s : %s", result, op, a, b, type);
}

/* --- an iteration --- */

/* The state after its decay: %decayed. */
static void decay(recurrence_t *recurrence, const char *type) {
  const stream_t *gate = find(recurrence, "g");
  if (!gate) {
    module_line(recurrence->module, "%%decayed = arith.select %%true, %%h, %%h : %s", type);
    return;
  }
  spread(recurrence, "g_b", "g_v", gate->size == recurrence->shape[0] ? 0 : 1, !gate->size);
  binary(recurrence, "decayed", "mulf", "h", "g_b", type);
}

/* The vector along the dimension that is not reduced, whose product with the key is added to the matrix: %part. */
static void make_part(recurrence_t *recurrence, const char *type) {
  const int size = recurrence->shape[1 - recurrence->axis];
  char line[TEXT];
  vector(line, size, recurrence->sum);
  if (recurrence->has_delta) {
    binary(recurrence, "hk", "mulf", "decayed", "k_b", type);
    reduce(recurrence, "old", "hk", type, recurrence->axis, size, false);
    binary(recurrence, "missing", "subf", "v_v", "old", line);
    binary(recurrence, "least", "maxnumf", "missing", "line_low", line);
    binary(recurrence, "change", "minnumf", "least", "line_high", line);
  } else {
    module_line(recurrence->module, "%%change = arith.select %%true, %%v_v, %%v_v : %s", line);
  }
  const stream_t *beta = find(recurrence, "b");
  if (!beta) {
    module_line(recurrence->module, "%%part = arith.select %%true, %%change, %%change : %s", line);
  } else if (beta->size) {
    binary(recurrence, "part", "mulf", "change", "b_v", line);
  } else {
    module_line(recurrence->module, "%%b_s = tt.splat %%b_v : %s -> %s", recurrence->sum, line);
    binary(recurrence, "part", "mulf", "change", "b_s", line);
  }
}

static void iterate_matrix(recurrence_t *recurrence) {
  const int axis = recurrence->axis, size = recurrence->shape[1 - axis], reduced = recurrence->shape[axis];
  char type[TEXT], line[TEXT];
  state(recurrence, type, recurrence->sum);
  vector(line, reduced, recurrence->sum);
  decay(recurrence, type);
  spread(recurrence, "k_b", "k_v", axis, false);
  make_part(recurrence, type);
  spread(recurrence, "part_b", "part", 1 - axis, false);
  binary(recurrence, "update", "mulf", "k_b", "part_b", type);
  binary(recurrence, "h_u", "addf", "decayed", "update", type);
  spread(recurrence, "q_b", "q_v", axis, false);
  binary(recurrence, "hq", "mulf", "h_u", "q_b", type);
  reduce(recurrence, "out", "hq", type, axis, size, false);
  store(recurrence, "o", "out");
  if (recurrence->has_maximum) {
    reduce(recurrence, "most", "h_u", type, axis, size, true);
    store(recurrence, "p", "most");
  }
  if (recurrence->has_other_axis) {
    reduce(recurrence, "other", "h_u", type, 1 - axis, reduced, false);
    store(recurrence, "s", "other");
  }
  if (recurrence->has_normalizer) {
    binary(recurrence, "normal_u", "addf", "normal", "k_v", line);
    binary(recurrence, "zq", "mulf", "normal_u", "q_v", line);
    reduce(recurrence, "norm", "zq", line, 0, 0, false);
    store(recurrence, "n", "norm");
  }
}

static void iterate_vector(recurrence_t *recurrence) {
  char type[TEXT];
  state(recurrence, type, recurrence->sum);
  decay(recurrence, type);
  binary(recurrence, "h_u", "addf", "decayed", "v_v", type);
  if (recurrence->has_delta) {
    binary(recurrence, "hk", "mulf", "h_u", "k_v", type);
    store(recurrence, "o", "hk");
  } else {
    store(recurrence, "o", "h_u");
  }
  if (recurrence->has_maximum) {
    reduce(recurrence, "most", "h_u", type, 0, 0, true);
    store(recurrence, "p", "most");
  }
}

/* --- the loop --- */

/* Pointers to the state of the head: %NAME_p. */
static void state_pointers(const recurrence_t *recurrence, const char *name) {
  module_t *module = recurrence->module;
  const int *shape = recurrence->shape, size = shape[0] * (recurrence->rank == 1 ? 1 : shape[1]);
  char base[TEXT], result[TEXT];
  snprintf(base, sizeof base, "%s_base", name);
  snprintf(result, sizeof result, "%s_p", name);
  module_line(module, "%%%s_n = arith.constant %d : i32", name, size);
  module_line(module, "%%%s_h = arith.muli %%head, %%%s_n : i32", name, name);
  module_line(module, "%%%s_base = tt.addptr %%%s, %%%s_h : !tt.ptr<%s>, i32", name, name, name, recurrence->sum);
  if (recurrence->rank == 2) {
    module_tile_pointers(module, name, base, result, recurrence->sum, shape[0], shape[1], shape[1]);
    return;
  }
  module_line(module, "%%%s_r = tt.make_range {end = %d : i32, start = 0 : i32} : tensor<%dxi32>", name, size, size);
  module_line(module, "%%%s_s = tt.splat %%%s_base : !tt.ptr<%s> -> tensor<%dx!tt.ptr<%s>>", name, name,
              recurrence->sum, size, recurrence->sum);
  module_line(module, "%%%s_p = tt.addptr %%%s_s, %%%s_r : tensor<%dx!tt.ptr<%s>>, tensor<%dxi32>", name, name, name,
              size, recurrence->sum, size);
}

static void begin(recurrence_t *recurrence) {
  module_t *module = recurrence->module;
  char type[TEXT], of_pointers[TEXT], element[TEXT];
  const int others = recurrence->shape[1 - recurrence->axis];
  snprintf(element, sizeof element, "!tt.ptr<%s>", recurrence->sum);
  state(recurrence, type, recurrence->sum);
  state(recurrence, of_pointers, element);
  module_line(module, "%%true = arith.constant true");
  constant(module, "c0", 0, "i32", 0);
  constant(module, "c1", 0, "i32", 1);
  constant(module, "line_low", others, recurrence->sum, -4);
  constant(module, "line_high", others, recurrence->sum, 4);
  module_line(module, "%%head = tt.get_program_id x : i32");
  module_line(module, "%%last = arith.subi %%steps, %%c1 : i32");
  module_line(module, "%%zero = arith.constant dense<0.0> : %s", type);
  if (recurrence->has_initial) {
    state_pointers(recurrence, "initial");
    module_line(module, "%%first = tt.load %%initial_p : %s", of_pointers);
  }
  if (recurrence->has_normalizer) {
    char line[TEXT];
    constant(module, "none", recurrence->shape[recurrence->axis], recurrence->sum, 0);
    carry(recurrence, "normal", "none", vector(line, recurrence->shape[recurrence->axis], recurrence->sum), "normal_u");
  }
  carry(recurrence, "h", recurrence->has_initial ? "first" : "zero", type, "h_u");
  for (int i = 0; i < recurrence->n_streams; ++i)
    begin_stream(recurrence, &recurrence->streams[i]);
}

/* Prints item `part` of all carried values, separated by commas, into the caller's buffer. */
static void list(const recurrence_t *recurrence, int part, char *out, size_t size) {
  size_t used = 0;
  for (int i = 0; i < recurrence->n_carried; ++i)
    used += (size_t)snprintf(out + used, size - used, "%s%s", i ? ", " : "", recurrence->carried[i][part]);
}

static void write_body(recurrence_t *recurrence) {
  module_t *module = recurrence->module;
  char arguments[MAX_CARRIED * TEXT], types[MAX_CARRIED * TEXT], nexts[MAX_CARRIED * TEXT];
  begin(recurrence);
  list(recurrence, 0, arguments, sizeof arguments);
  list(recurrence, 1, types, sizeof types);
  list(recurrence, 2, nexts, sizeof nexts);
  module_line(module, "%%end:%d = scf.for %%t = %%c0 to %%steps step %%c1 iter_args(%s) -> (%s) : i32 {",
              recurrence->n_carried, arguments, types);
  module->indent += 2;
  module_line(module,
              recurrence->is_backward ? "%%row = arith.subi %%last, %%t : i32" : "%%row = arith.addi %%t, %%c0 : i32");
  module_line(module, "%%early = arith.cmpi slt, %%t, %%depth : i32");
  for (int i = 0; i < recurrence->n_streams; ++i)
    begin_row(recurrence, &recurrence->streams[i]);
  for (int i = 0; i < recurrence->n_streams; ++i)
    if (!recurrence->streams[i].is_output)
      load(recurrence, recurrence->streams[i].name);
  if (recurrence->rank == 2)
    iterate_matrix(recurrence);
  else
    iterate_vector(recurrence);
  for (int i = 0; i < recurrence->n_streams; ++i)
    end_row(recurrence, &recurrence->streams[i]);
  module_line(module, "scf.yield %s : %s", nexts, types);
  module->indent -= 2;
  if (module_chance(module, 20))
    module_line(module, "} {tt.num_stages = %d : i32}", 1 + (int)module_random(module, 5));
  else
    module_line(module, "}");
  if (!recurrence->has_final)
    return;
  char of_pointers[TEXT], element[TEXT];
  snprintf(element, sizeof element, "!tt.ptr<%s>", recurrence->sum);
  state_pointers(recurrence, "final");
  module_line(module, "tt.store %%final_p, %%end#%d : %s", recurrence->has_normalizer ? 1 : 0,
              state(recurrence, of_pointers, element));
}

/* --- choices --- */

/* The output replaces the rows of %v. */
static void replace_values(recurrence_t *recurrence) {
  stream_t *out = find(recurrence, "o");
  const stream_t *from = find(recurrence, "v");
  if (from->element[0] == 'i' || from->size != out->size || !module_chance(recurrence->module, 15))
    return;
  out->base = from->base;
  out->element = from->element;
  out->stride = from->stride;
}

static void add_streams(recurrence_t *recurrence) {
  module_t *module = recurrence->module;
  const int axis = recurrence->axis, reduced = recurrence->shape[axis], others = recurrence->shape[1 - axis];
  const bool is_matrix = recurrence->rank == 2;
  add(recurrence, "v", others);
  if (is_matrix)
    add(recurrence, "q", reduced);
  if (is_matrix || recurrence->has_delta)
    add(recurrence, "k", reduced);
  if (module_chance(module, 70))
    add(recurrence, "g", module_chance(module, 50) ? 0 : module_chance(module, 70) ? reduced : others);
  if (is_matrix && module_chance(module, 50))
    add(recurrence, "b", module_chance(module, 70) ? 0 : others);
  add_output(recurrence, "o", others);
  if (recurrence->has_maximum)
    add_output(recurrence, "p", is_matrix ? others : 0);
  if (recurrence->has_other_axis)
    add_output(recurrence, "s", reduced);
  if (recurrence->has_normalizer)
    add_output(recurrence, "n", 0);
  replace_values(recurrence);
}

static void choose(recurrence_t *recurrence) {
  module_t *module = recurrence->module;
  enum { MAX_MATRIX = 8192 /* elements */ };
  static const int sizes[] = {16, 32, 64, 128, 16, 32, 64, 128, 8, 4, 2}, lengths[] = {16, 32, 64, 128, 256, 512, 1024};
  recurrence->rank = module_chance(module, 75) ? 2 : 1;
  recurrence->sum = module_chance(module, 90) ? "f32" : "f64";
  do {
    recurrence->shape[0] = sizes[module_random(module, 11)];
    recurrence->shape[1] = sizes[module_random(module, 11)];
  } while (recurrence->shape[0] * recurrence->shape[1] > MAX_MATRIX);
  recurrence->axis = (int)module_random(module, 2);
  if (recurrence->rank == 1) {
    recurrence->shape[0] = recurrence->shape[1] = lengths[module_random(module, 7)];
    recurrence->axis = 0;
  }
  recurrence->steps = 1 + (int)module_random(module, 8);
  recurrence->heads = 1 + (int)module_random(module, 2);
  recurrence->is_backward = module_chance(module, 30);
  recurrence->has_initial = module_chance(module, 40);
  recurrence->has_final = module_chance(module, 40);
  recurrence->has_delta = module_chance(module, 50);
  recurrence->has_maximum = module_chance(module, 20);
  recurrence->has_other_axis = recurrence->rank == 2 && module_chance(module, 15);
  recurrence->has_normalizer = recurrence->rank == 2 && module_chance(module, 20);
  add_streams(recurrence);
}

/* --- the module --- */

static void write_arguments(recurrence_t *recurrence, FILE *out) {
  static const char *const states[] = {"initial", "final"};
  const int size = recurrence->shape[0] * (recurrence->rank == 2 ? recurrence->shape[1] : 1);
  for (int i = 0; i < recurrence->n_streams; ++i) {
    const stream_t *stream = &recurrence->streams[i];
    const int limit = strcmp(stream->name, "g") == 0 || strcmp(stream->name, "b") == 0 ? 1 : 2;
    fprintf(out, " --arg %s=%s[%d]:", stream->name, stream->element,
            stream->stride * recurrence->steps * recurrence->heads);
    if (stream->is_output)
      fprintf(out, "zeros");
    else
      fprintf(out, "randint(%d,%d)", -limit, limit);
  }
  for (int i = 0; i < 2; ++i)
    fprintf(out, " --arg %s=%s[%d]:randint(-2,2)", states[i], recurrence->sum, size * recurrence->heads);
}

static void write_parameters(const recurrence_t *recurrence, FILE *out) {
  for (int i = 0; i < recurrence->n_streams; ++i) {
    const stream_t *stream = &recurrence->streams[i];
    fprintf(out, "%%%s: !tt.ptr<%s> {tt.divisibility = 16 : i32} loc(\"%s\"), ", stream->name, stream->element,
            stream->name);
  }
  fprintf(out,
          "%%initial: !tt.ptr<%s> {tt.divisibility = 16 : i32} loc(\"initial\"), %%final: !tt.ptr<%s> "
          "{tt.divisibility = 16 : i32} loc(\"final\"), ",
          recurrence->sum, recurrence->sum);
}

void module_write_recurrences(uint64_t seed, FILE *out) {
  static const char *const targets[] = {"sm_80", "sm_89", "sm_90a", "sm_90a", "sm_90a"};
  module_t module = {.state = seed, .indent = 4};
  recurrence_t recurrence = {.module = &module};
  char *body = NULL;
  size_t size = 0;
  module.body = open_memstream(&body, &size);
  if (!module.body)
    abort();
  choose(&recurrence);
  const int warps = 1 << module_random(&module, 4), stages = 1 + (int)module_random(&module, 5);
  const char *target = targets[module_random(&module, sizeof targets / sizeof *targets)];
  write_body(&recurrence);
  fclose(module.body);
  const int steps =
      module_chance(&module, 20) ? (int)module_random(&module, (uint32_t)recurrence.steps + 1) : recurrence.steps;
  const module_steps_t bound = module_steps(&module, steps);
  fprintf(out, "// --grid %d --target %s --num-warps %d --num-stages %d", recurrence.heads, target, warps, stages);
  write_arguments(&recurrence, out);
  fprintf(out, " --arg steps=%d --arg depth=%d --arg width=%d\n", steps, (int)module_random(&module, 9),
          (int)module_random(&module, (uint32_t)recurrence.shape[0] + 1));
  fprintf(out, "module {\n  tt.func public @recurrence(");
  write_parameters(&recurrence, out);
  fprintf(out,
          "%%%s: i32 loc(\"steps\"), %%depth: i32 loc(\"depth\"), %%width: i32 loc(\"width\")) attributes {noinline = "
          "false} {\n%s%s    tt.return\n  }\n}\n",
          bound.argument, bound.definition, body);
  free(body);
}

/* Random modules around tensor descriptors: loops of loads through descriptors and dots, in a persistent loop over
 * tiles or with one tile per program, divided (tt.warp_specialize), fused (tt.flatten) and pipelined (tt.num_stages)
 * at random.
 *
 *   scf.for %tile = %pid to %tiles step %programs {            tiles and steps may be 0 or 1
 *     %sum = scf.for %i = %c0 to %steps step %c1 {
 *       tt.descriptor_load, tt.trans, tt.dot                     or two dots, as in attention
 *     } {tt.num_stages = 3 : i32}
 *     a bias, a residual tile, a maximum with 0;  tt.descriptor_store, tt.descriptor_reduce or tt.store
 *   } {tt.flatten, tt.warp_specialize}
 *
 * Descriptors are arguments or made by the kernel; blocks may exceed their tensor. Values are small integers, so that
 * engines must agree in every bit, as in dots.c. */
#include "module.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

typedef struct kind {
  const char *operand, *sum, *stored, *name; /* element types; `name` is the operand's for `nereid run` */
  int bytes, stored_bytes;
} kind_t;

static const kind_t kinds[] = {
    {"f16", "f32", "f16", "f16", 2, 2}, {"bf16", "f32", "f32", "bf16", 2, 4},        {"f16", "f32", "f32", "f16", 2, 4},
    {"f32", "f32", "f32", "f32", 4, 4}, {"f8E4M3FN", "f32", "f16", "fp8e4nv", 1, 2}, {"i8", "i32", "i32", "i8", 1, 4},
};

/* A tensor in memory and its descriptor. */
typedef struct tensor {
  const char *name, *element;
  int rows, columns; /* of the tensor */
  int block_rows, block_columns;
  bool is_made; /* by the kernel, from a pointer */
} tensor_t;

typedef struct kernel {
  module_t *module;
  kind_t kind;
  int m, n, k, tiles_m, tiles_n, steps;
  bool is_persistent, is_chain, a_is_transposed, b_is_transposed, has_skip;
  bool has_bias, has_residual, has_maximum;
  enum { STORE_DESCRIPTOR, STORE_HALVES, STORE_REDUCE, STORE_POINTER } store;
  tensor_t a, b, v, c, r;
} kernel_t;

static void line(const kernel_t *kernel, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void line(const kernel_t *kernel, const char *format, ...) {
  va_list list;
  va_start(list, format);
  fprintf(kernel->module->body, "%*s", kernel->module->indent, "");
  vfprintf(kernel->module->body, format, list);
  fputc('\n', kernel->module->body);
  va_end(list);
}

static const char *shaped(char out[64], int rows, int columns, const char *element) {
  snprintf(out, 64, "tensor<%dx%dx%s>", rows, columns, element);
  return out;
}

static const char *block(char out[64], const tensor_t *tensor) {
  return shaped(out, tensor->block_rows, tensor->block_columns, tensor->element);
}

static bool is_integer(const kernel_t *kernel) {
  return kernel->kind.sum[0] == 'i';
}

static const char *arithmetic(const kernel_t *kernel, const char *name, char out[32]) {
  snprintf(out, 32, "arith.%s%s", name, is_integer(kernel) ? "i" : "f");
  return out;
}

/* --- choices --- */

static int power(module_t *module, int least, int count) {
  return least << module_random(module, (uint32_t)count);
}

/* Elements of a dimension that `blocks` blocks cover: the last one may be partial. `unit` divides the result. */
static int extent(module_t *module, int size, int blocks, int unit) {
  const int whole = size * (blocks ? blocks : 1);
  int less = module_chance(module, 40) ? (int)module_random(module, (uint32_t)size) / unit * unit : 0;
  return whole - less < unit ? unit : whole - less;
}

static tensor_t make_tensor(module_t *module, const char *name, const char *element, int rows, int columns,
                            int block_rows, int block_columns) {
  return (tensor_t){name, element, rows, columns, block_rows, block_columns, module_chance(module, 25)};
}

static void choose_shape(kernel_t *kernel) {
  module_t *module = kernel->module;
  enum { UNIT = 16, MAX_BYTES = 1 << 15 };
  kernel->is_chain = kernel->kind.bytes == 2 && module_chance(module, 30);
  do {
    kernel->m = power(module, 16, 4);
    kernel->n = power(module, 16, 4);
    kernel->k = power(module, 32, 3);
  } while ((kernel->m + kernel->n) * kernel->k * kernel->kind.bytes > MAX_BYTES || kernel->m * kernel->n > 1 << 13);
  kernel->tiles_m = module_chance(module, 6) ? 0 : 1 + (int)module_random(module, 3);
  kernel->tiles_n = kernel->is_chain ? 1 : 1 + (int)module_random(module, 3);
  kernel->steps = (int)module_random(module, 7);
}

/* C = A B: tiles of a are m x k, of b k x n. */
static void choose_product(kernel_t *kernel) {
  module_t *module = kernel->module;
  const kind_t *kind = &kernel->kind;
  const int m = kernel->m, n = kernel->n, k = kernel->k;
  const int rows = extent(module, m, kernel->tiles_m, 16), columns = extent(module, n, kernel->tiles_n, 16);
  const int depth = extent(module, k, kernel->steps, 16);
  kernel->a_is_transposed = module_chance(module, 30);
  kernel->b_is_transposed = module_chance(module, 50);
  kernel->a = kernel->a_is_transposed ? make_tensor(module, "a", kind->operand, depth, rows, k, m)
                                      : make_tensor(module, "a", kind->operand, rows, depth, m, k);
  kernel->b = kernel->b_is_transposed ? make_tensor(module, "b", kind->operand, columns, depth, n, k)
                                      : make_tensor(module, "b", kind->operand, depth, columns, k, n);
  kernel->store = (int)module_random(module, 4);
  if (kernel->store == STORE_REDUCE && strcmp(kind->stored, "bf16") == 0)
    kernel->store = STORE_DESCRIPTOR;
  kernel->c = make_tensor(module, "c", kind->stored, rows, columns, m, kernel->store == STORE_HALVES ? n / 2 : n);
  kernel->r = make_tensor(module, "r", kind->stored, rows, columns, m, n);
  kernel->has_residual = module_chance(module, 25);
  kernel->has_bias = module_chance(module, 25);
}

/* O = f(Q K^T) V: tiles of q (a) are m x k, of k (b) and v n x k. */
static void choose_chain(kernel_t *kernel) {
  module_t *module = kernel->module;
  const kind_t *kind = &kernel->kind;
  const int m = kernel->m, n = kernel->n, k = kernel->k;
  const int rows = extent(module, m, kernel->tiles_m, 16), keys = extent(module, n, kernel->steps, 16);
  kernel->a = make_tensor(module, "a", kind->operand, rows, k, m, k);
  kernel->b = make_tensor(module, "b", kind->operand, keys, k, n, k);
  kernel->v = make_tensor(module, "v", kind->operand, keys, k, n, k);
  kernel->c = make_tensor(module, "c", kind->stored, rows, k, m, k);
  kernel->store = module_chance(module, 30) ? STORE_POINTER : STORE_DESCRIPTOR;
}

static void choose(kernel_t *kernel) {
  module_t *module = kernel->module;
  kernel->kind = kinds[module_random(module, sizeof kinds / sizeof *kinds)];
  choose_shape(kernel);
  if (kernel->is_chain)
    choose_chain(kernel);
  else
    choose_product(kernel);
  kernel->is_persistent = kernel->tiles_m * kernel->tiles_n == 0 || module_chance(module, 60);
  kernel->has_skip = module_chance(module, 15);
  kernel->has_maximum = module_chance(module, 30);
}

/* --- tensors --- */

/* The descriptor of a tensor as a value %NAME_d; arguments have it already. */
static void define(const kernel_t *kernel, const tensor_t *tensor) {
  char type[64];
  const char *name = tensor->name;
  if (!tensor->is_made)
    return;
  line(kernel, "%%%s_rows = arith.constant %d : i32", name, tensor->rows);
  line(kernel, "%%%s_columns = arith.constant %d : i32", name, tensor->columns);
  line(kernel, "%%%s_stride = arith.constant %d : i64", name, tensor->columns);
  line(kernel, "%%%s_one = arith.constant 1 : i64", name);
  line(kernel,
       "%%%s_d = tt.make_tensor_descriptor %%%s, [%%%s_rows, %%%s_columns], [%%%s_stride, %%%s_one] : !tt.ptr<%s>, "
       "!tt.tensordesc<%s>",
       name, name, name, name, name, name, tensor->element, block(type, tensor));
}

static const char *descriptor(const tensor_t *tensor, char out[16]) {
  snprintf(out, 16, "%%%s%s", tensor->name, tensor->is_made ? "_d" : "");
  return out;
}

/* Loads the block at the rows and columns of these names as %`result`. */
static void load(const kernel_t *kernel, const tensor_t *tensor, const char *result, const char *row,
                 const char *column) {
  char type[64], name[16];
  block(type, tensor);
  line(kernel, "%%%s = tt.descriptor_load %s[%%%s, %%%s] : !tt.tensordesc<%s> -> %s", result, descriptor(tensor, name),
       row, column, type, type);
}

static void transpose(const kernel_t *kernel, const char *result, const char *value, const tensor_t *tensor) {
  char from[64], to[64];
  line(kernel, "%%%s = tt.trans %%%s {order = array<i32: 1, 0>} : %s -> %s", result, value, block(from, tensor),
       shaped(to, tensor->block_columns, tensor->block_rows, tensor->element));
}

static void dot(const kernel_t *kernel, const char *text, int m, int k, int n) {
  char a[64], b[64], c[64];
  line(kernel, "%s%s : %s * %s -> %s", text, kernel->kind.bytes == 4 ? ", inputPrecision = tf32" : "",
       shaped(a, m, k, kernel->kind.operand), shaped(b, k, n, kernel->kind.operand), shaped(c, m, n, kernel->kind.sum));
}

/* --- the inner loop --- */

/* One step of C = A B onto %sum: %next. */
static void write_product(const kernel_t *kernel) {
  const tensor_t *a = &kernel->a, *b = &kernel->b;
  line(kernel, "%%at = arith.muli %%i, %%bk : i32");
  load(kernel, a, "x", kernel->a_is_transposed ? "at" : "row", kernel->a_is_transposed ? "row" : "at");
  load(kernel, b, "y", kernel->b_is_transposed ? "column" : "at", kernel->b_is_transposed ? "at" : "column");
  if (kernel->a_is_transposed)
    transpose(kernel, "xt", "x", a);
  if (kernel->b_is_transposed)
    transpose(kernel, "yt", "y", b);
  char text[64];
  snprintf(text, sizeof text, "%%next = tt.dot %%x%s, %%y%s, %%sum", kernel->a_is_transposed ? "t" : "",
           kernel->b_is_transposed ? "t" : "");
  dot(kernel, text, kernel->m, kernel->k, kernel->n);
}

/* One step of f(Q K^T) V onto %sum, where f is 1 for positive values and otherwise 0: %next. */
static void write_chain(const kernel_t *kernel) {
  char scores[64], bits[64], operand[64];
  const int m = kernel->m, n = kernel->n;
  shaped(scores, m, n, "f32");
  shaped(bits, m, n, "i1");
  line(kernel, "%%at = arith.muli %%i, %%bn : i32");
  load(kernel, &kernel->b, "y", "at", "c0");
  transpose(kernel, "yt", "y", &kernel->b);
  line(kernel, "%%none = arith.constant dense<0.0> : %s", scores);
  line(kernel, "%%ones = arith.constant dense<1.0> : %s", scores);
  dot(kernel, "%s = tt.dot %q, %yt, %none", m, kernel->k, n);
  line(kernel, "%%positive = arith.cmpf ogt, %%s, %%none : %s", scores);
  line(kernel, "%%f = arith.select %%positive, %%ones, %%none : %s, %s", bits, scores);
  line(kernel, "%%p = arith.truncf %%f : %s to %s", scores, shaped(operand, m, n, kernel->kind.operand));
  load(kernel, &kernel->v, "w", "at", "c0");
  dot(kernel, "%next = tt.dot %p, %w, %sum", m, n, kernel->k);
}

static int columns_of(const kernel_t *kernel) {
  return kernel->is_chain ? kernel->k : kernel->n;
}

/* The attributes of a loop, among them tt.warp_specialize for `divided`. */
static void close_loop(const kernel_t *kernel, bool divided, bool flattened) {
  char stages[40] = "";
  if (!flattened && module_chance(kernel->module, 60))
    snprintf(stages, sizeof stages, "tt.num_stages = %d : i32", 1 + (int)module_random(kernel->module, 5));
  kernel->module->indent -= 2;
  const char *first = divided ? "tt.warp_specialize" : flattened ? "tt.flatten" : stages;
  const char *second = divided && flattened ? ", tt.flatten" : divided && *stages ? ", " : "";
  line(kernel, *first ? "} {%s%s%s}" : "}", first, second, divided ? stages : "");
}

static void write_loop(const kernel_t *kernel, bool divided) {
  char sum[64];
  shaped(sum, kernel->m, columns_of(kernel), kernel->kind.sum);
  if (kernel->is_chain)
    load(kernel, &kernel->a, "q", "row", "c0");
  line(kernel, "%%total = scf.for %%i = %%c0 to %%steps step %%c1 iter_args(%%sum = %%zero) -> (%s) : i32 {", sum);
  kernel->module->indent += 2;
  if (kernel->has_skip) {
    line(kernel, "%%parity = arith.andi %%i, %%c1 : i32");
    line(kernel, "%%even = arith.cmpi eq, %%parity, %%c0 : i32");
    line(kernel, "%%kept = scf.if %%even -> (%s) {", sum);
    kernel->module->indent += 2;
  }
  if (kernel->is_chain)
    write_chain(kernel);
  else
    write_product(kernel);
  if (kernel->has_skip) {
    line(kernel, "scf.yield %%next : %s", sum);
    kernel->module->indent -= 2;
    line(kernel, "} else {\n%*sscf.yield %%sum : %s\n%*s}", kernel->module->indent + 2, "", sum, kernel->module->indent,
         "");
  }
  line(kernel, "scf.yield %%%s : %s", kernel->has_skip ? "kept" : "next", sum);
  close_loop(kernel, divided, false);
}

/* --- the epilogue --- */

/* A vector of `size` column numbers from %column on, as %NAME_e of one row. */
static void along_columns(const kernel_t *kernel, const char *name, int size) {
  line(kernel, "%%%s_x = tt.make_range {end = %d : i32, start = 0 : i32} : tensor<%dxi32>", name, size, size);
  line(kernel, "%%%s_b = tt.splat %%column : i32 -> tensor<%dxi32>", name, size);
  line(kernel, "%%%s_i = arith.addi %%%s_x, %%%s_b : tensor<%dxi32>", name, name, name, size);
  line(kernel, "%%%s_e = tt.expand_dims %%%s_i {axis = 0 : i32} : tensor<%dxi32> -> tensor<1x%dxi32>", name, name, size,
       size);
}

/* Adds the number of its column to each element. */
static const char *add_bias(const kernel_t *kernel, const char *value) {
  char sum[64], whole[64], name[32];
  const int n = columns_of(kernel);
  shaped(sum, kernel->m, n, kernel->kind.sum);
  shaped(whole, kernel->m, n, "i32");
  along_columns(kernel, "bias", n);
  line(kernel, "%%bias_w = tt.broadcast %%bias_e : tensor<1x%dxi32> -> %s", n, whole);
  if (!is_integer(kernel))
    line(kernel, "%%bias_f = arith.sitofp %%bias_w : %s to %s", whole, sum);
  line(kernel, "%%biased = %s %%%s, %%bias_%s : %s", arithmetic(kernel, "add", name), value,
       is_integer(kernel) ? "w" : "f", sum);
  return "biased";
}

static const char *take_maximum(const kernel_t *kernel, const char *value) {
  char sum[64];
  line(kernel, "%%rectified = arith.%s %%%s, %%zero : %s", is_integer(kernel) ? "maxsi" : "maxnumf", value,
       shaped(sum, kernel->m, columns_of(kernel), kernel->kind.sum));
  return "rectified";
}

/* The value in the type in which it is stored. */
static const char *convert(const kernel_t *kernel, const char *value) {
  char from[64], to[64];
  const int n = columns_of(kernel);
  if (strcmp(kernel->kind.sum, kernel->kind.stored) == 0)
    return value;
  line(kernel, "%%stored = arith.truncf %%%s : %s to %s", value, shaped(from, kernel->m, n, kernel->kind.sum),
       shaped(to, kernel->m, n, kernel->kind.stored));
  return "stored";
}

static const char *add_residual(const kernel_t *kernel, const char *value) {
  char type[64], name[32];
  load(kernel, &kernel->r, "rest", "row", "column");
  line(kernel, "%%with_rest = %s %%%s, %%rest : %s", arithmetic(kernel, "add", name), value,
       shaped(type, kernel->m, kernel->n, kernel->kind.stored));
  return "with_rest";
}

static void store_block(const kernel_t *kernel, const char *value, const char *column) {
  char type[64], name[16];
  block(type, &kernel->c);
  if (kernel->store == STORE_REDUCE)
    line(kernel, "tt.descriptor_reduce add, %s[%%row, %%%s], %%%s : !tt.tensordesc<%s>, %s",
         descriptor(&kernel->c, name), column, value, type, type);
  else
    line(kernel, "tt.descriptor_store %s[%%row, %%%s], %%%s : !tt.tensordesc<%s>, %s", descriptor(&kernel->c, name),
         column, value, type, type);
}

static void store_halves(const kernel_t *kernel, const char *value) {
  const int m = kernel->m, half = kernel->n / 2;
  const char *element = kernel->kind.stored;
  char whole[64], part[64];
  shaped(whole, m, kernel->n, element);
  shaped(part, m, half, element);
  line(kernel, "%%parts = tt.reshape %%%s : %s -> tensor<%dx2x%dx%s>", value, whole, m, half, element);
  line(kernel, "%%turned = tt.trans %%parts {order = array<i32: 0, 2, 1>} : tensor<%dx2x%dx%s> -> tensor<%dx%dx2x%s>",
       m, half, element, m, half, element);
  line(kernel, "%%left, %%right = tt.split %%turned : tensor<%dx%dx2x%s> -> %s", m, half, element, part);
  line(kernel, "%%half = arith.constant %d : i32", half);
  line(kernel, "%%middle = arith.addi %%column, %%half : i32");
  store_block(kernel, "left", "column");
  store_block(kernel, "right", "middle");
}

/* Stores through pointers, with a mask of the tensor's extents. */
static void store_pointers(const kernel_t *kernel, const char *value) {
  const int m = kernel->m, n = columns_of(kernel);
  const char *element = kernel->kind.stored;
  along_columns(kernel, "to", n);
  line(kernel, "%%to_rx = tt.make_range {end = %d : i32, start = 0 : i32} : tensor<%dxi32>", m, m);
  line(kernel, "%%to_rb = tt.splat %%row : i32 -> tensor<%dxi32>", m);
  line(kernel, "%%to_ri = arith.addi %%to_rx, %%to_rb : tensor<%dxi32>", m);
  line(kernel, "%%to_re = tt.expand_dims %%to_ri {axis = 1 : i32} : tensor<%dxi32> -> tensor<%dx1xi32>", m, m);
  line(kernel, "%%to_rn = arith.constant dense<%d> : tensor<%dx1xi32>", kernel->c.rows, m);
  line(kernel, "%%to_cn = arith.constant dense<%d> : tensor<1x%dxi32>", kernel->c.columns, n);
  line(kernel, "%%to_rm = arith.cmpi slt, %%to_re, %%to_rn : tensor<%dx1xi32>", m);
  line(kernel, "%%to_cm = arith.cmpi slt, %%to_e, %%to_cn : tensor<1x%dxi32>", n);
  line(kernel, "%%to_rw = tt.broadcast %%to_rm : tensor<%dx1xi1> -> tensor<%dx%dxi1>", m, m, n);
  line(kernel, "%%to_cw = tt.broadcast %%to_cm : tensor<1x%dxi1> -> tensor<%dx%dxi1>", n, m, n);
  line(kernel, "%%to_m = arith.andi %%to_rw, %%to_cw : tensor<%dx%dxi1>", m, n);
  line(kernel, "%%to_s = arith.constant dense<%d> : tensor<%dx1xi32>", kernel->c.columns, m);
  line(kernel, "%%to_rs = arith.muli %%to_re, %%to_s : tensor<%dx1xi32>", m);
  line(kernel, "%%to_ro = tt.broadcast %%to_rs : tensor<%dx1xi32> -> tensor<%dx%dxi32>", m, m, n);
  line(kernel, "%%to_co = tt.broadcast %%to_e : tensor<1x%dxi32> -> tensor<%dx%dxi32>", n, m, n);
  line(kernel, "%%to_o = arith.addi %%to_ro, %%to_co : tensor<%dx%dxi32>", m, n);
  line(kernel, "%%to_q = tt.splat %%c : !tt.ptr<%s> -> tensor<%dx%dx!tt.ptr<%s>>", element, m, n, element);
  line(kernel, "%%to_p = tt.addptr %%to_q, %%to_o : tensor<%dx%dx!tt.ptr<%s>>, tensor<%dx%dxi32>", m, n, element, m, n);
  line(kernel, "tt.store %%to_p, %%%s, %%to_m : tensor<%dx%dx!tt.ptr<%s>>", value, m, n, element);
}

static void write_epilogue(const kernel_t *kernel) {
  const char *value = "total";
  if (kernel->has_bias)
    value = add_bias(kernel, value);
  if (kernel->has_maximum)
    value = take_maximum(kernel, value);
  value = convert(kernel, value);
  if (kernel->has_residual)
    value = add_residual(kernel, value);
  if (kernel->store == STORE_POINTER)
    store_pointers(kernel, value);
  else if (kernel->store == STORE_HALVES)
    store_halves(kernel, value);
  else
    store_block(kernel, value, "column");
}

/* --- the kernel --- */

static void write_constants(const kernel_t *kernel) {
  char sum[64];
  line(kernel, "%%c0 = arith.constant 0 : i32");
  line(kernel, "%%c1 = arith.constant 1 : i32");
  line(kernel, "%%tn = arith.constant %d : i32", kernel->tiles_n);
  line(kernel, "%%bm = arith.constant %d : i32", kernel->m);
  line(kernel, "%%bn = arith.constant %d : i32", kernel->n);
  line(kernel, "%%bk = arith.constant %d : i32", kernel->k);
  line(kernel, "%%zero = arith.constant dense<%s> : %s", is_integer(kernel) ? "0" : "0.0",
       shaped(sum, kernel->m, columns_of(kernel), kernel->kind.sum));
  line(kernel, "%%pid = tt.get_program_id x : i32");
  line(kernel, "%%programs = tt.get_num_programs x : i32");
}

static void write_body(const kernel_t *kernel) {
  const bool divided = module_chance(kernel->module, 50), outside = module_chance(kernel->module, 60);
  write_constants(kernel);
  define(kernel, &kernel->a);
  define(kernel, &kernel->b);
  if (kernel->is_chain)
    define(kernel, &kernel->v);
  if (kernel->store != STORE_POINTER)
    define(kernel, &kernel->c);
  if (kernel->has_residual)
    define(kernel, &kernel->r);
  if (kernel->is_persistent) {
    line(kernel, "scf.for %%tile = %%pid to %%tiles step %%programs : i32 {");
    kernel->module->indent += 2;
  }
  const char *tile = kernel->is_persistent ? "tile" : "pid";
  line(kernel, "%%row_tile = arith.divsi %%%s, %%tn : i32", tile);
  line(kernel, "%%column_tile = arith.remsi %%%s, %%tn : i32", tile);
  line(kernel, "%%row = arith.muli %%row_tile, %%bm : i32");
  line(kernel, "%%column = arith.muli %%column_tile, %%bn : i32");
  write_loop(kernel, divided && !(kernel->is_persistent && outside));
  write_epilogue(kernel);
  if (kernel->is_persistent)
    close_loop(kernel, divided && outside, module_chance(kernel->module, 40));
}

/* --- arguments --- */

static bool is_pointer(const kernel_t *kernel, const tensor_t *tensor) {
  return tensor->is_made || (kernel->store == STORE_POINTER && tensor == &kernel->c);
}

static int tensors_of(const kernel_t *kernel, const tensor_t *out[5]) {
  int n = 0;
  out[n++] = &kernel->a;
  out[n++] = &kernel->b;
  if (kernel->is_chain)
    out[n++] = &kernel->v;
  out[n++] = &kernel->c;
  if (kernel->has_residual)
    out[n++] = &kernel->r;
  return n;
}

static void print_parameter(const kernel_t *kernel, const tensor_t *tensor, FILE *out) {
  char type[64];
  const char *name = tensor->name;
  if (is_pointer(kernel, tensor))
    fprintf(out, "%%%s: !tt.ptr<%s> {tt.divisibility = 16 : i32} loc(\"%s\"), ", name, tensor->element, name);
  else
    fprintf(out,
            "%%%s: !tt.tensordesc<%s> loc(\"%s\"), %%%s_0: i32 loc(\"%s\"), %%%s_1: i32 loc(\"%s\"), %%%s_2: i64 "
            "loc(\"%s\"), %%%s_3: i64 loc(\"%s\"), ",
            name, block(type, tensor), name, name, name, name, name, name, name, name, name);
}

static void print_argument(const kernel_t *kernel, const tensor_t *tensor, FILE *out) {
  const char *element = strcmp(tensor->element, kernel->kind.operand) == 0 ? kernel->kind.name : tensor->element;
  fprintf(out, " --arg %s=%s[%dx%d]:%s", tensor->name, element, tensor->rows, tensor->columns,
          tensor == &kernel->c ? "zeros" : "randint(-2,2)");
}

void module_write_descriptors(uint64_t seed, FILE *out) {
  static const char *const targets[] = {"sm_90a", "sm_90a", "sm_90a", "sm_90a", "sm_90", "sm_80"};
  module_t module = {.state = seed, .indent = 4};
  kernel_t kernel = {.module = &module};
  const tensor_t *tensors[5];
  char *body = NULL;
  size_t size = 0;
  module.body = open_memstream(&body, &size);
  if (!module.body)
    abort();
  choose(&kernel);
  write_body(&kernel);
  fclose(module.body);
  const int tiles = kernel.tiles_m * kernel.tiles_n, n = tensors_of(&kernel, tensors);
  const module_steps_t bound = module_steps(&module, kernel.steps);
  fprintf(out, "// --grid %d --target %s --num-warps %d --num-stages %d",
          kernel.is_persistent ? 1 + (int)module_random(&module, 3) : tiles, targets[module_random(&module, 6)],
          module_chance(&module, 75) ? 4 << module_random(&module, 2) : 1 << module_random(&module, 2),
          1 + (int)module_random(&module, 5));
  for (int i = 0; i < n; ++i)
    print_argument(&kernel, tensors[i], out);
  fprintf(out, " --arg tiles=%d --arg steps=%d\nmodule {\n  tt.func public @descriptors(", tiles, kernel.steps);
  for (int i = 0; i < n; ++i)
    print_parameter(&kernel, tensors[i], out);
  fprintf(out,
          "%%tiles: i32 loc(\"tiles\"), %%%s: i32 loc(\"steps\")) attributes {noinline = false} {\n%s%s    "
          "tt.return\n  }\n}\n",
          bound.argument, bound.definition, body);
  free(body);
}

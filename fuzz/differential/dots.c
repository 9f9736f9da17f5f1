/* Random modules around dots: a loop of loads and dots, as matrix products and attention are written, with random
 * types, tiles, batches of tiles, orders in memory, transposes, masks, conversions of operands, stages, epilogues,
 * scales of rows or columns in each step and loops over tiles.
 *
 * Operands are small integers in their type and all sums are below its exact range, so the result does not depend on
 * the order of the products or on the instruction: engines must agree in every bit. */
#include "module.h"

#include <stdlib.h>
#include <string.h>

/* Types of a product: in memory, as operands, and of the sum. `most` bounds the terms of a sum of 2 * 2 products. */
typedef struct kinds {
  const char *a, *b;                 /* in memory */
  const char *operand;               /* element type of the operands */
  const char *convert_a, *convert_b; /* null: none */
  const char *sum;
  const char *precision; /* null: does not apply */
  int least_k, most;
} kinds_t;

static const kinds_t all_kinds[] = {
    {"f16", "f16", "f16", NULL, NULL, "f32", NULL, 16, 1 << 20},
    {"bf16", "bf16", "bf16", NULL, NULL, "f32", NULL, 16, 1 << 20},
    {"f16", "f16", "f16", NULL, NULL, "f16", NULL, 16, 256},
    {"f32", "f32", "f32", NULL, NULL, "f32", "tf32", 16, 1 << 20},
    {"f32", "f32", "f32", NULL, NULL, "f32", "ieee", 16, 1 << 20},
    {"f32", "f32", "f32", NULL, NULL, "f32", "tf32x3", 16, 1 << 20},
    {"f32", "f32", "f32", NULL, NULL, "f32", "bf16x3", 16, 1 << 20},
    {"f8E4M3FN", "f8E4M3FN", "f8E4M3FN", NULL, NULL, "f32", NULL, 32, 1 << 12},
    {"f8E5M2", "f8E5M2", "f8E5M2", NULL, NULL, "f32", NULL, 32, 1 << 12},
    {"i8", "i8", "i8", NULL, NULL, "i32", NULL, 32, 1 << 20},
    {"f64", "f64", "f64", NULL, NULL, "f64", NULL, 16, 1 << 20},
    {"f16", "i8", "f16", NULL, "arith.sitofp", "f32", NULL, 16, 1 << 20},
    {"i8", "bf16", "bf16", "arith.sitofp", NULL, "f32", NULL, 16, 1 << 20},
    {"f8E5M2", "f16", "f16", "tt.fp_to_fp", NULL, "f32", NULL, 16, 1 << 20},
    {"f16", "f8E4M3FN", "f16", NULL, "tt.fp_to_fp", "f32", NULL, 16, 1 << 20},
    {"f32", "f32", "f16", "arith.truncf", "arith.truncf", "f32", NULL, 16, 1 << 20},
};

typedef struct dots {
  module_t *module;
  kinds_t kinds;
  int batch;                        /* matrices of a tile of rank 3; 0: rank 2 */
  char prefix[8];                   /* that dimension in a shape: "2x", or "" */
  int m, n, k;                      /* extents of a tile */
  int steps;                        /* iterations of the loop */
  const char *result;               /* the value that the loop computes */
  bool is_masked;                   /* the last step is partial */
  bool a_by_columns, b_by_columns;  /* order in memory */
  bool is_odd;                      /* rows are one element longer, so they are not aligned */
  int tiles;                        /* iterations of an outer loop; 0: no such loop */
  bool scales_rows, scales_columns; /* a factor per row or column, loaded after the dot */
} dots_t;

static int one_of(module_t *module, int n, const int *values) {
  return values[module_random(module, (uint32_t)n)];
}

/* Elements between neighbouring rows (columns) in memory. */
static int pitch(const dots_t *dots, int inner) {
  return inner + (dots->is_odd ? 1 : 0);
}

/* Repeats the matrix `from` in a batch, as `to`. */
static void repeat(const dots_t *dots, const char *to, const char *from, int rows, int columns, const char *element) {
  module_line(dots->module, "%%%s_1 = tt.expand_dims %%%s {axis = 0 : i32} : tensor<%dx%dx%s> -> tensor<1x%dx%dx%s>",
              to, from, rows, columns, element, rows, columns, element);
  module_line(dots->module, "%%%s = tt.broadcast %%%s_1 : tensor<1x%dx%dx%s> -> tensor<%dx%dx%dx%s>", to, to, rows,
              columns, element, dots->batch, rows, columns, element);
}

/* Pointers to the tile `name`, whose matrices have `matrix` elements. */
static void tile_pointers(const dots_t *dots, const char *name, const char *element, int rows, int columns, int stride,
                          int64_t matrix) {
  char base[16], pointers[16];
  snprintf(base, sizeof base, "%s%s", name, dots->tiles ? "_o" : "");
  snprintf(pointers, sizeof pointers, "%s_%c", name, dots->batch ? 'f' : 'p');
  module_tile_pointers(dots->module, name, base, pointers, element, rows, columns, stride);
  if (!dots->batch)
    return;
  const int batch = dots->batch;
  char from[16], to[16], pointer[32];
  snprintf(from, sizeof from, "%s_f", name);
  snprintf(to, sizeof to, "%s_q", name);
  snprintf(pointer, sizeof pointer, "!tt.ptr<%s>", element);
  repeat(dots, to, from, rows, columns, pointer);
  module_line(dots->module, "%%%s_x0 = tt.make_range {end = %d : i32, start = 0 : i32} : tensor<%dxi32>", name, batch,
              batch);
  module_line(dots->module, "%%%s_x1 = tt.expand_dims %%%s_x0 {axis = 1 : i32} : tensor<%dxi32> -> tensor<%dx1xi32>",
              name, name, batch, batch);
  module_line(dots->module,
              "%%%s_x2 = tt.expand_dims %%%s_x1 {axis = 2 : i32} : tensor<%dx1xi32> -> tensor<%dx1x1xi32>", name, name,
              batch, batch);
  module_line(dots->module, "%%%s_x3 = arith.constant dense<%ld> : tensor<%dx1x1xi32>", name, (long)matrix, batch);
  module_line(dots->module, "%%%s_x4 = arith.muli %%%s_x2, %%%s_x3 : tensor<%dx1x1xi32>", name, name, name, batch);
  module_line(dots->module, "%%%s_x5 = tt.broadcast %%%s_x4 : tensor<%dx1x1xi32> -> tensor<%dx%dx%dxi32>", name, name,
              batch, batch, rows, columns);
  module_line(dots->module, "%%%s_p = tt.addptr %%%s_q, %%%s_x5 : tensor<%dx%dx%dx%s>, tensor<%dx%dx%dxi32>", name,
              name, name, batch, rows, columns, pointer, batch, rows, columns);
}

/* One operand: pointers before the loop, a load in it. */
typedef struct operand {
  const char *name, *element, *convert;
  int rows, columns; /* as loaded; the second is contiguous in memory */
  int stride;
  bool k_is_column;   /* in the loaded tile */
  bool is_transposed; /* by tt.trans after the load */
  int64_t matrix;     /* elements of a matrix */
  int64_t size;       /* elements of the argument */
} operand_t;

static operand_t make_operand(const dots_t *dots, bool is_a) {
  const int outer = is_a ? dots->m : dots->n, whole_k = dots->k * dots->steps;
  const bool k_is_contiguous = is_a ? !dots->a_by_columns : dots->b_by_columns;
  operand_t operand = {.name = is_a ? "a" : "b",
                       .element = is_a ? dots->kinds.a : dots->kinds.b,
                       .convert = is_a ? dots->kinds.convert_a : dots->kinds.convert_b,
                       .k_is_column = k_is_contiguous};
  operand.rows = k_is_contiguous ? outer : dots->k;
  operand.columns = k_is_contiguous ? dots->k : outer;
  operand.stride = pitch(dots, k_is_contiguous ? whole_k : outer);
  operand.matrix = (int64_t)operand.stride * (k_is_contiguous ? outer : whole_k);
  operand.size = operand.matrix * (dots->batch ? dots->batch : 1) + 64;
  /* a is m x k, b is k x n */
  operand.is_transposed = is_a ? !k_is_contiguous : k_is_contiguous;
  return operand;
}

static const char *tensor(const dots_t *dots, char out[64], int rows, int columns, const char *element) {
  snprintf(out, 64, "tensor<%s%dx%dx%s>", dots->prefix, rows, columns, element);
  return out;
}

/* The order of tt.trans that transposes matrices. */
static const char *transposition(const dots_t *dots) {
  return dots->batch ? "0, 2, 1" : "1, 0";
}

static void advance(const dots_t *dots, const operand_t *operand) {
  char at[64];
  const char *name = operand->name;
  snprintf(at, sizeof at, "tensor<%s%dx%d", dots->prefix, operand->rows, operand->columns);
  module_line(dots->module, "%%%s_d = arith.constant dense<%d> : %sxi32>", name,
              operand->k_is_column ? dots->k : dots->k * operand->stride, at);
  module_line(dots->module, "%%%s_n = tt.addptr %%%s_i, %%%s_d : %sx!tt.ptr<%s>>, %sxi32>", name, name, name, at,
              operand->element, at);
}

/* Loads %name_i, transposes and converts it: %name_x. */
static void load(const dots_t *dots, const operand_t *operand) {
  char at[64], loaded[64], turned[64], converted[64];
  const char *name = operand->name;
  snprintf(at, sizeof at, "tensor<%s%dx%d", dots->prefix, operand->rows, operand->columns);
  tensor(dots, loaded, operand->rows, operand->columns, operand->element);
  if (dots->is_masked) {
    const int along = operand->k_is_column ? operand->columns : operand->rows;
    char bits[32], index[32];
    snprintf(bits, sizeof bits, operand->k_is_column ? "tensor<1x%d" : "tensor<%dx1", along);
    snprintf(index, sizeof index, "%s_%s", name, operand->k_is_column ? "ce" : "re");
    module_line(dots->module, "%%%s_l = tt.splat %%left : i32 -> %sxi32>", name, bits);
    module_line(dots->module, "%%%s_m = arith.cmpi slt, %%%s, %%%s_l : %sxi32>", name, index, name, bits);
    module_line(dots->module, "%%%s_m%c = tt.broadcast %%%s_m : %sxi1> -> tensor<%dx%dxi1>", name,
                dots->batch ? 'o' : 'b', name, bits, operand->rows, operand->columns);
    if (dots->batch) {
      char from[16], to[16];
      snprintf(from, sizeof from, "%s_mo", name);
      snprintf(to, sizeof to, "%s_mb", name);
      repeat(dots, to, from, operand->rows, operand->columns, "i1");
    }
    module_line(dots->module, "%%%s_z = arith.constant dense<%s> : %s", name, operand->element[0] == 'i' ? "0" : "0.0",
                loaded);
    module_line(dots->module, "%%%s_t = tt.load %%%s_i, %%%s_mb, %%%s_z : %sx!tt.ptr<%s>>", name, name, name, name, at,
                operand->element);
  } else {
    module_line(dots->module, "%%%s_t = tt.load %%%s_i : %sx!tt.ptr<%s>>", name, name, at, operand->element);
  }
  const int rows = operand->is_transposed ? operand->columns : operand->rows;
  const int columns = operand->is_transposed ? operand->rows : operand->columns;
  const char *value = "t";
  if (operand->is_transposed) {
    module_line(dots->module, "%%%s_u = tt.trans %%%s_t {order = array<i32: %s>} : %s -> %s", name, name,
                transposition(dots), loaded, tensor(dots, turned, rows, columns, operand->element));
    value = "u";
  }
  tensor(dots, turned, rows, columns, operand->element);
  tensor(dots, converted, rows, columns, dots->kinds.operand);
  if (operand->convert)
    module_line(dots->module, "%%%s_x = %s %%%s_%s : %s %s %s", name, operand->convert, name, value, turned,
                operand->convert[0] == 't' ? "->" : "to", converted);
}

/* The name of the operand's value after load(). */
static const char *value_of(const operand_t *operand, char out[8]) {
  snprintf(out, 8, "%s_%c", operand->name, operand->convert ? 'x' : operand->is_transposed ? 'u' : 't');
  return out;
}

/* The matrix of a batch of one, as an operand of a dot: %RESULT_name. */
static void matrix_of(const dots_t *dots, const char *result, const char *name, const char *value, int rows,
                      int columns, const char *element) {
  char whole[64];
  module_line(dots->module, "%%%s_%s = tt.reshape %%%s : %s -> tensor<%dx%dx%s>", result, name, value,
              tensor(dots, whole, rows, columns, element), rows, columns, element);
}

/* The dot of a batch of one as front ends write it, between reshapes. */
static void reshaped_dot(const dots_t *dots, const char *result, const char *a, const char *b, const char *c, int k,
                         int n, const char *attributes) {
  char sum[64];
  const char *operand = dots->kinds.operand, *element = dots->kinds.sum;
  matrix_of(dots, result, "a", a, dots->m, k, operand);
  matrix_of(dots, result, "b", b, k, n, operand);
  matrix_of(dots, result, "c", c, dots->m, n, element);
  module_line(dots->module,
              "%%%s_d = tt.dot %%%s_a, %%%s_b, %%%s_c%s : tensor<%dx%dx%s> * tensor<%dx%dx%s> -> tensor<%dx%dx%s>",
              result, result, result, result, attributes, dots->m, k, operand, k, n, operand, dots->m, n, element);
  module_line(dots->module, "%%%s = tt.reshape %%%s_d : tensor<%dx%dx%s> -> %s", result, result, dots->m, n, element,
              tensor(dots, sum, dots->m, n, element));
}

static void dot(const dots_t *dots, const char *result, const char *a, const char *b, const char *c, int k, int n) {
  char left[64], right[64], sum[64], attributes[96] = "";
  if (dots->kinds.precision && strcmp(dots->kinds.precision, "ieee") != 0)
    snprintf(attributes, sizeof attributes, ", inputPrecision = %s", dots->kinds.precision);
  if (dots->kinds.operand[1] == '8' && module_chance(dots->module, 50))
    snprintf(attributes, sizeof attributes, " {maxNumImpreciseAcc = %d : i32}", 32 << module_random(dots->module, 3));
  if (dots->batch == 1 && module_chance(dots->module, 50)) {
    reshaped_dot(dots, result, a, b, c, k, n, attributes);
    return;
  }
  module_line(dots->module, "%%%s = tt.dot %%%s, %%%s, %%%s%s : %s * %s -> %s", result, a, b, c, attributes,
              tensor(dots, left, dots->m, k, dots->kinds.operand), tensor(dots, right, k, n, dots->kinds.operand),
              tensor(dots, sum, dots->m, n, dots->kinds.sum));
}

/* What happens to the accumulator besides the dot. */
static void change_accumulator(const dots_t *dots, const char *from, const char *to) {
  char sum[64];
  tensor(dots, sum, dots->m, dots->n, dots->kinds.sum);
  module_line(dots->module, "%%negative = arith.constant dense<%s> : %s", dots->kinds.sum[0] == 'i' ? "-1" : "-1.0",
              sum);
  module_line(dots->module, "%%%s = %s %%%s, %%negative : %s", to,
              dots->kinds.sum[0] == 'i' ? "arith.muli" : "arith.mulf", from, sum);
}

/* Multiplies %from by a value at %scales for each row, or for each column: %to. Those of the first step begin at
 * `start`. */
static void scale(const dots_t *dots, const char *from, const char *to, bool rows, int start) {
  char sum[64], line[64];
  const char *element = dots->kinds.sum;
  const int count = rows ? dots->m : dots->n;
  tensor(dots, sum, dots->m, dots->n, element);
  snprintf(line, sizeof line, rows ? "tensor<%dx1x%s>" : "tensor<1x%dx%s>", count, element);
  module_line(dots->module, "%%%s_c = arith.constant %d : i32", to, dots->m + dots->n);
  module_line(dots->module, "%%%s_s = arith.constant %d : i32", to, start);
  module_line(dots->module, "%%%s_i = arith.muli %%i, %%%s_c : i32", to, to);
  module_line(dots->module, "%%%s_j = arith.addi %%%s_i, %%%s_s : i32", to, to, to);
  module_line(dots->module, "%%%s_b = tt.addptr %%scales, %%%s_j : !tt.ptr<%s>, i32", to, to, element);
  module_line(dots->module, "%%%s_r = tt.make_range {end = %d : i32, start = 0 : i32} : tensor<%dxi32>", to, count,
              count);
  module_line(dots->module, "%%%s_t = tt.splat %%%s_b : !tt.ptr<%s> -> tensor<%dx!tt.ptr<%s>>", to, to, element, count,
              element);
  module_line(dots->module, "%%%s_p = tt.addptr %%%s_t, %%%s_r : tensor<%dx!tt.ptr<%s>>, tensor<%dxi32>", to, to, to,
              count, element, count);
  module_line(dots->module, "%%%s_v = tt.load %%%s_p : tensor<%dx!tt.ptr<%s>>", to, to, count, element);
  module_line(dots->module, "%%%s_e = tt.expand_dims %%%s_v {axis = %d : i32} : tensor<%dx%s> -> %s", to, to, rows,
              count, element, line);
  module_line(dots->module, "%%%s_x = tt.broadcast %%%s_e : %s -> %s", to, to, line, sum);
  module_line(dots->module, "%%%s = arith.mul%s %%%s, %%%s_x : %s", to, element[0] == 'i' ? "i" : "f", from, to, sum);
}

/* The sum of the accumulator and of the scaled product: %d. */
static void scaled_dot(const dots_t *dots, const char *a, const char *b, const char *c) {
  char sum[64];
  tensor(dots, sum, dots->m, dots->n, dots->kinds.sum);
  dot(dots, "e", a, b, "zero", dots->k, dots->n);
  const char *product = "e";
  if (dots->scales_rows) {
    scale(dots, product, "of_rows", true, 0);
    product = "of_rows";
  }
  if (dots->scales_columns) {
    scale(dots, product, "of_columns", false, dots->m);
    product = "of_columns";
  }
  module_line(dots->module, "%%d = arith.add%s %%%s, %%%s : %s", dots->kinds.sum[0] == 'i' ? "i" : "f", c, product,
              sum);
}

static void loop(dots_t *dots, const operand_t *a, const operand_t *b) {
  char sum[64], pa[96], pb[96], x[8], y[8];
  value_of(a, x);
  value_of(b, y);
  tensor(dots, sum, dots->m, dots->n, dots->kinds.sum);
  snprintf(pa, sizeof pa, "tensor<%s%dx%dx!tt.ptr<%s>>", dots->prefix, a->rows, a->columns, a->element);
  snprintf(pb, sizeof pb, "tensor<%s%dx%dx!tt.ptr<%s>>", dots->prefix, b->rows, b->columns, b->element);
  const bool changes = module_chance(dots->module, 25), skips = module_chance(dots->module, 15);
  const bool is_wide = strcmp(dots->kinds.sum, "f16") != 0, twice = is_wide && module_chance(dots->module, 20);
  module_line(dots->module, "%%zero = arith.constant dense<%s> : %s", dots->kinds.sum[0] == 'i' ? "0" : "0.0", sum);
  module_line(dots->module, "%%c0 = arith.constant 0 : i32");
  module_line(dots->module, "%%c1 = arith.constant 1 : i32");
  module_line(dots->module, "%%c2 = arith.constant 2 : i32");
  module_line(dots->module, "%%ck = arith.constant %d : i32", dots->k);
  module_line(
      dots->module,
      "%%r:%d = scf.for %%i = %%c0 to %%steps%s step %%c1 iter_args(%%acc = %%zero, %%a_i = %%a_p, %%b_i = %%b_p%s) "
      "-> (%s, %s, %s%s%s) : i32 {",
      twice ? 4 : 3, dots->tiles ? "_o" : "", twice ? ", %other = %zero" : "", sum, pa, pb, twice ? ", " : "",
      twice ? sum : "");
  dots->module->indent += 2;
  module_line(dots->module, "%%done = arith.muli %%i, %%ck : i32");
  module_line(dots->module, "%%left = arith.subi %%depth, %%done : i32");
  load(dots, a);
  load(dots, b);
  if (changes)
    change_accumulator(dots, "acc", "acc1");
  const char *acc = changes ? "acc1" : "acc";
  if (skips) {
    module_line(dots->module, "%%third = arith.remsi %%i, %%c2 : i32");
    module_line(dots->module, "%%skip = arith.cmpi eq, %%third, %%c1 : i32");
    module_line(dots->module, "%%d = scf.if %%skip -> (%s) {", sum);
    module_line(dots->module, "  scf.yield %%%s : %s", acc, sum);
    module_line(dots->module, "} else {");
    dots->module->indent += 2;
    dot(dots, "e", x, y, acc, dots->k, dots->n);
    module_line(dots->module, "scf.yield %%e : %s", sum);
    dots->module->indent -= 2;
    module_line(dots->module, "}");
  } else if (dots->scales_rows || dots->scales_columns) {
    scaled_dot(dots, x, y, acc);
  } else {
    dot(dots, "d", x, y, acc, dots->k, dots->n);
  }
  if (twice)
    dot(dots, "other_n", x, y, "other", dots->k, dots->n);
  advance(dots, a);
  advance(dots, b);
  module_line(dots->module, "scf.yield %%d, %%a_n, %%b_n%s : %s, %s, %s%s%s", twice ? ", %other_n" : "", sum, pa, pb,
              twice ? ", " : "", twice ? sum : "");
  dots->module->indent -= 2;
  module_line(dots->module, "}");
  dots->result = twice ? "both" : "r#0";
  if (twice)
    module_line(dots->module, "%%both = arith.add%s %%r#0, %%r#3 : %s", dots->kinds.sum[0] == 'i' ? "i" : "f", sum);
}

/* Adds the number of its column to each element of the result: %biased. */
static void bias(const dots_t *dots) {
  char sum[64], whole[64], row[64];
  const bool is_integer = dots->kinds.sum[0] == 'i';
  tensor(dots, sum, dots->m, dots->n, dots->kinds.sum);
  tensor(dots, whole, dots->m, dots->n, "i32");
  snprintf(row, sizeof row, dots->batch ? "tensor<1x1x%dxi32>" : "tensor<1x%dxi32>", dots->n);
  module_line(dots->module, "%%bias_r = tt.make_range {end = %d : i32, start = 0 : i32} : tensor<%dxi32>", dots->n,
              dots->n);
  module_line(dots->module, "%%bias_%s = tt.expand_dims %%bias_r {axis = 0 : i32} : tensor<%dxi32> -> tensor<1x%dxi32>",
              dots->batch ? "m" : "e", dots->n, dots->n);
  if (dots->batch)
    module_line(dots->module, "%%bias_e = tt.expand_dims %%bias_m {axis = 0 : i32} : tensor<1x%dxi32> -> %s", dots->n,
                row);
  module_line(dots->module, "%%bias_b = tt.broadcast %%bias_e : %s -> %s", row, whole);
  if (!is_integer)
    module_line(dots->module, "%%bias_f = arith.sitofp %%bias_b : %s to %s", whole, sum);
  module_line(dots->module, "%%biased = arith.%s %%%s, %%bias_%s : %s", is_integer ? "addi" : "addf", dots->result,
              is_integer ? "b" : "f", sum);
}

/* What is stored: the result, or what is computed from it. */
static const char *epilogue(const dots_t *dots) {
  char sum[64], bits[64];
  tensor(dots, sum, dots->m, dots->n, dots->kinds.sum);
  tensor(dots, bits, dots->m, dots->n, "i1");
  const bool is_integer = dots->kinds.sum[0] == 'i';
  if (module_chance(dots->module, 40)) {
    module_line(dots->module, "%%positive = arith.%s %%%s, %%zero : %s", is_integer ? "cmpi sgt," : "cmpf ogt,",
                dots->result, sum);
    module_line(dots->module, "%%rectified = arith.select %%positive, %%%s, %%zero : %s, %s", dots->result, bits, sum);
    return "rectified";
  }
  if (module_chance(dots->module, 30)) {
    bias(dots);
    return "biased";
  }
  return dots->result;
}

static void store(const dots_t *dots, const char *value) {
  const char *element = dots->kinds.sum;
  const bool by_columns = module_chance(dots->module, 20);
  const int rows = by_columns ? dots->n : dots->m, columns = by_columns ? dots->m : dots->n;
  char sum[64], stored[64];
  if (by_columns) {
    module_line(dots->module, "%%turned = tt.trans %%%s {order = array<i32: %s>} : %s -> %s", value,
                transposition(dots), tensor(dots, sum, dots->m, dots->n, element),
                tensor(dots, stored, rows, columns, element));
    value = "turned";
  }
  tile_pointers(dots, "c", element, rows, columns, columns, (int64_t)rows * columns);
  module_line(dots->module, "tt.store %%c_p, %%%s : tensor<%s%dx%dx!tt.ptr<%s>>", value, dots->prefix, rows, columns,
              element);
}

/* Pointers of a tile: 16 elements further in the operands, of which each tile reads most, and its own result. */
static void tile_offsets(const dots_t *dots) {
  const char *const names[] = {"a", "b", "c"}, *const elements[] = {dots->kinds.a, dots->kinds.b, dots->kinds.sum};
  for (int i = 0; i < 3; ++i) {
    module_line(dots->module, "%%%s_size = arith.constant %d : i32", names[i],
                i < 2 ? 16 : dots->m * dots->n * (dots->batch ? dots->batch : 1));
    module_line(dots->module, "%%%s_at = arith.muli %%tile, %%%s_size : i32", names[i], names[i]);
    module_line(dots->module, "%%%s_o = tt.addptr %%%s, %%%s_at : !tt.ptr<%s>, i32", names[i], names[i], names[i],
                elements[i]);
  }
}

/* Begins a loop over tiles. The inner loop has the same number of steps in each tile, or fewer in later ones. */
static void begin_tiles(const dots_t *dots) {
  module_line(dots->module, "%%first = arith.constant 0 : i32");
  module_line(dots->module, "%%one = arith.constant 1 : i32");
  module_line(dots->module, "%%tiles = arith.constant %d : i32", dots->tiles);
  module_line(dots->module, "scf.for %%tile = %%first to %%tiles step %%one : i32 {");
  dots->module->indent += 2;
  tile_offsets(dots);
  module_line(dots->module, "%%steps_o = arith.subi %%steps, %%%s : i32",
              module_chance(dots->module, 50) ? "first" : "tile");
}

static void end_tiles(const dots_t *dots) {
  dots->module->indent -= 2;
  module_line(dots->module, module_chance(dots->module, 80) ? "} {tt.flatten}" : "}");
}

/* Bytes of the operands of a dot without a batch: f32 in several parts is kept in two. They fit in the shared memory of
 * all targets, of which sm_86 has the least. */
enum { MAX_OPERAND_BYTES = 1 << 16 };

static int operand_bytes(const dots_t *dots) {
  const char *element = dots->kinds.operand, *precision = dots->kinds.precision;
  const int bytes = strcmp(element, "f64") == 0 ? 8 : strcmp(element, "f32") == 0 ? 4 : element[1] == '8' ? 1 : 2;
  return (dots->m + dots->n) * dots->k * bytes * (precision && strchr(precision, 'x') ? 2 : 1);
}

static void choose(dots_t *dots) {
  module_t *module = dots->module;
  static const int sizes[] = {16, 32, 64, 128}, wide[] = {32, 64, 128, 256};
  dots->kinds = all_kinds[module_random(module, sizeof all_kinds / sizeof *all_kinds)];
  do {
    dots->m = one_of(module, 4, sizes);
    dots->n = module_chance(module, 10) ? 8 : one_of(module, 4, module_chance(module, 20) ? wide : sizes);
    dots->k = one_of(module, 4, sizes);
  } while (dots->k < dots->kinds.least_k || dots->m * dots->n > 16384 || operand_bytes(dots) > MAX_OPERAND_BYTES);
  dots->steps = (int)module_random(module, 6);
  if (dots->steps == 0)
    dots->steps = 1 + (int)module_random(module, 3);
  while (dots->steps * dots->k * 4 > dots->kinds.most)
    --dots->steps;
  if (dots->steps < 1)
    dots->steps = 1;
  dots->is_masked = module_chance(module, 40);
  dots->is_odd = module_chance(module, 20);
  dots->a_by_columns = module_chance(module, 35);
  dots->b_by_columns = module_chance(module, 50);
  dots->tiles = module_chance(module, 35) ? 1 + (int)module_random(module, 4) : 0;
  if (module_chance(module, 20) && dots->kinds.most == 1 << 20) {
    dots->scales_rows = module_chance(module, 60);
    dots->scales_columns = !dots->scales_rows || module_chance(module, 50);
    return;
  }
  if (!module_chance(module, 30))
    return;
  const int per_matrix =
      dots->m * dots->n > (dots->m + dots->n) * dots->k ? dots->m * dots->n : (dots->m + dots->n) * dots->k;
  dots->batch = 1 << module_random(module, 4);
  while (dots->batch > 1 && (dots->batch * per_matrix > 32768 || dots->batch * operand_bytes(dots) > MAX_OPERAND_BYTES))
    dots->batch /= 2;
  snprintf(dots->prefix, sizeof dots->prefix, "%dx", dots->batch);
}

static const char *run_type(const char *element) {
  return strcmp(element, "f8E4M3FN") == 0 ? "fp8e4nv" : strcmp(element, "f8E5M2") == 0 ? "fp8e5" : element;
}

void module_write_dots(uint64_t seed, FILE *out) {
  static const char *const targets[] = {"sm_80", "sm_86", "sm_89", "sm_90a", "sm_90a", "sm_90a"};
  module_t module = {.state = seed, .indent = 4};
  dots_t dots = {.module = &module};
  char *body = NULL;
  size_t size = 0;
  module.body = open_memstream(&body, &size);
  if (!module.body)
    abort();
  choose(&dots);
  const int warps = 1 << module_random(&module, 4), stages = 1 + (int)module_random(&module, 6);
  const bool is_fp8 = dots.kinds.a[1] == '8' || dots.kinds.b[1] == '8';
  const char *target = targets[is_fp8 ? 2 + module_random(&module, 4) : module_random(&module, 6)];
  const operand_t a = make_operand(&dots, true), b = make_operand(&dots, false);
  if (dots.tiles)
    begin_tiles(&dots);
  tile_pointers(&dots, "a", a.element, a.rows, a.columns, a.stride, a.matrix);
  tile_pointers(&dots, "b", b.element, b.rows, b.columns, b.stride, b.matrix);
  loop(&dots, &a, &b);
  store(&dots, epilogue(&dots));
  if (dots.tiles)
    end_tiles(&dots);
  fclose(module.body);
  /* the loop may take fewer steps than the arguments have tiles; the depth may end within a tile */
  const int steps = dots.steps - (module_chance(&module, 10) ? 1 : 0);
  const module_steps_t bound = module_steps(&module, steps);
  const int depth = dots.is_masked ? dots.k * steps - (int)module_random(&module, (uint32_t)dots.k) : dots.k * steps;
  fprintf(out, "// --grid 1 --target %s --num-warps %d --num-stages %d", target, warps, stages);
  fprintf(out,
          " --arg a=%s[%ld]:randint(-2,2) --arg b=%s[%ld]:randint(-2,2) --arg c=%s[%d]:zeros --arg "
          "scales=%s[%d]:randint(-2,2) --arg steps=%d --arg depth=%d\n",
          run_type(a.element), (long)a.size, run_type(b.element), (long)b.size, run_type(dots.kinds.sum),
          dots.m * dots.n * (dots.batch ? dots.batch : 1) * (dots.tiles ? dots.tiles : 1), run_type(dots.kinds.sum),
          (dots.m + dots.n) * dots.steps, steps, depth);
  fprintf(
      out,
      "module {\n  tt.func public @dots(%%a: !tt.ptr<%s> {tt.divisibility = 16 : i32} loc(\"a\"), %%b: !tt.ptr<%s> "
      "{tt.divisibility = 16 : i32} loc(\"b\"), %%c: !tt.ptr<%s> {tt.divisibility = 16 : i32} loc(\"c\"), %%scales: "
      "!tt.ptr<%s> {tt.divisibility = 16 : i32} loc(\"scales\"), %%%s: i32 "
      "loc(\"steps\"), %%depth: i32 loc(\"depth\")) attributes {noinline = false} {\n%s%s    tt.return\n  }\n}\n",
      a.element, b.element, dots.kinds.sum, dots.kinds.sum, bound.argument, bound.definition, body);
  free(body);
}

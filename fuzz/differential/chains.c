/* Random modules of chains of two dots, as attention: in a loop over blocks of keys, scores are the product of queries
 * and keys, and weights computed from them are the left operand of a second product, with random types, tiles, orders
 * in memory, masks, tables of pages, warps and stages.
 *
 *   s = q k^T      m' = max(m, rows of s)      p = s > m' - c ? 1 : 0      o = (m' == m ? o : o / 2) + p v
 *
 * Operands are small integers and halves are exact, so engines must agree in every bit. */
#include "module.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Types of the operands and of the sums. */
typedef struct types {
  const char *operand, *sum, *run_type;
  int least_k;
} types_t;

static const types_t all_types[] = {
    {"f16", "f32", "f16", 16},          {"bf16", "f32", "bf16", 16},    {"f32", "f32", "f32", 16},
    {"f8E4M3FN", "f32", "fp8e4nv", 32}, {"f8E5M2", "f32", "fp8e5", 32}, {"i8", "i32", "i8", 32},
};

typedef struct chain {
  module_t *module;
  types_t types;
  int rows, keys, width, columns; /* queries, keys of a block, elements of both, elements of a value */
  int blocks;
  bool has_maximum, is_masked, has_pages;
  bool keys_are_rows; /* in memory; otherwise columns */
} chain_t;

static void line(const chain_t *chain, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void line(const chain_t *chain, const char *format, ...) {
  va_list list;
  va_start(list, format);
  fprintf(chain->module->body, "%*s", chain->module->indent, "");
  vfprintf(chain->module->body, format, list);
  fputc('\n', chain->module->body);
  va_end(list);
}

/* The numbers 0, 1, … along one dimension of rows x columns: %NAME_r or %NAME_c, and as a column or row %…e. */
static void numbers(const chain_t *chain, const char *name, int rows, int columns) {
  line(chain, "%%%s_r = tt.make_range {end = %d : i32, start = 0 : i32} : tensor<%dxi32>", name, rows, rows);
  line(chain, "%%%s_c = tt.make_range {end = %d : i32, start = 0 : i32} : tensor<%dxi32>", name, columns, columns);
  line(chain, "%%%s_re = tt.expand_dims %%%s_r {axis = 1 : i32} : tensor<%dxi32> -> tensor<%dx1xi32>", name, name, rows,
       rows);
  line(chain, "%%%s_ce = tt.expand_dims %%%s_c {axis = 0 : i32} : tensor<%dxi32> -> tensor<1x%dxi32>", name, name,
       columns, columns);
}

/* Pointers %NAME_p to a tile of rows x columns; `stride` elements are between rows. */
static void tile_pointers(const chain_t *chain, const char *name, const char *element, int rows, int columns,
                          int stride) {
  numbers(chain, name, rows, columns);
  line(chain, "%%%s_s = arith.constant dense<%d> : tensor<%dx1xi32>", name, stride, rows);
  line(chain, "%%%s_rs = arith.muli %%%s_re, %%%s_s : tensor<%dx1xi32>", name, name, name, rows);
  line(chain, "%%%s_b = tt.splat %%%s : !tt.ptr<%s> -> tensor<%dx1x!tt.ptr<%s>>", name, name, element, rows, element);
  line(chain, "%%%s_br = tt.addptr %%%s_b, %%%s_rs : tensor<%dx1x!tt.ptr<%s>>, tensor<%dx1xi32>", name, name, name,
       rows, element, rows);
  line(chain, "%%%s_bb = tt.broadcast %%%s_br : tensor<%dx1x!tt.ptr<%s>> -> tensor<%dx%dx!tt.ptr<%s>>", name, name,
       rows, element, rows, columns, element);
  line(chain, "%%%s_cb = tt.broadcast %%%s_ce : tensor<1x%dxi32> -> tensor<%dx%dxi32>", name, name, columns, rows,
       columns);
  line(chain, "%%%s_p = tt.addptr %%%s_bb, %%%s_cb : tensor<%dx%dx!tt.ptr<%s>>, tensor<%dx%dxi32>", name, name, name,
       rows, columns, element, rows, columns);
}

/* Loads block %at of `name`: %NAME_x. Blocks are `distance` elements apart. */
static void load_block(const chain_t *chain, const char *name, int rows, int columns, int distance) {
  const char *element = chain->types.operand;
  line(chain, "%%%s_d = arith.constant %d : i32", name, distance);
  line(chain, "%%%s_o = arith.muli %%at, %%%s_d : i32", name, name);
  line(chain, "%%%s_os = tt.splat %%%s_o : i32 -> tensor<%dx%dxi32>", name, name, rows, columns);
  line(chain, "%%%s_i = tt.addptr %%%s_p, %%%s_os : tensor<%dx%dx!tt.ptr<%s>>, tensor<%dx%dxi32>", name, name, name,
       rows, columns, element, rows, columns);
  line(chain, "%%%s_x = tt.load %%%s_i : tensor<%dx%dx!tt.ptr<%s>>", name, name, rows, columns, element);
}

/* Loads the keys of block %at, transposed: %kt. */
static void load_keys(const chain_t *chain) {
  const char *element = chain->types.operand;
  if (!chain->keys_are_rows) {
    load_block(chain, "k", chain->width, chain->keys, chain->keys);
    line(chain, "%%kt = arith.select %%true, %%k_x, %%k_x : tensor<%dx%dx%s>", chain->width, chain->keys, element);
    return;
  }
  load_block(chain, "k", chain->keys, chain->width, chain->keys * chain->width);
  line(chain, "%%kt = tt.trans %%k_x {order = array<i32: 1, 0>} : tensor<%dx%dx%s> -> tensor<%dx%dx%s>", chain->keys,
       chain->width, element, chain->width, chain->keys, element);
}

/* Scores beyond %depth keys become small: %scores. */
static void mask_scores(const chain_t *chain, const char *tile, const char *type) {
  line(chain, "%%done = arith.muli %%i, %%n : i32");
  line(chain, "%%left = arith.subi %%depth, %%done : i32");
  line(chain, "%%left_s = tt.splat %%left : i32 -> %s", type);
  line(chain, "%%column = tt.broadcast %%s_ce : tensor<1x%dxi32> -> %s", chain->keys, type);
  line(chain, "%%inside = arith.cmpi slt, %%column, %%left_s : %s", type);
  line(chain, "%%scores = arith.select %%inside, %%s, %%small : tensor<%dx%dxi1>, %s", chain->rows, chain->keys, tile);
}

/* The weights %p of %scores, and the scaled sum %scaled. */
static void weigh(const chain_t *chain, const char *tile) {
  const char *sum = chain->types.sum, kind = sum[0];
  const int rows = chain->rows, keys = chain->keys, columns = chain->columns;
  const char *maximum = kind == 'i' ? "maxsi" : "maxnumf";
  if (chain->has_maximum) {
    line(chain, "%%most = \"tt.reduce\"(%%scores) <{axis = 1 : i32}> ({");
    line(chain, "^bb0(%%x: %s, %%y: %s):", sum, sum);
    line(chain, "  %%z = arith.%s %%x, %%y : %s", maximum, sum);
    line(chain, "  tt.reduce.return %%z : %s", sum);
    line(chain, "}) : (%s) -> tensor<%dx%s>", tile, rows, sum);
    line(chain, "%%m_n = arith.%s %%m, %%most : tensor<%dx%s>", maximum, rows, sum);
  } else {
    line(chain, "%%m_n = arith.%s %%m, %%m : tensor<%dx%s>", maximum, rows, sum);
  }
  line(chain, "%%m_e = tt.expand_dims %%m_n {axis = 1 : i32} : tensor<%dx%s> -> tensor<%dx1x%s>", rows, sum, rows, sum);
  line(chain, "%%m_b = tt.broadcast %%m_e : tensor<%dx1x%s> -> %s", rows, sum, tile);
  line(chain, "%%t = arith.%s %%scores, %%m_b : %s", kind == 'i' ? "subi" : "subf", tile);
  line(chain, "%%near = arith.cmp%s, %%t, %%limit : %s", kind == 'i' ? "i sgt" : "f ogt", tile);
  line(chain, "%%p_s = arith.select %%near, %%ones, %%zeros : tensor<%dx%dxi1>, %s", rows, keys, tile);
  if (strcmp(chain->types.operand, sum) == 0)
    line(chain, "%%p = arith.select %%near, %%p_s, %%zeros : tensor<%dx%dxi1>, %s", rows, keys, tile);
  else
    line(chain, "%%p = %s %%p_s%s : %s %s tensor<%dx%dx%s>",
         kind == 'i'                      ? "arith.trunci"
         : chain->types.operand[1] == '8' ? "tt.fp_to_fp"
                                          : "arith.truncf",
         chain->types.operand[1] == '8' && kind != 'i' ? ", rounding = rtne" : "", tile,
         chain->types.operand[1] == '8' && kind != 'i' ? "->" : "to", rows, keys, chain->types.operand);
  if (kind == 'i' || !chain->has_maximum) {
    line(chain, "%%scaled = arith.select %%true, %%o_i, %%o_i : tensor<%dx%dx%s>", rows, columns, sum);
    return;
  }
  line(chain, "%%same = arith.cmpf oeq, %%m, %%m_n : tensor<%dxf32>", rows);
  line(chain, "%%alpha = arith.select %%same, %%whole, %%half : tensor<%dxi1>, tensor<%dxf32>", rows, rows);
  line(chain, "%%alpha_e = tt.expand_dims %%alpha {axis = 1 : i32} : tensor<%dxf32> -> tensor<%dx1xf32>", rows, rows);
  line(chain, "%%alpha_b = tt.broadcast %%alpha_e : tensor<%dx1xf32> -> tensor<%dx%dxf32>", rows, rows, columns);
  line(chain, "%%scaled = arith.mulf %%o_i, %%alpha_b : tensor<%dx%dxf32>", rows, columns);
}

static void constants(const chain_t *chain, const char *tile) {
  const char *sum = chain->types.sum, *point = sum[0] == 'i' ? "" : ".0";
  const int rows = chain->rows;
  line(chain, "%%true = arith.constant true");
  line(chain, "%%c0 = arith.constant 0 : i32");
  line(chain, "%%c1 = arith.constant 1 : i32");
  line(chain, "%%n = arith.constant %d : i32", chain->keys);
  line(chain, "%%zeros = arith.constant dense<0%s> : %s", point, tile);
  line(chain, "%%ones = arith.constant dense<1%s> : %s", point, tile);
  line(chain, "%%small = arith.constant dense<-1000%s> : %s", point, tile);
  line(chain, "%%limit = arith.constant dense<%d%s> : %s", chain->has_maximum ? -8 : 2, point, tile);
  line(chain, "%%none = arith.constant dense<0%s> : tensor<%dx%dx%s>", point, rows, chain->columns, sum);
  line(chain, "%%least = arith.constant dense<%d%s> : tensor<%dx%s>", chain->has_maximum ? -2000 : 0, point, rows, sum);
  if (sum[0] == 'i')
    return;
  line(chain, "%%whole = arith.constant dense<1.0> : tensor<%dxf32>", rows);
  line(chain, "%%half = arith.constant dense<0.5> : tensor<%dxf32>", rows);
}

static void write_body(const chain_t *chain) {
  const char *operand = chain->types.operand, *sum = chain->types.sum;
  const int rows = chain->rows, keys = chain->keys, width = chain->width, columns = chain->columns;
  char tile[64], numbers_of_tile[64], result[64], precision[32] = "";
  snprintf(tile, sizeof tile, "tensor<%dx%dx%s>", rows, keys, sum);
  snprintf(numbers_of_tile, sizeof numbers_of_tile, "tensor<%dx%dxi32>", rows, keys);
  snprintf(result, sizeof result, "tensor<%dx%dx%s>", rows, columns, sum);
  if (strcmp(operand, "f32") == 0)
    snprintf(precision, sizeof precision, ", inputPrecision = tf32");
  constants(chain, tile);
  tile_pointers(chain, "q", operand, rows, width, width);
  if (chain->keys_are_rows)
    tile_pointers(chain, "k", operand, keys, width, width);
  else
    tile_pointers(chain, "k", operand, width, keys, keys * chain->blocks);
  tile_pointers(chain, "v", operand, keys, columns, columns);
  tile_pointers(chain, "o", sum, rows, columns, columns);
  numbers(chain, "s", rows, keys);
  line(chain, "%%q_x = tt.load %%q_p : tensor<%dx%dx!tt.ptr<%s>>", rows, width, operand);
  line(chain,
       "%%r:2 = scf.for %%i = %%c0 to %%steps step %%c1 iter_args(%%o_i = %%none, %%m = %%least) -> (%s, "
       "tensor<%dx%s>) : i32 {",
       result, rows, sum);
  chain->module->indent += 2;
  line(chain, "%%entry = tt.addptr %%table, %%i : !tt.ptr<i32>, i32");
  line(chain, chain->has_pages ? "%%at = tt.load %%entry : !tt.ptr<i32>" : "%%at = arith.addi %%i, %%c0 : i32");
  load_keys(chain);
  line(chain, "%%s = tt.dot %%q_x, %%kt, %%zeros%s : tensor<%dx%dx%s> * tensor<%dx%dx%s> -> %s", precision, rows, width,
       operand, width, keys, operand, tile);
  if (chain->is_masked)
    mask_scores(chain, tile, numbers_of_tile);
  else
    line(chain, "%%scores = arith.select %%true, %%s, %%s : %s", tile);
  weigh(chain, tile);
  load_block(chain, "v", keys, columns, keys * columns);
  line(chain, "%%o_n = tt.dot %%p, %%v_x, %%scaled%s : tensor<%dx%dx%s> * tensor<%dx%dx%s> -> %s", precision, rows,
       keys, operand, keys, columns, operand, result);
  line(chain, "scf.yield %%o_n, %%m_n : %s, tensor<%dx%s>", result, rows, sum);
  chain->module->indent -= 2;
  line(chain, "}");
  line(chain, "tt.store %%o_p, %%r#0 : tensor<%dx%dx!tt.ptr<%s>>", rows, columns, sum);
}

static void choose(chain_t *chain) {
  module_t *module = chain->module;
  enum { SIZES = 4, MOST = 8192 /* elements of a tile */ };
  static const int sizes[SIZES] = {16, 32, 64, 128};
  chain->types = all_types[module_random(module, sizeof all_types / sizeof *all_types)];
  do {
    chain->rows = sizes[module_random(module, SIZES)];
    chain->keys = sizes[module_random(module, SIZES)];
    chain->width = sizes[module_random(module, SIZES)];
    chain->columns = sizes[module_random(module, SIZES)];
  } while (chain->keys < chain->types.least_k || chain->width < chain->types.least_k ||
           chain->rows * chain->keys > MOST || chain->rows * chain->columns > MOST ||
           chain->keys * (chain->width + chain->columns) > MOST);
  chain->blocks = 1 + (int)module_random(module, 5);
  chain->has_maximum = module_chance(module, 70);
  chain->is_masked = module_chance(module, 40);
  chain->has_pages = module_chance(module, 30);
  chain->keys_are_rows = module_chance(module, 70);
}

void module_write_chains(uint64_t seed, FILE *out) {
  static const char *const targets[] = {"sm_80", "sm_89", "sm_90a", "sm_90a", "sm_90a"};
  module_t module = {.state = seed, .indent = 4};
  chain_t chain = {.module = &module};
  char *body = NULL;
  size_t size = 0;
  module.body = open_memstream(&body, &size);
  if (!module.body)
    abort();
  choose(&chain);
  const int warps = 1 << module_random(&module, 4), stages = 1 + (int)module_random(&module, 5);
  const char *target = targets[module_random(&module, sizeof targets / sizeof *targets)];
  write_body(&chain);
  fclose(module.body);
  const int steps = chain.blocks - (module_chance(&module, 15) ? 1 : 0), all_keys = chain.blocks * chain.keys;
  const char *operand = chain.types.operand, *sum = chain.types.sum, *run = chain.types.run_type;
  fprintf(out, "// --grid 1 --target %s --num-warps %d --num-stages %d", target, warps, stages);
  fprintf(out, " --arg q=%s[%d]:randint(-2,2) --arg k=%s[%d]:randint(-2,2) --arg v=%s[%d]:randint(-2,2)", run,
          chain.rows * chain.width, run, all_keys * chain.width, run, all_keys * chain.columns);
  fprintf(out, " --arg o=%s[%d]:zeros --arg table=i32[%d]:", sum, chain.rows * chain.columns, chain.blocks);
  if (chain.blocks == 1)
    fprintf(out, "zeros");
  else
    fprintf(out, "randint(0,%d)", chain.blocks - 1);
  fprintf(out, " --arg steps=%d --arg depth=%d\n", steps, (int)module_random(&module, (uint32_t)all_keys + 1));
  fprintf(out,
          "module {\n  tt.func public @dots(%%q: !tt.ptr<%s> {tt.divisibility = 16 : i32} loc(\"q\"), %%k: !tt.ptr<%s> "
          "{tt.divisibility = 16 : i32} loc(\"k\"), %%v: !tt.ptr<%s> {tt.divisibility = 16 : i32} loc(\"v\"), %%o: "
          "!tt.ptr<%s> {tt.divisibility = 16 : i32} loc(\"o\"), %%table: !tt.ptr<i32> {tt.divisibility = 16 : i32} "
          "loc(\"table\"), %%steps: i32 loc(\"steps\"), %%depth: i32 loc(\"depth\")) attributes {noinline = false} "
          "{\n%s    tt.return\n  }\n}\n",
          operand, operand, operand, sum, body);
  free(body);
}

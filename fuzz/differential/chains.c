/* Random modules of chains of two dots, as attention: in a loop over blocks of keys, scores are the product of queries
 * and keys, and weights computed from them are the left operand of a second product, with random types, tiles, orders
 * in memory, masks, tables of pages, warps and stages.
 *
 *   s = q k^T      m' = max(m, rows of s)      p = s > m' - c ? 1 : 0      o = (m' == m ? o : o / 2) + p v
 *
 * Operands are small integers and halves are exact, so engines must agree in every bit. */
#include "module.h"

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

/* Pointers %NAME_p to the tile of rows x columns at %NAME. */
static void tile_pointers(const chain_t *chain, const char *name, const char *element, int rows, int columns,
                          int stride) {
  char pointers[8];
  snprintf(pointers, sizeof pointers, "%s_p", name);
  module_tile_pointers(chain->module, name, name, pointers, element, rows, columns, stride);
}

/* Loads block %at of `name`: %NAME_x. Blocks are `distance` elements apart. */
static void load_block(const chain_t *chain, const char *name, int rows, int columns, int distance) {
  const char *element = chain->types.operand;
  module_line(chain->module, "%%%s_d = arith.constant %d : i32", name, distance);
  module_line(chain->module, "%%%s_o = arith.muli %%at, %%%s_d : i32", name, name);
  module_line(chain->module, "%%%s_os = tt.splat %%%s_o : i32 -> tensor<%dx%dxi32>", name, name, rows, columns);
  module_line(chain->module, "%%%s_i = tt.addptr %%%s_p, %%%s_os : tensor<%dx%dx!tt.ptr<%s>>, tensor<%dx%dxi32>", name,
              name, name, rows, columns, element, rows, columns);
  module_line(chain->module, "%%%s_x = tt.load %%%s_i : tensor<%dx%dx!tt.ptr<%s>>", name, name, rows, columns, element);
}

/* Loads the keys of block %at, transposed: %kt. */
static void load_keys(const chain_t *chain) {
  const char *element = chain->types.operand;
  if (!chain->keys_are_rows) {
    load_block(chain, "k", chain->width, chain->keys, chain->keys);
    module_line(chain->module, "%%kt = arith.select %%true, %%k_x, %%k_x : tensor<%dx%dx%s>", chain->width, chain->keys,
                element);
    return;
  }
  load_block(chain, "k", chain->keys, chain->width, chain->keys * chain->width);
  module_line(chain->module, "%%kt = tt.trans %%k_x {order = array<i32: 1, 0>} : tensor<%dx%dx%s> -> tensor<%dx%dx%s>",
              chain->keys, chain->width, element, chain->width, chain->keys, element);
}

/* Scores beyond %depth keys become small: %scores. */
static void mask_scores(const chain_t *chain, const char *tile, const char *type) {
  module_line(chain->module, "%%done = arith.muli %%i, %%n : i32");
  module_line(chain->module, "%%left = arith.subi %%depth, %%done : i32");
  module_line(chain->module, "%%left_s = tt.splat %%left : i32 -> %s", type);
  module_line(chain->module, "%%column = tt.broadcast %%s_ce : tensor<1x%dxi32> -> %s", chain->keys, type);
  module_line(chain->module, "%%inside = arith.cmpi slt, %%column, %%left_s : %s", type);
  module_line(chain->module, "%%scores = arith.select %%inside, %%s, %%small : tensor<%dx%dxi1>, %s", chain->rows,
              chain->keys, tile);
}

/* The weights %p of %scores, and the scaled sum %scaled. */
static void weigh(const chain_t *chain, const char *tile) {
  const char *sum = chain->types.sum, kind = sum[0];
  const int rows = chain->rows, keys = chain->keys, columns = chain->columns;
  const char *maximum = kind == 'i' ? "maxsi" : "maxnumf";
  if (chain->has_maximum) {
    module_line(chain->module, "%%most = \"tt.reduce\"(%%scores) <{axis = 1 : i32}> ({");
    module_line(chain->module, "^bb0(%%x: %s, %%y: %s):", sum, sum);
    module_line(chain->module, "  %%z = arith.%s %%x, %%y : %s", maximum, sum);
    module_line(chain->module, "  tt.reduce.return %%z : %s", sum);
    module_line(chain->module, "}) : (%s) -> tensor<%dx%s>", tile, rows, sum);
    module_line(chain->module, "%%m_n = arith.%s %%m, %%most : tensor<%dx%s>", maximum, rows, sum);
  } else {
    module_line(chain->module, "%%m_n = arith.%s %%m, %%m : tensor<%dx%s>", maximum, rows, sum);
  }
  module_line(chain->module, "%%m_e = tt.expand_dims %%m_n {axis = 1 : i32} : tensor<%dx%s> -> tensor<%dx1x%s>", rows,
              sum, rows, sum);
  module_line(chain->module, "%%m_b = tt.broadcast %%m_e : tensor<%dx1x%s> -> %s", rows, sum, tile);
  module_line(chain->module, "%%t = arith.%s %%scores, %%m_b : %s", kind == 'i' ? "subi" : "subf", tile);
  module_line(chain->module, "%%near = arith.cmp%s, %%t, %%limit : %s", kind == 'i' ? "i sgt" : "f ogt", tile);
  module_line(chain->module, "%%p_s = arith.select %%near, %%ones, %%zeros : tensor<%dx%dxi1>, %s", rows, keys, tile);
  if (strcmp(chain->types.operand, sum) == 0)
    module_line(chain->module, "%%p = arith.select %%near, %%p_s, %%zeros : tensor<%dx%dxi1>, %s", rows, keys, tile);
  else
    module_line(chain->module, "%%p = %s %%p_s%s : %s %s tensor<%dx%dx%s>",
                kind == 'i'                      ? "arith.trunci"
                : chain->types.operand[1] == '8' ? "tt.fp_to_fp"
                                                 : "arith.truncf",
                chain->types.operand[1] == '8' && kind != 'i' ? ", rounding = rtne" : "", tile,
                chain->types.operand[1] == '8' && kind != 'i' ? "->" : "to", rows, keys, chain->types.operand);
  if (kind == 'i' || !chain->has_maximum) {
    module_line(chain->module, "%%scaled = arith.select %%true, %%o_i, %%o_i : tensor<%dx%dx%s>", rows, columns, sum);
    return;
  }
  module_line(chain->module, "%%same = arith.cmpf oeq, %%m, %%m_n : tensor<%dxf32>", rows);
  module_line(chain->module, "%%alpha = arith.select %%same, %%whole, %%half : tensor<%dxi1>, tensor<%dxf32>", rows,
              rows);
  module_line(chain->module, "%%alpha_e = tt.expand_dims %%alpha {axis = 1 : i32} : tensor<%dxf32> -> tensor<%dx1xf32>",
              rows, rows);
  module_line(chain->module, "%%alpha_b = tt.broadcast %%alpha_e : tensor<%dx1xf32> -> tensor<%dx%dxf32>", rows, rows,
              columns);
  module_line(chain->module, "%%scaled = arith.mulf %%o_i, %%alpha_b : tensor<%dx%dxf32>", rows, columns);
}

static void constants(const chain_t *chain, const char *tile) {
  const char *sum = chain->types.sum, *point = sum[0] == 'i' ? "" : ".0";
  const int rows = chain->rows;
  module_line(chain->module, "%%true = arith.constant true");
  module_line(chain->module, "%%c0 = arith.constant 0 : i32");
  module_line(chain->module, "%%c1 = arith.constant 1 : i32");
  module_line(chain->module, "%%n = arith.constant %d : i32", chain->keys);
  module_line(chain->module, "%%zeros = arith.constant dense<0%s> : %s", point, tile);
  module_line(chain->module, "%%ones = arith.constant dense<1%s> : %s", point, tile);
  module_line(chain->module, "%%small = arith.constant dense<-1000%s> : %s", point, tile);
  module_line(chain->module, "%%limit = arith.constant dense<%d%s> : %s", chain->has_maximum ? -8 : 2, point, tile);
  module_line(chain->module, "%%none = arith.constant dense<0%s> : tensor<%dx%dx%s>", point, rows, chain->columns, sum);
  module_line(chain->module, "%%least = arith.constant dense<%d%s> : tensor<%dx%s>", chain->has_maximum ? -2000 : 0,
              point, rows, sum);
  if (sum[0] == 'i')
    return;
  module_line(chain->module, "%%whole = arith.constant dense<1.0> : tensor<%dxf32>", rows);
  module_line(chain->module, "%%half = arith.constant dense<0.5> : tensor<%dxf32>", rows);
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
  module_line(chain->module, "%%s_c = tt.make_range {end = %d : i32, start = 0 : i32} : tensor<%dxi32>", keys, keys);
  module_line(chain->module, "%%s_ce = tt.expand_dims %%s_c {axis = 0 : i32} : tensor<%dxi32> -> tensor<1x%dxi32>",
              keys, keys);
  module_line(chain->module, "%%q_x = tt.load %%q_p : tensor<%dx%dx!tt.ptr<%s>>", rows, width, operand);
  module_line(chain->module,
              "%%r:2 = scf.for %%i = %%c0 to %%steps step %%c1 iter_args(%%o_i = %%none, %%m = %%least) -> (%s, "
              "tensor<%dx%s>) : i32 {",
              result, rows, sum);
  chain->module->indent += 2;
  module_line(chain->module, "%%entry = tt.addptr %%table, %%i : !tt.ptr<i32>, i32");
  module_line(chain->module,
              chain->has_pages ? "%%at = tt.load %%entry : !tt.ptr<i32>" : "%%at = arith.addi %%i, %%c0 : i32");
  load_keys(chain);
  module_line(chain->module, "%%s = tt.dot %%q_x, %%kt, %%zeros%s : tensor<%dx%dx%s> * tensor<%dx%dx%s> -> %s",
              precision, rows, width, operand, width, keys, operand, tile);
  if (chain->is_masked)
    mask_scores(chain, tile, numbers_of_tile);
  else
    module_line(chain->module, "%%scores = arith.select %%true, %%s, %%s : %s", tile);
  weigh(chain, tile);
  load_block(chain, "v", keys, columns, keys * columns);
  module_line(chain->module, "%%o_n = tt.dot %%p, %%v_x, %%scaled%s : tensor<%dx%dx%s> * tensor<%dx%dx%s> -> %s",
              precision, rows, keys, operand, keys, columns, operand, result);
  module_line(chain->module, "scf.yield %%o_n, %%m_n : %s, tensor<%dx%s>", result, rows, sum);
  chain->module->indent -= 2;
  module_line(chain->module, "}");
  module_line(chain->module, "tt.store %%o_p, %%r#0 : tensor<%dx%dx!tt.ptr<%s>>", rows, columns, sum);
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
  const module_steps_t bound = module_steps(&module, steps);
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
          "loc(\"table\"), %%%s: i32 loc(\"steps\"), %%depth: i32 loc(\"depth\")) attributes {noinline = false} "
          "{\n%s%s    tt.return\n  }\n}\n",
          operand, operand, operand, sum, bound.argument, bound.definition, body);
  free(body);
}

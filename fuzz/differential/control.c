/* Loops, branches, and the module's frame. */
#include "module.h"

#include <stdlib.h>

/* Prints "%a, %b" or the types of values that a region yields. */
static void list(char *out, size_t size, const value_t *values, int n, bool types) {
  size_t at = 0;
  out[0] = 0;
  for (int i = 0; i < n; ++i) {
    char text[64];
    at += (size_t)snprintf(out + at, size - at, i ? ", " : "");
    at += types ? (size_t)snprintf(out + at, size - at, "%s", module_type(text, &values[i]))
                : (size_t)snprintf(out + at, size - at, "%%v%d", values[i].id);
  }
}

/* Prints a line that defines values from %r<id>#k and adds them to the scope. */
static void results(module_t *module, int id, const value_t *types, int n) {
  for (int i = 0; i < n; ++i) {
    char text[64];
    value_t result = module_like(module, &types[i], types[i].element);
    module_type(text, &result);
    module->values[module->n_values - 1].product = true; /* conservative */
    module_line(module, "%%v%d = arith.select %%true, %%r%d#%d, %%r%d#%d : %s", result.id, id, i, id, i, text);
  }
}

enum { MAX_CARRIED = 3, TEXT = 256 };

static int pick_carried(module_t *module, value_t *out) {
  int n = 1 + (int)module_random(module, MAX_CARRIED);
  for (int i = 0; i < n; ++i)
    out[i] = module_any(module);
  return n;
}

static void yield(module_t *module, const value_t *types, int n, int last) {
  value_t yielded[MAX_CARRIED];
  char names[TEXT], kinds[TEXT];
  for (int i = 0; i < n; ++i)
    yielded[i] = module_of_type(module, &types[i]);
  list(names, sizeof names, yielded, n, false);
  list(kinds, sizeof kinds, yielded, n, true);
  module_line(module, "scf.yield %s : %s", names, kinds);
  module->n_values = last; /* the region's values are out of scope */
  module->indent -= 2;
  module->depth--;
}

static void enter(module_t *module) {
  module->indent += 2;
  module->depth++;
}

/* Whether the table has a free entry: regions must not evict values of the function. */
static bool has_room(const module_t *module) {
  return module->depth < 2 && module->n_values < MAX_VALUES / 4;
}

/* Bounds of a loop: constants, or with `dynamic` small values that are computed, possibly an empty range. A computed
 * upper bound is at least 0, as axis information assumes. */
static void bounds(module_t *module, bool dynamic, value_t out[3]) {
  value_t base = {.element = I32};
  out[0] = module_constant(module, &base, (int64_t)module_random(module, 5) - 2);
  out[2] = module_constant(module, &base, 1 + (int64_t)module_random(module, 3));
  out[1] = module_constant(module, &base, (int64_t)module_random(module, 8));
  if (!dynamic)
    return;
  value_t any = module_of_type(module, &base), limit = module_constant(module, &base, 5);
  value_t sum = module_new(module, I32, 0, NULL), rest = module_new(module, I32, 0, NULL);
  value_t zero = module_constant(module, &base, 0), bound = module_new(module, I32, 0, NULL);
  module_line(module, "%%v%d = arith.addi %%v%d, %%v%d : i32", sum.id, any.id, out[1].id);
  module_line(module, "%%v%d = arith.remsi %%v%d, %%v%d : i32", rest.id, sum.id, limit.id);
  module_line(module, "%%v%d = arith.maxsi %%v%d, %%v%d : i32", bound.id, rest.id, zero.id);
  out[1] = bound;
}

/* Operations, and with `inner` above 0 a nest of that many loops between them. */
static void write_body(module_t *module, int inner);

static void write_loop(module_t *module, int inner) {
  value_t carried[MAX_CARRIED], range[3], arguments[MAX_CARRIED];
  char kinds[TEXT];
  int n = pick_carried(module, carried);
  bounds(module, module_chance(module, 40), range);
  int id = module->next_id++, last = module->n_values;
  value_t induction = module_new(module, I32, 0, NULL);
  for (int i = 0; i < n; ++i) {
    arguments[i] = module_like(module, &carried[i], carried[i].element);
    module->values[module->n_values - 1].product = true;
  }
  list(kinds, sizeof kinds, carried, n, true);
  fprintf(module->body, "%*s%%r%d:%d = scf.for %%v%d = %%v%d to %%v%d step %%v%d iter_args(", module->indent, "", id, n,
          induction.id, range[0].id, range[1].id, range[2].id);
  for (int i = 0; i < n; ++i)
    fprintf(module->body, "%s%%v%d = %%v%d", i ? ", " : "", arguments[i].id, carried[i].id);
  fprintf(module->body, ") -> (%s) : i32 {\n", kinds);
  enter(module);
  write_body(module, inner);
  yield(module, carried, n, last);
  module_line(module, inner && module_chance(module, 80) ? "} {tt.flatten}" : "}");
  results(module, id, carried, n);
}

static void write_body(module_t *module, int inner) {
  module_operations(module, inner ? (int)module_random(module, 3) : 2 + (int)module_random(module, 6));
  if (!inner)
    return;
  write_loop(module, inner - 1);
  module_operations(module, (int)module_random(module, 3));
  if (module_chance(module, 10))
    write_loop(module, 0);
}

bool module_loop(module_t *module) {
  if (!has_room(module))
    return false;
  write_loop(module, 0);
  return true;
}

/* Nested loops, which tt.flatten requests to fuse. */
bool module_nest(module_t *module) {
  if (module->depth || !has_room(module))
    return false;
  write_loop(module, module_chance(module, 20) ? 2 : 1);
  return true;
}

bool module_branch(module_t *module) {
  value_t carried[MAX_CARRIED], scalar = {.element = I32};
  char kinds[TEXT];
  if (!has_room(module))
    return false;
  int n = pick_carried(module, carried);
  value_t a = module_of_type(module, &scalar), b = module_constant(module, &scalar, (int64_t)module_random(module, 3));
  value_t condition = module_new(module, I1, 0, NULL);
  module_line(module, "%%v%d = arith.cmpi sgt, %%v%d, %%v%d : i32", condition.id, a.id, b.id);
  int id = module->next_id++, last = module->n_values;
  list(kinds, sizeof kinds, carried, n, true);
  module_line(module, "%%r%d:%d = scf.if %%v%d -> (%s) {", id, n, condition.id, kinds);
  for (int side = 0; side < 2; ++side) {
    enter(module);
    module_operations(module, 1 + (int)module_random(module, 5));
    yield(module, carried, n, last);
    module_line(module, side ? "}" : "} else {");
  }
  results(module, id, carried, n);
  return true;
}

void module_operations(module_t *module, int n) {
  static const struct {
    bool (*run)(module_t *module);
    uint32_t weight;
  } families[] = {{module_elementwise, 40}, {module_convert, 10}, {module_view, 18},     {module_reduce, 8},
                  {module_scan, 5},         {module_gather, 3},   {module_histogram, 2}, {module_dot, 1},
                  {module_load, 4},         {module_atomic, 2},   {module_loop, 4},      {module_branch, 3},
                  {module_accumulate, 3},   {module_nest, 2}};
  uint32_t total = 0;
  for (size_t i = 0; i < sizeof families / sizeof *families; ++i)
    total += families[i].weight;
  for (int done = 0; done < n;) {
    uint32_t at = module_random(module, total);
    size_t i = 0;
    while (at >= families[i].weight)
      at -= families[i++].weight;
    done += families[i].run(module);
  }
}

/* The fill patterns of `nereid run` for the arguments. */
static const char *fill(const argument_t *argument) {
  if (argument->output)
    return "zeros";
  return module_is_float(argument->element) ? "rand"
         : argument->element == I8          ? "randint(-128,128)"
                                            : "randint(-1000,1000)";
}

void module_write(uint64_t seed, FILE *out) {
  module_t module = {.state = seed, .indent = 4};
  char *body = NULL;
  size_t size = 0;
  module.body = open_memstream(&body, &size);
  if (!module.body)
    abort();
  module.grid = 1 + (int)module_random(&module, 3);
  int warps = 1 << module_random(&module, 4);
  value_t base = {.element = I32};
  module_line(&module, "%%true = arith.constant true");
  value_t pid = module_new(&module, I32, 0, NULL);
  module_line(&module, "%%v%d = tt.get_program_id x : i32", pid.id);
  (void)module_constant(&module, &base, 3);
  while (!module_load(&module))
    continue;
  while (!module_load(&module))
    continue;
  module_operations(&module, 4 + (int)module_random(&module, 24));
  for (int stores = 2 + (int)module_random(&module, 4); stores > 0; --stores) {
    value_t value = module_any(&module);
    module_store(&module, &value);
  }
  fclose(module.body);
  fprintf(out, "// --grid %d --num-warps %d", module.grid, warps);
  for (int i = 0; i < module.n_arguments; ++i) {
    const argument_t *argument = &module.arguments[i];
    fprintf(out, " --arg %d=%s[%d]:%s", i, module_element(argument->element), argument->elements, fill(argument));
  }
  fprintf(out, "\nmodule {\n  tt.func public @random(");
  for (int i = 0; i < module.n_arguments; ++i)
    fprintf(out, "%s%%arg%d: !tt.ptr<%s> {tt.divisibility = 16 : i32}", i ? ", " : "", i,
            module_element(module.arguments[i].element));
  fprintf(out, ") attributes {noinline = false} {\n%s    tt.return\n  }\n}\n", body);
  free(body);
}

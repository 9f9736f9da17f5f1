/* Allocation against runs: random programs over buffers are allocated, and then run, many times each, by a few lines of
 * C that know nothing of flow graphs or liveness. A run makes an instance of a buffer at each allocation, at its offset
 * in the frame of that call, and notes until when it is accessed. Two instances that are wanted at the same time and
 * share a byte are a mistake of the compiler.
 *
 *   scf.for, scf.if, blocks in any order, views, selections, calls with and without results, copies under way,
 *   ttg.warp_specialize: its regions are run one after the other here, and count as running at once. */
#include "analysis/allocation.h"
#include "analysis/scratch.h"
#include "seam/context.h"

#include <mlir-c/BuiltinAttributes.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
/* cmocka wants the four above. */
#include <cmocka.h>

enum {
  PROGRAMS = 1500,
  RUNS = 8,
  CLASSES = 3, /* of buffers, by size */
  FUNCTIONS = 4,
  STATEMENTS = 200,
  VALUES = 600,
  LENGTH = 7, /* of a list of statements */
  PLACES = 4, /* arguments of a block, operands of a statement */
  BLOCKS = 5,
  INSTANCES = 800,
  REGIONS = 3,
  SPANS = 200,
};

static uint64_t state;

static int below(int limit) {
  state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (int)((uint32_t)(state >> 33) % (uint32_t)limit);
}

/* --- programs --- */

typedef enum kind { ALLOC, VIEW, SELECT, USE, SCRATCH, COPY, COMMIT, WAIT, IF, FOR, CALL, SPECIALIZE, KINDS } kind_t;

typedef struct list {
  int statements[LENGTH], count;
  int arguments[PLACES], n_arguments; /* of the block */
  int gives[PLACES];                  /* what its terminator hands on */
} list_t;

/* A number says which it is: in the text as `id`, in runs where its bytes are. */
typedef struct statement {
  kind_t kind;
  int result;              /* a value; -1: none */
  int operands[PLACES], n; /* values; of a call its arguments */
  int number;              /* alignment of an allocation, groups of a wait, function of a call */
  list_t bodies[REGIONS];
  int n_bodies, results[PLACES]; /* of a loop or branch */
} statement_t;

typedef struct function {
  int parameters[PLACES], n, returns; /* values; the number of the parameter that it gives back, or -1 */
  bool has_blocks;
  list_t blocks[BLOCKS];
  int n_blocks, to[BLOCKS][2], gives[BLOCKS][2][PLACES]; /* successors, -1: none */
  int order[BLOCKS];                                     /* of the text */
} function_t;

typedef struct program {
  statement_t statements[STATEMENTS];
  int n_statements, n_values;
  int classes[VALUES];
  function_t functions[FUNCTIONS]; /* each calls those in front of it; the last is the kernel */
  int visible[VALUES], n_visible;  /* while it is made */
  int function, limit;             /* statements when the function is full */
  bool in_region;
} program_t;

static program_t program;

static int make_value(int class_of) {
  if (program.n_values >= VALUES)
    abort();
  program.classes[program.n_values] = class_of;
  program.visible[program.n_visible++] = program.n_values;
  return program.n_values++;
}

static int pick(int class_of) {
  int found = -1, seen = 0;
  for (int i = 0; i < program.n_visible; ++i)
    if (program.classes[program.visible[i]] == class_of && below(++seen) == 0)
      found = program.visible[i];
  return found;
}

static bool has_room(const list_t *list) {
  return list->count < LENGTH && program.n_statements < program.limit && program.n_values + 2 * PLACES < VALUES;
}

static statement_t *add(list_t *list, kind_t kind) {
  statement_t *made = &program.statements[program.n_statements];
  memset(made, 0, sizeof *made);
  made->kind = kind;
  made->result = -1;
  list->statements[list->count++] = program.n_statements++;
  return made;
}

static int allocate(list_t *list, int class_of) {
  statement_t *made = add(list, ALLOC);
  made->number = below(6) ? 0 : 32 << below(4);
  return made->result = make_value(class_of);
}

/* A visible value of the class; made when there is none. -1 when there is no room for that. */
static int want(list_t *list, int class_of) {
  const int found = pick(class_of);
  if (found >= 0)
    return found;
  return has_room(list) ? allocate(list, class_of) : -1;
}

static void fill(list_t *list, int depth);

/* What a body with these arguments hands on: values of the same classes. */
static void add_body(statement_t *of, int body, const int *like, int n, bool has_arguments, int depth) {
  list_t *list = &of->bodies[body];
  const int before = program.n_visible;
  list->n_arguments = has_arguments ? n : 0;
  for (int i = 0; i < list->n_arguments; ++i)
    list->arguments[i] = make_value(program.classes[like[i]]);
  fill(list, depth + 1);
  for (int i = 0; i < n; ++i)
    list->gives[i] = pick(program.classes[like[i]]);
  program.n_visible = before;
}

static void add_results(statement_t *of) {
  for (int i = 0; i < of->n; ++i)
    of->results[i] = make_value(program.classes[of->operands[i]]);
}

static void add_branching(list_t *list, kind_t kind, int depth) {
  int operands[PLACES], n = 0;
  for (int wanted = below(3); n < wanted && (operands[n] = want(list, below(CLASSES))) >= 0;)
    ++n;
  if (!has_room(list))
    return;
  statement_t *made = add(list, kind);
  memcpy(made->operands, operands, sizeof operands);
  made->n = n;
  made->n_bodies = kind == IF ? 2 : 1;
  for (int b = 0; b < made->n_bodies; ++b)
    add_body(made, b, operands, n, kind == FOR, depth);
  add_results(made);
}

static void add_call(list_t *list) {
  if (!program.function)
    return;
  const int callee = below(program.function);
  const function_t *function = &program.functions[callee];
  int operands[PLACES];
  for (int i = 0; i < function->n; ++i)
    if ((operands[i] = want(list, program.classes[function->parameters[i]])) < 0)
      return;
  if (!has_room(list))
    return;
  statement_t *made = add(list, CALL);
  memcpy(made->operands, operands, sizeof operands);
  made->n = function->n;
  made->number = callee;
  if (function->returns >= 0)
    made->result = make_value(program.classes[function->parameters[function->returns]]);
}

/* Partitions see what they capture. Their copies are done when they end. */
static void add_partitions(list_t *list, int depth) {
  int operands[PLACES], n = 0;
  for (int wanted = below(3); n < wanted && (operands[n] = want(list, below(CLASSES))) >= 0;)
    ++n;
  if (program.in_region || !has_room(list))
    return;
  statement_t *made = add(list, SPECIALIZE);
  memcpy(made->operands, operands, sizeof operands);
  made->n = n;
  made->n_bodies = 2 + below(REGIONS - 1);
  program.in_region = true;
  add_body(made, 0, operands, 0, false, depth);
  for (int b = 1; b < made->n_bodies; ++b) {
    int saved[VALUES];
    const int n_saved = program.n_visible;
    memcpy(saved, program.visible, sizeof saved);
    program.n_visible = 0;
    add_body(made, b, operands, n, true, depth);
    memcpy(program.visible, saved, sizeof saved);
    program.n_visible = n_saved;
  }
  program.in_region = false;
}

static void add_simple(list_t *list, kind_t kind) {
  const int class_of = below(CLASSES), a = want(list, class_of), b = pick(class_of);
  if (a < 0 || !has_room(list))
    return;
  statement_t *made = add(list, kind);
  made->n = kind == SELECT || (kind == USE && below(2)) ? 2 : 1;
  made->operands[0] = a;
  made->operands[1] = b < 0 ? a : b;
  made->number = below(3);
  if (kind == VIEW || kind == SELECT)
    made->result = make_value(class_of);
}

static void add_one(list_t *list, int depth) {
  const kind_t kind = below(4) ? (kind_t)below(KINDS) : (kind_t)(COPY + below(3));
  if (kind == ALLOC)
    allocate(list, below(CLASSES));
  else if (kind == IF || kind == FOR) {
    if (depth < 3)
      add_branching(list, kind, depth);
  } else if (kind == CALL)
    add_call(list);
  else if (kind == SPECIALIZE)
    add_partitions(list, depth);
  else
    add_simple(list, kind);
}

static void fill(list_t *list, int depth) {
  for (int i = 1 + below(LENGTH); i > 0 && has_room(list); --i)
    add_one(list, depth);
}

/* Blocks see the entry's values, their arguments and their own. The first successor of each is the next. */
static void add_blocks(function_t *function) {
  function->n_blocks = 3 + below(BLOCKS - 2);
  for (int b = 1; b < function->n_blocks; ++b) {
    list_t *list = &function->blocks[b];
    list->n_arguments = below(3);
    for (int i = 0; i < list->n_arguments; ++i)
      list->arguments[i] = pick(below(CLASSES)); /* its class; the value is made below */
    function->order[b] = b;
  }
  for (int b = 1; b < function->n_blocks; ++b) {
    const int other = 1 + below(function->n_blocks - 1), swapped = function->order[b];
    function->order[b] = function->order[other];
    function->order[other] = swapped;
  }
}

static void hand_on(function_t *function, int b, int successor, int to) {
  function->to[b][successor] = to;
  for (int i = 0; i < function->blocks[to].n_arguments; ++i)
    function->gives[b][successor][i] = pick(program.classes[function->blocks[to].arguments[i]]);
}

static void fill_blocks(function_t *function) {
  const int seen = program.n_visible;
  for (int b = 1; b < function->n_blocks; ++b) {
    list_t *list = &function->blocks[b];
    int kept = 0;
    for (int i = 0; i < list->n_arguments; ++i)
      if (list->arguments[i] >= 0)
        list->arguments[kept++] = make_value(program.classes[list->arguments[i]]);
    list->n_arguments = kept;
    program.n_visible = seen;
  }
  for (int b = 0; b < function->n_blocks; ++b) {
    list_t *list = &function->blocks[b];
    program.n_visible = seen;
    for (int i = 0; i < list->n_arguments; ++i)
      program.visible[program.n_visible++] = list->arguments[i];
    if (b)
      fill(list, 1);
    function->to[b][0] = function->to[b][1] = -1;
    if (b + 1 < function->n_blocks)
      hand_on(function, b, 0, b + 1);
    if (b + 1 < function->n_blocks && below(3))
      hand_on(function, b, 1, 1 + below(function->n_blocks - 1));
  }
}

static void make_function(int number) {
  function_t *function = &program.functions[number];
  program.function = number;
  program.limit = program.n_statements + 2 + below(STATEMENTS / FUNCTIONS - 2);
  program.n_visible = 0;
  for (function->n = number == FUNCTIONS - 1 ? 0 : below(PLACES); program.n_visible < function->n;)
    function->parameters[program.n_visible] = make_value(below(CLASSES));
  function->returns = function->n && below(2) ? below(function->n) : -1;
  function->n_blocks = 1;
  fill(&function->blocks[0], 0);
  if (below(2)) {
    add_blocks(function);
    fill_blocks(function);
  } else {
    function->to[0][0] = function->to[0][1] = -1;
  }
}

/* --- text --- */

static FILE *out;

static void print_values(const int *values, int n) {
  for (int i = 0; i < n; ++i)
    fprintf(out, "%s%%v%d", i ? ", " : "", values[i]);
}

static void print_types(const int *values, int n) {
  for (int i = 0; i < n; ++i)
    fprintf(out, "%s!b%d", i ? ", " : "", program.classes[values[i]]);
}

static void print_arguments(const int *values, int n) {
  for (int i = 0; i < n; ++i)
    fprintf(out, "%s%%v%d: !b%d", i ? ", " : "", values[i], program.classes[values[i]]);
}

static void print_list(const list_t *list);

static void print_yield(const char *name, const list_t *body, int n) {
  print_list(body);
  fprintf(out, "%s ", name);
  if (n) {
    print_values(body->gives, n);
    fputs(" : ", out);
    print_types(body->gives, n);
  }
  fputc('\n', out);
}

static void print_branching(const statement_t *s, int id) {
  if (s->n)
    fprintf(out, "%%r%d:%d = ", id, s->n);
  if (s->kind == IF)
    fprintf(out, "scf.if %%c%d ", id);
  else
    fprintf(out, "scf.for %%i%d = %%n%d to %%n%d step %%n%d ", id, id, id, id);
  for (int i = 0; s->kind == FOR && i < s->n; ++i)
    fprintf(out, "%s%%v%d = %%v%d%s", i ? ", " : "iter_args(", s->bodies[0].arguments[i], s->operands[i],
            i + 1 == s->n ? ") " : "");
  if (s->n) {
    fputs("-> (", out);
    print_types(s->operands, s->n);
    fputs(") ", out);
  }
  fputs(s->kind == FOR ? ": i32 {\n" : "{\n", out);
  print_yield("scf.yield", &s->bodies[0], s->n);
  if (s->kind == IF) {
    fputs("} else {\n", out);
    print_yield("scf.yield", &s->bodies[1], s->n);
  }
  fputs("}\n", out);
  /* Results under names of their own: views that start at 0. */
  for (int i = 0; i < s->n; ++i)
    fprintf(out, "%%v%d = ttg.memdesc_subslice %%r%d#%d[0] : !b%d -> !b%d\n", s->results[i], id, i,
            program.classes[s->results[i]], program.classes[s->results[i]]);
}

static void print_specialize(const statement_t *s, int id) {
  fputs("ttg.warp_specialize(", out);
  print_values(s->operands, s->n);
  fprintf(out, ") attributes {id = %d : i32}\ndefault {\n", id);
  print_yield("ttg.warp_yield", &s->bodies[0], 0);
  fputs("}\n", out);
  for (int b = 1; b < s->n_bodies; ++b) {
    fprintf(out, "partition%d(", b - 1);
    print_arguments(s->bodies[b].arguments, s->n);
    fputs(") num_warps(4) {\n", out);
    print_list(&s->bodies[b]);
    fputs("%g = ttg.async_commit_group\n%w = ttg.async_wait {num = 0 : i32}\nttg.warp_return\n}\n", out);
  }
  fputs(": (", out);
  print_types(s->operands, s->n);
  fputs(") -> ()\n", out);
}

static void print_call(const statement_t *s, int id) {
  if (s->result >= 0)
    fprintf(out, "%%v%d = ", s->result);
  fprintf(out, "tt.call @f%d(", s->number);
  print_values(s->operands, s->n);
  fprintf(out, ") {id = %d : i32} : (", id);
  print_types(s->operands, s->n);
  fputs(s->result >= 0 ? ") -> " : ") -> ()", out);
  print_types(&s->result, s->result >= 0);
  fputc('\n', out);
}

static void print_simple(const statement_t *s, int id) {
  const int a = s->operands[0], type = program.classes[s->kind == ALLOC ? s->result : a];
  if (s->kind == ALLOC && s->number)
    fprintf(out, "%%v%d = ttg.local_alloc {alignment = %d : i32, id = %d : i32} : () -> !b%d\n", s->result, s->number,
            id, type);
  else if (s->kind == ALLOC)
    fprintf(out, "%%v%d = ttg.local_alloc {id = %d : i32} : () -> !b%d\n", s->result, id, type);
  else if (s->kind == VIEW)
    fprintf(out, "%%v%d = ttg.memdesc_subslice %%v%d[0] : !b%d -> !b%d\n", s->result, a, type, type);
  else if (s->kind == SELECT)
    fprintf(out, "%%v%d = arith.select %%c%d, %%v%d, %%v%d : !b%d\n", s->result, id, a, s->operands[1], type);
  else if (s->kind == SCRATCH)
    fprintf(out, "%%s%d = ttg.convert_layout %%t%d {id = %d : i32} : !rows -> !columns\n", id, id, id);
  else if (s->kind == COPY)
    fprintf(out, "%%s%d = ttg.async_copy_global_to_local %%p%d, %%v%d : !p%d -> !b%d\n", id, id, a, type, type);
  else if (s->kind == COMMIT)
    fprintf(out, "%%s%d = ttg.async_commit_group\n", id);
  else if (s->kind == WAIT)
    fprintf(out, "%%s%d = ttg.async_wait {num = %d : i32}\n", id, s->number);
  else {
    fputs("\"use\"(", out);
    print_values(s->operands, s->n);
    fputs(") : (", out);
    print_types(s->operands, s->n);
    fputs(") -> ()\n", out);
  }
}

static void print_statement(int id) {
  const statement_t *s = &program.statements[id];
  if (s->kind == IF || s->kind == SELECT)
    fprintf(out, "%%c%d = \"c\"() : () -> i1\n", id);
  if (s->kind == FOR)
    fprintf(out, "%%n%d = \"n\"() : () -> i32\n", id);
  if (s->kind == SCRATCH)
    fprintf(out, "%%t%d = \"t\"() : () -> !rows\n", id);
  if (s->kind == COPY)
    fprintf(out, "%%p%d = \"p\"() : () -> !p%d\n", id, program.classes[s->operands[0]]);
  if (s->kind == IF || s->kind == FOR)
    print_branching(s, id);
  else if (s->kind == SPECIALIZE)
    print_specialize(s, id);
  else if (s->kind == CALL)
    print_call(s, id);
  else
    print_simple(s, id);
}

static void print_list(const list_t *list) {
  for (int i = 0; i < list->count; ++i)
    print_statement(list->statements[i]);
}

static void print_target(const function_t *function, int b, int successor) {
  const int to = function->to[b][successor], n = function->blocks[to].n_arguments;
  fprintf(out, "^b%d", to);
  if (!n)
    return;
  fputc('(', out);
  print_values(function->gives[b][successor], n);
  fputs(" : ", out);
  print_types(function->gives[b][successor], n);
  fputc(')', out);
}

static void print_block(const function_t *function, int b) {
  if (b) {
    fprintf(out, "^b%d(", b);
    print_arguments(function->blocks[b].arguments, function->blocks[b].n_arguments);
    fputs("):\n", out);
  }
  print_list(&function->blocks[b]);
  if (function->to[b][1] >= 0) {
    fprintf(out, "%%cond%d = \"c\"() : () -> i1\ncf.cond_br %%cond%d, ", b, b);
    print_target(function, b, 0);
    fputs(", ", out);
    print_target(function, b, 1);
  } else if (function->to[b][0] >= 0) {
    fputs("cf.br ", out);
    print_target(function, b, 0);
  } else {
    fputs("tt.return ", out);
    if (function->returns >= 0) {
      print_values(&function->parameters[function->returns], 1);
      fputs(" : ", out);
      print_types(&function->parameters[function->returns], 1);
    }
  }
  fputc('\n', out);
}

static void print_function(int number) {
  const function_t *function = &program.functions[number];
  fprintf(out, "tt.func %s @f%d(", number == FUNCTIONS - 1 ? "public" : "private", number);
  print_arguments(function->parameters, function->n);
  fputs(")", out);
  if (function->returns >= 0) {
    fputs(" -> ", out);
    print_types(&function->parameters[function->returns], 1);
  }
  fputs(" {\n", out);
  print_block(function, 0);
  for (int i = 1; i < function->n_blocks; ++i)
    print_block(function, function->order[i]);
  fputs("}\n", out);
}

static const char *const head =
    "#line = #ttg.blocked<{sizePerThread = [1], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>\n"
    "#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>\n"
    "#columns = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [8, 4], warpsPerCTA = [1, 4], order = [0, 1]}>\n"
    "#shared = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>\n"
    "#smem = #ttg.shared_memory\n"
    "!rows = tensor<32x32xf32, #rows>\n!columns = tensor<32x32xf32, #columns>\n";

static char *print_program(void) {
  char *text = NULL;
  size_t size = 0;
  out = open_memstream(&text, &size);
  assert_non_null(out);
  fputs(head, out);
  for (int c = 0; c < CLASSES; ++c)
    fprintf(out, "!b%d = !ttg.memdesc<%dxf32, #shared, #smem, mutable>\n!p%d = tensor<%dx!tt.ptr<f32>, #line>\n", c,
            32 << c, c, 32 << c);
  fputs("module attributes {\"ttg.num-ctas\" = 1 : i32, \"ttg.num-warps\" = 4 : i32, ttg.target = \"cuda:90\"} {\n",
        out);
  for (int f = 0; f < FUNCTIONS; ++f)
    print_function(f);
  fputs("}\n", out);
  fclose(out);
  return text;
}

/* --- runs --- */

typedef struct place {
  int64_t offset, bytes, alignment; /* bytes 0: none */
} place_t;

static place_t places[STATEMENTS]; /* by id */
static place_t states[FUNCTIONS];  /* of the functions' own warps */

typedef struct instance {
  int id;
  int64_t first_byte, end_byte;
  int from, until;   /* times */
  int commits;       /* since its copy began; -1: nothing is under way */
  bool in_partition; /* the copy's */
} instance_t;

/* One region of one run of a ttg.warp_specialize. */
typedef struct span {
  int run, region, from, until;
} span_t;

static instance_t instances[INSTANCES];
static int n_instances, now, values[VALUES];
static span_t spans[SPANS];
static int n_spans, n_specialized;
static jmp_buf too_long;

static int begin(int id, place_t place, int64_t base) {
  if (n_instances == INSTANCES)
    longjmp(too_long, 1);
  assert_int_equal((base + place.offset) % place.alignment, 0);
  instances[n_instances] =
      (instance_t){id, base + place.offset, base + place.offset + place.bytes, now, now, -1, false};
  return n_instances++;
}

static bool has_time(void) {
  return n_instances < INSTANCES / 2 && n_spans < SPANS / 2;
}

static void run_list(const list_t *list, int64_t base);
static void run_function(int number, int64_t base);

static void commit(void) {
  for (int i = 0; i < n_instances; ++i)
    instances[i].commits += instances[i].commits >= 0;
}

static void wait_for(int pendings) {
  for (int i = 0; i < n_instances; ++i)
    if (instances[i].commits > pendings) {
      instances[i].until = now;
      instances[i].commits = -1;
    }
}

static void take_over(const int *to, const int *from, int n) {
  int taken[PLACES];
  for (int i = 0; i < n; ++i)
    taken[i] = values[from[i]];
  for (int i = 0; i < n; ++i)
    values[to[i]] = taken[i];
}

static void run_branching(const statement_t *s, int64_t base) {
  const int *last = s->operands;
  if (s->kind == IF) {
    const list_t *body = &s->bodies[below(2)];
    run_list(body, base);
    last = body->gives;
  }
  for (int rounds = s->kind == FOR && has_time() ? below(4) : 0; rounds > 0; --rounds) {
    take_over(s->bodies[0].arguments, last, s->n);
    run_list(&s->bodies[0], base);
    last = s->bodies[0].gives;
  }
  take_over(s->results, last, s->n);
}

/* Copies of a partition are its own: those of the others are set aside meanwhile. */
static void run_partition(const statement_t *s, int b, int64_t base) {
  static int aside[INSTANCES];
  const int before = n_instances;
  for (int i = 0; i < before; ++i) {
    aside[i] = instances[i].commits;
    instances[i].commits = -1;
  }
  take_over(s->bodies[b].arguments, s->operands, s->n);
  run_list(&s->bodies[b], base);
  ++now;
  commit();
  wait_for(0);
  for (int i = 0; i < before; ++i)
    instances[i].commits = aside[i];
}

static void run_specialize(const statement_t *s, int64_t base) {
  const int run = n_specialized++;
  for (int b = 0; b < s->n_bodies; ++b) {
    const int span = n_spans++;
    if (n_spans == SPANS)
      longjmp(too_long, 1);
    spans[span] = (span_t){run, b, ++now, 0};
    if (b)
      run_partition(s, b, base);
    else
      run_list(&s->bodies[0], base);
    spans[span].until = now++;
  }
}

static void run_call(const statement_t *s, int id, int64_t base) {
  const function_t *callee = &program.functions[s->number];
  take_over(callee->parameters, s->operands, s->n);
  run_function(s->number, base + places[id].offset);
  ++now;
  if (s->result >= 0)
    take_over(&s->result, &callee->parameters[callee->returns], 1);
}

static void run_statement(int id, int64_t base) {
  const statement_t *s = &program.statements[id];
  ++now;
  if (places[id].bytes && s->kind != ALLOC && s->kind != CALL)
    begin(id, places[id], base);
  for (int i = 0; i < s->n && (s->kind == USE || s->kind == COPY); ++i)
    instances[values[s->operands[i]]].until = now;
  switch (s->kind) {
  case ALLOC:
    values[s->result] = begin(id, places[id], base);
    break;
  case VIEW:
    take_over(&s->result, s->operands, 1);
    break;
  case SELECT:
    take_over(&s->result, &s->operands[below(2)], 1);
    break;
  case COPY:
    instances[values[s->operands[0]]].commits = 0;
    break;
  case COMMIT:
    commit();
    break;
  case WAIT:
    wait_for(s->number);
    break;
  case IF:
  case FOR:
    run_branching(s, base);
    break;
  case CALL:
    run_call(s, id, base);
    break;
  case SPECIALIZE:
    run_specialize(s, base);
    break;
  default:
    break;
  }
}

static void run_list(const list_t *list, int64_t base) {
  for (int i = 0; i < list->count; ++i)
    run_statement(list->statements[i], base);
}

static void run_function(int number, int64_t base) {
  const function_t *function = &program.functions[number];
  const int own = states[number].bytes ? begin(-1 - number, states[number], base) : -1;
  for (int b = 0, steps = 0; b >= 0; ++steps) {
    run_list(&function->blocks[b], base);
    const int successor = function->to[b][1] >= 0 && steps < 8 && has_time() ? below(2) : 0;
    const int to = function->to[b][successor];
    if (to >= 0)
      take_over(function->blocks[to].arguments, function->gives[b][successor], function->blocks[to].n_arguments);
    b = to;
  }
  if (own >= 0)
    instances[own].until = now;
}

/* --- checks --- */

/* The number of the run of a ttg.warp_specialize that `time` is in, and the region; false when it is in none. */
static bool region_at(int time, int *run_of, int *region) {
  for (int i = 0; i < n_spans; ++i)
    if (spans[i].from <= time && time <= spans[i].until) {
      *run_of = spans[i].run;
      *region = spans[i].region;
      return true;
    }
  return false;
}

/* Begin or end of both are in different regions of one op. */
static bool beside(int time, int other) {
  int run_of = 0, region = 0, other_run = 0, other_region = 0;
  return region_at(time, &run_of, &region) && region_at(other, &other_run, &other_region) && run_of == other_run &&
         region != other_region;
}

/* Regions of one op run at the same time, whatever order the run took them in. */
static bool at_once(const instance_t *a, const instance_t *b) {
  return (a->from <= b->until && b->from <= a->until) || beside(a->from, b->from) || beside(a->from, b->until) ||
         beside(a->until, b->from) || beside(a->until, b->until);
}

static void check_run(const char *text) {
  for (int i = 0; i < n_instances; ++i)
    for (int j = 0; j < i; ++j) {
      const instance_t *a = &instances[i], *b = &instances[j];
      /* One buffer for all rounds of a loop: two of its instances at once are the program's mistake. */
      const bool same = a->id == b->id && a->first_byte == b->first_byte;
      if (same || a->first_byte >= b->end_byte || b->first_byte >= a->end_byte || !at_once(a, b))
        continue;
      fprintf(stderr, "%s\nids %d and %d share bytes %lld to %lld, %lld to %lld\n", text, a->id, b->id,
              (long long)a->first_byte, (long long)a->end_byte, (long long)b->first_byte, (long long)b->end_byte);
      fail();
    }
}

/* False when the run is too long to be told. */
static bool run(const char *text) {
  n_instances = now = n_spans = n_specialized = 0;
  if (setjmp(too_long))
    return false;
  run_function(FUNCTIONS - 1, 0);
  ++now;
  for (int i = 0; i < n_instances; ++i)
    if (instances[i].commits >= 0)
      instances[i].until = now;
  check_run(text);
  return true;
}

static void note_places(const nereid_allocation_t *allocation) {
  memset(places, 0, sizeof places);
  memset(states, 0, sizeof states);
  for (size_t f = 0; f < allocation->calls->functions.size; ++f)
    for (size_t i = 0; i < allocation->frames[f].count; ++i) {
      const nereid_buffer_t *buffer = &allocation->frames[f].buffers[i];
      const place_t place = {buffer->offset, buffer->bytes, buffer->alignment};
      MlirAttribute id = mlirOperationGetAttributeByName(buffer->op, mlirStringRefCreateFromCString("id"));
      assert_true(place.offset + place.bytes <= allocation->frames[f].bytes);
      if (mlirAttributeIsNull(id))
        states[f] = place;
      else
        places[mlirIntegerAttrGetValueInt(id)] = place;
    }
  for (int s = 0; s < program.n_statements; ++s) {
    const statement_t *statement = &program.statements[s];
    if (statement->kind == ALLOC) {
      assert_int_equal(places[s].bytes, 4 * (32 << program.classes[statement->result]));
      assert_int_equal(places[s].offset % (statement->number ? statement->number : 16), 0);
    }
    if (statement->kind == SCRATCH)
      assert_int_equal(places[s].bytes, 4096);
  }
}

static MlirContext make_context(void) {
  MlirContext context = mlirContextCreate();
  MlirDialectRegistry registry = mlirDialectRegistryCreate();
  nereidMlirRegisterDialects(registry);
  mlirContextAppendDialectRegistry(context, registry);
  mlirDialectRegistryDestroy(registry);
  mlirContextLoadAllAvailableDialects(context);
  mlirContextSetAllowUnregisteredDialects(context, true);
  return context;
}

static void test_random_programs(void **unused) {
  (void)unused;
  MlirContext context = make_context();
  int told = 0;
  for (int p = 0; p < PROGRAMS; ++p) {
    state = (uint64_t)p;
    memset(&program, 0, sizeof program);
    for (int f = 0; f < FUNCTIONS; ++f)
      make_function(f);
    char *text = print_program();
    MlirModule module = mlirModuleCreateParse(context, mlirStringRefCreateFromCString(text));
    if (mlirModuleIsNull(module))
      fail_msg("program %d:\n%s", p, text);
    nereid_arena_t arena;
    nereid_arena_initialize(&arena);
    nereid_call_graph_t calls;
    nereid_allocation_t allocation;
    assert_int_equal(nereid_call_graph_build(mlirModuleGetOperation(module), &arena, &calls), NEREID_OK);
    assert_true(nereid_allocation_run(&calls, nereid_scratch_bytes, &arena, &allocation));
    note_places(&allocation);
    for (int r = 0; r < RUNS; ++r)
      told += run(text);
    nereid_arena_deinitialize(&arena);
    mlirModuleDestroy(module);
    free(text);
  }
  assert_true(told > PROGRAMS * RUNS * 9 / 10);
  mlirContextDestroy(context);
}

/* As many buffers as there are branches, all of which live through all of these: a hundred million pairs of them. */
static void test_many_buffers_and_branches(void **unused) {
  (void)unused;
  enum { MANY = 10000 };
  char *text = NULL;
  size_t size = 0;
  out = open_memstream(&text, &size);
  assert_non_null(out);
  fputs(head, out);
  fputs("!b = !ttg.memdesc<32xf32, #shared, #smem, mutable>\n"
        "module attributes {\"ttg.num-ctas\" = 1 : i32, \"ttg.num-warps\" = 4 : i32} {\n"
        "tt.func public @f(%c: i1) {\n",
        out);
  for (int i = 0; i < MANY; ++i)
    fprintf(out, "%%v%d = ttg.local_alloc : () -> !b\n", i);
  for (int i = 0; i < MANY; ++i)
    fprintf(out, "scf.if %%c { \"use\"(%%v%d) : (!b) -> () }\n", MANY - 1 - i);
  fputs("tt.return }\n}\n", out);
  fclose(out);
  MlirContext context = make_context();
  MlirModule module = mlirModuleCreateParse(context, mlirStringRefCreateFromCString(text));
  assert_false(mlirModuleIsNull(module));
  nereid_arena_t arena;
  nereid_arena_initialize(&arena);
  nereid_call_graph_t calls;
  nereid_allocation_t allocation;
  const clock_t start = clock();
  assert_int_equal(nereid_call_graph_build(mlirModuleGetOperation(module), &arena, &calls), NEREID_OK);
  assert_true(nereid_allocation_run(&calls, nereid_scratch_bytes, &arena, &allocation));
  const double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
  assert_int_equal(allocation.frames[0].bytes, 128 * MANY);
  assert_true(seconds < 5); /* A tenth of a second; one by one they would take a minute. */
  nereid_arena_deinitialize(&arena);
  mlirModuleDestroy(module);
  mlirContextDestroy(context);
  free(text);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_programs),
                                     cmocka_unit_test(test_many_buffers_and_branches)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

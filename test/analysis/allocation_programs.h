/* Random programs over buffers of shared memory, as data and as text, for the allocation tests.
 *
 *   scf.for, scf.if, blocks in any order, views, selections, calls with and without results, copies in flight,
 *   ttg.warp_specialize
 *
 * make_function fills a function of `program`, print_program prints all; the test executes the same data. Included
 * once. / */
#ifndef NEREID_TEST_ANALYSIS_ALLOCATION_PROGRAMS_H
#define NEREID_TEST_ANALYSIS_ALLOCATION_PROGRAMS_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka requires four of these above. */
#include <setjmp.h>

#include <cmocka.h>

enum {
  CLASSES = 3, /* of buffers, by size */
  FUNCTIONS = 4,
  STATEMENTS = 200,
  VALUES = 600,
  LENGTH = 7, /* statements of a list */
  PLACES = 4, /* arguments of a block, operands of a statement */
  BLOCKS = 5,
  REGIONS = 3,
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
  int arguments[PLACES], n_arguments; /* arguments of the block */
  int gives[PLACES];                  /* operands of its terminator */
} list_t;

/* A value's number is its id in the text, and the index of its bytes in a run. */
typedef struct statement {
  kind_t kind;
  int result;              /* a value; -1: none */
  int operands[PLACES], n; /* values; of a call its arguments */
  int number;              /* alignment of an allocation, groups of a wait, function of a call */
  list_t bodies[REGIONS];
  int n_bodies, results[PLACES]; /* bodies and results of a loop or branch */
} statement_t;

typedef struct function {
  int parameters[PLACES], n, returns; /* values; the index of the parameter that it returns, or -1 */
  bool has_blocks;
  list_t blocks[BLOCKS];
  int n_blocks, to[BLOCKS][2], gives[BLOCKS][2][PLACES]; /* successors, -1: none */
  int order[BLOCKS];                                     /* order of the blocks in the text */
} function_t;

typedef struct program {
  statement_t statements[STATEMENTS];
  int n_statements, n_values;
  int classes[VALUES];
  function_t functions[FUNCTIONS]; /* each calls only earlier ones; the last is the kernel */
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

/* A visible value of the class; created when there is none. -1 when the list is full. */
static int want(list_t *list, int class_of) {
  const int found = pick(class_of);
  if (found >= 0)
    return found;
  return has_room(list) ? allocate(list, class_of) : -1;
}

static void fill(list_t *list, int depth);

/* Adds a body with these arguments; its terminator yields values of the same classes. */
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

/* Partitions use their captures only. They wait for their copies at the end. */
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

/* Blocks use values of the entry, their arguments and their own. The first successor of each is the next block. */
static void add_blocks(function_t *function) {
  function->n_blocks = 3 + below(BLOCKS - 2);
  for (int b = 1; b < function->n_blocks; ++b) {
    list_t *list = &function->blocks[b];
    list->n_arguments = below(3);
    for (int i = 0; i < list->n_arguments; ++i)
      list->arguments[i] = pick(below(CLASSES)); /* its class; the value is created below */
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
  /* Results with distinct names: views that start at 0. */
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

#endif

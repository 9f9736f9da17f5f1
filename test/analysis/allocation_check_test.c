/* Allocation against execution: random programs over buffers are allocated, then executed many times by a small
 * interpreter that is independent of flow graphs and liveness. A run creates an instance of a buffer at each
 * allocation, at its offset in the frame of that call, and records its last access. Two instances that are live at the
 * same time and share a byte are a compiler error.
 *
 *   scf.for, scf.if, blocks in any order, views, selections, calls with and without results, copies in flight,
 *   ttg.warp_specialize: its regions are executed sequentially here, and count as concurrent. */
#include "analysis/allocation/allocation.h"
#include "analysis/allocation/scratch.h"
#include "nereid/context.h"
#include "test/analysis/allocation_programs.h"

#include <mlir-c/BuiltinAttributes.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
/* cmocka requires the four above. */
#include <cmocka.h>

enum {
  PROGRAMS = 1500,
  RUNS = 8,
  INSTANCES = 800,
  SPANS = 200,
};

/* --- runs --- */

typedef struct place {
  int64_t offset, bytes, alignment; /* bytes 0: none */
} place_t;

static place_t places[STATEMENTS]; /* by id */
static place_t states[FUNCTIONS];  /* memory of the functions' own warps */

typedef struct instance {
  int id;
  int64_t first_byte, end_byte;
  int from, until;   /* times */
  int commits;       /* since its copy was issued; -1: no copy in flight */
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

/* A partition waits for its own copies only: those of the others are saved meanwhile. */
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

/* The execution of a ttg.warp_specialize that contains `time`, and the region; false when there is none. */
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

/* Regions of one op run concurrently, independent of their order in this execution. */
static bool at_once(const instance_t *a, const instance_t *b) {
  return (a->from <= b->until && b->from <= a->until) || beside(a->from, b->from) || beside(a->from, b->until) ||
         beside(a->until, b->from) || beside(a->until, b->until);
}

static void check_run(const char *text) {
  for (int i = 0; i < n_instances; ++i)
    for (int j = 0; j < i; ++j) {
      const instance_t *a = &instances[i], *b = &instances[j];
      /* One buffer for all iterations of a loop: two live instances are an error of the program. */
      const bool same = a->id == b->id && a->first_byte == b->first_byte;
      if (same || a->first_byte >= b->end_byte || b->first_byte >= a->end_byte || !at_once(a, b))
        continue;
      fprintf(stderr, "%s\nids %d and %d share bytes %lld to %lld, %lld to %lld\n", text, a->id, b->id,
              (long long)a->first_byte, (long long)a->end_byte, (long long)b->first_byte, (long long)b->end_byte);
      fail();
    }
}

/* False when the run exceeds the limits of the record. */
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

static void test_random_programs(void **unused) {
  (void)unused;
  MlirContext context = nereid_context_create();
  mlirContextSetAllowUnregisteredDialects(context, true);
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

/* As many buffers as branches, all live across all branches: a hundred million pairs. */
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
  MlirContext context = nereid_context_create();
  mlirContextSetAllowUnregisteredDialects(context, true);
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
  assert_true(seconds < 5); /* A tenth of a second; pairwise comparison would take a minute. */
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

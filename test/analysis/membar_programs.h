/* Random programs over shared memory, as text: branches, loops with ring counters, calls that pass buffers, halves and
 * elements of buffers, short-lived buffers that share bytes, conversions through scratch, asynchronous copies.
 *
 * All tensors have 128 elements, or 64 in halves, in one of three layouts of two warps. */
#ifndef NEREID_TEST_ANALYSIS_MEMBAR_PROGRAMS_H
#define NEREID_TEST_ANALYSIS_MEMBAR_PROGRAMS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

static uint64_t program_state;

static uint32_t random_below(uint32_t limit) {
  program_state = program_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(program_state >> 33) % limit;
}

enum { PROGRAM_SIZE = 1 << 18, FUNCTIONS = 3, STATEMENTS = 7 };

typedef struct program {
  char *text;
  size_t size;
  int names;              /* next unused number */
  int function, counters; /* number of the function being written, counters in sight */
  const char *counter[8]; /* their names */
  char counter_names[64][16];
  int n_counter_names;
  int arguments;          /* its buffer arguments */
  bool counting, copying; /* loop counters, not only constants, index elements; there are asynchronous copies */
  bool copies; /* issues asynchronous copies, and waits for them before the live ranges of their buffers end */
  int buffers[FUNCTIONS]; /* arguments of each function */
} program_t;

#define WRITE(p, ...) ((p)->size += (size_t)snprintf((p)->text + (p)->size, PROGRAM_SIZE - (p)->size, __VA_ARGS__))

#define PLAIN "!ttg.memdesc<128xi32, #plain, #smem, mutable>"
#define HALF "!ttg.memdesc<64xi32, #plain, #smem, mutable, 128>"
#define RING "!ttg.memdesc<3x128xi32, #plain, #smem, mutable>"

/* A view of a buffer; its size in elements goes to *size. */
static int write_view(program_t *p, int *size) {
  const int name = p->names++, whole = p->names++;
  *size = 128;
  uint32_t kind = random_below(3 + (p->arguments > 0));
  if (kind == 2 && !p->counting)
    kind = 1;
  if (kind == 1 && p->counting && p->counters &&
      random_below(4)) /* usually, slots of a ring have constant indices before its loop */
    kind = 2;
  switch (kind) {
  case 0: /* a plain buffer */
    WRITE(p, "%%v%d = ttg.memdesc_reinterpret %%plain%u : " PLAIN " -> " PLAIN "\n", whole, random_below(2));
    break;
  case 1: /* an element with a constant index */
    WRITE(p, "%%v%d = ttg.memdesc_index %%ring%u[%%%s] : " RING " -> " PLAIN "\n", whole, random_below(2),
          (const char *[]){"c0", "c1", "c2", "i"}[random_below(4)]);
    break;
  case 2: /* an element indexed by a counter */
    WRITE(p, "%%v%d = ttg.memdesc_index %%ring%u[%%%s] : " RING " -> " PLAIN "\n", whole, random_below(2),
          p->counters ? p->counter[random_below((uint32_t)p->counters)] : "c1");
    break;
  default:
    WRITE(p, "%%v%d = ttg.memdesc_reinterpret %%m%u : " PLAIN " -> " PLAIN "\n", whole,
          random_below((uint32_t)p->arguments));
  }
  if (random_below(4))
    return whole;
  *size = 64;
  WRITE(p, "%%v%d = ttg.memdesc_subslice %%v%d[%u] : " PLAIN " -> " HALF "\n", name, whole, 64 * random_below(2));
  return name;
}

static void write_access(program_t *p) {
  int size;
  const int view = write_view(p, &size), name = p->names++;
  const char layout = "ABC"[random_below(3)], *type = size == 64 ? HALF : PLAIN;
  if (random_below(2))
    WRITE(p, "ttg.local_store %%x%c%d, %%v%d : tensor<%dxi32, #%c> -> %s\n", layout, size, view, size, layout, type);
  else
    WRITE(p, "%%l%d = ttg.local_load %%v%d : %s -> tensor<%dxi32, #%c>\n", name, view, type, size, layout);
}

static void write_copy(program_t *p) {
  int size;
  const int view = write_view(p, &size), name = p->names++;
  const char layout = "AB"[random_below(2)];
  WRITE(p, "%%t%d = ttg.async_copy_global_to_local %%p%c%d, %%v%d : tensor<%dx!tt.ptr<i32>, #%c> -> %s\n", name, layout,
        size, view, size, layout, size == 64 ? HALF : PLAIN);
  WRITE(p, "%%g%d = ttg.async_commit_group tokens %%t%d\n", name, name);
}

static void write_short_lived(program_t *p) {
  const int name = p->names++;
  WRITE(p, "%%a%d = ttg.local_alloc %%xA128 : (tensor<128xi32, #A>) -> " PLAIN "\n", name);
  WRITE(p, "%%l%d = ttg.local_load %%a%d : " PLAIN " -> tensor<128xi32, #%c>\n", name, name, "ABC"[random_below(3)]);
}

static void write_call(program_t *p) {
  const int callee = (int)random_below((uint32_t)(p->function ? p->function : 1));
  int views[2] = {0}, size;
  if (!p->function)
    return;
  for (int i = 0; i < p->buffers[callee]; ++i)
    do
      views[i] = write_view(p, &size);
    while (size != 128);
  WRITE(p, "tt.call @f%d(%%p, %%i, %%start, %%n, %%c", callee);
  for (int i = 0; i < p->buffers[callee]; ++i)
    WRITE(p, ", %%v%d", views[i]);
  WRITE(p, ") : (!tt.ptr<i32>, i32, i32, i32, i1");
  for (int i = 0; i < p->buffers[callee]; ++i)
    WRITE(p, ", " PLAIN);
  WRITE(p, ") -> ()\n");
}

static void write_body(program_t *p, int depth);

static const char *name_counter(program_t *p, const char *kind, int number) {
  char *name = p->counter_names[p->n_counter_names++ % 64];
  snprintf(name, sizeof p->counter_names[0], "%s%d", kind, number);
  return name;
}

static void write_loop(program_t *p, int depth) {
  const int name = p->names++, counters = p->counters;
  static const char *const starts[] = {"c0", "c1", "c2", "start"};
  WRITE(p, "scf.for %%j%d = %%c0 to %%n step %%c1 iter_args(%%x%d = %%%s, %%y%d = %%%s) -> (i32, i32) : i32 {\n", name,
        name, starts[random_below(4)], name, starts[random_below(4)]);
  WRITE(p, "%%xs%d = arith.addi %%x%d, %%c1 : i32\n", name, name);
  if (random_below(2)) {
    WRITE(p, "%%xl%d = arith.cmpi %s, %%xs%d, %%c3 : i32\n", name, random_below(2) ? "sge" : "eq", name);
    WRITE(p, "%%xn%d = arith.select %%xl%d, %%c0, %%xs%d : i32\n", name, name, name);
  } else {
    WRITE(p, "%%xl%d = arith.cmpi ult, %%x%d, %%c2 : i32\n", name, name);
    WRITE(p, "%%xn%d = arith.select %%xl%d, %%xs%d, %%c0 : i32\n", name, name, name);
  }
  WRITE(p, "%%ys%d = arith.addi %%y%d, %%c1 : i32\n", name, name);
  WRITE(p, "%%yn%d = arith.remui %%ys%d, %%c3 : i32\n", name, name);
  if (counters < 5) {
    p->counter[p->counters++] = name_counter(p, "x", name);
    p->counter[p->counters++] = name_counter(p, "xn", name);
    p->counter[p->counters++] = name_counter(p, "y", name);
  }
  write_body(p, depth - 1);
  p->counters = counters;
  WRITE(p, "scf.yield %%xn%d, %%yn%d : i32, i32\n}\n", name, name);
}

static void write_statement(program_t *p, int depth) {
  const uint32_t kind = random_below(depth ? 16 : 13);
  if (kind < 8)
    write_access(p);
  else if (kind == 8 && p->copies)
    write_copy(p);
  else if (kind == 8)
    write_access(p);
  else if (kind == 9)
    WRITE(p, "%%w%d = ttg.async_wait {num = %u : i32}\n", p->names++, random_below(2));
  else if (kind == 10)
    write_short_lived(p);
  else if (kind == 11)
    WRITE(p, "%%k%d = ttg.convert_layout %%xA128 : tensor<128xi32, #A> -> tensor<128xi32, #B>\n", p->names++);
  else if (kind == 12 && random_below(3))
    write_call(p);
  else if (kind == 12)
    WRITE(p, "ttg.local_barrier%s\n", random_below(2) ? " warp" : "");
  else if (kind == 13) {
    WRITE(p, "scf.if %%c {\n");
    write_body(p, depth - 1);
    WRITE(p, "} else {\n");
    write_body(p, depth - 1);
    WRITE(p, "}\n");
  } else
    write_loop(p, depth);
}

static void write_body(program_t *p, int depth) {
  for (uint32_t n = 1 + random_below(STATEMENTS); n > 0; --n)
    write_statement(p, depth);
}

static void write_function(program_t *p) {
  const int last = FUNCTIONS - 1;
  p->arguments = p->function == last ? 0 : (int)random_below(3);
  p->buffers[p->function] = p->arguments;
  p->counters = 0;
  p->copies = p->copying && random_below(2);
  WRITE(p, "tt.func %s @f%d(%%p: !tt.ptr<i32>, %%i: i32, %%start: i32, %%n: i32, %%c: i1",
        p->function == last ? "public" : "private", p->function);
  for (int i = 0; i < p->arguments; ++i)
    WRITE(p, ", %%m%d: " PLAIN, i);
  WRITE(p, ") attributes {noinline = %s} {\n", p->function == last ? "false" : "true");
  for (int i = 0; i < 4; ++i)
    WRITE(p, "%%c%d = arith.constant %d : i32\n", i, i);
  for (int size = 64; size <= 128; size *= 2)
    for (int layout = 'A'; layout <= 'C'; ++layout) {
      WRITE(p, "%%x%c%d = arith.constant dense<0> : tensor<%dxi32, #%c>\n", layout, size, size, layout);
      WRITE(p, "%%p%c%d = tt.splat %%p : !tt.ptr<i32> -> tensor<%dx!tt.ptr<i32>, #%c>\n", layout, size, size, layout);
    }
  for (int i = 0; i < 2; ++i)
    WRITE(p, "%%plain%d = ttg.local_alloc : () -> " PLAIN "\n%%ring%d = ttg.local_alloc : () -> " RING "\n", i, i);
  write_body(p, 2);
  if (p->copies)
    WRITE(p, "%%last = ttg.async_wait {num = 0 : i32}\n");
  for (int i = 0; p->copies && i < 2; ++i)
    WRITE(p, "ttg.local_dealloc %%plain%d : " PLAIN "\nttg.local_dealloc %%ring%d : " RING "\n", i, i);
  WRITE(p, "tt.return\n}\n");
}

/* `text` holds PROGRAM_SIZE bytes. With `counting`, loop counters index elements of rings; with `copying`, there are
 * asynchronous copies. */
static void write_program(char *text, bool counting, bool copying) {
  program_t p = {.text = text, .counting = counting, .copying = copying};
  for (int i = 0; i < 3; ++i)
    WRITE(&p, "#%c = #ttg.blocked<{sizePerThread = [%d], threadsPerWarp = [32], warpsPerCTA = [2], order = [0]}>\n",
          'A' + i, 1 << i);
  WRITE(&p,
        "#plain = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>\n"
        "#smem = #ttg.shared_memory\n"
        "module attributes {\"ttg.num-warps\" = 2 : i32, \"ttg.num-ctas\" = 1 : i32, ttg.target = \"cuda:90\"} {\n");
  for (p.function = 0; p.function < FUNCTIONS; ++p.function)
    write_function(&p);
  WRITE(&p, "}\n");
}

#endif

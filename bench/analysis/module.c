/* Generates modules. A function is a sequence of pieces of about ten ops each, which alternate:
 *
 *   numbers   a range, quotients, remainders, pointers, a masked load and store
 *   loop      loop-carried pointers and a loop-carried buffer index
 *   buffers   a ring with views, stores and loads; the previous piece's buffer is read once more
 *   convert   layout conversions through shared memory and within warps, a reduction
 *
 * The scalars %o0, %o1, ... connect all pieces, so that facts propagate over long distances. The second half of a
 * single function is the body of a loop. */
#include "module.h"

#include <stdio.h>
#include <stdlib.h>

typedef struct writer {
  FILE *out;
  size_t ops;      /* printed in this function */
  size_t pieces;   /* printed in this function: the next piece's index */
  size_t previous; /* the piece whose buffer may be read; 0: none */
  bool cf;         /* loops as cf blocks */
} writer_t;

static const char *const head =
    "#line = #ttg.blocked<{sizePerThread = [4], threadsPerWarp = [32], warpsPerCTA = [4], order = [0]}>\n"
    "#rows = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>\n"
    "#columns = #ttg.blocked<{sizePerThread = [4, 1], threadsPerWarp = [4, 8], warpsPerCTA = [1, 4], order = [0, 1]}>\n"
    "#shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 4, order = [1, 0]}>\n"
    "#turned = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 4, order = [0, 1]}>\n"
    "#smem = #ttg.shared_memory\n"
    "module attributes {\"ttg.num-ctas\" = 1 : i32, \"ttg.num-warps\" = 4 : i32, ttg.target = \"cuda:90\",\n"
    "                   \"ttg.threads-per-warp\" = 32 : i32} {\n";

/* Prints one op: $ is the index of the current piece, @ that of the previous piece, ? that of the last piece with a
 * buffer. */
static void op(writer_t *w, const char *line) {
  for (const char *c = line; *c; ++c)
    if (*c == '$')
      fprintf(w->out, "%zu", w->pieces);
    else if (*c == '@')
      fprintf(w->out, "%zu", w->pieces - 1);
    else if (*c == '?')
      fprintf(w->out, "%zu", w->previous);
    else
      fputc(*c, w->out);
  fputc('\n', w->out);
  w->ops++;
}

static void write_numbers(writer_t *w) {
  op(w, "%r$ = tt.make_range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #line>");
  op(w, "%s$ = tt.splat %o@ : i32 -> tensor<512xi32, #line>");
  op(w, "%i$ = arith.addi %s$, %r$ : tensor<512xi32, #line>");
  op(w, "%m$ = arith.cmpi slt, %i$, %limit : tensor<512xi32, #line>");
  op(w, "%d$ = arith.divsi %i$, %eight : tensor<512xi32, #line>");
  op(w, "%e$ = arith.remsi %i$, %eight : tensor<512xi32, #line>");
  op(w, "%f$ = arith.muli %d$, %eight : tensor<512xi32, #line>");
  op(w, "%g$ = arith.addi %f$, %e$ : tensor<512xi32, #line>");
  op(w, "%q$ = tt.addptr %base, %g$ : tensor<512x!tt.ptr<f16>, #line>, tensor<512xi32, #line>");
  op(w, "%x$ = tt.load %q$, %m$ : tensor<512x!tt.ptr<f16>, #line>");
  op(w, "%y$ = arith.addf %x$, %x$ : tensor<512xf16, #line>");
  op(w, "tt.store %q$, %y$, %m$ : tensor<512x!tt.ptr<f16>, #line>");
  op(w, "%o$ = arith.addi %o@, %c16 : i32");
}

static void begin_loop(writer_t *w) {
  if (!w->cf) {
    op(w, "%l$:3 = scf.for %k$ = %c0 to %n step %c16 iter_args(%a$ = %base, %b$ = %o@, %h$ = %c0)"
          " -> (tensor<512x!tt.ptr<f16>, #line>, i32, i32) : i32 {");
    return;
  }
  op(w, "cf.br ^head$(%c0, %base, %o@, %c0 : i32, tensor<512x!tt.ptr<f16>, #line>, i32, i32)\n"
        "^head$(%k$: i32, %a$: tensor<512x!tt.ptr<f16>, #line>, %b$: i32, %h$: i32):");
  op(w, "%n$ = arith.cmpi slt, %k$, %n : i32");
  op(w, "cf.cond_br %n$, ^body$, ^end$\n^body$:");
}

static void end_loop(writer_t *w) {
  if (!w->cf) {
    op(w, "scf.yield %q$, %u$, %v$ : tensor<512x!tt.ptr<f16>, #line>, i32, i32 }");
    op(w, "%o$ = arith.addi %l$#1, %c16 : i32");
    return;
  }
  op(w, "%p$ = arith.addi %k$, %c16 : i32");
  op(w, "cf.br ^head$(%p$, %q$, %u$, %v$ : i32, tensor<512x!tt.ptr<f16>, #line>, i32, i32)\n^end$:");
  op(w, "%o$ = arith.addi %b$, %c16 : i32");
}

static void write_loop(writer_t *w) {
  begin_loop(w);
  op(w, "%z$ = ttg.memdesc_index %ring[%h$] : !ttg.memdesc<2x16x32xf16, #shared, #smem, mutable>"
        " -> !ttg.memdesc<16x32xf16, #shared, #smem, mutable>");
  op(w, "%t$ = ttg.local_load %z$ : !ttg.memdesc<16x32xf16, #shared, #smem, mutable> -> tensor<16x32xf16, #rows>");
  op(w, "%s$ = tt.splat %b$ : i32 -> tensor<512xi32, #line>");
  op(w, "%x$ = tt.load %a$ : tensor<512x!tt.ptr<f16>, #line>");
  op(w, "%q$ = tt.addptr %a$, %s$ : tensor<512x!tt.ptr<f16>, #line>, tensor<512xi32, #line>");
  op(w, "tt.store %q$, %x$ : tensor<512x!tt.ptr<f16>, #line>");
  op(w, "ttg.local_store %t$, %z$ : tensor<16x32xf16, #rows> -> !ttg.memdesc<16x32xf16, #shared, #smem, mutable>");
  op(w, "%u$ = arith.muli %b$, %c16 : i32");
  op(w, "%v$ = arith.subi %c1, %h$ : i32");
  end_loop(w);
}

static void write_buffers(writer_t *w) {
  op(w, "%w$ = ttg.local_alloc : () -> !ttg.memdesc<2x16x32xf16, #shared, #smem, mutable>");
  op(w, "%z$ = ttg.memdesc_index %w$[%c0] : !ttg.memdesc<2x16x32xf16, #shared, #smem, mutable>"
        " -> !ttg.memdesc<16x32xf16, #shared, #smem, mutable>");
  op(w, "%y$ = ttg.memdesc_index %w$[%c1] : !ttg.memdesc<2x16x32xf16, #shared, #smem, mutable>"
        " -> !ttg.memdesc<16x32xf16, #shared, #smem, mutable>");
  op(w, "ttg.local_store %tile, %z$ : tensor<16x32xf16, #rows> -> !ttg.memdesc<16x32xf16, #shared, #smem, mutable>");
  op(w, "%t$ = ttg.local_load %z$ : !ttg.memdesc<16x32xf16, #shared, #smem, mutable> -> tensor<16x32xf16, #rows>");
  op(w, "ttg.local_store %t$, %y$ : tensor<16x32xf16, #rows> -> !ttg.memdesc<16x32xf16, #shared, #smem, mutable>");
  op(w, "%v$ = ttg.memdesc_trans %y$ {order = array<i32: 1, 0>} : !ttg.memdesc<16x32xf16, #shared, #smem, mutable>"
        " -> !ttg.memdesc<32x16xf16, #turned, #smem, mutable>");
  op(w, "%u$ = ttg.local_load %v$ : !ttg.memdesc<32x16xf16, #turned, #smem, mutable> -> tensor<32x16xf16, #columns>");
  if (w->previous)
    op(w, "%h$ = ttg.local_load %z? : !ttg.memdesc<16x32xf16, #shared, #smem, mutable> -> tensor<16x32xf16, #rows>");
  op(w, "%o$ = arith.addi %o@, %c16 : i32");
  w->previous = w->pieces;
}

static void write_convert(writer_t *w) {
  op(w, "%x$ = ttg.convert_layout %tile : tensor<16x32xf16, #rows> -> tensor<16x32xf16, #columns>");
  op(w, "%y$ = ttg.convert_layout %x$ : tensor<16x32xf16, #columns> -> tensor<16x32xf16, #rows>");
  op(w, "%z$ = arith.addf %y$, %tile : tensor<16x32xf16, #rows>");
  op(w, "%s$ = \"tt.reduce\"(%z$) <{axis = 1 : i32}> ({ ^bb0(%a$: f16, %b$: f16):");
  op(w, "%m$ = arith.maximumf %a$, %b$ : f16");
  op(w, "tt.reduce.return %m$ : f16 }) : (tensor<16x32xf16, #rows>)"
        " -> tensor<16xf16, #ttg.slice<{dim = 1, parent = #rows}>>");
  op(w, "%o$ = arith.addi %o@, %c16 : i32");
}

static void write_piece(writer_t *w) {
  static void (*const kinds[])(writer_t *) = {write_numbers, write_loop, write_buffers, write_convert};
  w->pieces++;
  kinds[w->pieces % 4](w);
}

static void begin_function(writer_t *w, const char *visibility, const char *name, size_t number) {
  fprintf(w->out, "tt.func %s @%s%zu(%%p: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %%n: i32, %%o0: i32) ", visibility,
          name, number);
  fprintf(w->out, "attributes {noinline = %s} {\n", *visibility == 'p' && visibility[1] == 'u' ? "false" : "true");
  w->ops = w->pieces = w->previous = 0;
  op(w, "%c0 = arith.constant 0 : i32");
  op(w, "%c1 = arith.constant 1 : i32");
  op(w, "%c16 = arith.constant 16 : i32");
  op(w, "%eight = arith.constant dense<8> : tensor<512xi32, #line>");
  op(w, "%tile = arith.constant dense<1.0> : tensor<16x32xf16, #rows>");
  op(w, "%limit = tt.splat %n : i32 -> tensor<512xi32, #line>");
  op(w, "%base = tt.splat %p : !tt.ptr<f16> -> tensor<512x!tt.ptr<f16>, #line>");
  op(w, "%ring = ttg.local_alloc : () -> !ttg.memdesc<2x16x32xf16, #shared, #smem, mutable>");
}

static void end_function(writer_t *w) {
  op(w, "tt.return }");
}

static void write_one(writer_t *w, size_t size) {
  begin_function(w, "public", "f", 0);
  while (w->ops < size / 2)
    write_piece(w);
  if (w->cf)
    op(w, "cf.br ^again\n^again:");
  else
    op(w, "scf.for %turn = %c0 to %n step %c1 : i32 {");
  while (w->ops < size - 2)
    write_piece(w);
  if (w->cf)
    op(w, "%more = arith.cmpi slt, %o$, %n : i32\n cf.cond_br %more, ^again, ^after\n^after:");
  else
    op(w, "}");
  end_function(w);
}

static void write_call(writer_t *w, const char *name, size_t number) {
  fprintf(w->out, "tt.call @%s%zu(%%p, %%n, %%o%zu) : (!tt.ptr<f16>, i32, i32) -> ()\n", name, number, w->pieces);
  w->ops++;
}

static void write_deep(writer_t *w, size_t size) {
  for (size_t i = 0; i < size; ++i) {
    const bool last = i + 1 == size;
    begin_function(w, last ? "public" : "private", last ? "kernel" : "f", last ? 0 : i);
    write_piece(w);
    if (i)
      write_call(w, "f", i - 1);
    if (i % 10 == 9)
      op(w, "%live = ttg.memdesc_index %ring[%c1] : !ttg.memdesc<2x16x32xf16, #shared, #smem, mutable>"
            " -> !ttg.memdesc<16x32xf16, #shared, #smem, mutable>");
    write_piece(w);
    end_function(w);
  }
}

static void write_wide(writer_t *w, size_t size) {
  for (size_t i = 0; i < size; ++i) {
    begin_function(w, "private", "f", i);
    write_piece(w);
    write_piece(w);
    end_function(w);
  }
  begin_function(w, "public", "kernel", 0);
  for (size_t i = 0; i < size; ++i) {
    w->pieces++;
    op(w, "%o$ = arith.addi %o@, %c16 : i32");
    write_call(w, "f", i);
  }
  end_function(w);
}

char *bench_module(shape_t shape, size_t size, bool cf) {
  static void (*const shapes[])(writer_t *, size_t) = {[ONE] = write_one, [DEEP] = write_deep, [WIDE] = write_wide};
  char *text = NULL;
  size_t length;
  writer_t writer = {.out = open_memstream(&text, &length), .cf = cf};
  if (!writer.out)
    return NULL;
  fputs(head, writer.out);
  shapes[shape](&writer, size);
  fputs("}\n", writer.out);
  const bool good = !ferror(writer.out);
  if (fclose(writer.out) != 0 || !good) {
    free(text);
    return NULL;
  }
  return text;
}

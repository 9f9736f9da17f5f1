/* A loaded program: instructions, functions, variables and source locations. Private to the emulator. */
#ifndef NEREID_EMULATOR_PROGRAM_H
#define NEREID_EMULATOR_PROGRAM_H

#include "base/arena.h"
#include "base/vector.h"
#include "emulator/machine/instruction.h"
#include "nereid/emulator.h"

typedef struct emu_variable { /* .global and .const of the module */
  const char *name;
  uint64_t address;
  uint32_t bytes;
  const uint8_t *initial;
} emu_variable_t;

struct nereid_emulator_kernel {
  nereid_emulator_program_t *program;
  nereid_view_t name;
  const char *name_text;
  bool is_entry, defined;
  uint8_t visit;                  /* call graph traversal: 0 new, 1 active, 2 done */
  uint32_t nested;                /* maximum call depth below it, without indirect calls */
  uint32_t entry, end;            /* pcs */
  uint32_t register_bytes, frame; /* register count, and the frame's offset in the warp's block */
  uint32_t line;
  NEREID_VECTOR(nereid_emulator_parameter_t) parameters;
  uint32_t parameter_bytes;
  NEREID_VECTOR(nereid_emulator_parameter_t)
  formals; /* parameters of a .func with their offsets in local memory; results first */
  uint32_t n_results;
  uint32_t block[3];    /* .reqntid; zeros: none */
  uint64_t max_threads; /* .maxntid: product of its extents; 0: none */
  uint32_t registers;   /* .maxnreg; 0: none */
  uint32_t cluster[3];  /* .reqnctapercluster; zeros: none */
};

typedef struct emu_local { /* a .local variable, in the thread's local memory */
  uint32_t offset, bytes;
} emu_local_t;

typedef struct emu_place {             /* source location, numbered as in .loc */
  uint32_t file, line, column, caller; /* caller: index of the call site if inlined, else 0 */
  const char *text;                    /* null: the file has no name */
} emu_place_t;

struct nereid_emulator_program {
  nereid_arena_t arena;
  const char *name;
  nereid_view_t text;
  NEREID_VECTOR(emu_insn_t) insns;
  NEREID_VECTOR(nereid_emulator_kernel_t *) functions;
  NEREID_VECTOR(emu_variable_t) variables;
  NEREID_VECTOR(const char *) files; /* by number of .file */
  NEREID_VECTOR(emu_place_t) places; /* index 0: no location */
  uint8_t *constants;
  uint32_t constant_bytes, constant_capacity;
  uint32_t register_bytes, local_bytes, shared_static;
  uint64_t next_variable; /* of nereid_address_assign, above EMU_VARIABLES_AT */
  uint64_t next_constant;
  bool has_atomics, calls_addresses;
  uint32_t call_depth; /* maximum depth of active calls of functions with a body; 0: no calls */
  NEREID_VECTOR(emu_local_t) locals;
};

/* Returns the text of an instruction without its guard: it begins with the opcode. Not terminated there. */
const char *nereid_emulator_unguarded(const emu_insn_t *insn);

/* Prints text as a JSON string, with quotes. */
void nereid_emulator_print_string(FILE *file, const char *text, size_t size);

/* Returns an instruction and its operands as text, up to the semicolon or the end of the line. */
nereid_view_t nereid_emulator_statement(const nereid_emulator_program_t *program, const emu_insn_t *insn);

#endif

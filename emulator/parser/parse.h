/* The parser's state, shared by its files: module.c, head.c and function.c (a function's head and body), decode.c
 * (an instruction), call.c, operand.c, variable.c, expression.c, symbols.c, lex.c. */
#ifndef NEREID_EMULATOR_PARSE_H
#define NEREID_EMULATOR_PARSE_H

#include "emulator/instructions/form.h"
#include "emulator/machine/program.h"
#include "emulator/memory/space.h"

typedef enum emu_symbol_kind {
  EMU_SYMBOL_REGISTER,  /* of `count` registers name0, name1, ... when count is not 0 */
  EMU_SYMBOL_ADDRESS,   /* value: of a variable, in its space */
  EMU_SYMBOL_LABEL,     /* value: pc */
  EMU_SYMBOL_TARGETS,   /* .branchtargets */
  EMU_SYMBOL_PROTOTYPE, /* .callprototype, .calltargets; value: number of results among the n parameters */
} emu_symbol_kind_t;

typedef struct emu_symbol {
  nereid_view_t name;
  emu_symbol_kind_t kind;
  emu_space_t space;
  uint8_t size;  /* bytes per lane of a register; 0: a predicate */
  bool in_block; /* LABEL: in a block of braces inside of the body */
  uint32_t count;
  uint32_t bytes;    /* size of a variable */
  uint32_t *numbers; /* number of a register, or per register of a family: 1 + its number, 0 before its first use */
  uint64_t value;    /* address, pc */
  uint32_t first, n; /* TARGETS: in `branch_targets`; PROTOTYPE: in `prototypes` */
} emu_symbol_t;

typedef struct emu_scope {
  NEREID_VECTOR(emu_symbol_t) symbols;
  uint32_t *slots, n_slots; /* indices into `symbols`, by hash */
  struct emu_scope *parent;
} emu_scope_t;

typedef struct emu_fixup { /* reference to a label that is resolved at the end of the body */
  uint32_t insn, line;
  int32_t slot; /* operand index in the instruction; -1: the branch target */
  nereid_view_t name;
  emu_scope_t *scope;
} emu_fixup_t;

struct emu_call { /* call instruction, whose target is set when all functions have been parsed */
  uint32_t line;
  nereid_emulator_kernel_t *from, *to;
  uint32_t insn;
};

struct emu_dynamic { /* constant that is the address of dynamic shared memory */
  uint32_t offset, size;
  uint64_t addend;
};

struct emu_formal { /* function parameter in a register; calls store it in local memory */
  nereid_view_t name;
  uint32_t offset;
  bool result;
};

typedef struct emu_known { /* constant that exists already */
  uint64_t bits;
  uint32_t offset, size;
  bool there;
} emu_known_t;

typedef struct emu_parser {
  nereid_emulator_program_t *program;
  nereid_arena_t scratch;
  nereid_message_t *message;
  nereid_status_t status;
  const char *at, *end;
  uint32_t line, place; /* line of the PTX text; index of the source location */
  emu_scope_t *scope;
  emu_scope_t *body;                  /* scope of the function's body */
  nereid_emulator_kernel_t *function; /* function whose body is parsed */
  NEREID_VECTOR(emu_fixup_t) fixups;
  NEREID_VECTOR(struct emu_call) calls;
  NEREID_VECTOR(struct emu_dynamic) dynamic; /* constants: dynamic shared's address */
  NEREID_VECTOR(nereid_view_t) branch_targets;
  NEREID_VECTOR(uint32_t) prototypes; /* bytes of parameters */
  NEREID_VECTOR(struct emu_formal) formals;
  NEREID_VECTOR(uint8_t) registers; /* bytes per lane of each register of the function */
  uint32_t param_bytes, scratch_register, declared;
  emu_known_t known[256];
  struct emu_recognized *recognized;        /* opcodes (decode.c) */
  bool narrows;                             /* the instruction takes the low bits of a special register */
  bool names_shared;                        /* an operand of the instruction is the address of a shared variable */
  emu_operand_t operands[EMU_MAX_OPERANDS]; /* operands of the current instruction */
} emu_parser_t;

/* A word of the text for %.*s. */
#define EMU_SHOWN(word) (int)((word).size < 80 ? (word).size : 80), (word).data

/* Records the first error, located; returns false always. */
bool nereid_emulator_syntax(emu_parser_t *parser, const char *format, ...) NEREID_PRINTF(2, 3);
bool nereid_emulator_out_of_memory(emu_parser_t *parser);

typedef struct emu_mark { /* position in the text, for backtracking */
  const char *at;
  uint32_t line;
} emu_mark_t;

static inline emu_mark_t emu_mark(const emu_parser_t *parser) {
  return (emu_mark_t){parser->at, parser->line};
}

static inline void emu_return_to(emu_parser_t *parser, emu_mark_t mark) {
  parser->at = mark.at;
  parser->line = mark.line;
}

/* Lexing: each function skips spaces and comments first. */
void nereid_emulator_skip_spaces(emu_parser_t *parser);
bool nereid_emulator_accept(emu_parser_t *parser, char c);
bool nereid_emulator_expect(emu_parser_t *parser, char c);
char nereid_emulator_peek(emu_parser_t *parser);
/* A name or directive: letters, digits, _ $ % and dots; empty when there is none. */
nereid_view_t nereid_emulator_word(emu_parser_t *parser, bool dots);
/* An opcode with its modifiers. */
nereid_view_t nereid_emulator_opcode(emu_parser_t *parser);
bool nereid_emulator_is(nereid_view_t word, const char *text);
void nereid_emulator_skip_line(emu_parser_t *parser);

/* Parses the operands of .loc; following instructions get this location. */
bool nereid_emulator_location(emu_parser_t *parser);

/* Formats the text of source locations, after all files are known. */
bool nereid_emulator_name_places(emu_parser_t *parser);

typedef struct emu_number {
  bool is_float, is_single; /* single: 0f */
  uint64_t bits;            /* integer, two's complement */
  double value;
} emu_number_t;
bool nereid_emulator_number(emu_parser_t *parser, emu_number_t *out);
/* Parses a number, or a constant integer expression: (1 << 4) | 3. */
bool nereid_emulator_expression(emu_parser_t *parser, emu_number_t *out);
bool nereid_emulator_unsigned(emu_parser_t *parser, uint32_t limit, uint32_t *out);

/* Returns the fundamental type of a word such as ".b32", without its dot; EMU_NONE: not a type. */
emu_type_t nereid_emulator_type(nereid_view_t word);
bool nereid_emulator_string(emu_parser_t *parser, nereid_view_t *out);

/* Symbols. */
bool nereid_emulator_define(emu_parser_t *parser, emu_symbol_t symbol);
const emu_symbol_t *nereid_emulator_find(emu_scope_t *scope, nereid_view_t name, uint32_t *out_index);
/* Returns the index of a declared function; SIZE_MAX: not found. */
size_t nereid_emulator_function_index(const emu_parser_t *parser, nereid_view_t name);
/* Returns the number of a function's register; `index` in its family. */
bool nereid_emulator_register(emu_parser_t *parser, const emu_symbol_t *symbol, uint32_t index, uint32_t *out_number);
/* Returns the offset of a constant: 32 equal values of `size` bytes, or a predicate. Constants are shared; `new`: a
 * private copy. */
bool nereid_emulator_constant(emu_parser_t *parser, uint64_t bits, unsigned size, uint32_t *out_offset);
bool nereid_emulator_constant_new(emu_parser_t *parser, uint64_t bits, unsigned size, uint32_t *out_offset);

enum { EMU_MAX_DIMENSIONS = 8 };

typedef struct emu_declaration { /* [.space] [.align N] [.vN] .type name[dims] */
  emu_type_t type;
  uint32_t align, bytes, element, rows[EMU_MAX_DIMENSIONS];
  nereid_view_t name;
  bool open; /* name[] */
} emu_declaration_t;
bool nereid_emulator_declaration(emu_parser_t *parser, emu_declaration_t *out);

/* Parses ( .param .b64 a, .reg .b32 b ) and calls `each` per declaration; false after an error or if `each` returns
 * false. */
typedef bool (*emu_each_t)(emu_parser_t *parser, const emu_declaration_t *declaration, bool is_register, void *data);
bool nereid_emulator_parameter_list(emu_parser_t *parser, emu_each_t each, void *data);

/* Parses variables after the word of their space. A .param variable of a body, used for calls, is local and is not a
 * variable of the program. */
bool nereid_emulator_global_variable(emu_parser_t *parser, bool is_const);
bool nereid_emulator_shared_variable(emu_parser_t *parser, bool in_function);
bool nereid_emulator_local_variable(emu_parser_t *parser, bool is_variable);

/* Parses .entry or .func, after the word. */
bool nereid_emulator_function(emu_parser_t *parser, bool is_entry);

bool nereid_emulator_body(emu_parser_t *parser);
/* Returns the PTX ISA section that describes an instruction; null: unknown instruction. */
const char *nereid_emulator_section(nereid_view_t name);
bool nereid_emulator_instruction(emu_parser_t *parser, nereid_view_t opcode, const emu_operand_t *guard);
bool nereid_emulator_operands(emu_parser_t *parser, emu_insn_t *insn, const emu_form_t *form);
bool nereid_emulator_predicate(emu_parser_t *parser, emu_operand_t *out);
/* Parses a special register, or a constant with such a name, for an operand of `size` bytes. False, with a
 * diagnostic, for any other name. */
bool nereid_emulator_special(emu_parser_t *parser, nereid_view_t name, unsigned size, emu_operand_t *out);
/* Parses name: .callprototype ...; or .calltargets ...; after the directive's name. */
bool nereid_emulator_prototype(emu_parser_t *parser, nereid_view_t name, bool targets);
/* Loads a function's parameters that are registers, or stores its results, under the guard of `insn`. */
bool nereid_emulator_move_formals(emu_parser_t *parser, const emu_insn_t *insn, bool results);
/* Adds the instructions by which `from` calls `to` with its own parameters and returns its results. */
bool nereid_emulator_forward(emu_parser_t *parser, nereid_emulator_kernel_t *from, nereid_emulator_kernel_t *to);
/* Declares .reg .b32 a of a function's head. */
bool nereid_emulator_register_formal(emu_parser_t *parser, const emu_declaration_t *declaration);
bool nereid_emulator_call_insn(emu_parser_t *parser, emu_insn_t *insn);
/* Assigns slots to the registers of the parsed function; the second assigns frames to all functions. */
bool nereid_emulator_place_registers(emu_parser_t *parser);
bool nereid_emulator_place_frames(emu_parser_t *parser);
/* Checks the lists of a tensor-core instruction against its shape and types and stores the shape in insn->list. */
bool nereid_emulator_matrix(emu_parser_t *parser, emu_insn_t *insn);
bool nereid_emulator_push(emu_parser_t *parser, const emu_insn_t *insn);
/* Resolves references after the whole text has been parsed. */
bool nereid_emulator_link(emu_parser_t *parser);

#endif

/* The parser's state, shared by its files. From the top: module.c, head.c and function.c (a function's head and body),
 * decode.c (an instruction) and call.c, operand.c, variable.c, expression.c, symbols.c, lex.c. */
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
  EMU_SYMBOL_PROTOTYPE, /* .callprototype, .calltargets; value: how many of the n parameters are results */
} emu_symbol_kind_t;

typedef struct emu_symbol {
  nereid_view_t name;
  emu_symbol_kind_t kind;
  emu_space_t space;
  uint8_t size; /* bytes per lane of a register; 0: a predicate */
  uint32_t count;
  uint32_t bytes;    /* of a variable */
  uint32_t *numbers; /* of a register, or one per register of a family: 1 + its number, 0 when it has none yet */
  uint64_t value;    /* address, pc */
  uint32_t first, n; /* TARGETS: in `branch_targets`; PROTOTYPE: in `prototypes` */
} emu_symbol_t;

typedef struct emu_scope {
  NEREID_VECTOR(emu_symbol_t) symbols;
  uint32_t *slots, n_slots; /* places in `symbols`, by hash */
  struct emu_scope *parent;
} emu_scope_t;

typedef struct emu_fixup { /* a label that was named before all of them were known */
  uint32_t insn, line;
  int32_t slot; /* in the instruction's list; -1: its target */
  nereid_view_t name;
  emu_scope_t *scope;
} emu_fixup_t;

struct emu_call { /* the instruction, which gets its callee's entry when all functions are read */
  uint32_t line;
  nereid_emulator_kernel_t *from, *to;
  uint32_t insn;
};

struct emu_dynamic { /* a constant that is the address of dynamic shared memory */
  uint32_t offset, size;
  uint64_t addend;
};

struct emu_formal { /* a function's parameter that is a register: its place is in local memory, where calls leave it */
  nereid_view_t name;
  uint32_t offset;
  bool result;
};

typedef struct emu_known { /* a constant that was made before */
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
  uint32_t line, place; /* in the text; in the source, by number */
  emu_scope_t *scope;
  nereid_emulator_kernel_t *function; /* whose body is read */
  NEREID_VECTOR(emu_fixup_t) fixups;
  NEREID_VECTOR(struct emu_call) calls;
  NEREID_VECTOR(struct emu_dynamic) dynamic; /* constants: dynamic shared's address */
  NEREID_VECTOR(nereid_view_t) branch_targets;
  NEREID_VECTOR(uint32_t) prototypes; /* bytes of parameters */
  NEREID_VECTOR(struct emu_formal) formals;
  NEREID_VECTOR(uint8_t) registers; /* of the function, by number: bytes per lane */
  uint32_t param_bytes, scratch_register, declared;
  emu_known_t known[256];
  struct emu_recognized *recognized;        /* opcodes (decode.c) */
  bool narrows;                             /* the instruction takes the low bits of a special register */
  emu_operand_t operands[EMU_MAX_OPERANDS]; /* of the instruction that is read */
} emu_parser_t;

/* A word of the text for %.*s. */
#define EMU_SHOWN(word) (int)((word).size < 80 ? (word).size : 80), (word).data

/* Records the first error, located; returns false always. */
bool nereid_emulator_syntax(emu_parser_t *parser, const char *format, ...) NEREID_PRINTF(2, 3);
bool nereid_emulator_memory_out(emu_parser_t *parser);

typedef struct emu_mark { /* a place in the text, to go back to */
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

/* Lexing: blanks and comments are skipped before each. */
void nereid_emulator_blanks(emu_parser_t *parser);
bool nereid_emulator_accept(emu_parser_t *parser, char c);
bool nereid_emulator_expect(emu_parser_t *parser, char c);
char nereid_emulator_peek(emu_parser_t *parser);
/* A name or directive: letters, digits, _ $ % and dots; empty when there is none. */
nereid_view_t nereid_emulator_word(emu_parser_t *parser, bool dots);
/* An opcode with its modifiers. */
nereid_view_t nereid_emulator_opcode(emu_parser_t *parser);
bool nereid_emulator_is(nereid_view_t word, const char *text);
void nereid_emulator_skip_line(emu_parser_t *parser);

/* Reads what follows .loc; instructions are there from then on. */
bool nereid_emulator_location(emu_parser_t *parser);

/* Gives places their texts, when all files are known. */
bool nereid_emulator_name_places(emu_parser_t *parser);

typedef struct emu_number {
  bool is_float, is_single; /* single: 0f */
  uint64_t bits;            /* integer, two's complement */
  double value;
} emu_number_t;
bool nereid_emulator_number(emu_parser_t *parser, emu_number_t *out);
/* A number, or a constant expression of integers: (1 << 4) | 3. */
bool nereid_emulator_expression(emu_parser_t *parser, emu_number_t *out);
bool nereid_emulator_unsigned(emu_parser_t *parser, uint32_t limit, uint32_t *out);

/* The fundamental type of a word such as ".b32" without its dot; EMU_NONE when it is none. */
emu_type_t nereid_emulator_type(nereid_view_t word);
bool nereid_emulator_string(emu_parser_t *parser, nereid_view_t *out);

/* Symbols. */
bool nereid_emulator_define(emu_parser_t *parser, emu_symbol_t symbol);
const emu_symbol_t *nereid_emulator_find(emu_scope_t *scope, nereid_view_t name, uint32_t *out_index);
/* Of a declared function by name; SIZE_MAX: there is none. */
size_t nereid_emulator_function_index(const emu_parser_t *parser, nereid_view_t name);
/* The number of a register of the function; `index` in its family. */
bool nereid_emulator_register(emu_parser_t *parser, const emu_symbol_t *symbol, uint32_t index, uint32_t *out_number);
/* 32 equal values of `size` bytes, or a predicate; the offset. They may be others' too; `new`: no one else's. */
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

/* ( .param .b64 a, .reg .b32 b ): hands each declaration to `each`; false when that is, or after an error. */
typedef bool (*emu_each_t)(emu_parser_t *parser, const emu_declaration_t *declaration, bool is_register, void *data);
bool nereid_emulator_parameter_list(emu_parser_t *parser, emu_each_t each, void *data);

/* Variables, from behind the word of their space. A .param one of a body, for calls, is a local one that is no variable
 * of the program. */
bool nereid_emulator_global_variable(emu_parser_t *parser, bool is_const);
bool nereid_emulator_shared_variable(emu_parser_t *parser, bool in_function);
bool nereid_emulator_local_variable(emu_parser_t *parser, bool is_variable);

/* .entry or .func, from behind the word. */
bool nereid_emulator_function(emu_parser_t *parser, bool is_entry);

bool nereid_emulator_body(emu_parser_t *parser);
/* The PTX ISA's section of an instruction, by its name; null: it has none. */
const char *nereid_emulator_section(nereid_view_t name);
bool nereid_emulator_instruction(emu_parser_t *parser, nereid_view_t opcode, const emu_operand_t *guard);
bool nereid_emulator_operands(emu_parser_t *parser, emu_insn_t *insn, const emu_form_t *form);
bool nereid_emulator_predicate(emu_parser_t *parser, emu_operand_t *out);
/* A special register, or a constant with such a name, for an operand of `size` bytes. False, with what the name is not,
 * for any other name. */
bool nereid_emulator_special(emu_parser_t *parser, nereid_view_t name, unsigned size, emu_operand_t *out);
/* name: .callprototype ...; or .calltargets ...; from behind the directive's name. */
bool nereid_emulator_prototype(emu_parser_t *parser, nereid_view_t name, bool targets);
/* Loads the parameters of the function that are registers, or stores its results, with the guard of `insn`. */
bool nereid_emulator_move_formals(emu_parser_t *parser, const emu_insn_t *insn, bool results);
/* The instructions by which `from` calls `to` with its own parameters and takes over its results. */
bool nereid_emulator_forward(emu_parser_t *parser, nereid_emulator_kernel_t *from, nereid_emulator_kernel_t *to);
/* .reg .b32 a of a function's head. */
bool nereid_emulator_register_formal(emu_parser_t *parser, const emu_declaration_t *declaration);
bool nereid_emulator_call_insn(emu_parser_t *parser, emu_insn_t *insn);
/* Gives the registers of the function that has been read their places in its frame; then the frames theirs. */
bool nereid_emulator_place_registers(emu_parser_t *parser);
bool nereid_emulator_place_frames(emu_parser_t *parser);
/* Checks the lists of a tensor-core instruction against its shape and types, and notes the shape in insn->list. */
bool nereid_emulator_matrix(emu_parser_t *parser, emu_insn_t *insn);
bool nereid_emulator_push(emu_parser_t *parser, const emu_insn_t *insn);
/* When all has been read. */
bool nereid_emulator_link(emu_parser_t *parser);

#endif

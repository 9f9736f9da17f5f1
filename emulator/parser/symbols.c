/* Symbol tables of nested scopes, with families of registers.
 *
 *   .reg .b32 %r<10>;   ->   one symbol, "%r" with ten registers; %r7 is found as "%r" and 7
 *
 * A scope is a list, plus a hash table once it has more than a few symbols. A register gets its number at its first
 * use, so unused registers need no storage. */
#include "emulator/parser/parse.h"

enum { SMALL = 8 };

static uint32_t hash(nereid_view_t name, bool family) {
  uint32_t h = 2166136261u + family;
  for (size_t i = 0; i < name.size; ++i)
    h = (h ^ (uint8_t)name.data[i]) * 16777619u;
  return h ^ h >> 15;
}

static bool is(const emu_symbol_t *symbol, nereid_view_t name, bool family) {
  return (symbol->count != 0) == family && nereid_view_equal(symbol->name, name);
}

/* Returns a symbol of this scope only; null: not found. */
static emu_symbol_t *in_scope(emu_scope_t *scope, nereid_view_t name, bool family) {
  for (size_t i = scope->n_slots ? 0 : scope->symbols.size; i-- > 0;)
    if (is(&scope->symbols.data[i], name, family))
      return &scope->symbols.data[i];
  for (uint32_t at = hash(name, family); scope->n_slots && scope->slots[at & (scope->n_slots - 1)]; ++at) {
    emu_symbol_t *symbol = &scope->symbols.data[scope->slots[at & (scope->n_slots - 1)] - 1];
    if (is(symbol, name, family))
      return symbol;
  }
  return NULL;
}

/* Indices into the list, from 1; at least half of the table is free. */
static bool enter(emu_parser_t *parser, emu_scope_t *scope) {
  size_t n = scope->symbols.size, from = n - 1;
  if (n <= SMALL)
    return true;
  if (2 * n > scope->n_slots) {
    scope->n_slots = (uint32_t)(scope->n_slots ? 2 * scope->n_slots : 64);
    scope->slots = nereid_arena_new(&parser->scratch, uint32_t, scope->n_slots);
    from = 0;
  }
  if (!scope->slots)
    return nereid_emulator_out_of_memory(parser);
  for (size_t i = from; i < n; ++i) {
    uint32_t at = hash(scope->symbols.data[i].name, scope->symbols.data[i].count != 0);
    while (scope->slots[at & (scope->n_slots - 1)])
      ++at;
    scope->slots[at & (scope->n_slots - 1)] = (uint32_t)i + 1;
  }
  return true;
}

bool nereid_emulator_define(emu_parser_t *parser, emu_symbol_t symbol) {
  const emu_symbol_t *other = in_scope(parser->scope, symbol.name, symbol.count != 0);
  if (other && other->kind == EMU_SYMBOL_ADDRESS && symbol.kind == EMU_SYMBOL_ADDRESS && other->value == symbol.value)
    return true; /* a repeated extern declaration */
  if (other)
    return nereid_emulator_syntax(parser, "'%.*s' is declared twice", EMU_SHOWN(symbol.name));
  return (nereid_vector_push(&parser->scratch, &parser->scope->symbols, symbol) ||
          nereid_emulator_out_of_memory(parser)) &&
         enter(parser, parser->scope);
}

/* name<count>: returns the family of which `name` is a member; tries all splits. */
static emu_symbol_t *family_of(emu_scope_t *scope, nereid_view_t name, uint32_t *out_index) {
  uint64_t index = 0, place = 1;
  for (size_t size = name.size; size-- > 1 && place <= 10000000; place *= 10) {
    char c = name.data[size];
    if (c < '0' || c > '9')
      return NULL;
    index += (uint64_t)(c - '0') * place;
    emu_symbol_t *symbol = in_scope(scope, nereid_view_of(name.data, size), true);
    if (symbol && index < symbol->count) {
      *out_index = (uint32_t)index;
      return symbol;
    }
  }
  return NULL;
}

const emu_symbol_t *nereid_emulator_find(emu_scope_t *scope, nereid_view_t name, uint32_t *out_index) {
  *out_index = 0;
  for (; scope; scope = scope->parent) {
    emu_symbol_t *symbol = in_scope(scope, name, false);
    if (!symbol)
      symbol = family_of(scope, name, out_index);
    if (symbol)
      return symbol;
  }
  return NULL;
}

bool nereid_emulator_register(emu_parser_t *parser, const emu_symbol_t *symbol, uint32_t index, uint32_t *out_number) {
  if (!symbol->numbers[index]) {
    if (!nereid_vector_push(&parser->scratch, &parser->registers, symbol->size))
      return nereid_emulator_out_of_memory(parser);
    symbol->numbers[index] = (uint32_t)parser->registers.size;
  }
  *out_number = symbol->numbers[index] - 1;
  return true;
}

size_t nereid_emulator_function_index(const emu_parser_t *parser, nereid_view_t name) {
  for (size_t i = 0; i < parser->program->functions.size; ++i)
    if (nereid_view_equal(parser->program->functions.data[i]->name, name))
      return i;
  return SIZE_MAX;
}

/* The C functions of a library. */
#ifndef NEREID_TOOLS_AOT_FUNCTIONS_H
#define NEREID_TOOLS_AOT_FUNCTIONS_H

#include "tools/nereid/aot/plan.h"

/* An argument of a launch function: a parameter of the kernel, or a tensor for all parameters of a descriptor. */
typedef struct tool_aot_argument {
  const char *name;             /* in C */
  nereid_parameter_kind_t kind; /* TENSOR for a descriptor whose tile is known */
  nereid_element_t element;
  int32_t rank;          /* rank of a tensor */
  uint32_t divisibility; /* promised by all images */
  bool is_stricter;      /* some images promise more */
} tool_aot_argument_t;

typedef struct tool_aot_function {
  const tool_aot_kernel_t *kernel;
  const char *name;            /* "k_matmul" */
  const char **configurations; /* "k_matmul_big", one per configuration; null when there is only one without a name */
  size_t n_arguments;
  const tool_aot_argument_t *arguments;
} tool_aot_function_t;

typedef struct tool_aot_library {
  const char *name;   /* "k": of the library, and the prefix of its functions */
  const char *header; /* file name of the header, for #include */
  bool lazy;
  const tool_aot_plan_t *plan;
  const tool_aot_function_t *functions; /* one per kernel */
} tool_aot_library_t;

/* Determines the functions of `library` from the compiled images. NEREID_ERROR_ARGUMENT: a kernel has no signature, its
 * images have different ones, or two functions have one name. NEREID_ERROR_MEMORY. */
NEREID_MUST_USE nereid_status_t tool_aot_list_functions(nereid_arena_t *arena, tool_aot_library_t *library,
                                                        nereid_message_t *message);

/* The generated text; null when out of memory. Transfers ownership to the caller, who calls free. Deterministic. */
char *tool_aot_print_header(const tool_aot_library_t *library);
char *tool_aot_print_source(const tool_aot_library_t *library);

#endif

/* Converts names of a .td file to C names. */
#ifndef NEREID_TOOLS_ODS_BINDGEN_C_NAMES_H
#define NEREID_TOOLS_ODS_BINDGEN_C_NAMES_H

/* sizePerThread, RMWOp, async.token -> size_per_thread, rmw_op, async_token. */
const char *snake_case(const char *name);
/* The same in upper case. */
const char *upper_case(const char *name);
/* The name of an argument or field: snake case, with a trailing underscore for keywords of C and C++. */
const char *c_identifier(const char *name);
/* size_per_thread, sizePerThread -> SizePerThread. */
const char *camel_case(const char *name);

#endif

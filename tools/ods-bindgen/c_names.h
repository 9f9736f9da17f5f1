/* Names: from those of a .td file to those of C. */
#ifndef NEREID_TOOLS_ODS_BINDGEN_C_NAMES_H
#define NEREID_TOOLS_ODS_BINDGEN_C_NAMES_H

/* sizePerThread, RMWOp, async.token -> size_per_thread, rmw_op, async_token. */
const char *snake_case(const char *name);
/* The same in capitals. */
const char *upper_case(const char *name);
/* An argument's or field's name: snake case, and with a trailing underscore when C or C++ has the word. */
const char *c_identifier(const char *name);
/* size_per_thread, sizePerThread -> SizePerThread. */
const char *camel_case(const char *name);

#endif

/* Internal interface of the reader: access to a record dump. */
#ifndef NEREID_TOOLS_ODS_BINDGEN_READER_H
#define NEREID_TOOLS_ODS_BINDGEN_READER_H

#include "tools/ods-bindgen/model.h"

#include <cjson/cJSON.h>

typedef struct source {
  const char *path;
  cJSON *root; /* process lifetime: the model points into it */
} source_t;

/* Fields of a record; null (or false) when absent or, for strings, empty. */
const cJSON *field(const cJSON *record, const char *name);
const char *string_field(const cJSON *record, const char *name);
bool flag_field(const cJSON *record, const char *name);
/* The record a {"def": ...} refers to; null when it is something else. */
const cJSON *follow(const source_t *source, const cJSON *reference);
const cJSON *record_field(const source_t *source, const cJSON *record, const char *name);
bool is_a(const cJSON *record, const char *superclass);
/* Names of the records with this superclass; null when there is none. */
const cJSON *instances(const source_t *source, const char *superclass);
/* The arguments of a dag field. */
const cJSON *dag(const cJSON *record, const char *name);
const char *trimmed(const char *text);

/* Enums of every dialect of the model that the dump mentions; then types and attributes. */
void read_enums(model_t *model, const source_t *source);
void read_definitions(model_t *model, const source_t *source);
/* The enum of a record; null when its dialect is not part of the model. */
const enumeration_t *read_enum(const model_t *model, const source_t *source, const cJSON *record);
/* Kind, form and so on of an attribute constraint. */
void read_attribute(const model_t *model, const source_t *source, const cJSON *constraint, argument_t *argument);

#endif

/* Dialects of the model, in the order of the command line. */
#include "tools/ods-bindgen/model.h"

#include "tools/ods-bindgen/text.h"

dialect_t *model_dialect(const model_t *model, const char *name) {
  for (size_t i = 0; i < model->dialect_count; i++)
    if (strcmp(model->dialects[i].name, name) == 0)
      return &model->dialects[i];
  return NULL;
}

void model_add_dialect(model_t *model, const char *name, bool own) {
  if (model_dialect(model, name))
    return;
  dialect_t *dialects = allocate(model->dialect_count + 1, sizeof *dialects);
  for (size_t i = 0; i < model->dialect_count; i++)
    dialects[i] = model->dialects[i];
  dialects[model->dialect_count++] = (dialect_t){.name = name, .own = own};
  model->dialects = dialects;
}

/* Checks axis information against values computed by a run of the program. */
#ifndef NEREID_ANALYSIS_AXIS_CHECK_H
#define NEREID_ANALYSIS_AXIS_CHECK_H

#include "analysis/axis/axis_info.h"
#include "base/message.h"

/* Whether `words` satisfy the claims of `result` about `value`: false with a message that names the claim, the element
 * and its value. One word per element of a tensor in row-major order, its bits in the low bits and zeros above; a
 * single word represents all elements, and each word of a scalar is checked separately. True for values without numbers
 * and for values that were not analysed. The message attributes a claim from an attribute of the program
 * (tt.divisibility and the like, on the op or the function's argument) to the program. Thread-safe. */
bool nereid_axis_check(const nereid_axis_result_t *result, MlirValue value, size_t count, const uint64_t *words,
                       nereid_message_t *message);

#endif

/* Axis information against numbers that a program really had. */
#ifndef NEREID_ANALYSIS_AXIS_CHECK_H
#define NEREID_ANALYSIS_AXIS_CHECK_H

#include "analysis/axis/axis_info.h"
#include "base/message.h"

/* Whether `words` are what `result` says of `value`: false with a message that names the claim, the element and the
 * number. One word per element of a tensor in row-major order, its bits in the low bits and zeros above; one alone
 * stands for all elements, and each word of a scalar is checked by itself. True for what holds no numbers, and for a
 * value that was not analysed. A claim that an attribute of the program made (tt.divisibility and the like, on the op
 * or the function's argument) is said to be the program's. Safe on any thread. */
bool nereid_axis_check(const nereid_axis_result_t *result, MlirValue value, size_t count, const uint64_t *words,
                       nereid_message_t *message);

#endif

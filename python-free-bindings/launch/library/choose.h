/* The choice of an image for a device, and of a configuration for arguments. */
#ifndef NEREID_LAUNCH_CHOOSE_H
#define NEREID_LAUNCH_CHOOSE_H

#include "nereid/library.h"

/* Returns how well an image suits a device: 0 not at all, and higher for better ones. `runs_ptx`: the device loads PTX
 * only (the emulator). */
uint32_t nereid_image_suitability(const char *target, int32_t capability, bool runs_ptx);

/* Returns whether all promises of divisibility in the kernel's signature hold for the arguments. Arguments of a wrong
 * type or number have none. */
bool nereid_kernel_accepts(const nereid_kernel_t *kernel, size_t n, const nereid_value_t *arguments);

#endif

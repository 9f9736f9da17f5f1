/* Statuses of library calls, for errors in the call or the environment.
 *
 * A wrong program is reported by an MLIR diagnostic at its location; the call then returns NEREID_ERROR_PROGRAM. 0 is
 * success everywhere. */
#ifndef NEREID_BASE_STATUS_H
#define NEREID_BASE_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define NEREID_MUST_USE __attribute__((warn_unused_result))
#define NEREID_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define NEREID_MUST_USE
#define NEREID_PRINTF(fmt, args)
#endif

/* Values are stable: they are part of the library's ABI and of the tools' messages. */
typedef enum nereid_status {
  NEREID_OK = 0,
  NEREID_ERROR_PROGRAM = 1,     /* the input is wrong; located diagnostics were reported */
  NEREID_ERROR_ARGUMENT = 2,    /* the call is wrong: a null, an invalid option, a contradiction */
  NEREID_ERROR_MEMORY = 3,      /* an allocation failed or a size overflowed */
  NEREID_ERROR_IO = 4,          /* a file could not be read or written */
  NEREID_ERROR_NOT_FOUND = 5,   /* an assembler, libdevice, kernel, symbol or argument is missing */
  NEREID_ERROR_UNSUPPORTED = 6, /* not supported by this build, target or driver */
  NEREID_ERROR_DEVICE = 7,      /* the GPU or its driver reported an error */
  NEREID_ERROR_TOOL = 8,        /* ptxas or nvJitLink failed */
  NEREID_ERROR_INTERNAL = 9,    /* a fatal error in LLVM (the session stays usable), or a bug in Nereid */
  NEREID_ERROR_CANCELLED = 10,  /* the caller requested a stop (base/cancellation.h) */
  NEREID_ERROR_TIMEOUT = 11,    /* a time limit that the caller set passed */
} nereid_status_t;

/* Returns a lower-case phrase for a status, for messages; never null, static storage. */
const char *nereid_status_string(nereid_status_t status);

#ifdef __cplusplus
}
#endif

#endif

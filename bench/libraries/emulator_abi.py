"""The structures and enumerators of nereid/emulator.h and nereid/tma.h that emulated_gpu.py passes to libnereid-launch.

Fields and enumerators have the names of the headers. test/bench/libraries/emulator-abi.test compares them, and the structures in
STRUCTURES, with the headers.
"""

import ctypes

U8, U32, U64, POINTER, BOOL = ctypes.c_uint8, ctypes.c_uint32, ctypes.c_uint64, ctypes.c_void_p, ctypes.c_bool

HANDLER = ctypes.CFUNCTYPE(None, POINTER, POINTER)  # of a race or a violation: user data, the structure

NEREID_EMULATOR_CLASS_COUNT = 11
NEREID_TMA_EMULATOR = 1
NEREID_TMA_RANK = 5
NEREID_TMA_F64 = 8
NEREID_TMA_BF16 = 9
NEREID_TMA_F32_FTZ = 10
NEREID_TMA_TF32 = 11
MAP_BYTES = 128
NEREID_TMA_U4_PADDED = 14


class View(ctypes.Structure):
    _fields_ = [("data", ctypes.c_char_p), ("size", ctypes.c_size_t)]


class Message(ctypes.Structure):
    _fields_ = [("text", ctypes.c_char * 512)]


class Parameter(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("offset", U32), ("size", U32)]


class Place(ctypes.Structure):
    _fields_ = [("program", ctypes.c_char_p), ("source", ctypes.c_char_p), ("line", U32), ("source_line", U32), ("text", View)]


class Side(ctypes.Structure):
    _fields_ = [("program", ctypes.c_char_p), ("what", ctypes.c_char_p), ("source", ctypes.c_char_p), ("line", U32),
                ("source_line", U32), ("text", View), ("thread", U32 * 3), ("cta", U32 * 3), ("warp", U32), ("whole", BOOL)]


class Race(ctypes.Structure):
    _fields_ = [("kind", U32), ("space", ctypes.c_char_p), ("address", U64), ("count", U64), ("bytes", U32), ("earlier", Side),
                ("later", Side)]


class Violation(ctypes.Structure):
    _fields_ = [("rule", U32), ("count", U64), ("sentence", ctypes.c_char_p), ("thread", U32 * 3), ("cta", U32 * 3),
                ("place", Place)]


class Timeline(ctypes.Structure):
    _fields_ = [("first", U64), ("ctas", U64), ("limit", U64)]


class Launch(ctypes.Structure):
    _fields_ = [("grid", U32 * 3), ("block", U32 * 3), ("cluster", U32 * 3), ("shared_bytes", U32), ("parameters", POINTER),
                ("parameter_bytes", U32), ("memory", POINTER), ("threads", U32), ("schedule", U32), ("seed", U64),
                ("landing", U32), ("proxy", U32), ("steps", U64), ("count", BOOL), ("initcheck", BOOL), ("stop_on", U32),
                ("racecheck", BOOL), ("race", POINTER), ("overwrite", POINTER), ("violation", POINTER), ("print", POINTER),
                ("user_data", POINTER), ("loop", POINTER), ("event", POINTER), ("timeline", Timeline), ("cost", POINTER),
                ("watch", POINTER), ("watch_bytes", U32), ("write", POINTER)]


class Counters(ctypes.Structure):
    _fields_ = [("warp_instructions", U64 * NEREID_EMULATOR_CLASS_COUNT),
                ("thread_instructions", U64 * NEREID_EMULATOR_CLASS_COUNT), ("global_requests", U64 * 2),
                ("global_sectors", U64 * 2), ("global_bytes", U64 * 2), ("shared_requests", U64 * 2),
                ("shared_wavefronts", U64 * 2), ("shared_bytes", U64 * 2), ("local_bytes", U64 * 2), ("barriers", U64),
                ("bulk_copies", U64), ("bulk_bytes", U64)]


class Report(ctypes.Structure):
    _fields_ = [("message", Message), ("counters", Counters), ("warp_instructions", U64), ("thread_instructions", U64),
                ("races", U64), ("overwrites", U64), ("violations", U64), ("dropped", U64)]


class Request(ctypes.Structure):
    _fields_ = [("address", U64), ("element", U32), ("rank", U32), ("shape", U64 * NEREID_TMA_RANK),
                ("strides", U64 * NEREID_TMA_RANK), ("box", U32 * NEREID_TMA_RANK), ("swizzle", U32), ("nan_padding", BOOL),
                ("steps", U32 * NEREID_TMA_RANK), ("interleave", U32), ("promotion", U32)]


class Descriptor(ctypes.Structure):
    _fields_ = [("bytes", U8 * 128)]


STRUCTURES = {
    "nereid_view_t": View, "nereid_message_t": Message, "nereid_emulator_parameter_t": Parameter,
    "nereid_emulator_place_t": Place, "nereid_emulator_race_side_t": Side, "nereid_emulator_race_t": Race,
    "nereid_emulator_violation_t": Violation, "nereid_emulator_timeline_t": Timeline, "nereid_emulator_launch_t": Launch, "nereid_emulator_counters_t": Counters,
    "nereid_emulator_report_t": Report, "nereid_tma_request_t": Request, "nereid_tma_descriptor_t": Descriptor}

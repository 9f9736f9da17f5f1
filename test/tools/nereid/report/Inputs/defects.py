# Stands for the program from which the PTX of defects.test would be compiled: only its lines matter.
def helper(frame, value):
    i = thread()
    frame[i] = value


def kernel(out, frame):
    frame[thread()] = thread()
    helper(frame, 0)
    out[thread()] = frame[thread()]

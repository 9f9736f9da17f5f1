"""The time of a call on a GPU."""

import torch


def recorded(call):
    """`call` as a graph, recorded on the current stream, which is not the default one: a launch from Python takes longer than small
    kernels run, and that of a kernel with host tensor descriptors makes their tensor maps."""
    call()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=torch.cuda.current_stream()):
        call()

    def replay(_memory=call):  # the graph does not keep the tensors of the call
        graph.replay()

    return replay


def microseconds(call, flush):
    """The time of `call` after `flush`, a tensor larger than the L2 cache, has been written."""
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    flush.zero_()
    start.record()
    call()
    end.record()
    torch.cuda.synchronize()
    return start.elapsed_time(end) * 1e3

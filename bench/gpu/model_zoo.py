"""The models of bench/gpu/models.py: each a module, its inputs, and whether a training step or inference is measured.

Sizes are small enough to compile in seconds and large enough that kernels, not launches, take the time.
"""

import math

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.attention.flex_attention import create_block_mask, flex_attention

import specialized_kernels


class Case:
    """`module(*inputs)` returns a tensor; a training step also differentiates it, or a weighted mean of it.

    Flex attention has no gradient on the host.
    """

    def __init__(self, module, inputs, train=True, dtype=torch.bfloat16):
        self.module, self.inputs, self.train, self.dtype = module, inputs, train, dtype


class SelfAttention(nn.Module):
    def __init__(self, width, heads, causal):
        super().__init__()
        self.heads, self.causal = heads, causal
        self.project, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = self.project(x).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=self.causal)
        return self.out(y.transpose(1, 2).reshape(batch, length, width))


class EncoderLayer(nn.Module):
    """Normalization after the residual sum, GELU."""

    def __init__(self, width, heads):
        super().__init__()
        self.attention = SelfAttention(width, heads, causal=False)
        self.first, self.second = nn.LayerNorm(width), nn.LayerNorm(width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        x = self.first(x + self.attention(x))
        return self.second(x + self.down(F.gelu(self.up(x))))


def encoder(device):
    module = nn.Sequential(*[EncoderLayer(768, 12) for _ in range(2)])
    return Case(module, [torch.randn(8, 512, 768, device=device)])


class Decoder(nn.Module):
    """Token and position embeddings, normalization before each block, cross entropy of the next token."""

    def __init__(self, words=8192, width=512, heads=8, layers=2, length=512):
        super().__init__()
        self.token, self.position = nn.Embedding(words, width), nn.Embedding(length, width)
        self.attention = nn.ModuleList(SelfAttention(width, heads, causal=True) for _ in range(layers))
        self.mlp = nn.ModuleList(nn.Sequential(nn.LayerNorm(width), nn.Linear(width, 4 * width), nn.GELU(approximate="tanh"),
                                               nn.Linear(4 * width, width)) for _ in range(layers))
        self.norm = nn.ModuleList(nn.LayerNorm(width) for _ in range(layers + 1))

    def forward(self, tokens, targets):
        x = self.token(tokens) + self.position(torch.arange(tokens.shape[1], device=tokens.device))
        for attention, mlp, norm in zip(self.attention, self.mlp, self.norm):
            x = x + attention(norm(x))
            x = x + mlp(x)
        words = self.norm[-1](x) @ self.token.weight.t()
        return F.cross_entropy(words.flatten(0, 1).float(), targets.flatten(), label_smoothing=0.1)


def decoder(device):
    tokens = torch.randint(8192, (2, 8, 512), device=device)
    return Case(Decoder(), [tokens[0], tokens[1]])


def causal_mask(batch, head, query, key):
    return query >= key


def rotate(x, cosine, sine):
    left, right = x.chunk(2, dim=-1)
    return x * cosine + torch.cat([-right, left], dim=-1) * sine


class LlamaBlock(nn.Module):
    """RMS normalization, rotary positions, grouped-query flex attention, SwiGLU."""

    def __init__(self, length, device, width=1024, heads=16, groups=4, hidden=2816):
        super().__init__()
        self.size, self.heads, self.groups = width // heads, heads, groups
        self.q, self.o = nn.Linear(width, width, bias=False), nn.Linear(width, width, bias=False)
        self.kv = nn.Linear(width, 2 * groups * self.size, bias=False)
        self.gate_up, self.down = nn.Linear(width, 2 * hidden, bias=False), nn.Linear(hidden, width, bias=False)
        self.first, self.second = nn.RMSNorm(width, eps=1e-5), nn.RMSNorm(width, eps=1e-5)
        angle = torch.arange(length)[:, None] / 10000 ** (torch.arange(0, self.size, 2) / self.size)
        self.register_buffer("cosine", angle.cos().repeat(1, 2))
        self.register_buffer("sine", angle.sin().repeat(1, 2))
        self.mask = create_block_mask(causal_mask, None, None, length, length, device=device)

    def forward(self, x):
        batch, length, width = x.shape
        y = self.first(x)
        q = self.q(y).view(batch, length, self.heads, self.size).transpose(1, 2)
        k, v = self.kv(y).view(batch, length, 2, self.groups, self.size).permute(2, 0, 3, 1, 4)
        q, k = rotate(q, self.cosine, self.sine), rotate(k, self.cosine, self.sine)
        y = flex_attention(q, k, v, block_mask=self.mask, enable_gqa=True)
        x = x + self.o(y.transpose(1, 2).reshape(batch, length, width))
        gate, up = self.gate_up(self.second(x)).chunk(2, dim=-1)
        return x + self.down(F.silu(gate) * up)


def llama(device):
    return Case(LlamaBlock(1024, device), [torch.randn(2, 1024, 1024, device=device)], train=device != "cpu")


def window_mask(batch, head, query, key):
    return (query >= key) & (query - key < 256)


class WindowAttention(nn.Module):
    """Flex attention with a sliding window, a soft cap of the scores and a bias by distance."""

    def __init__(self, length, device):
        super().__init__()
        self.project = nn.Linear(512, 3 * 512)
        self.mask = create_block_mask(window_mask, None, None, length, length, device=device)

    @staticmethod
    def score(score, batch, head, query, key):
        return 30 * torch.tanh(score / 30) - (query - key) * torch.exp2(-(head + 1.0))

    def forward(self, x):
        batch, length, _ = x.shape
        q, k, v = self.project(x).view(batch, length, 3, 8, 64).permute(2, 0, 3, 1, 4)
        return flex_attention(q, k, v, score_mod=self.score, block_mask=self.mask)


def window(device):
    return Case(WindowAttention(2048, device), [torch.randn(2, 2048, 512, device=device)], train=device != "cpu")


class ResidualBlock(nn.Module):
    def __init__(self, before, after, stride):
        super().__init__()
        self.first = nn.Conv2d(before, after, 3, stride, 1, bias=False)
        self.second = nn.Conv2d(after, after, 3, 1, 1, bias=False)
        self.norm1, self.norm2 = nn.BatchNorm2d(after), nn.BatchNorm2d(after)
        self.short = nn.Conv2d(before, after, 1, stride, bias=False) if stride != 1 or before != after else nn.Identity()

    def forward(self, x):
        y = F.relu(self.norm1(self.first(x)))
        return F.relu(self.norm2(self.second(y)) + self.short(x))


def resnet(device):
    module = nn.Sequential(nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1),
                           ResidualBlock(64, 64, 1), ResidualBlock(64, 128, 2), ResidualBlock(128, 256, 2),
                           nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(256, 1000))
    return Case(module.to(memory_format=torch.channels_last), [torch.randn(32, 3, 128, 128, device=device)])


class UNet(nn.Module):
    """Two levels down and up with group normalization, skips by concatenation."""

    def __init__(self, width=64):
        super().__init__()
        self.entry = nn.Conv2d(4, width, 3, 1, 1)
        self.down1, self.down2 = self.level(width, 2 * width), self.level(2 * width, 4 * width)
        self.up1, self.up2 = self.level(6 * width, 2 * width), self.level(3 * width, width)
        self.exit = nn.Conv2d(width, 4, 3, 1, 1)

    @staticmethod
    def level(before, after):
        return nn.Sequential(nn.GroupNorm(8, before), nn.SiLU(), nn.Conv2d(before, after, 3, 1, 1))

    def forward(self, x):
        x = self.entry(x)
        half = self.down1(F.avg_pool2d(x, 2))
        y = self.down2(F.avg_pool2d(half, 2))
        y = self.up1(torch.cat([F.interpolate(y, scale_factor=2, mode="nearest"), half], dim=1))
        y = self.up2(torch.cat([F.interpolate(y, scale_factor=2, mode="nearest"), x], dim=1))
        return self.exit(y)


def unet(device):
    return Case(UNet(), [torch.randn(8, 4, 64, 64, device=device)], train=False, dtype=torch.float16)


class Experts(nn.Module):
    """Each token goes to two of the experts, which hold a fixed number of tokens; tokens beyond it are dropped."""

    def __init__(self, width=512, hidden=1024, experts=8, capacity=1024):
        super().__init__()
        self.experts, self.capacity = experts, capacity
        self.router = nn.Linear(width, experts, bias=False)
        self.up = nn.Parameter(torch.randn(experts, width, 2 * hidden) / math.sqrt(width))
        self.down = nn.Parameter(torch.randn(experts, hidden, width) / math.sqrt(hidden))

    def forward(self, x):
        share, chosen = torch.softmax(self.router(x).float(), dim=-1).topk(2, dim=-1)
        share = (share / share.sum(dim=-1, keepdim=True)).to(x.dtype)
        places = F.one_hot(chosen.flatten(), self.experts).cumsum(dim=0)
        place = places.gather(1, chosen.flatten()[:, None])[:, 0] - 1
        kept = place < self.capacity
        slot = torch.where(kept, chosen.flatten() * self.capacity + place, self.experts * self.capacity)
        rows = x.new_zeros(self.experts * self.capacity + 1, x.shape[1]).index_copy(0, slot, x.repeat_interleave(2, dim=0))
        gate, up = torch.bmm(rows[:-1].view(self.experts, self.capacity, -1), self.up).chunk(2, dim=-1)
        y = torch.bmm(F.silu(gate) * up, self.down).flatten(0, 1)
        y = torch.cat([y, y.new_zeros(1, y.shape[1])])[slot].view(x.shape[0], 2, -1)
        return (y * share[..., None]).sum(dim=1)


def experts(device):
    return Case(Experts(), [torch.randn(2048, 512, device=device)], train=False)


class StateSpace(nn.Module):
    """A gated state-space layer with scalar decay per head, computed in chunks: masked products within, states between."""

    def __init__(self, width=512, heads=8, state=64, chunk=128):
        super().__init__()
        self.heads, self.state, self.chunk = heads, state, chunk
        self.entry = nn.Linear(width, 2 * width + 2 * state + heads, bias=False)
        self.conv = nn.Conv1d(width, width, 4, groups=width, padding=3)
        self.exit, self.norm = nn.Linear(width, width, bias=False), nn.RMSNorm(width, eps=1e-5)
        self.rate = nn.Parameter(torch.linspace(-2, 0, heads))
        self.sizes = [width, width, state, state, heads]

    def forward(self, u):
        batch, length, width = u.shape
        gate, x, b, c, step = self.entry(u).split(self.sizes, dim=-1)
        x = F.silu(self.conv(x.transpose(1, 2))[..., :length].transpose(1, 2))
        step = F.softplus(step.float())
        decay = (-step * self.rate.float().exp()).view(batch, -1, self.chunk, self.heads).cumsum(dim=2)
        x = (x.view(batch, length, self.heads, -1) * step[..., None]).to(u.dtype).view(batch, -1, self.chunk, self.heads, width // self.heads)
        b, c = (value.view(batch, -1, self.chunk, self.state) for value in (b, c))
        inside = torch.tril(torch.ones(self.chunk, self.chunk, dtype=torch.bool, device=u.device))[None, None, :, :, None]
        weight = (decay[:, :, :, None] - decay[:, :, None]).masked_fill(~inside, -torch.inf).exp().to(u.dtype)
        score = torch.einsum("bnis,bnjs->bnij", c, b)[..., None] * weight
        y = torch.einsum("bnijh,bnjhd->bnihd", score, x)
        to_end = (decay[:, :, -1:] - decay).exp().to(u.dtype)
        local = torch.einsum("bnjs,bnjhd->bnhsd", b, x * to_end[..., None])
        state, states = torch.zeros_like(local[:, 0]), []
        for i in range(local.shape[1]):
            states.append(state)
            state = state * decay[:, i, -1].exp().to(u.dtype)[..., None, None] + local[:, i]
        carried = torch.einsum("bnis,bnhsd->bnihd", c, torch.stack(states, dim=1))
        y = (y + carried * decay.exp().to(u.dtype)[..., None]).reshape(batch, length, width)
        return self.exit(self.norm(y) * F.silu(gate))


def state_space(device):
    return Case(StateSpace(), [torch.randn(4, 1024, 512, device=device)])


class QuantizedMlp(nn.Module):
    """Weights of 8 bits, then of 4 bits in pairs, with a scale per row; the last layer also quantizes its input."""

    def __init__(self, width=1024, hidden=2048):
        super().__init__()
        self.register_buffer("eight", torch.randint(-127, 128, (hidden, width), dtype=torch.int8))
        self.register_buffer("four", torch.randint(0, 256, (hidden, hidden // 2), dtype=torch.uint8))
        self.register_buffer("last", torch.randint(-127, 128, (hidden, width), dtype=torch.int8))
        self.register_buffer("scale8", torch.rand(hidden) / 1000)
        self.register_buffer("scale4", torch.rand(hidden) / 100)
        self.register_buffer("scale", torch.rand(width) / 1000)

    def forward(self, x):
        x = F.gelu(x @ self.eight.to(x.dtype).t() * self.scale8)
        low, high = self.four & 15, self.four >> 4
        weight = torch.stack([low, high], dim=-1).flatten(1).to(x.dtype) - 8
        x = F.gelu(x @ weight.t() * self.scale4)
        largest = x.abs().amax(dim=-1, keepdim=True).float().clamp(min=1e-6) / 127
        rounded = torch.round(x.float() / largest).to(torch.int8)
        return (torch._int_mm(rounded, self.last).float() * largest * self.scale.float()).to(x.dtype)


def quantized(device):
    return Case(QuantizedMlp(), [torch.randn(512, 1024, device=device)], train=False)


class Recommender(nn.Module):
    """Bags of embeddings with weights, their pairwise products, and a perceptron."""

    def __init__(self, rows=100000, width=64, tables=4):
        super().__init__()
        self.tables = nn.ModuleList(nn.Embedding(rows, width) for _ in range(tables))
        self.bag = nn.EmbeddingBag(rows, width, mode="sum")
        pairs = (tables + 1) * (tables + 1)
        self.mlp = nn.Sequential(nn.Linear(pairs, 256), nn.ReLU(), nn.Linear(256, 1))

    def forward(self, indices, weights):
        found = [(table(index) * weight[..., None]).sum(dim=1) for table, index, weight in zip(self.tables, indices, weights)]
        found.append(self.bag(indices[0]))
        vectors = torch.stack(found, dim=1)
        products = torch.bmm(vectors, vectors.transpose(1, 2)).flatten(1)
        return self.mlp(products)[:, 0]


def embedding_bag(device):
    indices = torch.randint(100000, (4, 4096, 20), device=device)
    return Case(Recommender(), [indices, torch.rand(4, 4096, 20, device=device)], dtype=torch.float32)


class NormBlocks(nn.Module):
    def __init__(self, width=256):
        super().__init__()
        self.norms = nn.ModuleList(nn.GroupNorm(32, width) for _ in range(3))
        self.last = nn.InstanceNorm2d(width, affine=True)

    def forward(self, x):
        for norm in self.norms:
            x = x + F.silu(norm(x))
        return F.softmax(self.last(x).flatten(2), dim=-1) * x.flatten(2)


def group_norm(device):
    return Case(NormBlocks(), [torch.randn(16, 256, 32, 32, device=device)], dtype=torch.float32)


class Recurrent(nn.Module):
    """A gated recurrent unit, unrolled."""

    def __init__(self, width=512):
        super().__init__()
        self.entry, self.hidden = nn.Linear(width, 3 * width), nn.Linear(width, 3 * width)

    def forward(self, x):
        gates, state, outputs = self.entry(x), torch.zeros_like(x[:, 0]), []
        for step in range(x.shape[1]):
            reset, update, new = gates[:, step].chunk(3, dim=-1)
            reset2, update2, new2 = self.hidden(state).chunk(3, dim=-1)
            keep = torch.sigmoid(update + update2)
            state = keep * state + (1 - keep) * torch.tanh(new + torch.sigmoid(reset + reset2) * new2)
            outputs.append(state)
        return torch.stack(outputs, dim=1)


def rnn(device):
    return Case(Recurrent(), [torch.randn(256, 12, 512, device=device)], dtype=torch.float32)


class GatedMlp(nn.Module):
    """Two gated layers with ragged rows: matrix multiplications of every pair of transposed operands, and their epilogues."""

    def __init__(self, width=1024, hidden=2048):
        super().__init__()
        self.up, self.gate = nn.Linear(width, hidden), nn.Linear(width, hidden, bias=False)
        self.down, self.norm = nn.Linear(hidden, width), nn.RMSNorm(width, eps=1e-5)

    def forward(self, x):
        y = self.norm(x)
        return x + self.down(F.gelu(self.up(y), approximate="tanh") * torch.sigmoid(self.gate(y)))


def gated_mlp(device):
    return Case(GatedMlp(), [torch.randn(2000, 1024, device=device)])


class Specialized(nn.Module):
    """A block of causal attention whose linear layers and attention are kernels of the user with warp-specialized loops."""

    def __init__(self, width=1024, heads=16):
        super().__init__()
        self.heads, self.norm = heads, nn.RMSNorm(width, eps=1e-5)
        self.project, self.out = nn.Parameter(torch.randn(3 * width, width) / 32), nn.Parameter(torch.randn(width, width) / 32)

    def forward(self, x):
        exact = x.dtype == torch.float32 or x.device.type == "cpu"
        batch, length, width = x.shape
        y = self.norm(x).flatten(0, 1)
        y = y @ self.project.t() if exact else specialized_kernels.linear(y, self.project, persistent=True)
        q, k, v = (part.contiguous() for part in y.view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True) if exact else specialized_kernels.attention(q, k, v, True)
        y = y.transpose(1, 2).reshape(batch * length, width)
        y = y @ self.out.t() if exact else specialized_kernels.linear(y, self.out)
        return x + F.silu(y).view(x.shape)


def specialized(device):
    if device != "cpu":
        import triton
        triton.set_allocator(lambda size, alignment, stream: torch.empty(size, dtype=torch.int8, device="cuda"))
    return Case(Specialized(), [torch.randn(2, 2048, 1024, device=device)], train=False, dtype=torch.float16)


MODELS = {function.__name__: function for function in (
    encoder, decoder, llama, window, resnet, unet, experts, state_space, quantized, embedding_bag, group_norm, rnn, gated_mlp,
    specialized)}


def build(name, device):
    """The case on a device, with the same values in every process."""
    torch.manual_seed(0)
    case = MODELS[name](device)
    case.module = case.module.to(device, case.dtype).train(case.train)
    case.inputs = [value.to(case.dtype) if value.is_floating_point() else value for value in case.inputs]
    return case

"""Compiled passes in single precision against torch's operations in double precision, and the bits behind dropout."""

import math
import os
import subprocess
import sys

import numpy as np
import pytest
import torch

from uqalign.models.nets import compiled, passes
from uqalign.models.nets.network import WARMING_UP, Mask, Noise, Sizes, noise_stream

CPU = torch.device("cpu")
SHAPES = [((9, 9), 128), ((9, 4, 1, 0), 6), ((1, 1), 1), ((40, 33, 37), 131)]


def rows(counts, width, seed, scale=1.0):
    """(R, n, width) random numbers, zero in padding."""
    x = scale * np.random.default_rng(seed).normal(size=(len(counts), max(counts), width))
    for lane, count in enumerate(counts):
        x[lane, count:] = 0
    return torch.from_numpy(x)


def vectors(counts, width, seed):
    return torch.from_numpy(np.random.default_rng(seed).normal(size=(len(counts), 1, width)))


def mask_of(counts, width):
    like = torch.empty(len(counts), max(counts), width)
    return Noise([noise_stream(seed, CPU) for seed in range(len(counts))]).mask(like, 0.3, counts)


def sizes_of(counts, dtype):
    torch.set_default_dtype(dtype)
    try:
        return Sizes.of(counts, CPU)
    finally:
        torch.set_default_dtype(torch.float32)


def both(function, counts, *arguments, in_use=()):
    """What `function` makes of the arguments in single precision, compiled, and in double precision.

    Args:
        in_use: outputs whose padding is anything.
    """
    results = []
    for dtype in (torch.float32, torch.float64):
        own = [a.to(dtype, copy=True) if isinstance(a, torch.Tensor) else a for a in arguments]
        found = function(*own, sizes_of(counts, dtype))
        found = list(found) if isinstance(found, tuple) else [found]
        for k in in_use:
            for lane, count in enumerate(counts):
                found[k][lane, count:] = 0
        results.append(found)
    for single, double in zip(*results, strict=True):
        assert single.dtype == torch.float32
        torch.testing.assert_close(single.double(), double, rtol=2e-6, atol=3e-6)
    return results[0]


@pytest.mark.parametrize(("counts", "width"), SHAPES)
class TestPasses:
    def test_centre(self, counts, width):
        both(passes.centre, counts, rows(counts, width, 0) + 0.0)

    def test_gelu(self, counts, width):
        z, constant = rows(counts, width, 0, scale=2), vectors(counts, width, 1)
        both(passes.gelu, counts, z, constant, mask_of(counts, width), in_use=(0, 1))
        y, _ = passes.gelu(z.float(), constant.float(), mask_of(counts, width), sizes_of(counts, torch.float32))
        assert all((y[lane, count:] == 0).all() for lane, count in enumerate(counts))

    def test_times(self, counts, width):
        both(passes.times, counts, rows(counts, width, 0), rows(counts, width, 1))

    def test_skip(self, counts, width):
        y, bias, x = rows(counts, width, 0), vectors(counts, width, 1), rows(counts, width, 2)
        both(passes.skip, counts, y, bias, mask_of(counts, width), x)

    def test_drop(self, counts, width):
        both(passes.drop, counts, rows(counts, width, 0), mask_of(counts, width))

    @pytest.mark.parametrize("alone", [True, False])
    def test_norm_slope(self, counts, width, alone):
        x, constant, centred = rows(counts, width, 0), vectors(counts, width, 1), rows(counts, width, 2)
        beside = None if alone else rows(counts, width, 4)
        both(passes.norm_slope, counts, x, constant, centred, vectors(counts, width, 3), beside)

    @pytest.mark.parametrize("outputs", [1, 2, 128])
    def test_fold(self, counts, width, outputs):
        weight = rows([width] * len(counts), outputs, 0) / 8
        scale, gain, shift = (vectors(counts, width, seed) for seed in (1, 2, 3))
        both(lambda *a: passes.fold(*a[:-1]), counts, weight, scale, gain, shift, vectors(counts, outputs, 4))

    @pytest.mark.parametrize("outputs", [1, 2, 128])
    def test_unfold(self, counts, width, outputs):
        """Weights and their slopes as views of one matrix of all lanes, as the engine has them."""
        lanes = len(counts)
        pull, weight = rows([width] * lanes, outputs, 0) / 8, rows([width] * lanes, outputs, 1) / 8
        scale, gain, shift = (vectors(counts, width, seed) for seed in (2, 3, 4))

        def unfold(pull, total, weight, scale, gain, shift, sizes):
            def apart(x):
                room = x.new_full((lanes, 5 + x[0].numel()), torch.nan)
                view = room[:, 5:].view(x.shape)
                return room, view.copy_(x)

            (_, weight), (_, gain), (_, shift) = map(apart, (weight, gain, shift))
            rooms, into = zip(*(apart(torch.zeros_like(x)) for x in (weight, gain, shift)), strict=True)
            constant, factor = passes.unfold(pull, total, (weight, scale, gain, shift), into, sizes)
            assert all(room[:, :5].isnan().all() for room in rooms)
            return constant, factor, *into

        both(unfold, counts, pull, vectors(counts, outputs, 5) / 8, weight, scale, gain, shift)


def test_an_entry_stays_from_the_threshold_on():
    counts, width = (2,), 3
    at = Mask(torch.tensor([[4, 5, 6] * 2], dtype=torch.int16), 5)
    stays = torch.tensor([0.0, 1.0, 1.0]).expand(1, 2, 3)
    sizes, ones, zeros = Sizes.of(counts, CPU), torch.ones(1, 2, width), torch.zeros(1, 1, width)
    assert torch.equal(at.ones(ones), stays)
    assert torch.equal(passes.drop(ones, at, sizes)[0], stays)
    assert torch.equal(passes.skip(ones.clone(), zeros, at, ones, sizes), 1 + stays)
    assert all(torch.equal(x > 0, stays > 0) for x in passes.gelu(ones.clone(), zeros, at, sizes))


def gelu(numbers, least=-(2**15)):
    z = torch.tensor(numbers, dtype=torch.float32).view(1, 1, -1)
    mask = Mask(torch.zeros(1, z.numel(), dtype=torch.int16), least)
    y, slope = passes.gelu(z, torch.zeros_like(z), mask, Sizes.of([1], CPU))
    return y.flatten(), slope.flatten()


def test_gelu_and_its_slope_on_the_whole_line():
    """Closed form in double precision; for large numbers it is the identity, for small ones zero."""
    grid = np.concatenate([np.linspace(-14, 14, 28001), [0.0, -0.0, 1e-30, -1e-30, 1e20, -1e20, 3e38, -3e38]])
    grid = grid.astype(np.float32)
    y, slope = gelu(grid.tolist())
    below = np.array([math.erfc(-x / math.sqrt(2)) / 2 for x in grid.astype(float)])
    density = np.exp(-(grid.astype(float) ** 2) / 2) / math.sqrt(2 * math.pi)
    np.testing.assert_allclose(y, grid * below, rtol=3e-7, atol=6e-7)
    np.testing.assert_allclose(slope, below + grid * density, rtol=3e-7, atol=6e-7)


def test_gelu_of_what_is_not_finite():
    """A fit that diverges must be seen to diverge."""
    y, slope = gelu([np.nan, np.inf, -np.inf])
    assert not y.isfinite().any()
    assert slope.isnan().all()


def test_what_is_dropped_is_zero_even_if_it_is_not_finite():
    y, slope = gelu([1.0, np.inf], least=1)
    assert (y == 0).all()
    assert (slope == 0).all()


def test_a_lane_of_a_pass_does_not_notice_the_others():
    counts, width = [30, 30, 30, 29], 128
    z, constant, mask = rows(counts, width, 0).float(), vectors(counts, width, 1).float(), mask_of(counts, width)
    together = passes.gelu(z.clone(), constant, mask, Sizes.of(counts, CPU))
    for lane, count in enumerate(counts):
        one = slice(lane, lane + 1)
        only = Mask(mask.bits[one], mask.least)
        alone = passes.gelu(z[one].clone(), constant[one].contiguous(), only, Sizes.of([30], CPU))
        for a, b in zip(alone, together, strict=True):
            assert torch.equal(a[0, :count], b[lane, :count])


def sfc32(a, b, c, counter, length):
    """One generator in Python's integers."""
    found = []
    for _ in range(length):
        number = (a + b + counter) % 2**32
        counter = (counter + 1) % 2**32
        a, b, c = b ^ (b >> 9), (c + (c << 3)) % 2**32, (((c << 21) | (c >> 11)) % 2**32 + number) % 2**32
        found.append(number)
    return found


def test_random_bits_are_those_of_the_generator():
    seeds = np.random.SeedSequence(7).generate_state(48).reshape(3, 16)
    state = noise_stream(7, CPU)
    found = np.empty((20, compiled.SIDE_BY_SIDE), dtype=np.uint32)
    compiled.random_bits(state, found[:8])
    compiled.random_bits(state, found[8:])
    for k in range(compiled.SIDE_BY_SIDE):
        words = [int(word) for word in seeds[:, k]]
        assert found[:, k].tolist() == sfc32(*words, 1, WARMING_UP + 20)[WARMING_UP:]


def test_random_bits_look_random():
    """Each bit is set half of the time, and neighbours in time, in a vector and among seeds agree half of the time."""
    streams = [noise_stream(seed, CPU) for seed in (0, 1)]
    numbers = np.empty((2, 20000, compiled.SIDE_BY_SIDE), dtype=np.uint32)
    for stream, own in zip(streams, numbers, strict=True):
        compiled.random_bits(stream, own)
    bits = np.unpackbits(numbers.view(np.uint8), axis=-1).astype(bool)
    five = 5 * 0.5 / np.sqrt(20000)
    assert np.abs(bits.mean(1) - 0.5).max() < five
    for a, b in ((bits[:, 1:], bits[:, :-1]), (bits[..., 32:], bits[..., :-32]), (bits[:1], bits[1:])):
        assert np.abs((a == b).mean(1) - 0.5).max() < five


def test_where_nothing_can_be_kept_on_disk_it_is_compiled_each_time(tmp_path):
    place = tmp_path / "a file, not a folder"
    place.touch()
    code = """
import numpy as np
from numba.core import caching
caching.CacheImpl._locator_classes = []
from uqalign.models.nets import compiled
x = np.ones((1, 2, 3), np.float32)
total = np.empty((1, 1, 3), np.float32)
compiled.times(x, x, np.array([2]), total)
print(total.tolist())
"""
    elsewhere = {**os.environ, "HOME": str(place)}
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=elsewhere, check=False)
    assert run.stdout.strip() == "[[[2.0, 2.0, 2.0]]]", run.stderr

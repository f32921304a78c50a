"""Stacked layers against torch's own, lane by lane."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn

from uqalign.models.nets.attention import attention, attention_parameters, encoder_layer, encoder_parameters
from uqalign.models.nets.layers import batch_norm, layer_norm, linear
from uqalign.models.nets.network import Noise, Pass, Sizes, noise_stream

LANES = 3
CPU = torch.device("cpu")


def passes(counts, *, training):
    noise = Noise([noise_stream(seed, CPU) for seed in range(len(counts))]) if training else None
    return Pass(Sizes.of(counts, CPU), noise)


def drawn(parameters):
    rng = np.random.RandomState(0)
    return {
        name: torch.tensor(np.stack([p.draw(rng) + 0.1 * rng.randn(*p.shape) for _ in range(LANES)])).float()
        for name, p in parameters.items()
    }


@pytest.mark.parametrize("outputs", [1, 2, 5])
def test_linear(outputs):
    x, w, b = torch.randn(LANES, 6, 4), torch.randn(LANES, 4, outputs), torch.randn(LANES, outputs)
    y = linear({"a.weight": w, "a.bias": b}, "a", x)
    for lane in range(LANES):
        torch.testing.assert_close(y[lane], x[lane] @ w[lane] + b[lane])


def test_layer_norm():
    x, w, b = torch.randn(LANES, 5, 2, 8), torch.randn(LANES, 8), torch.randn(LANES, 8)
    y = layer_norm({"a.weight": w, "a.bias": b}, "a", x)
    for lane in range(LANES):
        torch.testing.assert_close(y[lane], nn.functional.layer_norm(x[lane], (8,), w[lane], b[lane]))


class TestBatchNorm:
    """functorch #986, #867: running statistics of stacked networks."""

    def run(self, batches):
        """Feed the same batches (lists of one (rows, 4) tensor per lane) to the stacked layer and to a loop."""
        width = 4
        torch.manual_seed(1)
        weights = {"a.weight": torch.randn(LANES, width), "a.bias": torch.randn(LANES, width)}
        leaves = {name: value.clone().requires_grad_() for name, value in weights.items()}
        buffers = {"a.mean": torch.zeros(LANES, width), "a.var": torch.ones(LANES, width)}
        loop = [nn.BatchNorm1d(width) for _ in range(LANES)]
        for lane, layer in enumerate(loop):
            layer.weight.data, layer.bias.data = weights["a.weight"][lane].clone(), weights["a.bias"][lane].clone()
        for batch in batches:
            rows = max(len(x) for x in batch)
            counts = [len(x) for x in batch]
            # What lies in padded rows must not matter.
            stacked = torch.stack([torch.cat([x, 50 * torch.ones(rows - len(x), width)]) for x in batch])
            stacked.requires_grad_()
            pull = torch.randn(LANES, rows, width)
            for lane, count in enumerate(counts):
                pull[lane, count:] = 0
            now = passes(counts, training=True)
            y = batch_norm(leaves, buffers, "a", stacked, now)
            found = torch.autograd.grad((y * pull).sum(), [stacked, *leaves.values()])
            for lane, (layer, x) in enumerate(zip(loop, batch, strict=True)):
                layer.train(len(x) > 1)
                if len(x) == 0:
                    continue
                alone = x.clone().requires_grad_()
                expected = layer(alone)
                torch.testing.assert_close(y[lane, : len(x)], expected, atol=1e-5, rtol=1e-5)
                slopes = torch.autograd.grad((expected * pull[lane, : len(x)]).sum(), [alone, layer.weight, layer.bias])
                torch.testing.assert_close(found[0][lane, : len(x)], slopes[0], atol=1e-5, rtol=1e-5)
                assert (found[0][lane, len(x) :] == 0).all()
                torch.testing.assert_close(found[1][lane], slopes[1], atol=1e-5, rtol=1e-5)
                torch.testing.assert_close(found[2][lane], slopes[2], atol=1e-5, rtol=1e-5)
        x = torch.randn(LANES, 7, width)
        y = batch_norm(weights, buffers, "a", x, passes([7] * LANES, training=False))
        for lane, layer in enumerate(loop):
            layer.eval()
            torch.testing.assert_close(buffers["a.mean"][lane], layer.running_mean, atol=1e-5, rtol=1e-5)
            torch.testing.assert_close(buffers["a.var"][lane], layer.running_var, atol=1e-5, rtol=1e-5)
            torch.testing.assert_close(y[lane], layer(x[lane]), atol=1e-5, rtol=1e-5)

    def test_equal_batches(self):
        self.run([[3 + 2 * torch.randn(8, 4) for _ in range(LANES)] for _ in range(4)])

    def test_last_small_batches_of_different_sizes(self):
        sizes = [(8, 8, 8), (8, 5, 2)]
        self.run([[torch.randn(n, 4) for n in batch] for batch in sizes])

    def test_a_batch_of_one_row_is_normalised_by_running_statistics(self):
        sizes = [(8, 8, 8), (1, 5, 1), (8, 8, 8), (1, 1, 1)]
        self.run([[torch.randn(n, 4) for n in batch] for batch in sizes])

    def test_a_lane_without_rows_keeps_its_statistics(self):
        sizes = [(8, 8, 8), (0, 5, 1)]
        self.run([[torch.randn(n, 4) for n in batch] for batch in sizes])


class TestDropout:
    def test_share_and_mean(self):
        noise = Noise([noise_stream(seed, CPU) for seed in range(2)])
        y = noise.dropout(torch.ones(2, 500, 400), 0.1, [500, 500])
        zeros = (y == 0).double().mean((1, 2))
        standard_error = (0.1 * 0.9 / 200_000) ** 0.5
        assert (abs(zeros - 0.1) < 4 * standard_error).all()
        kept = y[y != 0]
        torch.testing.assert_close(kept, torch.full_like(kept, 1 / 0.9))
        assert 0.17 < (y[0] == 0).ne(y[1] == 0).double().mean() < 0.19  # 2 x 0.1 x 0.9: lanes are independent

    @pytest.mark.parametrize("probability", [0.0, 0.25, 0.5])
    def test_other_probabilities(self, probability):
        y = Noise([noise_stream(0, CPU)]).dropout(torch.ones(1, 500, 400), probability, [500])
        assert abs((y == 0).double().mean() - probability) < 4 * (0.25 / 200_000) ** 0.5

    def test_a_lane_does_not_notice_others_or_padding(self):
        x = torch.randn(3, 9, 5)
        together = Noise([noise_stream(seed, CPU) for seed in range(3)])
        alone = Noise([noise_stream(1, CPU)])
        for counts in ([9, 4, 1], [3, 9, 9], [9, 2, 2]):
            y = together.dropout(x, 0.3, counts)[1, : counts[1]]
            torch.testing.assert_close(y, alone.dropout(x[1:2, : counts[1]], 0.3, [counts[1]])[0])

    def test_the_slope_is_that_of_the_mask(self):
        x = torch.randn(2, 4, 3, requires_grad=True)
        y = Noise([noise_stream(seed, CPU) for seed in range(2)]).dropout(x, 0.5, [4, 4])
        (slope,) = torch.autograd.grad(y.sum(), x)
        torch.testing.assert_close(slope * x, y)

    def test_evaluation_draws_nothing(self):
        x = torch.randn(2, 4, 3)
        assert passes([4, 4], training=False).dropout(x, 0.5) is x


class TestAttention:
    @pytest.mark.parametrize("training", [True, False])
    def test_equals_multi_head_attention(self, training):
        import peers

        weights = drawn(attention_parameters("a", 8))
        x = torch.randn(LANES, 5, 4, 8)
        now = passes([5] * LANES, training=training)
        y = attention(weights, "a", x[:, :, :2], x, heads=2, dropout=0.0, now=now)
        for lane in range(LANES):
            layer = nn.MultiheadAttention(8, 2, batch_first=True)
            peers.load_attention(layer, {name: value[lane].numpy() for name, value in weights.items()}, "a")
            expected = layer(x[lane, :, :2], x[lane], x[lane], need_weights=False)[0]
            torch.testing.assert_close(y[lane], expected, atol=1e-5, rtol=1e-5)

    def test_training_and_evaluation_take_the_same_mean(self):
        """Attention with dropout agrees with evaluation on average: the masks scale the shares, not the scores."""
        weights = drawn(attention_parameters("a", 8))
        draws = 4000
        x = torch.randn(LANES, 1, 4, 8).expand(-1, draws, -1, -1)
        now = passes([draws] * LANES, training=True)
        call = {"heads": 2, "dropout": 0.25}
        drawn_many = attention(weights, "a", x, x, now=now, **call)
        expected = attention(weights, "a", x[:, :1], x[:, :1], now=replace(now, noise=None), **call)[:, 0]
        standard_error = drawn_many.std(1) / draws**0.5
        assert standard_error.min() > 0
        assert ((drawn_many.mean(1) - expected).abs() < 5 * standard_error).all()

    @pytest.mark.parametrize("training", [True, False])
    def test_the_first_token_alone_is_the_first_of_all(self, training):
        weights = drawn(encoder_parameters("a", 8))
        x = torch.randn(LANES, 5, 4, 8)
        now = passes([5] * LANES, training=training)
        call = {"heads": 2, "dropout": 0.0, "now": now}
        first = encoder_layer(weights, "a", x, only_first=True, **call)
        every = encoder_layer(weights, "a", x, only_first=False, **call)
        torch.testing.assert_close(first, every[:, :, :1], atol=1e-5, rtol=1e-5)

"""The networks and their training as one writes them in plain torch, for one fit at a time.

Peers of the batched engine: the same hyperparameters, nothing shared with it but the `Recipe` that states them.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from uqalign.models.base import Problem
from uqalign.training.recipe import Recipe


def matrix(problem: Problem) -> Tensor:
    """(n_train + n_test, columns) prepared features in single precision."""
    return torch.from_numpy(np.concatenate(problem.arrays(scale=True)).astype(np.float32))


class MLP(nn.Module):
    """Two hidden layers of 128 rectified units."""

    def __init__(self, columns: int, outputs: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(columns, 128), nn.Linear(128, 128), nn.Linear(128, outputs)])

    def forward(self, x: Tensor) -> Tensor:
        for layer in self.layers[:-1]:
            x = torch.relu(layer(x))
        return self.layers[-1](x)

    def load(self, weights: Mapping[str, np.ndarray]) -> None:
        for number, layer in enumerate(self.layers):
            load_linear(layer, weights, str(number))


class ResNet(nn.Module):
    """Three residual blocks of width 128."""

    def __init__(self, columns: int, outputs: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.project = nn.Linear(columns, 128)
        self.blocks = nn.ModuleList(
            nn.Sequential(
                nn.BatchNorm1d(128),
                nn.Linear(128, 128),
                nn.GELU(),
                nn.Dropout(dropout),
                nn.Linear(128, 128),
                nn.Dropout(dropout),
            )
            for _ in range(3)
        )
        self.norm = nn.BatchNorm1d(128)
        self.head = nn.Linear(128, outputs)

    def forward(self, x: Tensor) -> Tensor:
        x = self.project(x)
        for block in self.blocks:
            x = x + block(x)
        return self.head(self.norm(x))

    def load(self, weights: Mapping[str, np.ndarray]) -> None:
        load_linear(self.project, weights, "project")
        load_linear(self.head, weights, "head")
        for number, block in enumerate(self.blocks):
            load_linear(block[1], weights, f"{number}.first")
            load_linear(block[4], weights, f"{number}.second")


class Tokens(nn.Module):
    """A token per feature behind a classification token."""

    def __init__(self, columns: int) -> None:
        super().__init__()
        self.weight, self.bias, self.cls = (
            nn.Parameter(torch.empty(count, 64).uniform_(-1 / 8, 1 / 8)) for count in (columns, columns, 1)
        )

    def forward(self, x: Tensor) -> Tensor:
        features = x.unsqueeze(-1) * self.weight + self.bias
        return torch.cat([self.cls.expand(len(x), 1, 64), features], dim=1)

    def load(self, weights: Mapping[str, np.ndarray]) -> None:
        with torch.no_grad():
            for name in ("weight", "bias", "cls"):
                getattr(self, name).copy_(torch.from_numpy(weights[f"tokens.{name}"]))


def encoder_layer(dropout: float) -> nn.TransformerEncoderLayer:
    return nn.TransformerEncoderLayer(64, 4, 256, dropout, activation="gelu", batch_first=True, norm_first=False)


class FTTransformer(nn.Module):
    """Three encoder layers over feature tokens."""

    def __init__(self, columns: int, outputs: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.tokens = Tokens(columns)
        self.layers = nn.ModuleList(encoder_layer(dropout) for _ in range(3))
        self.head = nn.Linear(64, outputs)

    def forward(self, x: Tensor) -> Tensor:
        y = self.tokens(x)
        for layer in self.layers:
            y = layer(y)
        return self.head(y[:, 0])

    def load(self, weights: Mapping[str, np.ndarray]) -> None:
        self.tokens.load(weights)
        load_linear(self.head, weights, "head")
        for number, layer in enumerate(self.layers):
            load_encoder(layer, weights, str(number))


class SAINT(nn.Module):
    """Three encoder layers over feature tokens, each followed by attention between the rows of the batch."""

    def __init__(self, columns: int, outputs: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.tokens = Tokens(columns)
        self.layers = nn.ModuleList(encoder_layer(dropout) for _ in range(3))
        self.sample_norms = nn.ModuleList(nn.LayerNorm(64) for _ in range(3))
        self.samples = nn.ModuleList(nn.MultiheadAttention(64, 4, dropout, batch_first=True) for _ in range(3))
        self.norm = nn.LayerNorm(64)
        self.head = nn.Linear(64, outputs)

    def forward(self, x: Tensor) -> Tensor:
        y = self.tokens(x)
        for layer, norm, attention in zip(self.layers, self.sample_norms, self.samples, strict=True):
            y = layer(y)
            columns = norm(y).transpose(0, 1)
            y = y + attention(columns, columns, columns, need_weights=False)[0].transpose(0, 1)
        return self.head(self.norm(y)[:, 0])

    def load(self, weights: Mapping[str, np.ndarray]) -> None:
        self.tokens.load(weights)
        load_linear(self.head, weights, "head")
        for number, layer in enumerate(self.layers):
            load_encoder(layer, weights, str(number))
            load_attention(self.samples[number], weights, f"{number}.samples")


def load_linear(layer: nn.Linear, weights: Mapping[str, np.ndarray], name: str) -> None:
    """Copy a layer's initial weights from the engine's names and orientation."""
    with torch.no_grad():
        layer.weight.copy_(torch.from_numpy(weights[f"{name}.weight"].T))
        layer.bias.copy_(torch.from_numpy(weights[f"{name}.bias"]))


def load_attention(layer: nn.MultiheadAttention, weights: Mapping[str, np.ndarray], name: str) -> None:
    """The same for multi-head attention."""
    parts = ("query", "key_value")
    with torch.no_grad():
        joined = np.concatenate([weights[f"{name}.{part}.weight"].T for part in parts])
        layer.in_proj_weight.copy_(torch.from_numpy(joined))
        layer.in_proj_bias.copy_(torch.from_numpy(np.concatenate([weights[f"{name}.{p}.bias"] for p in parts])))
    load_linear(layer.out_proj, weights, f"{name}.out")


def load_encoder(layer: nn.TransformerEncoderLayer, weights: Mapping[str, np.ndarray], name: str) -> None:
    """The same for an encoder layer."""
    load_attention(layer.self_attn, weights, f"{name}.attention")
    load_linear(layer.linear1, weights, f"{name}.first")
    load_linear(layer.linear2, weights, f"{name}.second")


Loss = Callable[[Tensor, Tensor], Tensor]


def binary_loss(output: Tensor, y: Tensor) -> Tensor:
    return F.binary_cross_entropy_with_logits(output.squeeze(-1), y)


def multiclass_loss(output: Tensor, y: Tensor) -> Tensor:
    return F.cross_entropy(output, y.long())


def gaussian_loss(output: Tensor, y: Tensor) -> Tensor:
    std = F.softplus(output[:, 1]) + 1e-6
    return -torch.distributions.Normal(output[:, 0], std).log_prob(y).mean()


def multivariate_loss(output: Tensor, y: Tensor) -> Tensor:
    size = y.shape[1]
    rows, columns = torch.tril_indices(size, size)
    factor = torch.zeros(len(y), size, size)
    factor[:, rows, columns] = output[:, size:]
    factor = factor.tril(-1) + torch.diag_embed(F.softplus(factor.diagonal(dim1=1, dim2=2)) + 1e-6)
    return -torch.distributions.MultivariateNormal(output[:, :size], scale_tril=factor).log_prob(y).mean()


def score(network: nn.Module, recipe: Recipe, loss: Loss, x: Tensor, y: Tensor) -> float:
    """Validation score: accuracy or minus the loss."""
    network.eval()
    with torch.no_grad():
        output = network(x)
        if recipe.score == "loss":
            return -float(loss(output, y))
        predicted = output.argmax(1) if output.shape[1] > 1 else (output[:, 0] > 0).float()
        return float((predicted == y).double().mean())


def fit(
    network: nn.Module,
    recipe: Recipe,
    loss: Loss,
    fitted: tuple[Tensor, Tensor],
    validation: tuple[Tensor, Tensor],
    *,
    batch: int,
    max_epochs: int,
    orders: Iterable[np.ndarray] | None = None,
) -> None:
    """Train `network` in place and end with its best state.

    Args:
        orders: row order of each epoch; default: random.
    """
    kind = torch.optim.Adam if recipe.optimiser == "adam" else torch.optim.AdamW
    parameters = list(network.parameters())
    optimiser = kind(parameters, lr=recipe.learning_rate, weight_decay=recipe.weight_decay)
    schedule = None
    if recipe.cosine_epochs is not None:
        schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, recipe.cosine_epochs)
    x, y = fitted
    given = None if orders is None else iter(orders)
    best, waited, state = -float("inf"), 0, copy.deepcopy(network.state_dict())
    for _ in range(max_epochs):
        network.train()
        order = torch.randperm(len(x)) if given is None else torch.from_numpy(next(given))
        for rows in order.split(batch):
            optimiser.zero_grad()
            value = loss(network(x[rows]), y[rows])
            if recipe.matrix_decay:
                squares = sum((p * p).sum() for p in parameters if p.ndim == 2)
                value = value + recipe.matrix_decay / (2 * len(rows)) * squares
            value.backward()
            if recipe.gradient_norm is not None:
                nn.utils.clip_grad_norm_(parameters, recipe.gradient_norm)
            optimiser.step()
        if schedule is not None:
            schedule.step()
        now = score(network, recipe, loss, *validation)
        waited = waited + 1 if now < best + recipe.tolerance else 0
        if now > best:
            best, state = now, copy.deepcopy(network.state_dict())
        if waited > recipe.patience:
            break
    network.load_state_dict(state)
    network.eval()


NETWORKS: dict[str, Callable[..., nn.Module]] = {
    "mlp": MLP,
    "resnet": ResNet,
    "ft_transformer": FTTransformer,
    "saint": SAINT,
}
LOSSES: dict[str, Loss] = {
    "binary": binary_loss,
    "multiclass": multiclass_loss,
    "regression": gaussian_loss,
    "multivariate": multivariate_loss,
}

"""A user's torch module as an architecture: the lanes of a block run side by side through `torch.vmap`."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np
import torch
from torch import Tensor, nn
from torch.func import functional_call
from torch.nn.modules.batchnorm import _BatchNorm, _NormBase
from torch.nn.modules.dropout import _DropoutNd

from uqalign.checks import FloatArray
from uqalign.errors import UserError
from uqalign.models.nets.network import Parameter, Pass, Tensors

Make = Callable[[int, int], nn.Module]

PROBE_ROWS = 5
ANOTHER_WAY = "or write it as a `uqalign.models.nets.network.Network`"

_initialising = threading.Lock()


def initialise(make: Make, columns: int, outputs: int, seed: int) -> nn.Module:
    """A new module whose initial weights come from `seed`; torch's global random state stays as it is."""
    with _initialising, torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed)
        module = make(columns, outputs)
    if not isinstance(module, nn.Module):
        raise UserError(f"make(columns, outputs) returned a {type(module).__name__}, expected a torch.nn.Module")
    module.train()
    for layer in module.modules():
        if isinstance(layer, _DropoutNd) and layer.p == 0:
            layer.eval()  # asks for random numbers in training even so
    return module


class _Drawn:
    """Initial weights of one replicate after the other: those of one replicate come from one initialisation."""

    def __init__(self, make: Make, columns: int, outputs: int) -> None:
        self._new: Callable[[int], nn.Module] = partial(initialise, make, columns, outputs)
        self._left: dict[str, FloatArray] = {}

    def take(self, name: str, rng: np.random.RandomState) -> FloatArray:
        if name not in self._left:
            module = self._new(int(rng.randint(2**31 - 1)))
            self._left = {
                key: np.atleast_1d(weight.detach().cpu().numpy().astype(np.float64))
                for key, weight in module.named_parameters()
            }
        return self._left.pop(name)


@dataclass(frozen=True)
class _Weight(Parameter):
    """A weight whose initial value is the module's own."""

    name: str = ""
    drawn: _Drawn | None = None

    def draw(self, rng: np.random.RandomState) -> FloatArray:
        assert self.drawn is not None
        return self.drawn.take(self.name, rng)


@dataclass(frozen=True)
class _Layout:
    """What a module is like for given numbers of columns and outputs.

    Attributes:
        weights: shapes of the trained parameters, in the module's order; a single number counts as a vector of one.
        kept: numbers per row kept between the forward and the backward pass.
    """

    weights: dict[str, tuple[int, ...]]
    kept: int


class ModuleNetwork:
    """The architecture that `make(columns, outputs)` returns.

    A lane's numbers must depend on its own seed and rows alone, so modules that are random or stateful in training,
    or whose rows see each other, are refused when they are first seen.

    Args:
        make: returns a new module from (rows, columns) to (rows, outputs), its initial weights from torch's generator.
        name: of the model, for messages.
    """

    pads_columns: ClassVar[bool] = False
    pads_rows: ClassVar[bool] = True
    evaluation_rows: ClassVar[int] = 512

    def __init__(self, make: Make, name: str) -> None:
        self._make, self._name = make, name
        self._layouts: dict[tuple[int, int], _Layout] = {}
        self._threads = threading.local()

    def parameters(self, columns: int, outputs: int) -> dict[str, Parameter]:
        if (columns, outputs) not in self._layouts:
            try:
                self._layouts[columns, outputs] = inspect(self._make, columns, outputs)
            except UserError as error:
                raise UserError(f"model {self._name!r}: {error}") from error.__cause__
        drawn = _Drawn(self._make, columns, outputs)
        shapes = self._layouts[columns, outputs].weights
        return {name: _Weight(shape, name=name, drawn=drawn) for name, shape in shapes.items()}

    def buffers(self) -> dict[str, Parameter]:
        return {}

    def activations(self, rows: int, columns: int) -> int:
        return rows * max(layout.kept for (seen, _), layout in self._layouts.items() if seen == columns)

    def forward(self, weights: Tensors, buffers: Tensors, x: Tensor, now: Pass) -> Tensor:
        return run_lanes(self._module(weights, x), weights, x)

    def _module(self, weights: Tensors, x: Tensor) -> nn.Module:
        """This thread's module of these shapes: a functional call puts weights into the module while it lasts."""
        shapes = {name: tuple(weight.shape[1:]) for name, weight in weights.items()}
        key = (x.shape[-1], tuple(shapes.items()), x.device)
        modules: dict[object, nn.Module] = self._threads.__dict__.setdefault("modules", {})
        if key not in modules:
            columns, outputs = next(
                sizes for sizes, layout in self._layouts.items() if sizes[0] == x.shape[-1] and layout.weights == shapes
            )
            modules[key] = initialise(self._make, columns, outputs, 0).to(x.device)
        return modules[key]


def run_lanes(module: nn.Module, weights: Tensors, x: Tensor) -> Tensor:
    """(R, rows, outputs) of `module` for `x` (R, rows, columns), each lane with its own weights."""
    scalars = {name for name, weight in module.named_parameters() if weight.ndim == 0}

    def lane(weights: dict[str, Tensor], x: Tensor) -> Tensor:
        own = {name: weight[0] if name in scalars else weight for name, weight in weights.items()}
        output: Tensor = functional_call(module, own, (x,))
        return output

    output: Tensor = torch.vmap(lane)(dict(weights), x)
    return output


def inspect(make: Make, columns: int, outputs: int) -> _Layout:
    """Try a module on a few rows.

    Raises:
        UserError: it is random or stateful in training, lets rows see each other, has initial weights that do not
            come from torch's generator, or operations that `torch.vmap` does not know; names the part and the remedy.
    """
    first, again, other = (initialise(make, columns, outputs, seed) for seed in (0, 0, 1))
    _check_layers(first)
    _check_initial_values(first, again, other)
    x = torch.randn(PROBE_ROWS, columns, generator=torch.Generator().manual_seed(0))
    output, kept = _forward(first, x)
    if output.shape != (PROBE_ROWS, outputs):
        raise UserError(
            f"the module returned {tuple(output.shape)} for {PROBE_ROWS} rows, expected {(PROBE_ROWS, outputs)}: "
            "`outputs` is the width of its last layer"
        )
    _check_rows(first, x, output)
    weights = _trained(first, output)
    with torch.no_grad():
        _check_lanes((first, other), weights, x)
    return _Layout(weights, max(1, kept // PROBE_ROWS))


def _check_layers(module: nn.Module) -> None:
    for name, layer in module.named_modules():
        where = f"layer {name!r} ({type(layer).__name__})" if name else f"the module ({type(layer).__name__})"
        if isinstance(layer, _BatchNorm) or (isinstance(layer, _NormBase) and layer.track_running_stats):
            raise UserError(
                f"{where} keeps statistics of batches, which fits trained side by side cannot have of their own: "
                f"use LayerNorm, {ANOTHER_WAY}, which has `batch_norm`"
            )
        attention = isinstance(layer, nn.MultiheadAttention | nn.RNNBase) and layer.dropout > 0
        dropout = isinstance(layer, _DropoutNd) and layer.p > 0
        if attention or dropout or isinstance(layer, nn.RReLU):
            raise UserError(
                f"{where} is random in training, and fits trained side by side would share its random numbers: "
                f"leave it out (LayerNorm and `weight_decay` regularise without), {ANOTHER_WAY}, which has `dropout` "
                "from each fit's own seed"
            )
    for name, weight in module.named_parameters():
        if nn.parameter.is_lazy(weight):
            raise UserError(f"parameter {name!r} has no shape yet: give its layer sizes, `make` knows columns, outputs")
        if not weight.is_floating_point():
            raise UserError(f"parameter {name!r} is {weight.dtype}: use real floating-point parameters")


def _check_initial_values(first: nn.Module, again: nn.Module, other: nn.Module) -> None:
    repeated = again.state_dict()
    for name, value in first.state_dict().items():
        if not _same(value, repeated[name], exact=True):
            raise UserError(
                f"{name!r} differs between two modules of one seed: draw initial values from torch's own generator"
            )
    theirs = {**dict(other.named_buffers()), **dict(other.named_parameters())}
    fixed = [*first.named_buffers(), *((n, p) for n, p in first.named_parameters() if not p.requires_grad)]
    for name, value in fixed:
        if not _same(value, theirs[name], exact=True):
            raise UserError(
                f"{name!r} is not trained but random, and fits trained side by side share what is not trained: "
                f"draw it from a `torch.Generator` with a seed of its own, train it, {ANOTHER_WAY}"
            )


def _forward(module: nn.Module, x: Tensor) -> tuple[Tensor, int]:
    """Output in training, and how many numbers are kept for the backward pass beside the weights."""
    weights = {weight.untyped_storage().data_ptr() for weight in module.parameters()}
    kept: dict[int, int] = {}

    def keep(tensor: Tensor) -> Tensor:
        place = tensor.untyped_storage().data_ptr()
        if place not in weights:
            kept[place] = max(kept.get(place, 0), tensor.numel())
        return tensor

    before = {name: buffer.clone() for name, buffer in module.named_buffers()}
    with torch.random.fork_rng(devices=[]):
        with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
            output: Tensor = module(x)
        with torch.no_grad():
            repeated = module(x)
    for name, buffer in module.named_buffers():
        if not _same(buffer, before[name], exact=True):
            raise UserError(
                f"buffer {name!r} changes during training, and fits trained side by side share it: "
                f"do without it (LayerNorm instead of batch statistics), {ANOTHER_WAY}, which has buffers per fit"
            )
    if not _same(output, repeated, exact=False):
        raise UserError(
            "the module's output for the same rows is not always the same, and fits trained side by side would share "
            f"its random numbers: make its forward pass deterministic, {ANOTHER_WAY}, which has `dropout` from each "
            "fit's own seed"
        )
    return output, sum(kept.values())


def _check_rows(module: nn.Module, x: Tensor, output: Tensor) -> None:
    with torch.no_grad():
        for row in range(len(x)):
            if not _same(module(x[row : row + 1]), output[row : row + 1], exact=False):
                raise UserError(
                    "the output for a row depends on the other rows of its batch, so that a prediction would depend "
                    f"on which rows come together: normalise each row by itself (LayerNorm), {ANOTHER_WAY}"
                )


def _trained(module: nn.Module, output: Tensor) -> dict[str, tuple[int, ...]]:
    """Shapes of the parameters that have a gradient; those that take no part in the output are left alone."""
    weights = {name: weight for name, weight in module.named_parameters() if weight.requires_grad}
    if not weights or not output.requires_grad:
        raise UserError("the module has no parameters to train: keep them as `torch.nn.Parameter` or layers")
    slopes = torch.autograd.grad(output.sum(), list(weights.values()), allow_unused=True)
    return {name: tuple(slope.shape) or (1,) for name, slope in zip(weights, slopes, strict=True) if slope is not None}


def _check_lanes(modules: tuple[nn.Module, ...], shapes: dict[str, tuple[int, ...]], x: Tensor) -> None:
    each = [dict(module.named_parameters()) for module in modules]
    stacked = {name: torch.stack([lane[name].reshape(shape) for lane in each]) for name, shape in shapes.items()}
    try:
        together = run_lanes(modules[0], stacked, x.expand(len(modules), *x.shape))
    except RuntimeError as error:
        told = str(error).splitlines()[0]
        raise UserError(
            f"`torch.vmap` cannot run the module ({told}): replace that operation, {ANOTHER_WAY}"
        ) from error
    for module, output in zip(modules, together, strict=True):
        if not _same(output, module(x), exact=False):
            raise UserError(f"`torch.vmap` gives other numbers than the module alone: simplify it, {ANOTHER_WAY}")


def _same(a: Tensor, b: Tensor, *, exact: bool) -> bool:
    rtol, atol = (0.0, 0.0) if exact else (1e-4, 1e-5)
    return a.shape == b.shape and torch.allclose(a, b, rtol=rtol, atol=atol, equal_nan=True)

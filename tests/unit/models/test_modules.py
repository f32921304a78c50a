"""Torch modules of one's own on the batched engine."""

import itertools
import pickle
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn

from model_problems import binary_problem, make_problem, regression, regression_problem
from uqalign.models.base import REGISTRY, Compute, fit_all
from uqalign.models.modules import module_model
from uqalign.models.nets.module import ModuleNetwork
from uqalign.models.nets.network import Pass, Sizes
from uqalign.predictions import check_prediction
from uqalign.provenance import declaration_digest, declaration_modules
from uqalign.training.engine import train
from uqalign.training.heads import Gaussian
from uqalign.training.replicate import Replicate
from uqalign.training.rows import prepare
from uqalign.training.store import Store

CPU = torch.device("cpu")
TASKS = ("binary", "multiclass", "regression", "multivariate")


class Net(nn.Module):
    """Two layers with a norm, a scalar parameter, a frozen one, one that takes no part, and a constant buffer."""

    def __init__(self, columns, outputs):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(columns, 32), nn.LayerNorm(32), nn.SiLU(), nn.Dropout(0.0))
        self.head = nn.Linear(32, outputs)
        self.gain = nn.Parameter(torch.rand(()) + 0.5)
        self.idle = nn.Parameter(torch.randn(3))
        self.frozen = nn.Parameter(torch.ones(outputs), requires_grad=False)
        self.register_buffer("shift", torch.full((outputs,), 0.1))

    def forward(self, x):
        return self.gain * self.head(self.body(x)) * self.frozen + self.shift


def build(columns, outputs):
    return Net(columns, outputs)


def sequential(*layers):
    """A factory of a small network with `layers` inside."""
    return lambda columns, outputs: nn.Sequential(nn.Linear(columns, 8), *layers, nn.ReLU(), nn.Linear(8, outputs))


def model_of(make=build, **options):
    return module_model("net", make, tasks=TASKS, **{"epochs": 40, "batch_size": 32, "learning_rate": 1e-2, **options})


def toy(task, *, seed=1, n=300, test=100):
    x, y = regression(n)
    target = {
        "binary": y > 0,
        "multiclass": np.digitize(y, [-0.7, 0.7]),
        "regression": 50 + 4 * y,
        "multivariate": np.column_stack([y, 3 - 2 * y]),
    }[task]
    width = {"binary": 2, "multiclass": 3, "regression": 1, "multivariate": 2}[task]
    if task == "multivariate":
        target = target + 0.1 * np.random.default_rng(1).normal(size=target.shape)
    hidden = np.random.default_rng(seed).permutation(n)[:test]
    given = make_problem(x, target, task=task, test=np.sort(hidden), seed=seed, width=width)
    return given, np.asarray(target, dtype=float)[given.test]


def predictions(model, problems, threads=1):
    outcomes = list(fit_all(model, problems, Compute(threads)))
    assert not [outcome.error for outcome in outcomes if outcome.error]
    return [outcome.prediction for outcome in outcomes]


@pytest.mark.parametrize("task", TASKS)
def test_it_learns(task):
    given, truth = toy(task)

    def loss(model):
        (found,) = predictions(model, [given])
        check_prediction(task, found, len(given.test), given.width)
        shown = np.eye(3)[truth.astype(int)] if task == "multiclass" else truth
        return np.mean((found[0] - shown) ** 2)

    assert loss(model_of()) < 0.6 * loss(REGISTRY.get("constant"))


@pytest.mark.parametrize("task", ["binary", "regression"])
def test_neither_neighbours_nor_order_nor_cores_nor_random_state_matter(task):
    problems = [toy(task, seed=seed, n=90, test=15 + seed % 2)[0] for seed in range(3)]
    model = model_of()
    torch.manual_seed(1)
    together = predictions(model, problems)
    torch.manual_seed(2)
    state = torch.get_rng_state()
    order = [2, 0, 1]
    permuted = predictions(model, [problems[i] for i in order], threads=2)
    alone = [predictions(model, [given])[0] for given in problems]
    assert torch.equal(torch.get_rng_state(), state)
    for i, found in [*zip(order, permuted, strict=True), *enumerate(alone)]:
        for a, b in zip(found, together[i], strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5)
    assert np.abs(alone[0][0][:15] - alone[2][0][:15]).max() > 1e-3


def test_many_blocks_on_several_cores():
    """A functional call swaps weights into the module: each core needs one of its own."""
    problems = [regression_problem(seed=seed, n=60) for seed in range(40)]
    one = predictions(model_of(epochs=3), problems)
    several = predictions(model_of(epochs=3), problems, threads=4)
    for a, b in zip(one, several, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5)


def test_stacked_modules_equal_a_loop():
    """functorch #986, #867: three modules side by side are three modules one after the other."""
    network, draws = ModuleNetwork(build, "net"), np.random.RandomState(0)
    weights = [
        {name: p.draw(draws).astype(np.float32) for name, p in network.parameters(4, 2).items()} for _ in range(3)
    ]
    stacked = {name: torch.from_numpy(np.stack([lane[name] for lane in weights])) for name in weights[0]}
    assert not {"idle", "frozen", "shift"} & set(stacked)
    x = torch.randn(3, 6, 4, generator=torch.Generator().manual_seed(3))
    together = network.forward(stacked, {}, x, Pass(Sizes.of([6] * 3, CPU)))
    for lane, own in enumerate(weights):
        module = build(4, 2)
        own["gain"] = own["gain"][0]
        module.load_state_dict({name: torch.tensor(value) for name, value in own.items()}, strict=False)
        torch.testing.assert_close(together[lane], module(x[lane]), rtol=1e-5, atol=1e-5)


@pytest.fixture
def double_precision():
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


def trained_alone(rows, seed, recipe):
    """(n_test, outputs) of a module trained by torch's own loop: AdamW, cosine, clipped gradients, best epoch."""
    twin = Replicate(rows, seed, recipe, CPU)
    module = build(rows.learned.columns, rows.head.outputs)
    with torch.no_grad():
        for name, weight in module.named_parameters():
            if name in twin.weights:
                weight.copy_(torch.from_numpy(twin.weights[name]).view(weight.shape))
    used = [weight for name, weight in module.named_parameters() if name in twin.weights]
    optimiser = torch.optim.AdamW(used, lr=recipe.learning_rate, weight_decay=recipe.weight_decay)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, recipe.cosine_epochs)
    features = np.concatenate(rows.problem.arrays(scale=True)).astype(np.float32)
    x, y = torch.from_numpy(features).double(), torch.from_numpy(rows.y).double()

    def loss(positions):
        return Gaussian().loss(module(x[positions])[None], y[positions][None]).mean()

    best, output = np.inf, None
    for _ in range(twin.max_epochs):
        for batch in torch.from_numpy(twin.shuffle().copy()).split(twin.batch):
            optimiser.zero_grad()
            loss(batch).backward()
            nn.utils.clip_grad_norm_(used, recipe.gradient_norm)
            optimiser.step()
        schedule.step()
        with torch.no_grad():
            if (now := float(loss(twin.validation))) < best:
                best, output = now, module(x[rows.n_train :]).numpy()
    return output


def test_training_side_by_side_equals_a_loop_of_plain_torch(double_precision):
    recipe = model_of(epochs=8, batch_size=16).fit_predict_many.recipe("regression")
    tables = [prepare(toy("regression", seed=seed, n=90, test=15 + seed)[0]) for seed in range(3)]
    replicates = [Replicate(rows, seed, recipe, CPU) for seed, rows in enumerate(tables)]
    train(replicates, Store(tables, CPU), CPU)
    for seed, (rows, replicate) in enumerate(zip(tables, replicates, strict=True)):
        np.testing.assert_allclose(replicate.output, trained_alone(rows, seed, recipe), rtol=1e-5, atol=1e-5)


def test_settings_take_effect():
    (plain,) = predictions(model_of(), [regression_problem()])
    for setting in (
        {"epochs": 5},
        {"batch_size": 8},
        {"learning_rate": 1e-3},
        {"weight_decay": 1.0},
        {"patience": 0},
        {"validation": 0.3},
    ):
        (other,) = predictions(model_of(**setting), [regression_problem()])
        assert np.abs(other[0] - plain[0]).max() > 1e-3, setting


class Batchwise(nn.Module):
    def forward(self, x):
        return x - x.mean(0)


class Counting(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("seen", torch.zeros(()))

    def forward(self, x):
        self.seen += 1
        return x


class Noisy(nn.Module):
    def forward(self, x):
        return x + torch.randn_like(x)


class RandomFeatures(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("basis", torch.randn(8, 8))

    def forward(self, x):
        return x @ self.basis


class Branching(nn.Module):
    def forward(self, x):
        return x if float(x.detach().sum()) < 1e9 else -x


class Total(nn.Module):
    def forward(self, x):
        return x.sum(-1, keepdim=True)


class Unrepeatable(nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.tensor(np.random.default_rng().normal(size=8)).float())

    def forward(self, x):
        return x * self.scale


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (sequential(nn.BatchNorm1d(8)), r"layer '1' \(BatchNorm1d\) keeps statistics .* use LayerNorm, or .*Network`"),
        (sequential(nn.BatchNorm1d(8, track_running_stats=False)), r"layer '1' \(BatchNorm1d\) keeps statistics"),
        (sequential(nn.Sequential(nn.Dropout(0.1))), r"layer '1\.0' \(Dropout\) is random in training.*Network`"),
        (sequential(nn.AlphaDropout(0.1)), r"layer '1' \(AlphaDropout\) is random"),
        (sequential(nn.RReLU()), r"layer '1' \(RReLU\) is random"),
        (sequential(nn.LazyLinear(8)), "parameter '1.weight' has no shape yet"),
        (sequential(Batchwise()), "depends on the other rows of its batch"),
        (sequential(Counting()), "buffer '1.seen' changes during training"),
        (sequential(Noisy()), "output for the same rows is not always the same"),
        (lambda c, o: sequential(RandomFeatures())(c, o), "'1.basis' is not trained but random"),
        (lambda c, o: sequential(Unrepeatable())(c, o), "'1.scale' differs between two modules of one seed"),
        (sequential(Branching()), r"`torch\.vmap` cannot run the module .*Network`"),
        (lambda c, o: nn.Linear(c, o + 1), r"returned \(5, 2\) for 5 rows, expected \(5, 1\)"),
        (lambda c, o: nn.Identity(), r"returned \(5, 3\) for 5 rows, expected \(5, 1\)"),
        (lambda c, o: Total(), "no parameters to train"),
        (lambda c, o: None, r"make\(columns, outputs\) returned a NoneType"),
    ],
    ids=lambda value: None if callable(value) else value[:30],
)
def test_what_cannot_be_trained_side_by_side_is_refused_by_name(make, message):
    with pytest.raises(ValueError, match=message) as caught:
        list(fit_all(model_of(make), [binary_problem()]))
    assert str(caught.value).startswith("model 'net': ")


def test_attention_within_a_row_is_welcome_and_its_dropout_is_not():
    class Tokens(nn.Module):
        def __init__(self, outputs, dropout):
            super().__init__()
            self.embed = nn.Linear(1, 8)
            self.attend = nn.TransformerEncoderLayer(8, 2, 16, dropout, batch_first=True)
            self.head = nn.Linear(8, outputs)

        def forward(self, x):
            return self.head(self.attend(self.embed(x[..., None])).mean(1))

    given = regression_problem(n=60)
    options = {"epochs": 3}
    (alone,) = predictions(model_of(lambda c, o: Tokens(o, 0.0), **options), [given])
    beside = predictions(model_of(lambda c, o: Tokens(o, 0.0), **options), [given, regression_problem(n=60, seed=2)])
    np.testing.assert_allclose(alone, beside[0], rtol=1e-5, atol=1e-5)
    with pytest.raises(ValueError, match=r"layer 'attend.* is random in training"):
        list(fit_all(model_of(lambda c, o: Tokens(o, 0.1), **options), [given]))


def test_divergence_is_recorded():
    def exploding(columns, outputs):
        module = nn.Linear(columns, outputs)
        nn.init.constant_(module.weight, 1e38)
        return module

    (outcome,) = fit_all(model_of(exploding, epochs=2), [regression_problem()])
    assert outcome.error.startswith("FitFailed: ")


def test_the_users_code_and_settings_are_part_of_what_is_tracked():
    model = model_of()
    assert __name__ in declaration_modules(model)
    others = [model_of(Net), *(model_of(**{name: 7}) for name in ("epochs", "batch_size", "patience"))]
    assert len({declaration_digest(each) for each in [model, *others]}) == 5


def test_a_declaration_can_be_pickled():
    model = module_model("net", nn.Linear, tasks=TASKS, epochs=3)
    assert pickle.loads(pickle.dumps(model)) == model


def test_declaring_imports_no_torch():
    code = (
        "import sys\nfrom uqalign.models.modules import module_model\n"
        "module_model('net', lambda c, o: None, tasks=('binary',))\nassert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_bad_declarations_are_refused():
    with pytest.raises(ValueError, match="unknown task 'binari': did you mean 'binary'"):
        module_model("net", build, tasks=("binari",))
    for name, value in itertools.chain(
        {"epochs": 0, "batch_size": 0, "learning_rate": 0.0, "weight_decay": -1.0, "patience": -1}.items(),
        [("validation", 0.0), ("validation", 1.0)],
    ):
        with pytest.raises(ValueError, match=f"model 'net': {name} = .*: must be"):
            module_model("net", build, tasks=("binary",), **{name: value})


def test_classes_absent_from_training_have_no_output():
    given, _ = toy("multiclass")
    train_rows = given.train[given.target[given.train] != 1]
    (found,) = predictions(model_of(epochs=2), [replace(given, train=train_rows)])
    assert (found[0][:, 1] == 0).all()

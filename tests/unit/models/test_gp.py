import gpytorch
import numpy as np
import pytest
import torch
from gpytorch.variational import CholeskyVariationalDistribution, VariationalStrategy
from scipy.special import ndtr
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel

from model_problems import binary_problem, coverage, make_problem, regression, regression_problem
from uqalign.models.base import REGISTRY, Compute, fit_all
from uqalign.models.engines import svgp, svgp_blocks
from uqalign.models.engines.svgp import Lane, Numerics, SparseGP
from uqalign.models.gp import batch_size, inducing_points
from uqalign.training.device import one_thread_each

MODEL = REGISTRY.get("gp")
CPU = torch.device("cpu")
SINGLE, DOUBLE = Numerics(torch.float32, 1e-4), Numerics(torch.float64, 1e-4)


@pytest.fixture(autouse=True)
def one_thread():
    with one_thread_each():
        yield


@pytest.fixture
def few_epochs(monkeypatch):
    monkeypatch.setattr(svgp.train, "__kwdefaults__", {"epochs": 10})


def lane(n=50, features=3, seed=1, *, binary=False, data_seed=0):
    x, y = regression(n + 10, features=features, seed=data_seed)
    y = (y > 0).astype(float) if binary else y / y.std()
    return Lane(x[:n], y[:n], x[n:], seed)


class LibraryGP(gpytorch.models.ApproximateGP):
    """The same model as gpytorch spells it."""

    def __init__(self, inducing):
        distribution = CholeskyVariationalDistribution(len(inducing), mean_init_std=0)
        super().__init__(VariationalStrategy(self, inducing, distribution, jitter_val=1e-4))
        self.variational_strategy.variational_params_initialized.fill_(1)
        self.mean_module = gpytorch.means.ConstantMean()
        self.covar_module = gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel(ard_num_dims=inducing.shape[1]))

    def forward(self, x):
        return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))


def train_library(one, binary, epochs):
    """gpytorch's fit of a lane in double precision, and its prediction of the test rows."""
    x, y, x_test = (torch.as_tensor(values) for values in (one.x, one.y, one.x_test))
    generator = torch.Generator().manual_seed(one.seed)
    order = torch.randperm(len(y), generator=generator)
    model = LibraryGP(x[order[: inducing_points(len(y))]]).double()
    likelihood = (gpytorch.likelihoods.BernoulliLikelihood if binary else gpytorch.likelihoods.GaussianLikelihood)()
    likelihood.double()
    if binary:
        likelihood.quadrature.locations = torch.as_tensor(svgp.NODES) / 2**0.5
        likelihood.quadrature.weights = torch.as_tensor(svgp.WEIGHTS) * np.pi**0.5
    optimiser = torch.optim.Adam([*model.parameters(), *likelihood.parameters()], lr=5e-3)
    objective = gpytorch.mlls.VariationalELBO(likelihood, model, num_data=len(y))
    for _ in range(epochs):
        for batch in torch.randperm(len(y), generator=generator).split(batch_size(len(y))):
            optimiser.zero_grad()
            (-objective(model(x[batch]), y[batch])).backward()
            optimiser.step()
    model.eval()
    with torch.no_grad():
        latent = model(x_test)
        variance = latent.variance if binary else latent.variance + likelihood.noise
        return latent.mean.numpy(), variance.numpy()


@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("n", [70, 97])
def test_a_fit_is_gpytorchs(monkeypatch, binary, n):
    # gpytorch's own is good to five digits.
    monkeypatch.setattr("gpytorch.likelihoods.bernoulli_likelihood.log_normal_cdf", torch.special.log_ndtr)
    one = lane(n, binary=binary)
    model, failed = svgp.train([one], binary=binary, numerics=DOUBLE, device=CPU, epochs=15)
    mean, variance, _ = svgp.predict(model, [one], binary=binary)
    expected_mean, expected_variance = train_library(one, binary, epochs=15)
    assert not failed.any()
    np.testing.assert_allclose(mean[0], expected_mean, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(variance[0], expected_variance, rtol=1e-6)


def exact_posterior(one, x_test, *, outputscale, lengthscale, noise):
    kernel = ConstantKernel(outputscale, "fixed") * RBF(lengthscale, "fixed")
    process = GaussianProcessRegressor(kernel, alpha=noise, optimizer=None).fit(one.x, one.y)
    mean, deviation = process.predict(x_test, return_std=True)
    return mean, deviation**2 + noise, process.log_marginal_likelihood_value_


def optimal_model(one):
    """Inducing points at the training rows and the q that makes a sparse process exact."""
    jitter = 1e-8
    columns = one.x.shape[1]
    model = SparseGP(torch.nn.functional.pad(torch.as_tensor(one.x), (0, svgp.padded(columns) - columns))[None], jitter)
    model.raw_noise.fill_(-2.0)
    model.raw_lengthscale[:, :, :columns] = torch.tensor([0.5, 1.0, 2.0])
    outputscale = svgp.softplus(model.raw_outputscale).item()
    lengthscale = svgp.softplus(model.raw_lengthscale)[0, 0, :columns].numpy()
    noise = model.noise().item()
    scaled = one.x / lengthscale
    k = outputscale * np.exp(-0.5 * ((scaled[:, None] - scaled[None]) ** 2).sum(2)) + jitter * np.eye(len(scaled))
    root = np.linalg.cholesky(k)
    precision = np.eye(len(k)) + root.T @ root / noise
    model.whitened_mean.copy_(torch.as_tensor(np.linalg.solve(precision, root.T @ one.y / noise)))
    model.whitened_root.copy_(torch.as_tensor(np.linalg.cholesky(np.linalg.inv(precision))))
    return model, {"outputscale": outputscale, "lengthscale": lengthscale, "noise": noise}


def test_the_best_sparse_process_is_the_exact_one():
    one = lane(30)
    model, parameters = optimal_model(one)
    mean, variance, failed = svgp.predict(model, [one], binary=False)
    expected_mean, expected_variance, log_evidence = exact_posterior(one, one.x_test, **parameters)
    assert not failed.any()
    np.testing.assert_allclose(mean[0], expected_mean, atol=1e-6)
    np.testing.assert_allclose(variance[0], expected_variance, atol=1e-6)
    y = torch.as_tensor(one.y)[None]
    f_mean, f_variance, _ = model.latent(model.inducing)
    bound = model.expected_log_likelihood(f_mean, f_variance, y, False).sum() - model.divergence()[0]
    assert bound.item() == pytest.approx(log_evidence, abs=1e-4)


def test_a_worse_posterior_has_a_lower_bound():
    one = lane(30)
    model, parameters = optimal_model(one)
    model.whitened_mean += 0.1
    y = torch.as_tensor(one.y)[None]
    mean, variance, _ = model.latent(model.inducing)
    bound = model.expected_log_likelihood(mean, variance, y, False).sum() - model.divergence()[0]
    assert bound.item() < exact_posterior(one, one.x_test, **parameters)[2] - 0.01


def test_training_approaches_the_exact_process():
    one = lane(25)
    model, _ = svgp.train([one], binary=False, numerics=DOUBLE, device=CPU, epochs=1500)
    mean, variance, _ = svgp.predict(model, [one], binary=False)
    centred = Lane(one.x, one.y - model.mean.item(), one.x_test, 0)
    expected_mean, expected_variance, _ = exact_posterior(
        centred,
        one.x_test,
        outputscale=svgp.softplus(model.raw_outputscale).item(),
        lengthscale=svgp.softplus(model.raw_lengthscale).detach()[0, 0, :3].numpy(),
        noise=model.noise().item(),
    )
    np.testing.assert_allclose(mean[0], expected_mean + model.mean.item(), atol=0.03)
    np.testing.assert_allclose(variance[0], expected_variance, rtol=0.1)


def test_the_expected_log_likelihood_of_labels_is_the_integral():
    mean, variance = torch.tensor([[0.3, -2.0]]).double(), torch.tensor([[0.5, 1.5]]).double()
    y = torch.tensor([[1.0, 0.0]]).double()
    model = SparseGP(torch.zeros(1, 2, 1).double(), 1e-4)
    value = model.expected_log_likelihood(mean, variance, y, True)
    z = np.linspace(-9, 9, 200_001)
    for j, sign in enumerate((1, -1)):
        f = mean[0, j].item() + variance[0, j].item() ** 0.5 * z
        integrand = np.log(ndtr(sign * f)) * np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
        assert value[0, j].item() == pytest.approx(np.trapezoid(integrand, z), rel=1e-6)


@pytest.mark.parametrize("x", [-100.0, -1.0, 0.0, 1.0, 29.9, 30.1, 1000.0])
def test_softplus_and_its_slope(x):
    value = torch.tensor(x, dtype=torch.float64, requires_grad=True)
    result = svgp.softplus(value)
    result.backward()
    assert result.item() == pytest.approx(np.logaddexp(0, x), rel=1e-12)
    assert value.grad.item() == pytest.approx(1 / (1 + np.exp(-x)), rel=1e-9, abs=1e-40)


@pytest.mark.parametrize("numerics", [SINGLE, DOUBLE], ids=["single", "double"])
@pytest.mark.parametrize("binary", [False, True], ids=["regression", "binary"])
def test_neighbours_do_not_matter(few_epochs, binary, numerics):
    # 97 rows leave a last batch of one row.
    lanes = [lane(97, seed=seed, data_seed=seed, binary=binary) for seed in range(7)]
    results = {
        count: svgp.fit_block(lanes[:count], binary=binary, numerics=numerics, device=CPU) for count in (1, 3, 7)
    }
    for count in (3, 7):
        for alone, together in zip(results[1][0], results[count][0], strict=True):
            np.testing.assert_allclose(together, alone, rtol=1e-5)
    for three, seven in zip(results[3], results[7], strict=False):
        for a, b in zip(three, seven, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-5)


@pytest.mark.parametrize("make", [regression_problem, binary_problem])
def test_neither_threads_nor_memory_nor_company_matter(few_epochs, make):
    problems = [make(seed=seed, data_seed=seed, n=90 + seed % 2) for seed in range(7)]
    whole = list(svgp_blocks.fit_predict_many(problems, Compute(threads=1)))
    for given, options in (
        (problems, {"compute": Compute(threads=3)}),
        (problems, {"compute": Compute(threads=2), "memory": 1}),
        (problems[::-1], {"compute": Compute(threads=1)}),
    ):
        other = list(svgp_blocks.fit_predict_many(given, **options))
        other = other[::-1] if given is not problems else other
        for a, b in zip(whole, other, strict=True):
            for left, right in zip(a, b, strict=True):
                np.testing.assert_allclose(left, right, rtol=1e-5)
                np.testing.assert_array_equal(np.argsort(left), np.argsort(right))


def test_the_global_state_stays_as_it_was(few_epochs):
    state, threads = torch.get_rng_state(), torch.get_num_threads()
    list(fit_all(MODEL, [binary_problem()], Compute(threads=2)))
    assert torch.equal(state, torch.get_rng_state())
    assert torch.get_num_threads() == threads


@pytest.mark.parametrize("threads", [1, 2])
def test_numbers_too_small_for_normal_ones_are_zero_in_training_only(few_epochs, monkeypatch, threads):
    """Some processors take many times as long for them."""

    def halved():
        return float((torch.tensor([1.2e-38]) / 2)[0])

    seen, climb = [], svgp_blocks.climb
    monkeypatch.setattr(svgp_blocks, "climb", lambda *given: (seen.append(halved()), climb(*given))[1])
    problems = [binary_problem(seed=seed) for seed in (1, 2)]
    assert all(outcome.prediction is not None for outcome in fit_all(MODEL, problems, Compute(threads)))
    assert set(seen) == {0.0}
    assert halved() > 0


def test_seeds_matter(few_epochs):
    first, second = (outcome.prediction[0] for outcome in fit_all(MODEL, [binary_problem(seed=s) for s in (1, 2)]))
    assert np.abs(first - second).max() > 1e-6


@pytest.mark.parametrize(("a", "b"), [(1024.0, 0.0), (1e-9, 3.0), (1e6, -5e8)])
def test_a_rescaled_target_gives_the_rescaled_prediction(few_epochs, a, b):
    here, there = (
        outcome.prediction
        for outcome in fit_all(MODEL, [regression_problem(), regression_problem(lambda y: a * y + b)])
    )
    spread = a * np.ptp(here[0])
    np.testing.assert_allclose(there[0], a * here[0] + b, rtol=0, atol=1e-4 * spread)
    np.testing.assert_allclose(there[1], a**2 * here[1], rtol=1e-4)


def test_intervals_cover_what_they_promise(monkeypatch):
    # 100 epochs of so few rows leave the noise too large; the intervals are then too wide.
    monkeypatch.setattr(svgp.train, "__kwdefaults__", {"epochs": 400})
    x, y = regression(700, noise=0.5, seed=7)
    (outcome,) = fit_all(MODEL, [make_problem(x, y, task="regression", test=np.arange(200, 700))])
    assert coverage(*outcome.prediction, y[200:]) == pytest.approx(0.9, abs=0.04)
    # The variance includes the observation noise.
    assert outcome.prediction[1].min() > 0.15


def test_rows_of_unequal_tests_are_predicted_as_by_themselves(few_epochs):
    x, y = regression(80)
    short = make_problem(x, y, task="regression", test=np.arange(60, 63))
    short = type(short)(**{**short.__dict__, "train": np.arange(60)})
    long = make_problem(x, y, task="regression", test=np.arange(60, 80))
    few, many = (outcome.prediction for outcome in fit_all(MODEL, [short, long]))
    for a, b in zip(few, many, strict=True):
        np.testing.assert_allclose(a, b[:3], rtol=1e-12)


def test_a_constant_target_is_predicted(few_epochs):
    (outcome,) = fit_all(MODEL, [regression_problem(lambda y: 0 * y + 7)])
    np.testing.assert_allclose(outcome.prediction[0], 7, atol=0.05)
    assert (outcome.prediction[1] > 0).all()


def test_one_class_alone_is_predicted(few_epochs):
    x, _ = regression(60)
    given = make_problem(x, np.ones(60), task="binary", test=np.arange(50, 60), width=2)
    (outcome,) = fit_all(MODEL, [given])
    assert (outcome.prediction[0] > 0.5).all()


@pytest.mark.parametrize("spread", [1.0, 1e-2, 1e-6])
def test_repeated_rows_and_long_length_scales_never_give_nan(spread):
    """gpytorch #2047, botorch #926: no Cholesky factor in single precision for near-identical rows."""
    one = lane(30)
    x = one.x * spread
    x[:10] = x[0]
    (result,) = svgp_blocks.climb([Lane(x, one.y, one.x_test, 1)], False, CPU)
    assert result is not None
    assert all(np.isfinite(values).all() for values in result)
    assert (result[1] > 0).all()


REPEATED = Lane(np.repeat(np.eye(3), 20, axis=0), np.tile([0.0, 1.0], 30), np.eye(3), 1)
UNSAFE = Numerics(torch.float32, 0.0)


def test_a_failed_lane_starts_again_in_double_precision_and_its_neighbours_stay(few_epochs):
    healthy = lane(60)
    rungs = (UNSAFE, DOUBLE)
    first, second = svgp_blocks.climb([REPEATED, healthy], False, CPU, rungs)
    (alone,) = svgp.fit_block([healthy], binary=False, numerics=UNSAFE, device=CPU)
    (rescued,) = svgp.fit_block([REPEATED], binary=False, numerics=DOUBLE, device=CPU)
    for a, b in zip((*first, *second), (*rescued, *alone), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5)
    assert svgp.fit_block([REPEATED], binary=False, numerics=UNSAFE, device=CPU) == [None]


def test_a_lane_that_leaves_the_finite_numbers_does_not_touch_its_neighbours(few_epochs):
    healthy, broken = lane(60), lane(60, seed=2)
    broken.y[5] = np.nan
    alone, lost = svgp.fit_block([healthy, broken], binary=False, numerics=SINGLE, device=CPU)
    assert lost is None
    (expected,) = svgp.fit_block([healthy], binary=False, numerics=SINGLE, device=CPU)
    for a, b in zip(alone, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5)


def test_a_lane_that_fails_everywhere_is_a_failed_fit(few_epochs, monkeypatch):
    monkeypatch.setattr(svgp_blocks.climb, "__defaults__", ((UNSAFE,),))
    x = np.zeros((70, 2))
    given = [make_problem(x, np.arange(70) % 2, task="regression", test=np.arange(60, 70)), regression_problem(n=80)]
    failed, fine = fit_all(MODEL, given)
    assert failed.error.startswith("FitFailed: the Gaussian process has no finite fit")
    assert fine.prediction is not None


@pytest.mark.parametrize(
    ("n", "points", "rows"), [(10, 10, 32), (242, 112, 60), (1000, 240, 250), (5000, 512, 1024), (100_000, 512, 1024)]
)
def test_sizes_follow_the_training_rows(n, points, rows):
    assert (inducing_points(n), batch_size(n)) == (points, rows)


def test_slopes_in_closed_form():
    generator = torch.Generator().manual_seed(0)
    points, weight, root, scale = (
        torch.randn(2, *shape, dtype=torch.float64, generator=generator).requires_grad_()
        for shape in ((12, 3), (5,), (5, 5), (1, 1))
    )
    inputs = (points, scale.exp(), weight, root)
    assert torch.autograd.gradcheck(lambda *given: svgp._Conditional.apply(*given, 1e-4)[:2], inputs)

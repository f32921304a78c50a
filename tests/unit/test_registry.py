"""Finding things by name."""

import pytest

from uqalign.models.base import REGISTRY, Model
from uqalign.registry import UnknownNameError, check_name, did_you_mean


def test_the_nearest_name_is_suggested():
    with pytest.raises(UnknownNameError, match=r"unknown model 'mpl': did you mean 'mlp'\?"):
        REGISTRY.get("mpl")
    assert did_you_mean("qqqq", ["b", "a"]) == "known: a, b"


def test_a_dotted_path_finds_a_users_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "own_models.py").write_text(
        "from uqalign.models.base import Model\n"
        "def fit(problem): ...\n"
        "MINE = Model(name='mine', title='Mine', tasks=frozenset({'binary'}), fit_predict=fit, distribution='p')\n"
        "OTHER = 3\n"
        "BAD = Model(name='../up', title='', tasks=frozenset(), fit_predict=fit, distribution='')\n"
    )
    assert REGISTRY.get("own_models:MINE").title == "Mine"
    with pytest.raises(UnknownNameError, match="own_models:NOPE"):
        REGISTRY.get("own_models:NOPE")
    with pytest.raises(UnknownNameError, match="no_such_module"):
        REGISTRY.get("no_such_module:MINE")
    with pytest.raises(ValueError, match="is a int, expected a Model"):
        REGISTRY.get("own_models:OTHER")
    with pytest.raises(ValueError, match=r"'\.\./up'"):
        REGISTRY.get("own_models:BAD")


@pytest.mark.parametrize("name", ["", "A", "a/b", "..", "a" * 41, "a b", "é"])
def test_names_cannot_leave_the_results_folder(name):
    with pytest.raises(ValueError, match="model name"):
        check_name(name, "model")


def test_members_are_listed_in_order_and_typed():
    names = REGISTRY.names()
    assert names == sorted(names)
    assert {"logreg", "random_forest", "gradient_boosting", "mlp", "constant", "noise", "oracle"} <= set(names)
    assert all(isinstance(member, Model) for member in REGISTRY)

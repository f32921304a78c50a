from pathlib import Path

import pytest

from uqalign.models.base import REGISTRY, Model
from uqalign.models.cards import page
from uqalign.tasks import TASKS

DOCUMENT = Path(__file__).parents[3] / "docs" / "models.md"
SUITES = {
    "binary": "logreg random_forest gradient_boosting gp mlp tabpfn ft_transformer saint resnet deep_ensemble",
    "multiclass": "logreg random_forest gradient_boosting mlp tabpfn",
    "regression": "linreg random_forest ngboost gp mlp tabpfn ft_transformer saint resnet deep_ensemble",
    "multivariate": "linreg random_forest ngboost mlp deep_ensemble",
}


def test_the_page_is_in_step_with_the_models():
    assert DOCUMENT.read_text() == page(), "run: python -m uqalign.models.cards > docs/models.md"


@pytest.mark.parametrize("task", TASKS)
def test_the_suites_are_the_published_ones(task):
    assert {m.name for m in REGISTRY if task in m.tasks and not m.control} == set(SUITES[task].split())


def test_the_table_of_suites_says_which_model_knows_which_task():
    rows = [line.strip("|").split("|") for line in page().splitlines() if line.startswith("| [")]
    found = {cells[0].split("]")[0].strip(" ["): [cell.strip() == "yes" for cell in cells[1:]] for cells in rows}
    contenders = [model for model in REGISTRY if not model.control]
    assert found == {model.name: [task in model.tasks for task in TASKS] for model in contenders}
    assert "| models | 10 | 5 | 10 | 5 |" in page()


def test_every_model_has_a_card():
    text = page()
    for model in REGISTRY:
        card = text.split(f"\n### {model.name}\n")[1].split("\n## ")[0].split("\n### ")[0]
        assert all(part in card for part in model.distribution.split("; "))
        assert all(f"- {name}" in card for name in model.hyperparameters)
        assert model.reference in card
        assert all(library in card for library in model.libraries)
        assert ("depends on the other test rows" in card) == model.transductive


def test_nested_hyperparameters_have_dotted_names():
    model = Model(
        name="mine",
        title="Mine",
        tasks=frozenset({"binary"}),
        distribution="p = 1/2",
        fit_predict=lambda problem: (),
        hyperparameters={"outer": {"inner": {"deep": 3}}, "flat": "yes"},
    )
    assert "- outer.inner.deep: 3\n- flat: yes\n" in page([model])

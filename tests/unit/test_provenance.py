"""The code digest changes with what a job executes, and with nothing else."""

import dataclasses
import functools
import sys

import pytest

from uqalign.provenance import (
    canonical_json,
    code_digest,
    declaration_digest,
    declaration_modules,
    modules_behind,
    sha256_of,
    versions,
)

BASE = {
    "__init__.py": "",
    "entry.py": 'from toy import shared\nimport numpy\n\ndef run():\n    """Say."""\n    return shared.value() + 1\n',
    "shared.py": "from .deep import value  # where it is\n",
    "deep.py": "def value():\n    return 41\n",
    "other.py": "X = 1\n",
}


@pytest.fixture
def digest_of(tmp_path, monkeypatch):
    """Digest of toy.entry with some of its files replaced."""
    count = iter(range(100))

    def digest(**changes):
        root = tmp_path / str(next(count))
        (root / "toy").mkdir(parents=True)
        for name, text in {**BASE, **{f"{k}.py": v for k, v in changes.items()}}.items():
            (root / "toy" / name).write_text(text)
        monkeypatch.syspath_prepend(str(root))
        for name in [name for name in sys.modules if name.split(".")[0] == "toy"]:
            del sys.modules[name]
        from uqalign import provenance

        for cached in (provenance._source, provenance._parsed, modules_behind, code_digest):
            cached.cache_clear()
        return code_digest("toy.entry")

    return digest


def test_modules_are_followed_through_imports(digest_of):
    digest_of()
    assert modules_behind("toy.entry") == ("toy", "toy.deep", "toy.entry", "toy.shared")


@pytest.mark.parametrize(
    "same",
    [
        {"entry": "# a comment\n" + BASE["entry.py"]},
        {"entry": BASE["entry.py"].replace('"""Say."""', '"""Say something else."""')},
        {"entry": BASE["entry.py"].replace("shared.value() + 1", "(shared.value()  +  1)")},
        {"other": "X = 2\n"},
        {"entry": BASE["entry.py"].replace('    """Say."""\n', "")},
    ],
    ids=["comment", "docstring", "formatting", "unrelated module", "docstring removed"],
)
def test_what_is_not_executed_does_not_count(digest_of, same):
    assert digest_of(**same) == digest_of()


@pytest.mark.parametrize(
    "changed",
    [
        {"entry": BASE["entry.py"].replace("+ 1", "+ 2")},
        {"deep": "def value():\n    return 42\n"},
        {"shared": "from toy.other import X\n" + BASE["shared.py"]},
        {"__init__": "STATE = 1\n"},
    ],
    ids=["entry", "two imports away", "new import", "package"],
)
def test_what_is_executed_counts(digest_of, changed):
    assert digest_of(**changed) != digest_of()


def test_an_import_inside_a_function_counts():
    # Models import their libraries and helpers late; the digest must see through that.
    assert "uqalign.models.probabilities" in modules_behind("uqalign.models.logreg")
    assert "uqalign.data.preprocess" in modules_behind("uqalign.models.logreg")


def test_scoring_code_does_not_contain_models_and_training_code_no_metrics():
    scoring = modules_behind("uqalign.stages.score")
    assert not [name for name in scoring if name.startswith(("uqalign.models", "uqalign.training"))]
    assert "uqalign.alignment" not in scoring
    training = modules_behind("uqalign.stages.train", "uqalign.models.mlp")
    assert not [name for name in training if name.startswith(("uqalign.metrics", "uqalign.pwu", "uqalign.priors"))]
    assert "uqalign.models.random_forest" not in training


def test_a_module_without_source_is_named():
    with pytest.raises(ValueError, match=r"nowhere\.to_be_found"):
        code_digest("nowhere.to_be_found")


def test_canonical_json_does_not_depend_on_order():
    assert canonical_json({"b": 1, "a": [2, 3]}) == canonical_json({"a": [2, 3], "b": 1}) == '{"a":[2,3],"b":1}'
    with pytest.raises(ValueError, match="JSON"):
        canonical_json({"a": float("nan")})


def _one():
    pass


def _two():
    pass


@dataclasses.dataclass(frozen=True)
class Declared:
    name: str
    make: object
    numbers: tuple = (1, 2)


def test_declarations_are_compared_by_content():
    first = Declared("a", _one)
    assert declaration_digest(first) == declaration_digest(Declared("a", _one))
    for other in (Declared("b", _one), Declared("a", _two), Declared("a", _one, (1, 3))):
        assert declaration_digest(first) != declaration_digest(other)
    assert declaration_modules(Declared("a", functools.partial(_one))) == (__name__,)


def test_checksum_and_versions(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"abc")
    assert sha256_of(path) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    found = versions("numpy", "no-such-distribution")
    assert set(found) == {"python", "uqalign", "numpy"}

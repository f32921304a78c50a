"""Nothing that runs code crosses a stage, names cannot leave their folders, downloads are verified."""

import ast
import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from uqalign.cases.registry import CASES_REGISTRY
from uqalign.config import Config
from uqalign.data.declare import Url, WheelMember
from uqalign.data.errors import DataError, SourceError
from uqalign.data.registry import DATASETS_REGISTRY
from uqalign.data.unpack import check_content
from uqalign.data.user import read_declaration
from uqalign.jobs import Plan
from uqalign.models.base import REGISTRY as MODELS
from uqalign.registry import NAME_PATTERN, check_name, checked_member

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "src").rglob("*.py"))

RUNS_CODE = {
    "pickle",
    "cPickle",
    "_pickle",
    "joblib",
    "cloudpickle",
    "dill",
    "shelve",
    "marshal",
    "jsonpickle",
    "hickle",
}
UNSAFE_CALLS = {
    "torch.load", "torch.save", "np.save", "numpy.save", "pd.read_pickle", "pandas.read_pickle", "yaml.load",
    "yaml.load_all", "yaml.unsafe_load", "yaml.full_load", "yaml.dump", "os.system", "os.popen", "eval", "exec",
    "pd.eval", "builtins.eval", "builtins.exec",
}  # fmt: skip
UNSAFE_METHODS = {"to_pickle", "read_pickle"}
ESCAPES = ["..", "../evil", "a/b", "/etc", "a\\b", "", ".", "a\n", "A", "a b", "~", "$HOME", "a;b", "é", "x" * 41, "-a"]


def dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def findings(tree: ast.Module) -> list[str]:
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names if alias.name.split(".")[0] in RUNS_CODE]
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in RUNS_CODE:
            found.append(str(node.module))
        elif isinstance(node, ast.Call):
            name = dotted(node.func)
            if name in UNSAFE_CALLS or name.rpartition(".")[2] in UNSAFE_METHODS:
                found.append(name)
            found += [
                f"{name}({keyword.arg}=True)"
                for keyword in node.keywords
                if keyword.arg in ("allow_pickle", "shell")
                and not (isinstance(keyword.value, ast.Constant) and keyword.value.value is False)
            ]
    return found


def test_no_file_that_runs_code_when_it_is_read():
    assert len(SOURCES) > 100
    found = {str(path.relative_to(ROOT)): findings(ast.parse(path.read_text())) for path in SOURCES}
    assert {path: names for path, names in found.items() if names} == {}


@pytest.mark.parametrize(
    "text",
    [
        "import pickle", "from joblib import load", "import torch\ntorch.load('x')", "np.load(f, allow_pickle=True)",
        "frame.to_pickle('x')", "yaml.load(text)", "eval('1')", "subprocess.run('ls', shell=True)",
    ],
)  # fmt: skip
def test_the_search_finds_what_it_looks_for(text):
    assert findings(ast.parse(text))


def test_files_between_stages_are_parquet_and_text():
    suffixes = set()
    for path in [ROOT / "Snakefile", *(ROOT / "workflow/rules").glob("*.smk")]:
        for literal in re.findall(r'"(results/[^"]*)"', path.read_text()):
            suffixes.add(Path(literal).suffix)
    suffixes -= {""}  # wildcards of a suffix, and folders
    assert suffixes <= {".parquet", ".csv", ".md", ".tex", ".pdf", ".png", ".svg", ".html", ".json", ".log", ".tsv"}


@pytest.mark.parametrize("name", ESCAPES)
def test_no_name_leaves_its_folder(name, tmp_path):
    with pytest.raises(ValueError, match="name"):
        check_name(name, "model")
    mine = SimpleNamespace(name=name)
    with pytest.raises(ValueError, match="name"):
        checked_member(mine, "mine:MINE", "model", SimpleNamespace)
    declaration = tmp_path / "data.yaml"
    quoted = name.replace("\\", "\\\\").replace("\n", "\\n")
    declaration.write_text(f'name: "{quoted}"\ntask: binary\nfile: a.csv\ntarget: y\n')
    if name:  # without a name, the file's own is taken
        with pytest.raises(DataError, match="name"):
            read_declaration(declaration)


def test_every_registered_name_is_a_folder_name():
    for registry in (DATASETS_REGISTRY, MODELS, CASES_REGISTRY):
        assert all(NAME_PATTERN.fullmatch(member.name) for member in registry)


def test_every_target_lies_below_results():
    plan = Plan(Config(datasets=["iris"], models=["logreg", "random_forest"])).check()
    for target in (*plan.cleaned(), *plan.splits(), *plan.predictions(), *plan.scores()):
        assert Path(target).parts[0] == "results"
        assert ".." not in Path(target).parts
        assert all(len(part) <= 64 for part in Path(target).parts)


def test_every_download_has_a_checksum_and_nothing_is_used_without():
    fetched = [
        member.content
        for dataset in DATASETS_REGISTRY
        for source in dataset.sources
        if isinstance(source, Url | WheelMember)
        for member in source.members
    ]
    assert len(fetched) > 20
    assert all(re.fullmatch("[0-9a-f]{64}", content.sha256) for content in fetched)


def test_a_file_of_one_s_own_needs_a_checksum_too(tmp_path):
    (tmp_path / "data.yaml").write_text("task: binary\nfile: a.csv\ntarget: y\nurl: https://example.org/a.csv\n")
    declared = read_declaration(tmp_path / "data.yaml")
    content = declared.sources[-1].members[0].content
    (tmp_path / "a.csv").write_text("x,y\n1,0\n")
    with (tmp_path / "a.csv").open("rb") as stream, pytest.raises(SourceError, match="no declared checksum"):
        check_content(content, stream, "a.csv")


@pytest.mark.parametrize(
    "url", ["https://me:secret@example.org/a.csv", "file:///etc/passwd", "ftp://example.org/a.csv"]
)
def test_addresses_hold_no_password_and_no_other_scheme(tmp_path, url):
    (tmp_path / "data.yaml").write_text(f"task: binary\nfile: a.csv\ntarget: y\nurl: {url}\n")
    with pytest.raises(DataError, match=r"url: .*http") as caught:
        read_declaration(tmp_path / "data.yaml")
    assert "secret" not in str(caught.value)

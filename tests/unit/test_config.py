"""Settings: what is refused and in which words, and files kept in step with the models that define them."""

import json
from pathlib import Path

import pytest
import yaml

from uqalign.config import Config, ConfigError, default_yaml, json_schema, load_config, parse_config

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"sedes": 3}, "unknown key 'sedes': did you mean 'seeds'?"),
        ({"chunk": {"seed": 1}}, "chunk: unknown key 'seed': did you mean 'seeds'?"),
        ({"zzz": 3}, "unknown key 'zzz': known: case_options, cases, chunk, "),
        ({"models": []}, "models: the list is empty"),
        ({"datasets": []}, "datasets: the list is empty"),
        ({"seeds": []}, "seeds: the list is empty"),
        ({"seeds": [1, 1]}, "seeds: listed more than once: 1"),
        ({"models": ["mlp", "mlp"]}, "models: listed more than once: mlp"),
        ({"seeds": 0}, "seeds: at least one seed"),
        ({"seeds": [-1]}, "seeds: seeds lie between 0 and 999"),
        ({"folds": 1}, "folds: Input should be greater than or equal to 2"),
        ({"split": "random"}, "split: Input should be 'shuffled', 'grouped' or 'blocked'"),
        ({"datasets": "heart"}, "datasets: Input should be a valid list"),
    ],
)
def test_bad_settings_are_refused_by_name(values, message):
    with pytest.raises(ConfigError) as caught:
        parse_config(values)
    assert message in str(caught.value)


def test_every_fault_is_listed_at_once():
    with pytest.raises(ConfigError) as caught:
        parse_config({"folds": 1, "models": []})
    assert "folds:" in str(caught.value)
    assert "models:" in str(caught.value)


def test_seeds_are_a_count_or_a_list():
    assert Config(seeds=3).seed_list == [0, 1, 2]
    assert Config(seeds=[5, 2]).seed_list == [2, 5]


def test_files_of_settings(tmp_path):
    path = tmp_path / "config.yaml"
    with pytest.raises(ConfigError, match="no configuration file"):
        load_config(path)
    path.write_text("seeds: [1,")
    with pytest.raises(ConfigError, match="not valid YAML"):
        load_config(path)
    path.write_text("- seeds\n")
    with pytest.raises(ConfigError, match="keys and values"):
        load_config(path)
    path.write_text("")
    assert load_config(path) == Config()


def test_the_environment_names_the_data_folder(monkeypatch):
    monkeypatch.setenv("UQALIGN_DATA_DIR", "/some/where")
    assert Config().data_dir == Path("/some/where")
    assert Config(data_dir="else/where").data_dir == Path("else/where")


def test_config_yaml_and_schema_are_in_step_with_the_models():
    assert (ROOT / "config.yaml").read_text() == default_yaml(), "run: uqalign config default > config.yaml"
    schema = json.loads((ROOT / "configs/schema.json").read_text())
    assert schema == json_schema(), "run: uqalign config schema > configs/schema.json"


@pytest.mark.parametrize(
    "path", sorted([ROOT / "config.yaml", *(ROOT / "configs").glob("*.yaml")]), ids=lambda p: p.name
)
def test_every_shipped_configuration_can_be_planned(path):
    from uqalign.cases.plan import CasePlan

    assert CasePlan.of(load_config(path)).check().jobs


def test_the_default_file_sets_the_defaults(monkeypatch):
    monkeypatch.delenv("UQALIGN_DATA_DIR", raising=False)
    assert parse_config(yaml.safe_load(default_yaml())) == Config()

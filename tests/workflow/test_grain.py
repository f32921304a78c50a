"""How the grid is cut into jobs decides how many there are, and nothing else."""

from workflow_project import CONFIG

TARGETS = ("results/tables/alignment_binary_decision.csv", "results/tables/models_binary.csv")


def test_the_literal_grid_gives_the_same_tables(fresh, tmp_path):
    tables = {}
    for name, chunk, jobs in (("literal", "{seeds: 1, folds: 1}", 2 * 4), ("chunked", "{seeds: 10, folds: 5}", 2)):
        project = fresh.copy(tmp_path / name)
        project.configure(CONFIG.replace("logreg, mlp, constant", "logreg, noise") + f"chunk: {chunk}\n")
        project.snakemake(*TARGETS)
        assert len(list(project.folder.glob("results/predictions/**/*.parquet"))) == jobs
        assert len(list(project.folder.glob("results/scores/**/*.parquet"))) == jobs
        tables[name] = [(project.folder / target).read_bytes() for target in TARGETS]
    assert tables["literal"] == tables["chunked"]

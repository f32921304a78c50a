"""The theory report as a target of the workflow."""


def test_the_theory_is_a_target(fresh, tmp_path):
    project = fresh.copy(tmp_path / "project")
    done = project.command("snakemake", "--cores", "1", "-n", "--printshellcmds", "superiority_theory")
    assert "uqalign stage superiority_theory --spec '{}'" in done.stdout
    assert "--folder results/superiority/theory " in done.stdout

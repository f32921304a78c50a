rule tables:
    input:
        reports.tables(),


rule table:
    input:
        plan.family_alignments,
    output:
        csv=report(
            "results/tables/alignment_{family}.csv",
            caption="../report/alignment.rst",
            category="Alignment",
            subcategory="{family}",
        ),
        markdown="results/tables/alignment_{family}.md",
        latex="results/tables/alignment_{family}.tex",
    log:
        "results/logs/table/{family}.log",
    benchmark:
        "results/benchmarks/table/{family}.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=grows(1000),
        runtime=grows(30),
    params:
        spec=reports.table_spec,
        code=reports.code("table"),
    shell:
        "uqalign stage table --spec {params.spec:q} --code {params.code} --csv {output.csv} --markdown {output.markdown} --latex {output.latex} {input} > {log} 2>&1"


rule compare:
    input:
        plan.family_alignments,
    output:
        pooled=report(
            multiext("results/tables/pooled_{family}", ".csv", ".md"),
            caption="../report/pooled.rst",
            category="Alignment",
            subcategory="{family}",
        ),
        pairwise=multiext("results/tables/pairwise_{family}", ".csv", ".md"),
        ranks=multiext("results/tables/ranks_{family}", ".csv", ".md"),
    log:
        "results/logs/compare/{family}.log",
    benchmark:
        "results/benchmarks/compare/{family}.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=grows(2000),
        runtime=grows(30),
    params:
        spec=reports.table_spec,
        code=reports.code("compare"),
    shell:
        "uqalign stage compare --spec {params.spec:q} --code {params.code} --pooled {output.pooled} --pairwise {output.pairwise} --ranks {output.ranks} {input} > {log} 2>&1"


rule ablations:
    input:
        plan.alignments(),
    output:
        csv="results/tables/ablations.csv",
        markdown="results/tables/ablations.md",
    log:
        "results/logs/ablations/all.log",
    benchmark:
        "results/benchmarks/ablations/all.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=grows(2000),
        runtime=grows(30),
    params:
        spec=reports.ablations_spec,
        code=reports.code("ablations"),
    shell:
        "uqalign stage ablations --spec {params.spec:q} --code {params.code} --csv {output.csv} --markdown {output.markdown} {input} > {log} 2>&1"


rule leaderboard:
    input:
        plan.task_scores,
    output:
        csv=report(
            "results/tables/models_{task}.csv",
            caption="../report/models.rst",
            category="Models",
            subcategory="{task}",
        ),
        markdown="results/tables/models_{task}.md",
    log:
        "results/logs/leaderboard/{task}.log",
    benchmark:
        "results/benchmarks/leaderboard/{task}.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=grows(2000),
        runtime=grows(30),
    params:
        spec=reports.leaderboard_spec,
        code=reports.code("leaderboard"),
    shell:
        "uqalign stage leaderboard --spec {params.spec:q} --code {params.code} --csv {output.csv} --markdown {output.markdown} {input} > {log} 2>&1"


rule stability:
    input:
        plan.task_scores,
    output:
        stability=multiext("results/tables/stability_{task}", ".csv", ".md"),
        first="results/tables/first_places_{task}.csv",
        ranks=multiext("results/tables/model_ranks_{task}", ".csv", ".md"),
    log:
        "results/logs/stability/{task}.log",
    benchmark:
        "results/benchmarks/stability/{task}.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=grows(2000),
        runtime=grows(30),
    params:
        spec=reports.leaderboard_spec,
        code=reports.code("stability"),
    shell:
        "uqalign stage stability --spec {params.spec:q} --code {params.code} --stability {output.stability} --first-places {output.first} --model-ranks {output.ranks} {input} > {log} 2>&1"


rule theory_table:
    output:
        csv=report("results/tables/table_1.csv", caption="../report/theory.rst", category="Theory"),
        markdown="results/tables/table_1.md",
    log:
        "results/logs/theory_table/all.log",
    benchmark:
        "results/benchmarks/theory_table/all.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=grows(1000),
        runtime=grows(30),
    params:
        code=reports.code("theory_table"),
    shell:
        "uqalign stage theory_table --code {params.code} --csv {output.csv} --markdown {output.markdown} > {log} 2>&1"


rule figures:
    input:
        reports.figures(),


rule figure:
    input:
        plan.task_alignments,
    output:
        reports.boxplots("{task}", ["pdf"]),
        report(
            reports.boxplots("{task}", ["png"]),
            caption="../report/boxplots.rst",
            category="Alignment",
            subcategory="{task}",
        ),
    log:
        "results/logs/figure/{task}.log",
    benchmark:
        "results/benchmarks/figure/{task}.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=grows(2000),
        runtime=grows(30),
    params:
        spec=reports.figure_spec,
        code=reports.code("figure"),
        folder=subpath(output[0], parent=True),
    shell:
        "uqalign stage figure --spec {params.spec:q} --code {params.code} --folder {params.folder} {input} > {log} 2>&1"


rule comparison_figure:
    input:
        ranks="results/tables/ranks_{family}.csv",
        pairwise="results/tables/pairwise_{family}.csv",
    output:
        reports.comparisons("{family}", ["pdf"]),
        report(
            reports.comparisons("{family}", ["png"]),
            caption="../report/comparisons.rst",
            category="Alignment",
            subcategory="{family}",
        ),
    log:
        "results/logs/comparison_figure/{family}.log",
    benchmark:
        "results/benchmarks/comparison_figure/{family}.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=grows(2000),
        runtime=grows(30),
    params:
        spec=reports.comparison_figure_spec,
        code=reports.code("comparison_figure"),
        folder=subpath(output[0], parent=True),
    shell:
        "uqalign stage comparison_figure --ranks {input.ranks} --pairwise {input.pairwise} --spec {params.spec:q} --code {params.code} --folder {params.folder} > {log} 2>&1"


rule model_figure:
    input:
        "results/tables/model_ranks_{task}.csv",
    output:
        reports.pictures("model_ranks_{task}", ["pdf"]),
        report(
            reports.pictures("model_ranks_{task}", ["png"]),
            caption="../report/model_ranks.rst",
            category="Models",
            subcategory="{task}",
        ),
    log:
        "results/logs/model_figure/{task}.log",
    benchmark:
        "results/benchmarks/model_figure/{task}.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=grows(2000),
        runtime=grows(30),
    params:
        spec=reports.figure_spec,
        code=reports.code("model_figure"),
        folder=subpath(output[0], parent=True),
    shell:
        "uqalign stage model_figure --spec {params.spec:q} --code {params.code} --folder {params.folder} {input} > {log} 2>&1"


rule prior_figures:
    output:
        reports.priors(["pdf"]),
        report(reports.priors(["png"]), caption="../report/priors.rst", category="Priors"),
    log:
        "results/logs/prior_figures/all.log",
    benchmark:
        "results/benchmarks/prior_figures/all.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=grows(2000),
        runtime=grows(30),
    params:
        code=reports.code("prior_figures"),
        folder=subpath(output[0], parent=True),
    shell:
        "uqalign stage prior_figures --code {params.code} --folder {params.folder} > {log} 2>&1"

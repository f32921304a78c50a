rule sensitivity:
    input:
        sensitivity_of.targets(),


rule sensitivity_scores:
    input:
        data="results/data/{dataset}.parquet",
        splits=plan.splits_of,
        predictions="results/predictions/{task}/{dataset}/{model}/{seeds}/{folds}.parquet",
    output:
        "results/sensitivity/scores/{task}/{dataset}/{model}/{seeds}/{folds}.parquet",
    log:
        "results/logs/sensitivity_scores/{task}/{dataset}/{model}/{seeds}/{folds}.log",
    benchmark:
        "results/benchmarks/sensitivity_scores/{task}/{dataset}/{model}/{seeds}/{folds}.tsv"
    conda:
        "../../envs/score.yaml"
    threads: 1
    resources:
        mem_mb=grows(2000),
        runtime=grows(60),
    params:
        spec=sensitivity_of.scores_spec,
        code=sensitivity_of.scores_code,
    shell:
        "uqalign stage sensitivity_scores --data {input.data} --splits {input.splits} --predictions {input.predictions} --spec {params.spec:q} --code {params.code} --out {output} > {log} 2>&1"


rule sensitivity_alignment:
    input:
        sensitivity_of.scores_of,
    output:
        levels="results/sensitivity/levels/{task}/{dataset}.parquet",
        surfaces="results/sensitivity/surfaces/{task}/{dataset}.parquet",
    log:
        "results/logs/sensitivity_alignment/{task}/{dataset}.log",
    benchmark:
        "results/benchmarks/sensitivity_alignment/{task}/{dataset}.tsv"
    conda:
        "../../envs/score.yaml"
    threads: 1
    resources:
        mem_mb=grows(2000),
        runtime=grows(60),
    params:
        spec=plan.align_spec,
        code=sensitivity_of.alignment_code,
    shell:
        "uqalign stage sensitivity_alignment --spec {params.spec:q} --code {params.code} --levels {output.levels} --surfaces {output.surfaces} {input} > {log} 2>&1"


rule sensitivity_report:
    input:
        sensitivity_of.results_of,
    output:
        sensitivity_of.report_files(),
    log:
        "results/logs/sensitivity_report/{task}.log",
    benchmark:
        "results/benchmarks/sensitivity_report/{task}.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=grows(2000),
        runtime=grows(30),
    params:
        spec=sensitivity_of.report_spec,
        code=sensitivity_of.report_code,
    shell:
        "uqalign stage sensitivity_report --spec {params.spec:q} --code {params.code} --tables results/sensitivity/tables --figures results/sensitivity/figures {input} > {log} 2>&1"

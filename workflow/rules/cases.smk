rule cases:
    input:
        cases.case_targets(),


rule case_splits:
    input:
        "results/data/{dataset}.parquet",
    output:
        "results/splits/{dataset}/{block}.parquet",
    log:
        "results/logs/case_splits/{dataset}/{block}.log",
    benchmark:
        "results/benchmarks/case_splits/{dataset}/{block}.tsv"
    wildcard_constraints:
        dataset=cases.fixed_splits(),
    conda:
        "../../envs/train.yaml"
    threads: 1
    resources:
        mem_mb=grows(2000),
        runtime=grows(30),
    params:
        spec=cases.fixed_splits_spec,
        code=cases.fixed_splits_code,
    shell:
        "uqalign stage case_splits --data {input} --spec {params.spec:q} --code {params.code} --out {output} > {log} 2>&1"


ruleorder: case_splits > split_data


rule case_side:
    input:
        "results/data/{dataset}.parquet",
    output:
        "results/cases/{case}/side/{dataset}.parquet",
    log:
        "results/logs/case_side/{case}/{dataset}.log",
    benchmark:
        "results/benchmarks/case_side/{case}/{dataset}.tsv"
    conda:
        "../../envs/train.yaml"
    threads: 1
    resources:
        mem_mb=grows(2000),
        runtime=grows(60),
    params:
        spec=cases.side_spec,
        code=cases.side_code,
    shell:
        "uqalign stage case_side --data {input} --spec {params.spec:q} --code {params.code} --out {output} > {log} 2>&1"


rule case_score:
    input:
        cases.score_inputs,
    output:
        "results/cases/{case}/scores/{arm}/{model}/{seeds}/{folds}.parquet",
    log:
        "results/logs/case_score/{case}/{arm}/{model}/{seeds}/{folds}.log",
    benchmark:
        "results/benchmarks/case_score/{case}/{arm}/{model}/{seeds}/{folds}.tsv"
    conda:
        "../../envs/score.yaml"
    threads: 1
    resources:
        mem_mb=grows(3000),
        runtime=grows(120),
    params:
        spec=cases.case_score_spec,
        code=cases.case_score_code,
    shell:
        "uqalign stage case_score --spec {params.spec:q} --code {params.code} --out {output} {input} > {log} 2>&1"


# The rankings are compared as those of the benchmark are.
use rule align as case_align with:
    input:
        cases.case_scores_of,
    output:
        "results/cases/{case}/alignment/{arm}.parquet",
    log:
        "results/logs/case_align/{case}/{arm}.log",
    benchmark:
        "results/benchmarks/case_align/{case}/{arm}.tsv"
    params:
        spec=cases.case_align_spec,
        code=cases.align_code,


rule case_table:
    input:
        cases.report_inputs,
    output:
        csv="results/cases/{case}/tables/{table}.csv",
        markdown="results/cases/{case}/tables/{table}.md",
    log:
        "results/logs/case_table/{case}/{table}.log",
    benchmark:
        "results/benchmarks/case_table/{case}/{table}.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=grows(2000),
        runtime=grows(60),
    params:
        spec=cases.case_table_spec,
        code=cases.case_table_code,
    shell:
        "uqalign stage case_table --spec {params.spec:q} --code {params.code} --csv {output.csv} --markdown {output.markdown} {input} > {log} 2>&1"


rule case_figure:
    input:
        cases.report_inputs,
    output:
        pdf="results/cases/{case}/figures/{figure}.pdf",
        png="results/cases/{case}/figures/{figure}.png",
    log:
        "results/logs/case_figure/{case}/{figure}.log",
    benchmark:
        "results/benchmarks/case_figure/{case}/{figure}.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=grows(2000),
        runtime=grows(60),
    params:
        spec=cases.case_figure_spec,
        code=cases.case_figure_code,
    shell:
        "uqalign stage case_figure --spec {params.spec:q} --code {params.code} --out {output.pdf} --out {output.png} {input} > {log} 2>&1"

rule superiority:
    input:
        study.tables(),
        study.figures(),


rule superiority_train:
    output:
        "results/superiority/predictions/{dataset}/{regime}/{seeds}.parquet",
    log:
        "results/logs/superiority_train/{dataset}/{regime}/{seeds}.log",
    benchmark:
        "results/benchmarks/superiority_train/{dataset}/{regime}/{seeds}.tsv"
    conda:
        "../../envs/train.yaml"
    threads: 1
    resources:
        mem_mb=grows(4000),
        runtime=grows(480),
        gpu=study.gpus,
    params:
        spec=study.train_spec,
        code=study.train_code,
    shell:
        "uqalign stage superiority_train --spec {params.spec:q} --code {params.code} --threads {threads} --out {output} > {log} 2>&1"


rule superiority_score:
    input:
        "results/superiority/predictions/{dataset}/{regime}/{seeds}.parquet",
    output:
        "results/superiority/measures/{dataset}/{regime}/{seeds}.parquet",
    log:
        "results/logs/superiority_score/{dataset}/{regime}/{seeds}.log",
    benchmark:
        "results/benchmarks/superiority_score/{dataset}/{regime}/{seeds}.tsv"
    conda:
        "../../envs/score.yaml"
    threads: 1
    resources:
        mem_mb=grows(2000),
        runtime=grows(60),
    params:
        spec=study.score_spec,
        code=study.score_code,
    shell:
        "uqalign stage superiority_score --predictions {input} --spec {params.spec:q} --code {params.code} --out {output} > {log} 2>&1"


rule superiority_report:
    input:
        study.measures(),
    output:
        study.tables(),
        study.figures(),
    log:
        "results/logs/superiority_report.log",
    benchmark:
        "results/benchmarks/superiority_report.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=grows(2000),
        runtime=grows(30),
    params:
        spec=study.report_spec,
        code=study.report_code,
    shell:
        "uqalign stage superiority_report --spec {params.spec:q} --code {params.code} --tables results/superiority/tables --figures results/superiority/figures {input} > {log} 2>&1"

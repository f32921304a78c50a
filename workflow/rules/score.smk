rule scores:
    input:
        plan.scores(),


rule score:
    input:
        data="results/data/{dataset}.parquet",
        splits=plan.splits_of,
        predictions="results/predictions/{task}/{dataset}/{model}/{seeds}/{folds}.parquet",
    output:
        "results/scores/{task}/{dataset}/{model}/{seeds}/{folds}.parquet",
    log:
        "results/logs/score/{task}/{dataset}/{model}/{seeds}/{folds}.log",
    benchmark:
        "results/benchmarks/score/{task}/{dataset}/{model}/{seeds}/{folds}.tsv"
    conda:
        "../../envs/score.yaml"
    threads: 1
    resources:
        mem_mb=grows(2000),
        runtime=grows(60),
    params:
        spec=plan.score_spec,
        code=plan.score_code,
    shell:
        "uqalign stage score --data {input.data} --splits {input.splits} --predictions {input.predictions} --spec {params.spec:q} --code {params.code} --out {output} > {log} 2>&1"

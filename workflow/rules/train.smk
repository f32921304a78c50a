rule predictions:
    input:
        plan.predictions(),


rule train:
    input:
        data="results/data/{dataset}.parquet",
        splits=plan.splits_of,
    output:
        "results/predictions/{task}/{dataset}/{model}/{seeds}/{folds}.parquet",
    log:
        "results/logs/train/{task}/{dataset}/{model}/{seeds}/{folds}.log",
    benchmark:
        "results/benchmarks/train/{task}/{dataset}/{model}/{seeds}/{folds}.tsv"
    conda:
        "../../envs/train.yaml"
    threads: 1
    resources:
        mem_mb=3000,
        runtime=240,
        gpu=plan.gpus,
    params:
        spec=plan.train_spec,
        code=plan.train_code,
    shell:
        "uqalign stage train --data {input.data} --splits {input.splits} --spec {params.spec:q} --code {params.code} --threads {threads} --out {output} > {log} 2>&1"

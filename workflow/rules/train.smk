rule predictions:
    input:
        cases.predictions(),


rule train:
    input:
        data="results/data/{dataset}.parquet",
        splits=cases.splits_of,
    output:
        "results/predictions/{task}/{dataset}/{model}/{seeds}/{folds}.parquet",
    log:
        "results/logs/train/{task}/{dataset}/{model}/{seeds}/{folds}.log",
    benchmark:
        "results/benchmarks/train/{task}/{dataset}/{model}/{seeds}/{folds}.tsv"
    wildcard_constraints:
        model=plan.trained_with(gpus=0),
    conda:
        "../../envs/train.yaml"
    threads: 1
    resources:
        mem_mb=grows(3000),
        runtime=grows(240),
        gpu=cases.gpus,
    params:
        spec=cases.train_spec,
        code=cases.train_code,
    shell:
        "uqalign stage train --data {input.data} --splits {input.splits} --spec {params.spec:q} --code {params.code} --threads {threads} --out {output} > {log} 2>&1"


# The same on a GPU: a rule of its own, so that a cluster can send it to another partition and in other arrays.
use rule train as train_gpu with:
    wildcard_constraints:
        model=plan.trained_with(gpus=1),

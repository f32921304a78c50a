rule data:
    input:
        cases.cleaned(),


rule clean_data:
    output:
        "results/data/{dataset}.parquet",
    log:
        "results/logs/clean_data/{dataset}.log",
    benchmark:
        "results/benchmarks/clean_data/{dataset}.tsv"
    conda:
        "../../envs/train.yaml"
    threads: 1
    resources:
        mem_mb=grows(2000),
        runtime=grows(60),
    params:
        spec=cases.data_spec,
        code=cases.data_code,
    shell:
        "uqalign stage clean_data --spec {params.spec:q} --code {params.code} --out {output} > {log} 2>&1"


rule splits:
    input:
        cases.splits(),


rule split_data:
    input:
        "results/data/{dataset}.parquet",
    output:
        "results/splits/{dataset}/{block}.parquet",
    log:
        "results/logs/split_data/{dataset}/{block}.log",
    benchmark:
        "results/benchmarks/split_data/{dataset}/{block}.tsv"
    conda:
        "../../envs/train.yaml"
    threads: 1
    resources:
        mem_mb=grows(2000),
        runtime=grows(30),
    params:
        spec=cases.splits_spec,
        code=cases.splits_code,
    shell:
        "uqalign stage split_data --data {input} --spec {params.spec:q} --code {params.code} --out {output} > {log} 2>&1"

rule alignment:
    input:
        plan.alignments(),


rule align:
    input:
        plan.scores_of,
    output:
        "results/alignment/{task}/{dataset}.parquet",
    log:
        "results/logs/align/{task}/{dataset}.log",
    benchmark:
        "results/benchmarks/align/{task}/{dataset}.tsv"
    conda:
        "../../envs/score.yaml"
    threads: 1
    resources:
        mem_mb=grows(2000),
        runtime=grows(60),
    params:
        spec=plan.align_spec,
        code=plan.align_code,
    shell:
        "uqalign stage align --spec {params.spec:q} --code {params.code} --out {output} {input} > {log} 2>&1"

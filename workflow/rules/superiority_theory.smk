superiority_theory_plan = TheoryPlan()


rule superiority_theory:
    output:
        superiority_theory_plan.outputs(),
    log:
        "results/logs/superiority_theory.log",
    benchmark:
        "results/benchmarks/superiority_theory.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=grows(1000),
        runtime=grows(10),
    params:
        spec=superiority_theory_plan.spec,
        code=superiority_theory_plan.code,
        folder=subpath(output[0], parent=True),
    shell:
        "uqalign stage superiority_theory --spec {params.spec:q} --code {params.code} --folder {params.folder} > {log} 2>&1"

rule audit:
    input:
        audit_plan.audit,


rule comparison:
    input:
        audit_plan.comparison().values(),
        audit_plan.comparison_figures(),


rule audit_score:
    input:
        files=audit_plan.score_files,
        data="results/data/{dataset}.parquet",
    output:
        "results/audit/measures/{task}/{dataset}/{model}.parquet",
    log:
        "results/logs/audit_score/{task}/{dataset}/{model}.log",
    benchmark:
        "results/benchmarks/audit_score/{task}/{dataset}/{model}.tsv"
    conda:
        "../../envs/score.yaml"
    threads: 1
    resources:
        mem_mb=grows(2000),
        runtime=grows(120),
    params:
        spec=audit_plan.score_spec,
        code=audit_plan.score_code,
    shell:
        "uqalign stage audit score --data {input.data} --spec {params.spec:q} --code {params.code} --out {output} {input.files} > {log} 2>&1"


rule audit_align:
    input:
        audit_plan.measures_of,
    output:
        taus="results/audit/taus/{task}/{dataset}.parquet",
        without="results/audit/without/{task}/{dataset}.parquet",
    log:
        "results/logs/audit_align/{task}/{dataset}.log",
    benchmark:
        "results/benchmarks/audit_align/{task}/{dataset}.tsv"
    conda:
        "../../envs/score.yaml"
    threads: 1
    resources:
        mem_mb=grows(2000),
        runtime=grows(60),
    params:
        spec=audit_plan.dataset_spec,
        code=audit_plan.align_code,
    shell:
        "uqalign stage audit align --spec {params.spec:q} --code {params.code} --taus {output.taus} --without {output.without} {input} > {log} 2>&1"


rule audit_ties:
    input:
        audit_plan.measures_of,
    output:
        ties="results/audit/ties/{task}/{dataset}.parquet",
        orders="results/audit/orders/{task}/{dataset}.parquet",
    log:
        "results/logs/audit_ties/{task}/{dataset}.log",
    benchmark:
        "results/benchmarks/audit_ties/{task}/{dataset}.tsv"
    conda:
        "../../envs/score.yaml"
    threads: 1
    resources:
        mem_mb=grows(2000),
        runtime=grows(60),
    params:
        spec=audit_plan.dataset_spec,
        code=audit_plan.ties_code,
    shell:
        "uqalign stage audit ties --spec {params.spec:q} --code {params.code} --ties {output.ties} --row-orders {output.orders} {input} > {log} 2>&1"


rule audit_comparison:
    input:
        audit_plan.taus(),
        audit_plan.without(),
    output:
        **audit_plan.comparison(),
    log:
        "results/logs/audit_comparison.log",
    benchmark:
        "results/benchmarks/audit_comparison.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=grows(2000),
        runtime=grows(30),
    params:
        spec=audit_plan.report_spec,
        code=audit_plan.comparison_code,
    shell:
        "uqalign stage audit comparison --spec {params.spec:q} --code {params.code} --csv {output.csv} --markdown {output.md} {input} > {log} 2>&1"


rule audit_report:
    input:
        audit_plan.taus(),
        audit_plan.ties(),
        audit_plan.row_orders(),
        audit_plan.other_yardsticks(),
    output:
        **audit_plan.report(),
    log:
        "results/logs/audit_report.log",
    benchmark:
        "results/benchmarks/audit_report.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=grows(2000),
        runtime=grows(30),
    params:
        spec=audit_plan.claims_spec,
        code=audit_plan.report_code,
        folder=audit_plan.folder,
    shell:
        "uqalign stage audit report --spec {params.spec:q} --code {params.code} --folder {params.folder} {input} > {log} 2>&1"


rule audit_figures:
    input:
        audit_plan.taus(),
    output:
        audit_plan.figures(),
    log:
        "results/logs/audit_figures.log",
    benchmark:
        "results/benchmarks/audit_figures.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=grows(2000),
        runtime=grows(30),
    params:
        spec=audit_plan.report_spec,
        code=audit_plan.figures_code,
        out=[f"--out {path}" for path in audit_plan.figures()],
    shell:
        "uqalign stage audit figures --spec {params.spec:q} --code {params.code} {params.out} {input} > {log} 2>&1"

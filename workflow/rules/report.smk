rule report_dataset:
    input:
        page_plan.predictions_of,
        plan.scores_of,
    output:
        standings=page_plan.data("standings"),
        curves=page_plan.data("curves"),
        fits=page_plan.data("fits"),
    log:
        "results/logs/report_dataset/{task}/{dataset}.log",
    benchmark:
        "results/benchmarks/report_dataset/{task}/{dataset}.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=grows(2000),
        runtime=grows(60),
    params:
        spec=page_plan.dataset_spec,
        code=page_plan.dataset_code,
    shell:
        "uqalign stage report dataset --spec {params.spec:q} --code {params.code} --standings {output.standings} --curves {output.curves} --fits {output.fits} {input} > {log} 2>&1"


rule report:
    input:
        page_plan.inputs(),
    output:
        html=report(page_plan.page, caption="../report/page.rst", category="Report"),
        archive=page_plan.archive,
    log:
        "results/logs/report/all.log",
    benchmark:
        "results/benchmarks/report/all.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=grows(3000),
        runtime=grows(30),
    params:
        spec=page_plan.page_spec,
        code=page_plan.page_code,
    shell:
        "uqalign stage report page --spec {params.spec:q} --code {params.code} --html {output.html} --zip {output.archive} {input} > {log} 2>&1"

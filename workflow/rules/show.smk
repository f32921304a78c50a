rule tables:
    input:
        plan.tables(),


rule table:
    input:
        plan.family_alignments,
    output:
        csv="results/tables/alignment_{family}.csv",
        markdown="results/tables/alignment_{family}.md",
        latex="results/tables/alignment_{family}.tex",
    log:
        "results/logs/table/{family}.log",
    benchmark:
        "results/benchmarks/table/{family}.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=30,
    params:
        spec=plan.table_spec,
        code=plan.table_code,
    shell:
        "uqalign stage table --spec {params.spec:q} --code {params.code} --csv {output.csv} --markdown {output.markdown} --latex {output.latex} {input} > {log} 2>&1"


rule leaderboard:
    input:
        plan.task_scores,
    output:
        csv="results/tables/models_{task}.csv",
        markdown="results/tables/models_{task}.md",
    log:
        "results/logs/leaderboard/{task}.log",
    benchmark:
        "results/benchmarks/leaderboard/{task}.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        spec=plan.leaderboard_spec,
        code=plan.leaderboard_code,
    shell:
        "uqalign stage leaderboard --spec {params.spec:q} --code {params.code} --csv {output.csv} --markdown {output.markdown} {input} > {log} 2>&1"


rule figures:
    input:
        plan.figures(),


rule figure:
    input:
        plan.task_alignments,
    output:
        pdf="results/figures/alignment_{task}.pdf",
        png="results/figures/alignment_{task}.png",
    log:
        "results/logs/figure/{task}.log",
    benchmark:
        "results/benchmarks/figure/{task}.tsv"
    conda:
        "../../envs/report.yaml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=30,
    params:
        spec=plan.figure_spec,
        code=plan.figure_code,
    shell:
        "uqalign stage figure --spec {params.spec:q} --code {params.code} --out {output.pdf} --out {output.png} {input} > {log} 2>&1"

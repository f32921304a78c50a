# Data sets become splits, splits become predictions, predictions become scores, scores become rankings, and rankings
# become alignment. Each arrow is one rule in workflow/rules/ and one `uqalign stage` command.

from pathlib import Path

from snakemake.exceptions import WorkflowError
from snakemake.utils import min_version

from uqalign.audit.plan import AuditPlan
from uqalign.cases.plan import CasePlan
from uqalign.config import parse_config
from uqalign.errors import UserError
from uqalign.jobs import Plan, prepare_environment
from uqalign.manifest import Manifest
from uqalign.report.plan import PagePlan
from uqalign.reporting.plan import ReportPlan
from uqalign.retries import grows
from uqalign.sensitivity.plan import SensitivityPlan
from uqalign.superiority.plan import StudyPlan
from uqalign.superiority.theory_plan import TheoryPlan

min_version("9.20")


configfile: "config.yaml"


try:
    plan = Plan(parse_config(config)).check()
    cases = CasePlan.of(plan.config).check()
except UserError as error:
    raise WorkflowError(str(error)) from None
prepare_environment(plan.config)
manifest = Manifest(plan.config, Path(workflow.basedir))
reports = ReportPlan(plan)
study = StudyPlan(plan.config)
sensitivity_of = SensitivityPlan(plan)
audit_plan = AuditPlan(plan, cases)
page_plan = PagePlan(plan, cases)


wildcard_constraints:
    task="binary|multiclass|regression|multivariate",
    dataset="[a-z0-9_]+",
    model="[a-z0-9_]+",
    seeds=r"seeds-\d+-\d+",
    folds=r"folds-\d+-\d+",
    block=r"seeds-\d+-\d+",
    family="[a-z_]+",
    regime="full|subset|noisy|hard",
    case="[a-z0-9_]+",
    arm="[a-z0-9_]+",


# A record of each run in results/manifest, beside the rules: it makes nothing stale.
onstart:
    try:
        manifest.begin()
    except UserError as error:
        raise WorkflowError(str(error)) from None


onsuccess:
    manifest.end("complete")


onerror:
    manifest.end("failed")


localrules:
    all,
    data,
    splits,
    predictions,
    scores,
    alignment,
    tables,
    figures,
    cases,
    audit,
    comparison,
    sensitivity,


include: "workflow/rules/data.smk"
include: "workflow/rules/train.smk"
include: "workflow/rules/score.smk"
include: "workflow/rules/align.smk"
include: "workflow/rules/show.smk"
include: "workflow/rules/cases.smk"
include: "workflow/rules/audit.smk"
include: "workflow/rules/sensitivity.smk"
include: "workflow/rules/superiority.smk"
include: "workflow/rules/superiority_theory.smk"
include: "workflow/rules/report.smk"


rule all:
    default_target: True
    input:
        reports.tables(),
        reports.figures(),
        cases.case_targets(),
        page_plan.page,

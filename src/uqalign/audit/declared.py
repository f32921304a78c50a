"""The claims of Schneider et al. (2026) about their experiments."""

from __future__ import annotations

from functools import cache

from uqalign.audit.claims import Claim
from uqalign.audit.published import published_tables
from uqalign.audit.settings import OWN
from uqalign.audit.statements import (
    LITTLE,
    SECOND,
    STRONG,
    UNMOVED,
    NoClassicalConsistent,
    above,
    ahead_of_classical,
    among_best,
    best,
    classical_below,
    improves,
    most_classical_below,
    positive,
    reaches,
    stays,
)
from uqalign.audit.yardsticks import Yardstick
from uqalign.families import FAMILIES

AGREEMENTS: tuple[Yardstick, ...] = ("top_1", "top_3", "pearson")
UNIVARIATE = ("binary_decision", "top_k", "selective", "risk_averse_top_k")

_LEVELS = "Appendix J.3, Figures J.8 and J.9"


def bold_cells() -> list[Claim]:
    """One claim per bold cell of the tables: this metric aligns best on this data set."""
    table = published_tables()
    claims = []
    for row in table[table["best"]].to_dict("records"):
        family, dataset, metric = row["family"], row["dataset"], row["metric"]
        name = f"bold_{row['table'].replace('.', '').lower()}_{dataset}_{metric}"
        money = family not in FAMILIES
        title = f"{dataset} {family}" if money else f"{FAMILIES[family].title.lower()} on {dataset}"
        statement = best(metric, family, dataset, by="money" if money else "tau")
        claims.append(
            Claim(
                name,
                f"Table {row['table']}",
                f"{metric} aligns best with {title}",
                "no metric has a higher median",
                (statement,),
                bold=True,
            )
        )
    return claims


def _best_of(family: str) -> Claim:
    where = {
        "binary_decision": "Table J.1",
        "top_k": "Table J.2",
        "selective": "Table J.3",
        "risk_averse_top_k": "Table J.4",
    }
    most = family == "top_k"
    return Claim(
        f"best_{family}",
        f"caption of {where[family]}",
        f"{OWN[family]} aligns best with {FAMILIES[family].title.lower()} on {'most' if most else 'all'} data sets",
        f"no metric has a higher median, on {'more than half of the data sets' if most else 'every data set'}",
        (best(OWN[family], family, most=most),),
    )


def stated() -> list[Claim]:
    """The claims of the text and of the captions."""
    return [
        *(_best_of(family) for family in UNIVARIATE),
        Claim(
            "best_everywhere",
            "Section 5.1",
            "the prior-weighted utilities align best with their own family",
            "no metric has a higher median with its family, on more than half of the data sets, each of the four",
            tuple(best(OWN[f], f, most=True) for f in UNIVARIATE),
        ),
        Claim(
            "consistent",
            "Abstract, Section 6",
            "the prior-weighted utilities consistently align with realised utility",
            "each has a median above 0 with its family on every data set",
            tuple(positive(OWN[f], f) for f in UNIVARIATE),
        ),
        Claim(
            "classical_inconsistent",
            "Abstract",
            "conventional metrics do not consistently align with realised utility",
            "each classical metric has a median of 0 or less with some family on some data set, in either task",
            (NoClassicalConsistent(UNIVARIATE[:2]), NoClassicalConsistent(UNIVARIATE[2:])),
        ),
        *(
            Claim(
                f"little_{family}",
                "Section 5.1",
                f"most common metrics show little to no alignment with {FAMILIES[family].title.lower()}",
                f"more than half of the classical metrics have a median below {LITTLE} on every data set",
                (most_classical_below(LITTLE, family),),
            )
            for family in ("top_k", "selective", "risk_averse_top_k")
        ),
        Claim(
            "pathological_priors",
            "Section 5.1",
            "metrics that are aligned with binary decisions under a pathological prior align less than pwu_c",
            "pwu_c has a higher median than NLL, Brier and accuracy on every data set",
            (above("pwu_c", ("nll", "brier", "accuracy"), "binary_decision"),),
        ),
        Claim(
            "nll_selective",
            "Section 3.3.1, Table J.3",
            "NLL, aligned with selective prediction under a Pareto prior only, aligns less than pwu_lambda",
            "pwu_lambda has a higher median than NLL on every data set",
            (above("pwu_lambda", ("nll",), "selective"),),
        ),
        Claim(
            "k_transfers",
            "Appendix J.3",
            "pwu_k aligns strongly with binary decisions, too",
            f"median of {STRONG} or more on more than half of the data sets",
            (reaches("pwu_k", STRONG, "binary_decision"),),
        ),
        Claim(
            "lambda_transfers",
            "Appendix J.3",
            "pwu_lambda aligns strongly with risk-averse top-k selection, too",
            f"median of {STRONG} or more on more than half of the data sets",
            (reaches("pwu_lambda", STRONG, "risk_averse_top_k"),),
        ),
        Claim(
            "phi_transfers",
            "Appendix J.3",
            "pwu_phi aligns fairly with selective prediction, too",
            f"median of {LITTLE} or more on more than half of the data sets",
            (reaches("pwu_phi", LITTLE, "selective"),),
        ),
        Claim(
            "families_transfer",
            "Appendix J.3",
            "most prior-weighted utilities remain among the most aligned metrics in the other family of their task",
            "among the three highest medians on more than half of the data sets, each of the four",
            (
                among_best("pwu_k", "binary_decision"),
                among_best("pwu_c", "top_k"),
                among_best("pwu_phi", "selective"),
                among_best("pwu_lambda", "risk_averse_top_k"),
            ),
        ),
        *(
            Claim(
                f"sensitivity_{family}",
                _LEVELS,
                f"{OWN[family]} is among the most aligned metrics even under an extreme change of its prior",
                "among the three highest medians with decisions drawn from the extreme prior, on more than half of the "
                "data sets",
                (among_best(OWN[family], family, "extreme"),),
            )
            for family in ("binary_decision", "selective")
        ),
        Claim(
            "sensitivity_top_k",
            _LEVELS,
            "slight and strong changes of the prior improve the alignment of pwu_k",
            "a higher median with decisions drawn from the slight and from the strong prior than from the base prior, "
            "on more than half of the data sets",
            (improves("pwu_k", "top_k", "slight", "strong"),),
        ),
        Claim(
            "sensitivity_risk_averse_top_k",
            _LEVELS,
            "slight and strong changes of the prior have no effect on pwu_phi",
            f"medians with decisions drawn from the slight and from the strong prior less than {UNMOVED} from the "
            "median with the base prior, on more than half of the data sets",
            (stays("pwu_phi", "risk_averse_top_k", "slight", "strong"),),
        ),
        Claim(
            "ablations",
            "Appendix J, Figures J.1 to J.3",
            "by top-1 and top-3 agreement and by Pearson's correlation, too, the prior-weighted utilities do better "
            "than common metrics",
            "no classical metric has a higher median by any of the three than the utility of the family, on more than "
            "half of the data sets, each of the four",
            tuple(ahead_of_classical(OWN[f], f, agreement) for f in UNIVARIATE for agreement in AGREEMENTS),
        ),
        Claim(
            "bidding",
            "Section 5.2, Table 2",
            "in electricity bidding no conventional metric aligns stably",
            f"every classical metric has a median below {LITTLE} with the revenue",
            (classical_below(LITTLE, "bidding", "money"),),
        ),
        Claim(
            "credit",
            "Section 5.2, Figure J.6",
            "the prior-weighted utilities align reliably in credit approval",
            "pwu_c, built for such decisions, has a median above 0 with the savings on both data sets",
            (positive("pwu_c", "credit", "money"),),
        ),
        Claim(
            "lending",
            "Appendix J.2, Figure J.6",
            "pwu_k aligns second best with peer-to-peer lending",
            "one of the two highest medians with the profit",
            (among_best("pwu_k", "lending", "money", SECOND),),
        ),
    ]


@cache
def declared() -> tuple[Claim, ...]:
    """Every claim: those of text and captions, then the bold cells."""
    return (*stated(), *bold_cells())

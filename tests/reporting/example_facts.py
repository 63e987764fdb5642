"""Facts of reports made by hand: realistic, large, hostile, empty-handed, skipped, and with a numeric target."""

from __future__ import annotations

import math

HOSTILE = [
    "<script>alert('name')</script>",
    "</script><img src=x onerror=alert(1)>",
    "</style><style>body{display:none}</style>",
    '" onmouseover="alert(1)" x=\'',
    "'; DROP TABLE people; --",
    '=HYPERLINK("http://example.com","click")',
    "{{ 7 * 7 }}{% raw %}",
    "a|b`c`\n# d\r\n<!-- e -->",
    "naïve 🦄 \u202egnp.exe",
    "nul\x00 bell\x07 lone\ud800",
    "javascript:alert(1)",
    "]]><!--",
    "&lt;b&gt; \\u003c \\",
    "",
    " ",
    "l" + "o" * 9998 + "g",
]

COLUMNS = [
    # name, kind, n_missing, n_distinct, n_features, why, values
    ("age", "numeric", 0, 73, 1, None, {"min": 17, "mean": 38.58, "max": 90}),
    ("workclass", "category", 2799, 8, 1, None, {"top": [["Private", 33906], ["Self-emp-not-inc", 3862]]}),
    ("fnlwgt", "numeric", 0, 28523, 1, None, {"min": 12285, "mean": 189664.1, "max": 1490400}),
    ("education", "category", 0, 16, 1, None, {"top": [["HS-grad", 15784], ["Some-college", 10878]]}),
    ("education-num", "numeric", 0, 16, 1, None, {"min": 1, "mean": 10.08, "max": 16}),
    ("marital-status", "category", 0, 7, 1, None, {"top": [["Married-civ-spouse", 22379], ["Never-married", 16117]]}),
    ("occupation", "category", 2809, 14, 1, None, {"top": [["Prof-specialty", 6172], ["Craft-repair", 6112]]}),
    ("relationship", "category", 0, 6, 1, None, {"top": [["Husband", 19716], ["Not-in-family", 12583]]}),
    ("race", "category", 0, 5, 1, None, {"top": [["White", 41762], ["Black", 4685]]}),
    ("sex", "category", 0, 2, 1, None, {"top": [["Male", 32650], ["Female", 16192]]}),
    ("capital-gain", "numeric", 0, 123, 1, None, {"min": 0, "mean": 1079.07, "max": 99999}),
    ("capital-loss", "numeric", 0, 99, 1, None, {"min": 0, "mean": 87.5, "max": 4356}),
    ("hours-per-week", "numeric", 0, 96, 1, None, {"min": 1, "mean": 40.42, "max": 99}),
    ("native-country", "category", 857, 41, 1, None, {"top": [["United-States", 43832], ["Mexico", 951]]}),
    (
        "row_id",
        "identifier",
        0,
        48842,
        0,
        "Every row has its own value: it names rows and says nothing about others.",
        None,
    ),
    ("survey", "constant", 0, 1, 0, "It has one value in all rows.", {"top": [["census-1994", 48842]]}),
]

# name, bits alone, bits in context, chosen, share of resamples, group
FEATURES = [
    ("relationship", 0.1655, 0.1655, True, 1.0, 0),
    ("marital-status", 0.1565, 0.0041, False, 0.12, 0),
    ("capital-gain", 0.1191, 0.0723, True, 1.0, None),
    ("age", 0.0973, 0.0312, True, 0.97, None),
    ("education", 0.0936, 0.0871, True, 0.74, 1),
    ("education-num", 0.0931, 0.0, False, 0.26, 1),
    ("occupation", 0.0931, 0.0384, True, 0.93, None),
    ("hours-per-week", 0.0617, 0.0228, True, 0.95, None),
    ("capital-loss", 0.0518, 0.0296, True, 0.99, None),
    ("sex", 0.0373, 0.0048, False, 0.18, None),
    ("workclass", 0.0171, 0.0106, False, 0.44, None),
    ("native-country", 0.0093, 0.0039, False, 0.06, None),
    ("race", 0.0083, 0.0021, False, 0.03, None),
    ("fnlwgt", 0.0004, 0.0002, False, 0.0, None),
]


def adult() -> dict:
    """A report on the census data, all parts present."""
    index = {row[0]: i for i, row in enumerate(COLUMNS)}
    context = sorted(range(len(FEATURES)), key=lambda i: -FEATURES[i][2])
    rank = {i: r + 1 for r, i in enumerate(context)}
    k = list(range(15))
    order = [FEATURES[i][0] for i in context]
    error = [
        0.2393,
        0.2391,
        0.1997,
        0.1778,
        0.1682,
        0.1597,
        0.1545,
        0.1523,
        0.1521,
        0.1529,
        0.1548,
        0.156,
        0.1583,
        0.1601,
        0.163,
    ]
    bits = [38800.0 - 14600 * (1 - math.exp(-0.42 * i)) + 9.5 * max(0, i - 5) ** 2.6 for i in k]
    return {
        "schema": "vitalfew.report/1",
        "made": {"version": "0.1.0", "date": "2026-11-16T12:00:00Z", "seconds": 41.7, "seed": 0, "time_budget": 60.0},
        "headline": [
            "Seven features do: description length says 7, leave-one-out 8, cross-validation 7; 6 to 8 will do.",
            "Two of the 14 features repeat others: marital-status repeats relationship, education-num education.",
            "Two features only work together: capital-gain tells 0.07 bits more once education is known.",
            "Naive Bayes with features by mdl: 15.2% error with 7 features, within one standard error of the best.",
        ],
        "verdict": "useful",
        "nothing_here": False,
        "recommended": recommended(),
        "notes": [
            "Pairs were screened on 10,000 of 36,631 training rows.",
            "Numbers were cut into intervals by description length.",
        ],
        "data": {
            "source": "adult.csv",
            "n_rows": 48842,
            "n_columns": 16,
            "n_train": 36631,
            "n_test": 12211,
            "n_features": 14,
            "columns": [
                {
                    "name": name,
                    "kind": kind,
                    "n_missing": missing,
                    "n_distinct": distinct,
                    "is_used": why is None,
                    "why": why,
                    "n_features": features,
                    "values": values,
                }
                for name, kind, missing, distinct, features, why, values in COLUMNS
            ],
        },
        "target": {
            "name": "income",
            "kind": "binary",
            "classes": ["<=50K", ">50K"],
            "counts": [37155, 11687],
            "entropy": 0.7938,
            "mean": None,
            "deviation": None,
            "n_missing": 0,
        },
        "features": {
            "n": len(FEATURES),
            "name": [f[0] for f in FEATURES],
            "column": [index[f[0]] for f in FEATURES],
            "information": [f[1] for f in FEATURES],
            "p_value": [0.0] * 12 + [3.1e-05, 0.21],
            "q_value": [0.0] * 12 + [3.3e-05, 0.21],
            "rank_alone": list(range(1, 15)),
            "in_context": [f[2] for f in FEATURES],
            "rank_in_context": [rank[i] for i in range(14)],
            "chosen": [f[3] for f in FEATURES],
            "frequency": [f[4] for f in FEATURES],
            "group": [f[5] for f in FEATURES],
        },
        "how_many": {
            "answer": "Seven features: three criteria agree on 6 to 8.",
            "method": "greedy forward, Naive Bayes",
            "k": k,
            "feature": [None, *order],
            "criteria": [
                {
                    "rule": "mdl",
                    "label": "description length",
                    "unit": "bits",
                    "value": bits,
                    "se": None,
                    "chosen": 7,
                    "low": 6,
                    "high": 8,
                },
                {
                    "rule": "loo",
                    "label": "leave-one-out error",
                    "unit": "error rate",
                    "value": [e - 0.0004 for e in error],
                    "se": [0.0019] * 15,
                    "chosen": 8,
                    "low": 6,
                    "high": 9,
                },
                {
                    "rule": "cv",
                    "label": "cross-validated error",
                    "unit": "error rate",
                    "value": error,
                    "se": [0.0024] * 15,
                    "chosen": 7,
                    "low": 6,
                    "high": 9,
                },
            ],
            "range": [6, 8],
            "agree": True,
            "stability": {
                "n_resamples": 100,
                "size": 7,
                "threshold": 0.75,
                "false_bound": 0.8,
                "similarity": 0.83,
                "names": [f[0] for f in FEATURES],
                "frequency": [f[4] for f in FEATURES],
            },
        },
        "redundant": {
            "answer": "Two groups carry the same information; two of 14 features can go.",
            "n_screened": 14,
            "n_of": 14,
            "groups": [
                {
                    "keep": "relationship",
                    "information": 0.1655,
                    "why": "It says the most about income.",
                    "members": [
                        {
                            "name": "marital-status",
                            "relation": "same information",
                            "information": 0.1565,
                            "given_keep": 0.0041,
                            "p_value": 0.03,
                        }
                    ],
                },
                {
                    "keep": "education",
                    "information": 0.0936,
                    "why": "It has names for its values.",
                    "members": [
                        {
                            "name": "education-num",
                            "relation": "exact copy",
                            "information": 0.0931,
                            "given_keep": 0.0,
                            "p_value": 1.0,
                        }
                    ],
                },
            ],
            "exchanges": [
                {
                    "feature": "relationship",
                    "without": 0.004,
                    "is_clear": False,
                    "substitute": "marital-status",
                    "exchanged": 0.0005,
                    "is_clear_exchange": False,
                },
                {
                    "feature": "capital-gain",
                    "without": 0.021,
                    "is_clear": True,
                    "substitute": None,
                    "exchanged": None,
                    "is_clear_exchange": None,
                },
            ],
            "vif": [{"name": "education-num", "vif": None}, {"name": "age", "vif": 1.12}],
        },
        "together": {
            "answer": "One pair says more together than its parts: education and capital-gain.",
            "n_features_screened": 14,
            "n_pairs": 91,
            "n_rows_screened": 10000,
            "method": "Joint information of every pair against the sum of its parts; chance by permuting the target.",
            "n_permutations": 99,
            "sets": [
                {
                    "features": ["education", "capital-gain"],
                    "joint": 0.251,
                    "sum": 0.2127,
                    "synergy": 0.0383,
                    "p_value": 0.01,
                },
                {"features": ["age", "hours-per-week"], "joint": 0.17, "sum": 0.16, "synergy": 0.009, "p_value": 0.04},
            ],
            "slopes": [
                {
                    "name": name,
                    "alone": bits_alone,
                    "rank_alone": i + 1,
                    "in_context": in_context,
                    "rank_in_context": rank[i],
                    "partner": {"education": "relationship", "capital-loss": "education"}.get(name),
                }
                for i, (name, bits_alone, in_context, _, _, _) in enumerate(FEATURES)
            ],
        },
        "which_model": {
            "answer": "Naive Bayes with features by mdl is the simplest within one standard error of the best.",
            "metric": "error rate",
            "folds": "5 folds, selection inside",
            "n_rows": 36631,
            "rows": [
                model("none", "most frequent class", 0.2393, 0.0001, 0, 0.01, False, baseline=True),
                model("mdl", "Naive Bayes", 0.1523, 0.0024, 7, 1.9, True, chosen=True),
                model("none", "Naive Bayes", 0.163, 0.0022, 14, 0.6, False),
                model("l1", "Logistic regression", 0.1511, 0.0021, 38.4, 9.1, True),
                model("none", "Logistic regression", 0.1513, 0.0021, 105, 4.4, True),
                model("none", "Decision tree", 0.1507, 0.002, 11.4, 3.2, True),
                model("information", "Decision tree", 0.1588, 0.0023, 5, 2.2, False),
                model("none", "AdaBoost of stumps", 0.1499, 0.0025, 10.2, 12.7, True, note="stopped by the budget"),
            ],
            "frontier": [
                {"name": "most frequent class", "n_features": 0, "error": 0.2393},
                {"name": "Decision tree, information", "n_features": 5, "error": 0.1588},
                {"name": "Naive Bayes, mdl", "n_features": 7, "error": 0.1523},
                {"name": "AdaBoost of stumps", "n_features": 10.2, "error": 0.1499},
            ],
            "reason": "It needs the fewest features of the models within one standard error of AdaBoost of stumps.",
        },
        "card": {
            "model": "Naive Bayes, features by mdl",
            "features": [
                {"name": f[0], "weight": w, "detail": d}
                for f, w, d in zip(
                    [f for f in FEATURES if f[3]],
                    [1.62, 1.41, 0.83, 0.79, -0.55, 0.42, 0.38],
                    ["Husband, Wife: more", "5,095.5 and above: more", "27.5 to 61.5: more", "Bachelors: more",
                     "Other-service, Handlers-cleaners: less", "41.5 and above: more", "1,820.5 to 1,978.5: more"],
                )
            ],
            "rules": None,
            "test": {
                "metric": "error rate",
                "error": 0.1513,
                "low": 0.145,
                "high": 0.1578,
                "n": 12211,
                "openings": 1,
                "baseline": 0.2393,
                "on": "sealed rows",
            },
            "confusion": [[8650, 639], [1209, 1713]],
            "sql": {
                "duckdb": "SELECT *, CASE WHEN relationship = 'Husband' THEN 0.51 ELSE -0.8 END AS score\nFROM data;",
                "sqlite": "SELECT *, CASE WHEN relationship = 'Husband' THEN 0.51 ELSE -0.8 END AS score\nFROM data;",
            },
            "python": "def predict(row):\n    return '>50K' if row['relationship'] == 'Husband' else '<=50K'\n",
            "why_no_export": None,
        },
    }  # fmt: skip


def model(selector, name, error, se, n_features, seconds, within, *, chosen=False, baseline=False, note=None) -> dict:
    return {
        "selector": selector,
        "model": name,
        "error": error,
        "se": se,
        "n_features": n_features,
        "seconds": seconds,
        "difference": round(error - 0.1499, 4),
        "difference_se": 0.0021,
        "within_one_se": within,
        "is_baseline": baseline,
        "is_chosen": chosen,
        "note": note,
    }


def recommended() -> dict:
    names = ["relationship", "education", "capital-gain", "occupation", "age", "capital-loss", "hours-per-week"]
    return {
        "verdict": "useful",
        "p_value": 0.001,
        "metric": "error rate",
        "baseline": 0.2393,
        "few": {
            "model": "Naive Bayes",
            "selector": "description length",
            "n_features": 7,
            "error": 0.1523,
            "low": 0.147,
            "high": 0.158,
            "features": names,
        },
        "best": {
            "model": "blend of 2 models",
            "selector": None,
            "n_features": 14,
            "error": 0.1301,
            "low": 0.125,
            "high": 0.136,
            "members": [
                {"model": "gradient boosting", "selector": None, "n_features": 14, "weight": 0.8},
                {"model": "extra trees", "selector": "trees", "n_features": 12, "weight": 0.2},
            ],
        },
        "stability": {f[0]: f[4] for f in FEATURES if f[0] in names},
        "frontier": [
            {"model": "Naive Bayes", "selector": "information", "n_features": 1, "error": 0.2391, "loss": 0.41},
            {"model": "Naive Bayes", "selector": "description length", "n_features": 7, "error": 0.1523, "loss": 0.33},
            {"model": "gradient boosting", "selector": None, "n_features": 14, "error": 0.1305, "loss": 0.28},
        ],
        "n_features": 14,
        "n_rows": 36631,
        "plan": "36,631 rows in 3 folds, stratified by class.",
        "n_candidates": 63,
        "n_dropped": 41,
        "is_complete": True,
        "not_run": [],
        "answer": "7 features of 14: error rate 15.2% on new rows (95% interval: 14.7% to 15.8%).",
    }


def large(n: int = 50_000) -> dict:
    """Return n features, each its own column."""
    facts = adult()
    facts["data"] |= {"source": "genes.parquet", "n_rows": 2000, "n_columns": n, "n_features": n}
    facts["data"]["columns"] = [
        {
            "name": f"gene_{i:05d}_at",
            "kind": "numeric",
            "n_missing": i % 7 if i % 3 == 0 else 0,
            "n_distinct": 1500 + i % 400,
            "is_used": True,
            "why": None,
            "n_features": 1,
            "values": {"min": -3.1 - i / n, "mean": 0.01234 * (i % 97), "max": 4.7 + i / n},
        }
        for i in range(n)
    ]
    known = min(n, 200)
    rest: list = [None] * (n - known)
    facts["features"] = {
        "n": n,
        "name": [f"gene_{i:05d}_at" for i in range(n)],
        "column": list(range(n)),
        "information": [0.9 / (1 + i / 10) + 0.001 * math.sin(i) ** 2 for i in range(n)],
        "p_value": [min(1.0, 1e-30 * 1.0021**i) for i in range(n)],
        "q_value": [min(1.0, 1.1e-30 * 1.0021**i) for i in range(n)],
        "rank_alone": list(range(1, n + 1)),
        "in_context": [0.9 / (2 + i) for i in range(known)] + rest,
        "rank_in_context": [*range(1, known + 1), *rest],
        "chosen": [i < 12 for i in range(n)],
        "frequency": [max(0.0, 1 - i / 50) for i in range(known)] + rest,
        "group": [0 if i in (3, 77) else None for i in range(n)],
    }
    return facts


def hostile() -> dict:
    """Every string that comes from the user is an attack."""
    facts = adult()
    names = HOSTILE
    facts["data"]["source"] = names[0]
    facts["target"] |= {"name": names[1], "classes": [names[2], names[8]]}
    facts["headline"] = [f"{sentence} ({name})" for sentence, name in zip(facts["headline"], names)]
    facts["notes"] = [*names]
    for i, column in enumerate(facts["data"]["columns"]):
        column["name"] = names[i % len(names)]
        column["why"] = names[(i + 1) % len(names)] if column["why"] else None
        if column["values"] and "top" in column["values"]:
            column["values"]["top"] = [[names[(i + j) % len(names)], 5] for j in range(3)]
    rename = {f[0]: names[i % len(names)] for i, f in enumerate(FEATURES)}
    # The longest name must meet every chart too.
    rename["relationship"], rename["race"] = names[-1], names[0]
    facts["features"]["name"] = [rename[name] for name in facts["features"]["name"]]
    facts["how_many"]["feature"] = [None, *(rename[name] for name in facts["how_many"]["feature"][1:])]
    facts["how_many"]["answer"] = names[3]
    stability = facts["how_many"]["stability"]
    stability["names"] = [rename[name] for name in stability["names"]]
    for group in facts["redundant"]["groups"]:
        group["keep"] = rename[group["keep"]]
        group["why"] = names[5]
        for member in group["members"]:
            member["name"] = rename[member["name"]]
    for row in facts["redundant"]["exchanges"]:
        row |= {"feature": rename[row["feature"]], "substitute": row["substitute"] and names[1]}
    for row in facts["redundant"]["vif"]:
        row["name"] = rename[row["name"]]
    for found in facts["together"]["sets"]:
        found["features"] = [rename[name] for name in found["features"]]
    for slope in facts["together"]["slopes"]:
        slope |= {"name": rename[slope["name"]], "partner": names[2] if slope["partner"] else None}
    for row in facts["card"]["features"]:
        row |= {"name": rename[row["name"]], "detail": names[4]}
    said = facts["recommended"]
    said["few"]["features"] = [rename[name] for name in said["few"]["features"]]
    said["stability"] = {rename[name]: share for name, share in said["stability"].items()}
    facts["card"]["sql"] = {"duckdb": f"SELECT '{names[0]}'", "</script>": names[1]}
    facts["card"]["python"] = names[1]
    facts["card"]["rules"] = names[2]
    facts["which_model"]["rows"][1]["note"] = names[0]
    return facts


def nothing_here() -> dict:
    """No feature says anything about the target; there is a model all the same."""
    facts = adult()
    facts["nothing_here"], facts["verdict"] = True, "cannot tell"
    facts["recommended"] |= {"verdict": "cannot tell", "p_value": 0.41}
    facts["headline"] = [
        "Cannot tell whether any feature helps (permutation test: p = 0.41). 7 features of 14.",
        "No redundancy was looked for.",
        "No pair says more together than chance would.",
        "No model beats the most frequent class.",
    ]
    features = facts["features"]
    features["chosen"] = [False] * 14
    features["p_value"] = features["q_value"] = [0.2 + 0.05 * i for i in range(14)]
    facts["how_many"] |= {"answer": "Zero features.", "range": None, "agree": False, "stability": None}
    for criterion in facts["how_many"]["criteria"]:
        criterion |= {"value": [1.0 + 0.01 * i for i in range(15)], "se": None, "chosen": 0, "low": 0, "high": 0}
    facts["redundant"] |= {"answer": "None.", "groups": [], "vif": []}
    facts["together"] |= {"answer": "None.", "sets": [], "slopes": []}
    facts["card"]["test"] |= {
        "openings": 0,
        "on": "rows left out of the folds",
        "low": 0.22,
        "error": 0.24,
        "high": 0.26,
    }
    facts["card"]["confusion"] = None
    return facts


def weak() -> dict:
    """A signal that is too small to be of use, from so few rows that none are sealed."""
    facts = adult()
    facts["verdict"] = facts["recommended"]["verdict"] = "weak"
    facts["recommended"]["p_value"] = None
    facts["data"]["n_test"] = 0
    facts["card"]["test"] |= {
        "openings": 0,
        "on": "rows left out of the folds",
        "low": 0.22,
        "error": 0.23,
        "high": 0.25,
    }
    facts["card"]["confusion"] = None
    return facts


def skipped() -> dict:
    """Time was over before the three first parts began; the models always have some."""
    facts = adult()
    for name in ("how_many", "redundant", "together", "which_model", "card"):
        facts[name] = {
            "answer": f"Not answered: {name}.",
            "skipped": f"The time budget of 60 seconds was over before {name} began.",
        }
    facts["headline"] = [facts[name]["answer"] for name in ("how_many", "redundant", "together", "which_model")]
    return facts


def numeric() -> dict:
    """A number is predicted; the card has no classes."""
    facts = adult()
    facts["target"] = {
        "name": "price",
        "kind": "numeric",
        "classes": None,
        "counts": None,
        "entropy": 3.17,
        "mean": 206855.8,
        "deviation": 115395.6,
        "n_missing": 3,
    }
    metric = "root mean squared error"
    facts["which_model"]["metric"] = metric
    for row in facts["which_model"]["rows"]:
        row |= {"error": row["error"] * 4e5, "se": row["se"] * 4e5, "difference": row["difference"] * 4e5}
    for row in facts["which_model"]["frontier"]:
        row["error"] *= 4e5
    facts["how_many"]["criteria"][0] |= {"label": "BIC", "unit": "nats"}
    for criterion in facts["how_many"]["criteria"][1:]:
        criterion |= {"unit": metric, "value": [v * 4e5 for v in criterion["value"]], "se": [900.0] * 15}
    facts["card"] |= {
        "confusion": None,
        "sql": None,
        "python": None,
        "why_no_export": "Kernels have no short form in SQL.",
    }
    facts["card"]["test"] |= {"metric": metric, "error": 60500.0, "low": 58800.0, "high": 62100.0, "baseline": 115000.0}
    facts["card"]["test"]["openings"] = 3
    return facts


def least() -> dict:
    """Return facts with minimal parts: one point on a curve, no spread, ties, nothing measured."""
    facts = adult()
    facts["headline"] = ["One sentence for all."]
    facts["how_many"] |= {"k": [0], "feature": [None], "range": None, "stability": None}
    for criterion in facts["how_many"]["criteria"]:
        criterion |= {"value": [0.3], "se": None, "chosen": 0, "low": None, "high": None}
    for row in facts["which_model"]["rows"]:
        row |= {"error": 0.2, "se": None, "n_features": None, "difference": None, "difference_se": None}
    facts["which_model"] |= {"frontier": [], "reason": None}
    slope = {"name": "x", "alone": None, "rank_alone": 1, "in_context": None, "rank_in_context": 1, "partner": None}
    facts["together"] |= {"slopes": [slope], "sets": []}
    facts["card"] |= {"test": None, "features": [{"name": "x", "weight": 0.0, "detail": None}]}
    return facts


def long_path() -> dict:
    """Five hundred steps, ranks of thousands, a point and a model that were not measured."""
    facts = adult()
    ks = list(range(501))
    facts["how_many"] |= {"k": ks, "feature": [None, *(f"word{k}" for k in ks[1:])], "range": [40, 90], "agree": False}
    for criterion in facts["how_many"]["criteria"]:
        value = [None if k == 3 else 0.2 + 0.3 * math.exp(-k / 20) + k / 5000 for k in ks]
        se = [None if k == 7 else 0.01 for k in ks] if criterion["se"] else None
        criterion |= {"value": value, "se": se, "chosen": 60, "low": 40, "high": 90}
    facts["together"]["slopes"] = [
        {
            "name": f"x{i}",
            "alone": 0.0,
            "rank_alone": 9000 - 700 * i,
            "in_context": 0.9 - i / 20,
            "rank_in_context": i + 1,
            "partner": f"x{i ^ 1}",
        }
        for i in range(12)
    ]
    facts["which_model"]["rows"][4] |= {"error": None, "se": None, "note": "stopped by the budget"}
    return facts


ALL = {f.__name__: f for f in (adult, large, hostile, nothing_here, weak, skipped, numeric, least, long_path)}

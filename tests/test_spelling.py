"""American spelling in code and documentation."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
BRITISH = re.compile(
    r"labell|modell(?!o)|cancelled|cancelling|behaviour|colour|favour|honour|neighbour|centre|judgement|artefact|"
    r"catalogue|analys(e|es|ed|ing)\b|licence|learnt|whilst|\bgrey\b|"
    r"(summar|penal|normal|recogn|optim|minim|maxim|general|regular|standard|initial|serial|random|discret|token|factor|"
    r"vector|categor|visual|material|organ|special|parallel)is(e|es|ed|er|ers|ing|ation)\b",
    re.IGNORECASE,
)
OTHERS = re.compile(r"aria-labelledby|FutureCancelledError")  # names of HTML and Dask
DEPRECATED = re.compile(
    r"unlabelled|n_labelled|is_centred|generalisation_bound"
)  # aliases that still work, in these files
ALIASES = {
    "src/vitalfew/cli/commands/label.py",
    "src/vitalfew/families/ensembles/boost_path.py",
    "src/vitalfew/labeling/label.py",
    "src/vitalfew/labeling/label_report.py",
    "src/vitalfew/summaries/moments.py",
}
SUFFIXES = {".py", ".pyi", ".md", ".html", ".js", ".css", ".json"}
PAGES = sorted(
    path
    for folder in ("src", "docs")
    for path in (ROOT / folder).rglob("*")
    if path.suffix in SUFFIXES and not {"gallery", "generated", "__pycache__"} & set(path.parts)
)


def british(text: str, is_alias: bool) -> list[str]:
    text = OTHERS.sub("", DEPRECATED.sub("", text) if is_alias else text)
    return [line.strip() for line in text.splitlines() if BRITISH.search(line)]


@pytest.mark.parametrize("word", ["labelled", "summarise", "behaviour", "colours", "penalised", "Normalising"])
def test_british_words_are_found(word):
    assert british(f"a {word} b", is_alias=False)


def test_code_and_documentation_use_american_spelling():
    assert len(PAGES) > 200
    wrong = {}
    for path in PAGES:
        name = path.relative_to(ROOT).as_posix()
        if found := british(path.read_text(encoding="utf-8"), name in ALIASES):
            wrong[name] = found[:3]
    assert not wrong

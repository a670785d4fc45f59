"""Cuts of the results: which places an axis has."""

from dataclasses import replace

from askew.report.cuts import Cuts
from askew.report.evidence import Evidence
from askew.report.study import Study
from askew.report.summary import summarize
from tests.report.observed import observed


def test_a_part_of_the_evidence_has_its_own_places():
    rows = observed()
    whole = Cuts(Evidence("knowno", rows, summarize(rows, None), Study(rows).models))
    for subset in ("mctest", "bank77"):
        part = replace(whole, evidence=whole.evidence.narrowed("subset", subset))
        assert [place.at for place in part.places({"by": "subset"})] == [{"subset": subset}]

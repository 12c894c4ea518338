"""Curation with models: solvers that every question must pass, or a writer of questions from articles."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from perturb.curate.curation import Curation, curate
from perturb.curate.source import SourceRequest
from perturb.evaluate.question_writing import QuestionWriter, WriterFile
from perturb.evaluate.solvability import SolvabilityTest, SolverPanel
from perturb.evaluate.task import RunOptions
from perturb.yaml_files import YamlFile


def curate_with_models(
    request: SourceRequest,
    out: Path,
    solvers: Path | None,
    writer: Path | None,
    options: RunOptions,
    *,
    judged: bool = False,
) -> Curation:
    """Curate with the models that a file names; without one, as it is.

    The ledger of what they are asked lies beside the base set, so that stopped work resumes.
    """
    if solvers is not None:
        panel, folder = YamlFile(solvers).parse(SolverPanel), out.with_suffix(".solve")
        with SolvabilityTest(panel, folder, judged=judged, options=options) as test:
            curation = curate(request, test)
            return replace(curation, report={**curation.report, "pre_test": test.facts()})
    if writer is None:
        return curate(request)
    seed = request.recipe.seed if request.seed is None else request.seed
    file = YamlFile(writer).parse(WriterFile)
    with QuestionWriter(file, out.with_suffix(".write"), seed, options) as questions:
        curation = curate(request, questions, "writing")
        instances = tuple(questions.written(article) for article in curation.instances)
        report = {**curation.report, "writing": questions.facts()}
        return replace(curation, instances=instances, report=report)

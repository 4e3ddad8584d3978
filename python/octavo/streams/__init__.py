# SPDX-License-Identifier: Apache-2.0
"""Streams: what octavo.stage, octavo.farm and octavo.pipeline give, what a stage may give, and what became of each.

>>> s = octavo.pipeline(load, octavo.farm(Blur, 3).workers(4).by(lambda image: image.name), emboss)  # an octavo.streams.Pipeline; the farm is a Farm
>>> report = s.run(paths, into=save)
>>> print(max(report.stages, key=lambda stage: stage.busy).name)                                     # of StageReports
>>> yield octavo.streams.To(2, part)                                                                 # of a stage: for worker 2 of the next farm

Clauses ST-1 to ST-9 of docs/contract.md. In here, description.py says what a stream is, running/flow.py runs it, worker.py is what its processes have.
"""

from octavo.streams.description import Pipeline
from octavo.streams.items import To
from octavo.streams.report import StageReport
from octavo.streams.stages import Farm, Stage

__all__ = ["Farm", "Pipeline", "Stage", "StageReport", "To"]

"""The scales that answers as a whole are judged on: their class, a rubric's criteria and grades."""

from __future__ import annotations

from collections.abc import Mapping

CORRECT, WRONG, DONT_KNOW = ANSWER_CLASSES = ("CORRECT", "WRONG", "DONT_KNOW")
# Each criterion's weight; of 100 points each.
RUBRIC: Mapping[str, float] = {"correctness": 0.5, "completeness": 0.3, "consistency": 0.2}
# Each grade's least score, in [0, 1], from best to worst.
GRADES: Mapping[str, float] = {"A": 0.8, "B": 0.6, "C": 0.4, "D": 0.2, "E": 0.0}

"""Our side of the comparison with other libraries: values follow from definitions."""

from __future__ import annotations

import pytest

from tests.rivals import ours
from tests.rivals.scenes import SCENES, Scene


@pytest.mark.parametrize("scene", SCENES, ids=lambda scene: f"{scene.metric}: {scene.name}")
def test_a_scene_has_the_value_of_its_definition(scene: Scene) -> None:
    assert ours.score(scene) == (None if scene.score is None else pytest.approx(scene.score))

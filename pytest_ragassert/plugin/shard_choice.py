"""Decides which shard a run is, from its options and GitLab's variables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import pytest

from ..config.option_types import AUTO, Shard, shard
from .pytest_options import usage_error

_GITLAB = ("CI_NODE_INDEX", "CI_NODE_TOTAL")


def chosen_shard(
    value: Shard | Literal["auto"] | None, config: pytest.Config, environ: Mapping[str, str]
) -> Shard | None:
    """Which shard a run is; None if it is not one of several.

    GitLab's variables count only if the option is `auto`: a job with `parallel:matrix` has them
    too, and such jobs often run all tests, each with another version of Python.

    Args:
        value: that of the option; None: it is not set.

    Raises:
        pytest.UsageError: GitLab's variables are invalid, or the option and those of pytest-split
            name different shards.
    """
    # options of pytest-split
    group, splits = (getattr(config.option, name, None) for name in ("group", "splits"))
    split = Shard(group, splits) if isinstance(group, int) and isinstance(splits, int) else None
    if isinstance(value, Shard):
        if split not in (None, value):
            raise usage_error(
                ValueError(
                    f"--ragassert-shard is {value.number}/{value.of}, but --splits {splits} "
                    f"--group {group} is {split}; leave out --ragassert-shard"
                )
            )
        return value
    if split is not None:
        return split
    if value != AUTO or not environ.get(_GITLAB[0]):
        return None
    text = "/".join(environ.get(name, "") for name in _GITLAB)
    try:
        read = shard(text)
    except ValueError:
        names = "/".join(_GITLAB)
        raise usage_error(ValueError(f"{names}: {text!r} is not a shard such as 3/8")) from None
    return read if isinstance(read, Shard) else None

"""Checks at the end of a run that the store has everything that the run paid for.

A store that is deleted while it is open accepts further writes, which are lost. The run's folder
has all of its answers.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ..storage.contents import UnreadableStore
from ..storage.keys import FORMAT, format_of, is_answer_key
from ..storage.run_state.run_folder import RunFolder

if TYPE_CHECKING:
    from ..storage.store import Store

_PATIENCE = 1.0  # seconds; the run has already waited for other users of the store


def put_back(run: RunFolder, folder: Path) -> None:
    """Store the run's answers that the store in `folder` lacks, and give one notice."""
    texts = {key: text for key, text in run.texts().items() if format_of(text) == FORMAT}
    if not texts:
        return
    from ..storage.open_store import open_store

    with open_store(folder, run.add_notice, run.make, _PATIENCE) as store:
        lacking = _lacking(store, texts)
        for key, text in lacking.items():
            store.put(key, text)
        put = lacking.keys() - _lacking(store, lacking).keys()
        count = sum(map(is_answer_key, put))
    if count:
        run.add_notice(
            f"the verdict store {store.place} lacked {count} of this run's answers at its end "
            "(deleted, replaced or not writable meanwhile); they were put back"
        )


def _lacking(store: Store, texts: dict[str, str]) -> dict[str, str]:
    """The texts that the store does not have."""
    return {key: text for key, text in texts.items() if _text(store, key) != text}


def _text(store: Store, key: str) -> str | None:
    try:
        row = store.row(key)
    except UnreadableStore:
        return None
    return None if row is None else row.text

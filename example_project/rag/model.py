"""An answerer with a model: one chat completion of any OpenAI-compatible server."""

from __future__ import annotations

from collections.abc import Sequence

from openai import OpenAI

from .corpus import Passage
from .languages import DONT_KNOW, language_of

_INSTRUCTIONS = """\
You answer passengers' questions from the notices of a ferry company. Use only what the notices \
below say. Answer in the language of the question, in one or two short sentences, each with the \
number of its notice, as in [2]. Where the notices do not answer the question, reply with exactly \
this and nothing else: {dont_know}

{notices}"""


class ModelAnswerer:
    def __init__(self, *, model: str, base_url: str, api_key: str) -> None:
        self._model = model
        self._client = OpenAI(base_url=base_url, api_key=api_key, timeout=60)

    def __call__(self, question: str, passages: Sequence[Passage]) -> str:
        instructions = _INSTRUCTIONS.format(
            dont_know=DONT_KNOW[language_of(question)],
            notices="\n\n".join(
                f"[{number}] {passage.heading}: {passage.text}"
                for number, passage in enumerate(passages, start=1)
            ),
        )
        completion = self._client.chat.completions.create(
            model=self._model,
            temperature=0,  # an unchanged answer costs no new judgement
            messages=[
                {"role": "system", "content": instructions},
                {"role": "user", "content": question},
            ],
        )
        return (completion.choices[0].message.content or "").strip()

"""LangChain: what a chain gives, with documents and messages, as it is and as `dumps` writes it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from .ferry import ANSWER, CONTEXTS, QUESTION

REQUIREMENTS = ("langchain-core",)
ENVIRONMENT = {"LANGSMITH_TRACING": "false"}


def _chained() -> Any:
    os.environ.update(ENVIRONMENT)
    from langchain_core.documents import Document
    from langchain_core.messages import AIMessage, HumanMessage
    from langchain_core.runnables import RunnableLambda, RunnablePassthrough

    documents = [
        Document(page_content=text, id=f"d{place}", metadata={"source": "faq.md"})
        for place, text in enumerate(CONTEXTS)
    ]
    # as create_retrieval_chain makes one
    chain = RunnablePassthrough.assign(context=RunnableLambda(lambda _: documents)).assign(
        answer=RunnableLambda(lambda _: ANSWER)
    )
    history = [HumanMessage("Hello!"), AIMessage("What do you want to know?")]
    return chain.invoke({"input": QUESTION, "chat_history": history})


def write(folder: Path) -> None:
    """Write its files."""
    from langchain_core.load import dumps

    (folder / "langchain_chain.json").write_text(dumps([_chained()], pretty=True) + "\n")


def objects() -> dict[str, list[Any]]:
    """Its objects, by the file that has the same cases."""
    return {"langchain_chain.json": [[_chained()]]}

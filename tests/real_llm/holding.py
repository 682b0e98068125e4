"""Changes to requests on their way: what keeps a small model within what was asked."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

Json = dict[str, Any]
Change = Callable[[Json], Json]

_LONGEST = 60  # characters of a text


def held(body: Json) -> Json:
    """The request with the schema narrowed to the ids asked, and short texts.

    The model begins well and then counts on: a verdict for claim 2, 3, 4 and so on, where there is
    one claim. A schema that all endpoints take can't forbid that; this server's can.
    """
    body = copy.deepcopy(body)
    asked = json.loads(body["messages"][-1]["content"])
    schema = body["response_format"]["json_schema"]["schema"]
    for name, array in schema["properties"].items():
        ids = [item["id"] for item in asked[{"claims": "sentences", "verdicts": "claims"}[name]]]
        _shorten(array["items"]["properties"])
        if name == "claims":
            array["items"]["properties"]["sentence"] = {"enum": ids}
            array.update(minItems=1, maxItems=len(ids))
        else:
            array["items"] = [_about(id, array["items"]) for id in ids]
    return body


def _shorten(properties: Json) -> None:
    for value in properties.values():
        for option in value.get("anyOf", [value]):
            if option == {"type": "string"}:
                option.update(minLength=2, maxLength=_LONGEST)


def _about(id: int, item: Json) -> Json:
    return {**item, "properties": {**item["properties"], "id": {"const": id}}}


def without_schema(body: Json) -> Json:
    """The request for free text, as an endpoint answers that knows no schemas."""
    return {name: value for name, value in body.items() if name != "response_format"}


def any_object(body: Json) -> Json:
    """The request for JSON of any shape, as of endpoints that know no more."""
    return {**body, "response_format": {"type": "json_object"}}


def unchanged(body: Json) -> Json:
    return body

"""Files that nobody should have to read: what is in each, and what comes of it.

An expectation is the ids of the cases, or what an error says.
"""

from __future__ import annotations

import gzip
import json
import os
import pickle
import random
import stat
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

Expected = list[str] | str
Files = dict[str, tuple[bytes, Expected]]

ARRAY = "[" * 500 + "]" * 500
OBJECTS = '{"a":' * 500 + "1" + "}" * 500
LFS = b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 12\n"
# would leave a file behind, were it run
CODE = "__import__('pathlib').Path('RUN').touch()"
PICKLE = pickle.dumps(Path("RUN"), 4)


def line(**fields: Any) -> bytes:
    return json.dumps(fields).encode() + b"\n"


A, B = line(id="a"), line(id="b")
PACKED: Files = {
    "twice.jsonl.gz": (
        gzip.compress(gzip.compress(A)),
        "compressed with gzip twice; unpack it once",
    ),
    "twice.csv.gz.gz": (gzip.compress(gzip.compress(A)), "compressed with gzip twice"),
    "cut.jsonl.gz": (gzip.compress(A * 1000)[:-20], "a damaged gzip file: Compressed file ended"),
    "rest.jsonl.gz": (gzip.compress(A) + b"rest", "a damaged gzip file"),
    "joined.jsonl.gz": (gzip.compress(A) + gzip.compress(B), ["a", "b"]),
    "named.jsonl.gz": (A, ["a"]),
    "nothing.jsonl.gz": (b"", []),
    "magic.csv": (b"\x1f\x8b", "a damaged gzip file"),
    "bz2.csv": (b"BZh91AY&SY\xa9\x85\xb5\x96", "compressed with bzip2; unpack it"),
    "xz.json": (b"\xfd7zXZ\0\0\x04", "compressed with xz; unpack it"),
    "zip.jsonl": (b"PK\x03\x04\x14\0\0\0", "a ZIP archive, or an Excel workbook"),
}
JSON: Files = {
    "deep.json": (b"[" * 1_000_000, "not JSON: it is nested too deeply"),
    "deep_objects.jsonl": (b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "it is nested too deeply"),
    "deep_metadata.jsonl": (
        f'{{"id":"a","metadata":{OBJECTS}}}'.encode(),
        "line 1: case 'a': field metadata: it nests deeper than 100",
    ),
    "deep_units.jsonl": (f'{{"source_units":{ARRAY}}}'.encode(), "source_units: it nests deeper"),
    "deep_persona.jsonl": (f'{{"persona":{OBJECTS}}}'.encode(), "persona: it nests deeper"),
    "deep_contexts.jsonl": (
        f'{{"contexts":{ARRAY}}}'.encode(),
        r"field retrieved_contexts\.0 is \[\[\[\.\.\.\]\]\]; it takes a text or a document",
    ),
    "deep_turns.jsonl": (f'{{"history":{ARRAY}}}'.encode(), "turn 1 is .*; it takes .*role"),
    "deep_id.jsonl": (f'{{"id":{ARRAY}}}'.encode(), "field id is .*; it takes a text or a whole"),
    "deep_unknown.jsonl": (
        f'{{"anwser":{ARRAY}}}'.encode(),
        r"'anwser' \(did you mean 'answer'\?\)$",
    ),
    "deep_inputs.jsonl": (
        f'{{"inputs":{{"question":{ARRAY}}},"outputs":1}}'.encode(),
        "field question is",
    ),
    "infinity.jsonl": (b'{"id":"a","answer":Infinity}', "field answer is inf; it takes a text"),
    "nan.jsonl": (b'{"id":"a","answer":NaN}', ["a"]),
    "surrogates.jsonl": (b'{"id":"a\\ud800","answer":"\\udfff"}', ["a\ud800"]),
    "raw_surrogate.jsonl": (b'{"id":"\xed\xa0\x80"}', "not UTF-8 .*0xed"),
    "key_twice.jsonl": (b'{"id":"a","id":"b"}', "'id' appears twice"),
    "long_key_twice.json": (b'{"%b":1,"%b":2}' % (b"k" * 9999, b"k" * 9999), "'kk.* appears twice"),
    "acting_key_twice.jsonl": (b'{"\\u001b[1m":1,"\\u001b[1m":2}', r"'\\x1b\[1m' appears twice"),
    "huge_float.jsonl": (b'{"id":"a","metadata":{"x":1e400}}', ["a"]),
    "huge_id.jsonl": (b'{"id":%b}' % (b"9" * 5000), "a number of 5000 digits; write it as a text"),
    "huge_number.json": (b'[{"metadata":{"x":%b}}]' % (b"9" * 999_999), "of 999999 digits"),
    "long_id.jsonl": (line(id="i" * 10_000), ["i" * 10_000]),
    "long_id_twice.jsonl": (line(id="i" * 10_000) * 2, "two cases have the id 'iii.*; ids tell"),
    "acting_id.jsonl": (line(id="a\x1b[31m\n::error::x\0"), ["a\x1b[31m\n::error::x\0"]),
    "acting_id_twice.jsonl": (line(id="\x1b[1m\n\u202e::error::") * 2, r"id '\\x1b\[1m\\n\\u202e"),
    "normal_forms.jsonl": (line(id="caf\xe9") + line(id="cafe\u0301"), ["caf\xe9", "cafe\u0301"]),
    "ids.jsonl": (b'{"id":1}\n{"id":1.0}\n{"id":[2]}\n', "2 mistakes\n  line 2: .*\n  line 3: "),
    "scalar.json": (b"5", "case 1: a case must be a JSON object, not int"),
    "null.json": (b"null", "case 1: a case must be a JSON object, not null"),
    "last_comma.json": (b'[{"id":"a"},]', "not JSON: .*column 1[23]"),
    "comment.json": (b'// cases\n[{"id":"a"}]', r"not JSON: Expecting value \(line 1, column 1\)"),
    "python.jsonl": (b"{'id': 'a'}", "line 1: not JSON: .* double quotes"),
    "joined.jsonl": (b'{"id":"a"}{"id":"b"}', r"column 11\); JSON Lines have one object on"),
    "returns.jsonl": (b'{"id":"a"}\r{"id":"b"}\r', r"column 12\); JSON Lines have one object on"),
    "mixed_ends.jsonl": (b'{"id":"a"}\r\n\r\n{"id":"b"}\n\n{"id":"c"}', ["a", "b", "c"]),
    "object.jsonl": (b'\n{\n "id": "a"\n}\n', r"a JSON object on several lines.*in \.json"),
    "array.jsonl": (b'[\n {"id": "a"}\n]\n', r"a JSON array.*in \.json"),
    "splits.json": (b'{"train":[{"id":"a"}],"test":[{"id":"b"}]}', "'train', 'test'; remove all"),
    "by_column.json": (b'{"id":{"0":"a"},"answer":{"0":"b"}}', 'by column, .*orient="records"'),
    "lists.json": (
        b'{"question":["Q","R"],"contexts":[["c"],["d"]]}',
        'by column, .*orient="records"',
    ),
    "null_character.jsonl": (A + b"\0\0\0\n" + B, "line 2: not JSON: it contains a null character"),
    "null_characters.json": (b"\0" * 999, "nothing except null characters, as after a crash"),
    "conflict.jsonl": (A + b"<<<<<<< HEAD\n" + B, "line 2: git left a conflict here"),
    "types.jsonl": (
        b'{"id":"a","contexts":[1,{"x":1},["y"],null,true]}',
        r"4 mistakes\n.*contexts\.0 is 1; .*\n.*\.1 is {'x': 1}; .*\n.*\.2 is .*\n.*\.4 is True",
    ),
    "unknown.jsonl": (
        line(id="a", anwser="x", kontext="y", questoin="z", colour="w"),
        r"'anwser' \(did you mean 'answer'\?\), 'kontext' \(.*'contexts'\?\), 'questoin' \(.*"
        r"'question'\?\), 'colour'; .* reads this column as the question\. .* in the metadata\. ",
    ),
    "many_unknown.jsonl": (line(**dict.fromkeys(map(str, range(9999)), 1)), "and 9949 more; known"),
    "acting_name.jsonl": (b'{"\\u001b[1m\\u202e\\n":1}', r"unknown field '\\x1b\[1m\\u202e\\n'"),
    "infinite_minimum.jsonl": (
        b'{"minimums":{"faithfulness":1e400}}',
        "faithfulness: inf is not a",
    ),
    "long_minimum.jsonl": (
        line(minimums={"m" * 9999: "n" * 9999}),
        "mmm…: 'nnn.*' is not a number",
    ),
}
TABLES: Files = {
    "breaks.csv": (b'id,answer\r\na,"x\r\n""y"", z\n"\r\nb,c\r\n', ["a", "b"]),
    "returns.csv": (b"id,answer\ra,b\rc,d\r", ["a", "c"]),
    "mixed_ends.csv": (b"id,answer\ra,b\nc,d\r\ne,f", ["a", "c", "e"]),
    "name_twice.csv": (b"id,answer,answer\na,b,c\n", "two columns are called 'answer'; give each"),
    "field_twice.csv": (b"id,answer,response\na,b,c\n", "'answer' and 'response' are two names"),
    "capital.csv": (b"id,Answer\na,b\n", r"'Answer' \(did you mean 'answer'\?\)$"),
    "header.csv": (b"id,answer\n", []),
    "header_without_end.csv": (b"id,answer", []),
    "no_header.csv": (b"a,b,c\n", "its only row, 'a', 'b', 'c', names no field"),
    "no_names.csv": (b",,\na,b,c\n", "its only row, 'a', 'b', 'c', names no field"),
    "no_name.csv": (b"id,,answer\na,b,c\n", "line 2: column 2 has the value 'b' and no name"),
    "empty_column.csv": (b"id,,answer,\na,,c,\n", ["a"]),
    "too_few.csv": (b"id,answer\na\n", "line 2: it has 1 value for 2 columns; put quotes"),
    "too_many.csv": (b"id,answer\na,b,c\n", "line 2: it has 3 values for 2 columns"),
    "empty_cells.csv": (b"id,answer\na,b,,,\n", ["a"]),
    "open_quote.csv": (
        b'id,answer\na,b\nc,"d\ne,f\n',
        "line 3: a quote opens here and never closes",
    ),
    "open_first.csv": (b'"id,answer\na,b\n', "its first row can't be read: a quote opens here"),
    "loose_quote.csv": (
        b'id,answer\na,"b"c\nd,e\n',
        r"line 2: its quotes are .*written twice \(\"\"",
    ),
    "backslash.csv": (
        b'id,answer\na,"b \\" c"\n',
        r"line 2: its quotes are wrong: .*written twice",
    ),
    "space.csv": (
        b'id, answer\na, "b, c"\n',
        "line 2: it has 3 values .*directly after the delimiter",
    ),
    "title.csv": (
        b"My export\nid,answer\na,b\n",
        "2 values for 1 column; the first row, 'My export'",
    ),
    "joined.csv": (
        b"id,answer\na,b\nid,answer\nc,d\n",
        "line 3: it repeats the columns' names",
    ),
    "semicolons.csv": (b"id;answer\na;1,5\nb;2,5\n", ["a", "b"]),
    "decimals_first.csv": (b"answer;id\n1,5;a\n2,5;b\n", ["a", "b"]),
    "sep.csv": (b"sep=;\r\nid;answer\r\na;b,c\r\n", ["a"]),
    "sep_capital.csv": (b'"SEP=;"\rid;answer\ra;b,c\r', ["a"]),
    "sep_marked.csv": (b"\xef\xbb\xbfsep=,\nid,answer\na,b\n", ["a"]),
    "sep_alone.csv": (b"sep=,", "it is empty"),
    "sep_quote.csv": (b'sep="\nid"answer\na"b\n', "unknown field 'sep=\"'"),
    "formula.csv": (b"id,answer\na,=cmd|'/C calc'!A0\nb,@SUM(1)\nc,+1\n", ["a", "b", "c"]),
    "code.csv": (f'id,contexts\na,"[{CODE}]"\n'.encode(), ["a"]),
    "code_in_dict.csv": (
        f'id,metadata\na,"{{{CODE}: 1}}"\n'.encode(),
        "field metadata is .* must have JSON",
    ),
    "no_json.csv": (b"id,minimums\na,high\n", "line 2: field minimums is 'high'; a cell must have"),
    "label.csv": (
        b"id,label\na,Correct\n",
        "label is 'Correct'; it takes 'correct' or 'incorrect'",
    ),
    "null_character.csv": (b"id,answer\na,b\0c\n", "null character, first in line 2"),
    "long_name.csv": (b"id,%b\na,b\n" % (b"c" * 9999), r"unknown field 'ccc.*\.\.\.c"),
    "acting_name.csv": (b'id,"\x1b[1m\n"\na,b\n', r"line 3: .* unknown field '\\x1b\[1m'"),
    "many_names.csv": (
        b",".join(b"c%d" % n for n in range(1001)),
        "1001 columns, more than the limit of 1000",
    ),
    "one_id.csv": (
        b"id,answer\n" + b"a,b\n" * 5,
        r"line 3 \(and 3 more cases\): two cases have the",
    ),
}
TEXTS: Files = {
    "mark_twice.jsonl": (b"\xef\xbb\xbf" * 2 + A, ["a"]),
    "mark_between.jsonl": (A + b"\xef\xbb\xbf" + B, ["a", "b"]),
    "mark_alone.jsonl": (b"\xef\xbb\xbf", []),
    "mark_alone.json": (b"\xef\xbb\xbf", "not JSON: it is empty"),
    "mark_alone.csv": (b"\xef\xbb\xbf", "it is empty; its first row must have the columns' names"),
    "mark_twice.csv": (b"\xef\xbb\xbf" * 2 + b"id,answer\na,b\n", ["a"]),
    "mark_between.csv": (b"id,answer\n\xef\xbb\xbfa,b\n", ["a"]),
    "mark_and_quotes.csv": (b'\xef\xbb\xbf"id","answer"\na,b\n', ["a"]),
    "utf_16.jsonl": (A.decode().encode("utf-16"), ["a"]),
    "utf_16_be.json": ('[{"id":"a"}]'.encode("utf-16-be"), ["a"]),
    "utf_16_cut.jsonl": (A.decode().encode("utf-16")[:-1], r"damaged UTF-16 \(at byte "),
    "utf_16_le.csv": ("id,answer\na,Привет, \u4f60\u597d\n".encode("utf-16-le"), "3 values for 2"),
    "utf_16_be.csv": ("id,answer\na,Привет \u4f60\u597d\n".encode("utf-16-be"), ["a"]),
    "utf_16_cut.csv": ("id,answer\na,b\n".encode("utf-16")[:-1], r"damaged UTF-16 \(at byte 28\)"),
    "utf_32.jsonl": (A.decode().encode("utf-32-be"), "it is UTF-32; save the file as UTF-8"),
    "utf_32.csv": ("id,answer\na,b\n".encode("utf-32-le"), "it is UTF-32; save the file as UTF-8"),
    "latin_1.jsonl": ('{"id":"café"}'.encode("latin-1"), r"not UTF-8 \(.*0xe9\), first in line 1"),
    "latin_1.csv": ("id\ncafé\n".encode("latin-1"), "0xe9.*first in line 2; .*ENCODING"),
    "shift_jis.csv": ("id\n日本語\n".encode("shift-jis"), "not UTF-8"),
    "blank.jsonl": (b"\n \n\t\r\n", []),
    "blank.json": (b"\n \n\t\n", "not JSON: it is empty"),
    "blank.csv": (b"\n \n\t\n", "it is empty; its first row must have the columns' names"),
    "empty": (b"", "format= gives"),
    "html.csv": (
        b"\n<!DOCTYPE html>\n<html><body>Sign in</body></html>\n",
        "it is an HTML page, such as",
    ),
    "html.jsonl": (b"<html>\n<p>\n</html>\n", "it is an HTML page, such as a server sends"),
    "page": (b"<HTML><body>id,answer", "it is an HTML page"),
    "lfs.jsonl": (LFS, "a Git LFS pointer; `git lfs pull` fetches"),
    "lfs.csv": (LFS, "a Git LFS pointer"),
    "pickle.jsonl": (PICKLE, "it is a pickle, which is never read"),
    "pickle": (PICKLE, "it is a pickle, which is never read"),
    **{
        f"pickle_{protocol}.pkl": (pickle.dumps(Path("RUN"), protocol), "it is a pickle, which is")
        for protocol in (2, 3, 5)
    },
    "parquet.csv": (b"PAR1\x15\x04\x15\x80", "it is a Parquet file; give it a name"),
    "workbook.csv": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an Excel workbook"),
    "table.jsonl": (b'id;"answer"\na;b\n', r"it is a table, .* ends in \.csv or \.tsv"),
    "lines.csv": (A + B, r"it is JSON, .* ends in \.json or \.jsonl"),
    "array.tsv": (b'[{"id": "a"}]', r"it is JSON, .* ends in \.json or \.jsonl"),
    "noise.jsonl": (random.Random(1).randbytes(9999), "not UTF-8"),
    "noise.csv": (random.Random(2).randbytes(9999), "not UTF-8"),
    "noise": (random.Random(3).randbytes(9999), "format= gives"),
    "acting\x1b[31m\nname.jsonl": (b"5", r"acting\\x1b\[31m\nname\.jsonl, line 1: "),
}
YAML: Files = {
    "laughs.yaml": (
        b"- metadata:\n    a: &a [x, x, x, x, x, x, x, x, x, x]\n"
        + b"".join(
            b"    %c: &%c [%b]\n" % (98 + n, 98 + n, b"*%c," % (97 + n) * 9) for n in range(12)
        ),
        "its aliases expand to more than 64 MiB",
    ),
    "itself.yaml": (b"- &a\n  id: a\n  metadata: *a\n", "anchor 'a' has an alias within itself"),
    "deep.yaml": (b"[" * 1_000_000, "nesting depth|nests deeper than 100 levels"),
    "deep_lists.yaml": (b"- " * 100_000 + b"a", "line 1 nests deeper than 100 levels"),
    "key_twice.yaml": (b"- id: a\n  id: b\n", "'id' occurs twice"),
    "code.yaml": (b"- !!python/object/apply:os.system [touch RUN]\n", "python.* is not supported"),
    "huge_number.yaml": (b"- metadata: {x: %b}\n" % (b"9" * 99_999), "has 99999 digits"),
    "acting_name.yaml": (b'- "\\e[1m": a\n', r"unknown field '\\x1b\[1m'"),
    "acting.yaml": (b"- id: a\x1b[1m\n", r"line 1 has U\+001B"),
    "open_quote.yaml": (b'- id: "a\n', "not YAML: found unexpected end of stream"),
    "mark_twice.yaml": (b"\xef\xbb\xbf" * 2 + b"- id: a\n", ["a"]),
    "utf_16.yaml": ("- id: \u0a0a\n".encode("utf-16-be"), ["\u0a0a"]),
    "utf_16": ("- id: \u0a0a\n".encode("utf-16-be"), ["\u0a0a"]),
    "lfs.yaml": (LFS, "a Git LFS pointer"),
    "html.yaml": (b"<html>\n", "it is an HTML page"),
    "many_wrong.yaml": (b"- anwser: a\n" * 2000, r"line 1 \(and 1999 more cases\): .*'anwser'"),
}
ARROW: Files = {
    f"{name}.{suffix}{packed}": (content, expected)
    for suffix in ("parquet", "arrow", "feather")
    for name, packed, content, expected in (
        ("lfs", "", LFS, "a Git LFS pointer"),
        ("html", "", b"<html>\n", "it is an HTML page"),
        ("zip", "", b"PK\x03\x04\x14\0\0\0", "a ZIP archive"),
        ("zeros", "", b"\0" * 999, "nothing except null characters"),
        ("empty", "", b"", "not a valid .* file: "),
        ("noise", "", random.Random(4).randbytes(9999), "not a valid .* file: "),
        ("ends", "", b"PAR1\x15\x04\x15\x80\xff\xff\xff\x7fPAR1", "Parquet"),
        ("long", "", b"ARROW1\0\0\xff\xff\xff\xff\xff\xff\xff\x7f", "Arrow"),
        ("twice", ".gz", gzip.compress(gzip.compress(A)), "compressed with gzip twice"),
        ("cut", ".gz", gzip.compress(A * 999)[:-20], "a damaged gzip file"),
    )
}
FILES: Files = {**PACKED, **JSON, **TABLES, **TEXTS, **YAML, **ARROW}


def packed(byte: bytes, size: int) -> bytes:
    """So many of a byte, in parts of 64 MiB, as gzip reads them one after the other."""
    part = 2**26
    packer = zlib.compressobj(9, wbits=31)
    once = [*(packer.compress(byte * 2**20) for _ in range(part >> 20)), packer.flush()]
    return b"".join(once) * (size // part)


def of_rows(row: str) -> bytes:
    """Many rows, each with its number."""
    return b"".join((row % number).encode() + b"\n" for number in range(ROWS))


MB = 1_000_000
ROWS = 20_000
LARGE: dict[str, tuple[Callable[[], bytes], Expected]] = {
    "bomb.jsonl.gz": (lambda: packed(b" ", 2**30), "it unpacks to more than 99 MiB, .* unpack it"),
    "bomb.csv.gz": (lambda: packed(b"a", 2**30), "it unpacks to more than 99 MiB"),
    "bomb.json.gz": (lambda: packed(b"[", 2**30), "it unpacks to more than 99 MiB"),
    "long_line.jsonl": (lambda: line(id="a", answer="x" * 200 * MB), ["a"]),
    "long_broken_line.jsonl": (
        lambda: b'{"id":"' + b"x" * 200 * MB,
        "not JSON: Unterminated string",
    ),
    "long_key.jsonl": (lambda: line(**{"x" * 50 * MB: 1}), r"unknown field 'xxx.*\.\.\.xx"),
    "long_id_twice.jsonl": (lambda: line(id="i" * 10 * MB) * 2, r"have the id 'iii.*\.\.\.i"),
    "million_keys.jsonl": (
        lambda: json.dumps(dict.fromkeys(map(str, range(300_000)), 1)).encode(),
        "and 299950 more; known are",
    ),
    "million_columns.csv": (
        lambda: b"a," * MB + b"\n",
        "1000001 columns, more than the limit of 1000",
    ),
    "million_cells.csv": (lambda: b"id\na" + b"," * 5 * MB + b"\n", ["a"]),
    "long_cell.csv": (lambda: b'id,answer\na,"' + b"y" * 100 * MB + b'"\n', ["a"]),
    "long_open_cell.csv": (
        lambda: b'id\n"' + b"y" * 100 * MB,
        "line 2: a quote opens here and nev",
    ),
    "long_name.csv": (
        lambda: b"id," + b"y" * 100 * MB + b"\na,b\n",
        r"unknown field 'yyy.*\.\.\.yy",
    ),
    "long_list.csv": (lambda: b'id,contexts\na,"[' + b"'y'," * 3 * MB + b']"\n', ["a"]),
    "escapes.csv": (lambda: b"id,contexts\na,\"['" + b"\\'" * MB + b']"\n', ["a"]),
    "open_strings.csv": (lambda: b"id,contexts\na,\"['" + b'\'""' * MB + b']"\n', ["a"]),
    "rest_in_quotes.csv": (
        lambda: b'id,answer\na,"b\n' + b"c,d\n" * MB,
        "so the rest of the file",
    ),
    "all_wrong.jsonl": (
        lambda: of_rows('{"answer": %d}'),
        r"line 1 \(and 19999 more cases\): .* field answer is a number; it takes a text",
    ),
    "all_unlike.jsonl": (
        lambda: of_rows('{"col%d": 1}'),
        "1000 or more.*\n(.*\n)*  known are id, q",
    ),
    "all_unknown.csv": (lambda: b"anwser\n" + b"x\n" * 20_000, r"line 2 \(and 19999 more cases\)"),
    "all_broken.csv": (
        lambda: b"id\n" + of_rows('"%d"x'),
        r"line 2 \(and 19999 more cases\): its q",
    ),
    "all_wide.csv": (
        lambda: b"id\n" + of_rows("%d,x"),
        r"19999 more cases\): it has 2 values for 1",
    ),
    "one_id.jsonl": (
        lambda: A * ROWS,
        r"line 2 \(and 19998 more cases\): two cases have the id",
    ),
    "nulls.jsonl": (lambda: A + b"\0" * 300 * MB, "line 2 is longer than 256 MiB"),
}


def sparse(path: Path, head: bytes = b"") -> None:
    with open(path, "wb") as file:
        file.write(head)
        file.truncate(2**40)


def locked(path: Path) -> None:
    path.write_bytes(A)
    path.chmod(0)


PLACES: dict[str, tuple[Callable[[Path], object], Expected]] = {
    "sparse.jsonl": (sparse, "nothing except null characters"),
    "sparse_end.jsonl": (lambda path: sparse(path, A), "line 2 is longer than 256 MiB"),
    "sparse_end.json": (lambda path: sparse(path, b"[{"), "more than 1024 MiB, .* JSON Lines"),
    "sparse_end.csv": (lambda path: sparse(path, b"id\n"), "more than 1024 MiB, .* JSON Lines"),
    "pipe.jsonl": (os.mkfifo, "can't be read: it is a named pipe, not a plain file"),
    "socket.csv": (
        lambda path: os.mknod(path, stat.S_IFSOCK | 0o600),
        "it is a socket, not a plain file",
    ),
    "device.csv": (lambda path: path.symlink_to("/dev/zero"), "it is a device, not a plain file"),
    "loop.jsonl": (lambda path: path.symlink_to(path), "can't be read: Too many levels of symbol"),
    "gone.jsonl": (
        lambda path: path.symlink_to("gone"),
        r"No such file or directory: .*gone\.jsonl",
    ),
    "folder.jsonl": (Path.mkdir, r"the folder has no \.jsonl, .* file"),
    "locked.jsonl": (locked, "can't be read: Permission denied"),
    f"{'n' * 240}.csv": (lambda path: path.write_bytes(b"id\na\n"), ["a"]),
}

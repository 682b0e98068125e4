"""What a shared store needs of a Redis server: memory, commands, network and processor, by case."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.delaying_proxy import DelayingProxy
from tests.redis_server import SERVER, RedisServer

from .children import JudgeProcess, pytest_run
from .scaling_cases import THREE, Kind, write

ASKED = 200  # cases that are asked on the server
SAMPLED = 400  # keys whose memory is read
MOST_GROWTH = 1.2  # of the bytes for a judgement; a server's tables double in steps


def measure(judge: JudgeProcess, filled: Path, kind: Kind, sizes: Sequence[int]) -> bool:
    """Measure with a server, first empty, and the project whose verdicts are all stored on disk."""
    if SERVER is None:
        print("skipped: there is no redis-server here\n")
        return True
    with RedisServer("--maxmemory-policy", "noeviction") as server:
        good = _memory(judge, filled, kind, sizes, server)
        # what follows reads what the largest of the sizes left
        with DelayingProxy(server.socket) as proxy:
            where = f"redis://127.0.0.1:{proxy.port}/0"
            with _counted(server, "stored on the server, nothing on disk", sizes[-1], proxy):
                _run(judge, filled, "another-disk", where)
            with _counted(server, "stored on disk too", sizes[-1], proxy):
                _run(judge, filled, "another-disk", where)
            with server.client() as client:
                client.flushall()
            asked = filled.with_name("asked")
            write(asked, kind, ASKED, THREE)
            with _counted(server, "asked", ASKED, proxy):
                _run(judge, asked, "disk", where)
    print()
    return good


def _memory(
    judge: JudgeProcess, filled: Path, kind: Kind, sizes: Sequence[int], server: RedisServer
) -> bool:
    print("| cases | used_memory: bytes a case | bytes a judgement | keys a case |")
    print("|---|---|---|---|")
    each: list[float] = []
    with server.client() as client:
        for size in sizes:
            client.flushall()
            before = client.info("memory")["used_memory"]
            write(filled, kind, size, THREE)
            _run(judge, filled, "store", server.url)
            used = client.info("memory")["used_memory"] - before
            count = sum(1 for name in client.scan_iter(count=1_000) if _kind(name) == "judgement")
            each.append(used / count)
            print(
                f"| {size:,} | {used / size:,.0f} | {each[-1]:,.0f} | {client.dbsize() / size:.1f}"
                " |",
                flush=True,
            )
        sample: dict[str, list[int]] = defaultdict(list)
        for number, name in enumerate(client.scan_iter(count=1_000)):
            if number < SAMPLED * 4 and number % 4 == 0:
                sample[_kind(name)].append(client.memory_usage(name))
        for what, found in sorted(sample.items()):
            print(f"MEMORY USAGE of a {what}: {statistics.mean(found):,.0f} (of {len(found)} keys)")
    growth = max(each) / each[0]
    print(f"bytes grow at most {growth:.2f} x (limit {MOST_GROWTH} x)\n", flush=True)
    print("| run | round trips a case | commands | bytes to the server | from it | ", end="")
    print("server CPU, ms |\n|---|---|---|---|---|---|")
    return growth <= MOST_GROWTH


def _kind(name: bytes) -> str:
    known = {b"question": "question", b"passage": "passage", b"judged": "claim in the index"}
    return known.get(name.rpartition(b".")[2], "judgement")


@contextmanager
def _counted(server: RedisServer, what: str, cases: int, proxy: DelayingProxy) -> Iterator[None]:
    """Print what the server did meanwhile, by the case."""
    with server.client() as client:
        before, proxy.round_trips = _figures(client), 0
        yield
        used = [after - first for after, first in zip(_figures(client), before, strict=True)]
    commands, received, sent, seconds = (one / cases for one in used)
    print(
        f"| {what} | {proxy.round_trips / cases:.2f} | {commands:.1f} | {received:,.0f} | "
        f"{sent:,.0f} | {1000 * seconds:.2f} |",
        flush=True,
    )


def _figures(client: Any) -> tuple[float, ...]:
    stats, cpu = client.info("stats"), client.info("cpu")
    return (
        stats["total_commands_processed"],
        stats["total_net_input_bytes"],
        stats["total_net_output_bytes"],
        cpu["used_cpu_sys"] + cpu["used_cpu_user"],
    )


def _run(judge: JudgeProcess, folder: Path, disk: str, server: str) -> None:
    variables = {**judge.variables(folder / disk), "RAGASSERT_STORE": server}
    pytest_run(folder, "test_rag.py", "--ragassert-concurrency=64", variables=variables)

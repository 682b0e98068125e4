"""Single flight between machines: leases that their holder renews.

A lease is a key with a random token that the server deletes after six seconds. One thread of the
process renews all its leases every two seconds. So a holder that dies is followed within six
seconds, which is about as long as a judge takes for an answer. A holder that is slow has four
seconds more than it needs before it loses its leases. One that was frozen for longer does no harm,
because what was stored first remains.

Only the process that took a lease renews or frees it: the server compares the tokens.
"""

from __future__ import annotations

import contextlib
import os
import queue
import secrets
import threading
from collections.abc import Callable, Sequence

from ...runtime.forks import Worker
from ...runtime.threads import started
from ..shared_flights import SharedFlights
from .client import Client
from .keys import Keys
from .messages import Trouble, no_locks

LEASE_SECONDS = 6.0
_RENEW_SECONDS = LEASE_SECONDS / 3
_MILLISECONDS = int(LEASE_SECONDS * 1000)

# Takes keys in order until one belongs to another process, and returns how many were taken. A key
# that lasts longer than a lease was not made here, and would never be freed.
_TAKE = """
local taken = {}
local at = 1
for _, size in ipairs(cjson.decode(ARGV[3])) do
  local count = 0
  for index = at, at + size - 1 do
    local key = KEYS[index]
    if not redis.call('SET', key, ARGV[1], 'NX', 'PX', ARGV[2]) then
      local left = redis.call('PTTL', key)
      if 0 <= left and left <= tonumber(ARGV[2]) and redis.pcall('GET', key) ~= ARGV[1] then
        break
      end
    end
    count = count + 1
  end
  table.insert(taken, count)
  at = at + size
end
return taken
"""
_RENEW = """
for _, key in ipairs(KEYS) do
  if redis.pcall('GET', key) == ARGV[1] then redis.call('PEXPIRE', key, ARGV[2]) end
end
return #KEYS
"""
_FREE = """
for _, key in ipairs(KEYS) do
  if redis.pcall('GET', key) == ARGV[1] then redis.call('DEL', key) end
end
return #KEYS
"""


class Leases(SharedFlights):
    """The leases of this process. May be used from any thread.

    If the server can't be used, every key is free: other machines may ask the same question, and
    what is stored first remains.
    """

    def __init__(self, client: Client, keys: Keys) -> None:
        self._client = client
        self._keys = keys
        self._guard = threading.Lock()
        self._works = True
        self._forget()

    def _forget(self) -> None:
        self._pid = os.getpid()
        self._token = secrets.token_hex(16)
        self._held: set[str] = set()
        self._renewing: _Renewing | None = None

    def acquire_in_order(self, groups: Sequence[Sequence[str]], /) -> list[int]:
        with self._guard:
            self._leave_parent()
            # the server can't tell the threads of a process apart, which have one token
            free = [_before_first(self._held, group) for group in groups]
            self._held.update(name for group in free for name in group)
        taken = self._taken(free) if any(free) else [0] * len(free)
        with self._guard:
            for group, count in zip(free, taken, strict=True):
                self._held.difference_update(group[count:])
            if self._held and self._renewing is None:
                with contextlib.suppress(RuntimeError):  # the interpreter shuts down
                    self._renewing = _Renewing(self._renew)
        return taken

    def release_many(self, names: Sequence[str], /) -> None:
        with self._guard:
            self._leave_parent()
            held = [name for name in names if name in self._held]
        if held:
            self._run(_FREE, held)
        with self._guard:
            self._held.difference_update(held)

    def close(self) -> None:
        with self._guard:
            self._leave_parent()
            held, self._held = sorted(self._held), set()
            renewing, self._renewing = self._renewing, None
        if held:
            self._run(_FREE, held)
        if renewing is not None:
            renewing.end()

    def _leave_parent(self) -> None:
        """After a fork, forget what belongs to the parent process."""
        if self._pid != os.getpid():
            self._forget()

    def _taken(self, groups: Sequence[Sequence[str]]) -> list[int]:
        sizes = list(map(len, groups))
        names = [name for group in groups for name in group]
        replied = self._run(_TAKE, names, _MILLISECONDS, str(sizes))
        if not isinstance(replied, list) or len(replied) != len(sizes):
            return sizes
        return [int(count) for count in replied]

    def _renew(self) -> None:
        with self._guard:
            held = sorted(self._held)
        if held:
            self._run(_RENEW, held, _MILLISECONDS)

    def _run(self, script: str, names: Sequence[str], *values: str | int) -> object:
        if not self._works:
            return None
        keys = list(map(self._keys.lease, names))
        try:
            return self._client.run_script(script, keys, self._token, *values)
        except Trouble as trouble:
            self._works = False
            self._client.notice(no_locks(self._client.place, trouble))
            return None


def _before_first(held: set[str], names: Sequence[str]) -> Sequence[str]:
    """Return the names before the first one that this process has already."""
    for at, name in enumerate(names):
        if name in held:
            return names[:at]
    return names


class _Renewing:
    """The thread that renews a process's leases."""

    def __init__(self, renew: Callable[[], None]) -> None:
        self._renew = renew
        self._queue: queue.SimpleQueue[Callable[[], None] | None] = queue.SimpleQueue()
        self._thread = started("ragassert-leases", self._run)
        self._worker = Worker(self._thread, self._queue.put)

    def end(self) -> None:
        self._queue.put(None)
        self._thread.join()

    def _run(self) -> None:
        while True:
            try:
                do = self._queue.get(timeout=_RENEW_SECONDS)
            except queue.Empty:
                self._renew()
                continue
            if do is None:
                return
            do()

# SPDX-License-Identifier: Apache-2.0
"""What a process is taught of the definitions of others."""

from typing import Any

from octavo.objects.by_value.held import Failed, held
from octavo.objects.by_value.registry import registry
from octavo.objects.pickling import loads


def learn(by: bytes, tokens: list[bytes], within: list[bytes], data: bytes, buffers: list[Any], forgotten: list[bytes]) -> None:
    """In the peer. Where the definitions cannot be made, each call that refers to them says why."""
    try:
        learnt: Any = loads(memoryview(data), buffers)
    except Exception as error:
        held.hold(by, dict.fromkeys((*tokens, *within), Failed(error)), forgotten)
        raise
    found = {token: registry.find(token) for token in within}
    held.hold(by, {**dict(zip(tokens, learnt, strict=False)), **{token: each for token, each in found.items() if each is not None}}, forgotten)

"""A secret split of a known-world suite: the same questions in worlds that nobody else can build."""

from __future__ import annotations

import functools
import hashlib
import hmac
from collections.abc import Callable
from dataclasses import replace

from lookaway.errors import SuiteError, UsageError
from lookaway.suites import Draft, Suite

LEAST_BYTES = 16  # shorter secrets can be found by trying
TAG_LENGTH = 6


def secret_suite(suite: Suite, secret: bytes) -> Suite:
    """The suite with every world's seed drawn from the secret and the scene, so that twins still share their world.

    Names are tagged, so that no video of one split is taken for one of another.
    """
    if len(secret) < LEAST_BYTES:
        raise UsageError(
            f"the secret has {len(secret)} bytes, and one so short can be found by trying; "
            f"give at least {LEAST_BYTES}, such as the output of: openssl rand -hex 32"
        )
    name = f"{suite.name}-secret-{_tag(secret, 'suite', suite.name)}"
    return replace(suite, name=name, function=functools.partial(secret_drafts, suite.drafts, name, secret))


def secret_drafts(drafts: Callable[[], list[Draft]], suite: str, secret: bytes) -> list[Draft]:
    found = drafts()
    names = {draft.id: _renamed(draft, secret) for draft in found}
    return [_reseeded(draft, suite, names, secret) for draft in found]


def seed_of(scene: str, secret: bytes) -> int:
    """63 bits of HMAC-SHA256."""
    return int.from_bytes(hmac.digest(secret, scene.encode(), hashlib.sha256)[:8], "big") >> 1


def _reseeded(draft: Draft, suite: str, names: dict[str, str], secret: bytes) -> Draft:
    facts = dict(draft.facts)
    if "seed" not in facts:
        raise SuiteError(f"{draft.suite}: task '{draft.id}' is not built from a seed; only known worlds can be secret")
    if facts.get("twin_of") is not None:
        facts["twin_of"] = names[facts["twin_of"]]
    return replace(
        draft,
        id=names[draft.id],
        suite=suite,
        scene=_tagged(draft.scene, secret),
        facts=tuple((facts | {"seed": seed_of(draft.scene, secret)}).items()),
    )


def _renamed(draft: Draft, secret: bytes) -> str:
    """An id with its scene's name tagged; where it does not begin with the scene, tagged at the end."""
    if draft.id.startswith(draft.scene):
        return _tagged(draft.scene, secret) + draft.id.removeprefix(draft.scene)
    return f"{draft.id}-{_tag(secret, 'scene', draft.scene)}"


def _tagged(scene: str, secret: bytes) -> str:
    return f"{scene}-{_tag(secret, 'scene', scene)}"


def _tag(secret: bytes, kind: str, name: str) -> str:
    """Drawn from a key of its own, so that it says nothing of the seed."""
    names_key = hmac.digest(secret, b"names", hashlib.sha256)
    return hmac.digest(names_key, f"{kind} {name}".encode(), hashlib.sha256).hex()[:TAG_LENGTH]

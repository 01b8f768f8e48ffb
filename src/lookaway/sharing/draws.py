"""Which clips an audit looks at: decided by what was sealed and by a nonce that nobody knew when it was sealed."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence

NONCE_BYTES = 16


def fresh_nonce() -> str:
    """128 bits from the operating system, for the auditor to draw once the seal has arrived."""
    return secrets.token_hex(NONCE_BYTES)


def drawn_cases(bundle: str, nonce: str, cases: Sequence[str], count: int) -> list[str]:
    """`count` of the cases, in the order of sha256(bundle, nonce, case).

    Whoever seals cannot know the order, for the nonce comes later; whoever audits cannot choose it, for the nonce is
    printed and hashed together with the bundle. Anybody can draw the same cases again.
    """

    def place(case: str) -> bytes:
        return hashlib.sha256(f"{bundle}\n{nonce}\n{case}".encode()).digest()

    return sorted(cases, key=place)[:count]

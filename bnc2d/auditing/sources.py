"""What an audit was given, by digests: files as their bytes are, networks as what they say."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass

from bnc2d.base.atomic import reason
from bnc2d.base.checkpoints import checkpoint
from bnc2d.base.readers.arguments import path_name
from bnc2d.errors import FormatError
from bnc2d.model.network import BayesianNetwork

_CHUNK = 2**20


@dataclass(frozen=True)
class Source:
    """A file that an audit rests on; ``name`` has no folders, which would tell of the auditor's machine."""

    role: str
    name: str
    sha256: str
    size: int
    path: str

    @classmethod
    def of_file(cls, role: str, path: str | os.PathLike[str]) -> Source:
        """Return what there is to say about a file as it is now."""
        name = path_name(path)
        digest, size = hashlib.sha256(), 0
        try:
            with open(name, "rb") as file:
                while chunk := file.read(_CHUNK):
                    checkpoint()
                    digest.update(chunk)
                    size += len(chunk)
        except (OSError, ValueError) as error:
            raise FormatError(f"cannot read: {reason(error)}", name) from None
        return cls(role, os.path.basename(name), digest.hexdigest(), size, name)

    def check_unchanged(self) -> None:
        """Raise where the file is no longer the one that was read: its digest would be that of another."""
        if Source.of_file(self.role, self.path) != self:
            raise FormatError("the file changed while it was audited; audit it again", self.path)

    def to_dict(self) -> dict[str, str | int]:
        """Return plain data, without the path."""
        return {"role": self.role, "file": self.name, "sha256": self.sha256, "bytes": self.size}


def network_digest(network: BayesianNetwork) -> str:
    """Return the SHA-256 of what a network says: variables, states in order, parents, exact entries.

    Neither its name nor the order in which variables and parents are listed counts, so networks that differ
    in these alone have the same digest. It is that of one line of JSON, a list that has for each variable, by
    name, ``[name, states, parents by name, entries as fractions, the last axis the variable's own]``.
    """
    listed = []
    for name in sorted(network.names):
        checkpoint()
        cpt = network.cpt(name)
        order = sorted(range(len(cpt.parents)), key=lambda at: cpt.parents[at].name)
        entries = cpt.exact.transpose(*order, len(order)).reshape(-1).tolist()
        parents = [cpt.parents[at].name for at in order]
        listed.append([name, list(cpt.child.states), parents, [str(entry) for entry in entries]])
    return hashlib.sha256(json.dumps(listed, separators=(",", ":")).encode()).hexdigest()

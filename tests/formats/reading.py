"""Short ways to read a text and to see its entries."""

from __future__ import annotations

from pathlib import Path

from bnc2d.formats.io import read_network
from bnc2d.model.network import BayesianNetwork


def read_text(tmp_path: Path, name: str, text: str | bytes, *, normalise: bool = False) -> BayesianNetwork:
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_network(path, normalise=normalise)


def entries(net: BayesianNetwork, name: str) -> list[float]:
    return [float(entry) for entry in net.cpt(name).exact.flat]

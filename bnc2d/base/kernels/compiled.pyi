"""What the C files offer; arrays are C-contiguous but where it says otherwise."""

from typing import Any

from numpy.typing import NDArray

Groups = object  # of equal rows
Keys = object  # a set of hashes

def decide_boxes(
    columns: int,
    left: NDArray[Any],
    sizes: NDArray[Any],
    right: NDArray[Any],
    middle: NDArray[Any],
    half: NDArray[Any],
    largest: NDArray[Any],
    reach: float,
    share: float,
    least: float,
    tied: NDArray[Any],
    tie: int,
    words: NDArray[Any],
    near_rows: NDArray[Any],
    near_columns: NDArray[Any],
) -> int: ...
def collect(
    table: NDArray[Any],
    source: NDArray[Any],
    weight: NDArray[Any],
    starts: NDArray[Any],
    left: NDArray[Any],
    sizes: NDArray[Any],
    tied: NDArray[Any],
) -> None: ...
def add_gates(
    slots: NDArray[Any],
    kinds: NDArray[Any],
    levels: NDArray[Any],
    features: NDArray[Any],
    hashes: NDArray[Any],
    starts: NDArray[Any],
    children: NDArray[Any],
    count: int,
    new_kinds: NDArray[Any],
    new_starts: NDArray[Any],
    below: NDArray[Any],
    known: NDArray[Any] | None,
    ends_of_levels: NDArray[Any],
    nodes: NDArray[Any],
) -> tuple[int, int]: ...
def new_groups() -> Groups: ...
def add_rows(
    groups: Groups,
    rows: NDArray[Any],
    weights: NDArray[Any],
    start: int,
    stop: int,
    ids: NDArray[Any],
    first: NDArray[Any],
    first_id: int,
) -> int: ...
def row_hashes(rows: NDArray[Any], weights: NDArray[Any], hashes: NDArray[Any]) -> None: ...
def compare_pairs(
    values: NDArray[Any],
    first_word: NDArray[Any],
    level: NDArray[Any],
    codes: NDArray[Any],
    indices: NDArray[Any],
    ends: NDArray[Any],
    decided: int,
    left: NDArray[Any],
    right: NDArray[Any],
    start: int,
    answers: NDArray[Any],
) -> None: ...
def follow_pairs(
    values: NDArray[Any],
    first_word: NDArray[Any],
    level: NDArray[Any],
    codes: NDArray[Any],
    indices: NDArray[Any],
    ends: NDArray[Any],
    decided: int,
    table: NDArray[Any],
    first: int,
    pairs: NDArray[Any],
    start: int,
    answers: NDArray[Any],
) -> None: ...
def new_keys() -> Keys: ...
def count_parts(
    clause_keys: Keys,
    guard_keys: Keys,
    cells: NDArray[Any],
    block_ids: NDArray[Any],
    start: int,
    stop: int,
    gates: NDArray[Any],
    guards: NDArray[Any],
) -> None: ...
def extend_cells(
    cells: NDArray[Any],
    firsts: NDArray[Any],
    shifts: NDArray[Any],
    edges: NDArray[Any],
    size: int,
    start: int,
    stop: int,
    wider: NDArray[Any],
) -> None: ...
def expand_bits(
    rows: NDArray[Any], words: int, columns: NDArray[Any], cells: int, expanded: NDArray[Any]
) -> None: ...
def growth_order(
    scopes: bytes,
    summed: bytes,
    groups: bytes,
    weights: bytes,
    largest_log: float,
    most: float,
    order: memoryview[int],
) -> tuple[int, float]: ...
def gather_sums(
    left: NDArray[Any],
    a: int,
    right: NDArray[Any],
    b: int,
    of_left: NDArray[Any],
    of_right: NDArray[Any],
    terms: int,
    table: NDArray[Any],
) -> None: ...
def claim_cells(
    claimed: NDArray[Any], masks: NDArray[Any], left: NDArray[Any], right: NDArray[Any]
) -> None: ...
def open_pairs(
    words: NDArray[Any],
    parts: NDArray[Any],
    following: NDArray[Any],
    start: int,
    stop: int,
    forwards: NDArray[Any],
    backwards: NDArray[Any],
) -> tuple[int, int]: ...
def keep_memory(piece: int, most: int, ahead: int, shared: bool) -> bool: ...
def give_back(most: int) -> bool: ...

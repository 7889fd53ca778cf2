"""Find new failure modes among the vectors of texts that no known mode covers.

A graph of shared nearest neighbours, cut by Leiden; then clusters whose centroids nearly agree are merged, those that
agree with a known mode are left to it, and small ones are dropped. Knows no ids: whoever calls gives the modes theirs.

Sources: Jarvis and Patrick, Clustering using a similarity measure based on shared near neighbors (1973); Traag, Waltman
and van Eck, From Louvain to Leiden (2019). Measured in FAILURE_MODES.
"""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import graspologic_native  # pyright: ignore[reportMissingTypeStubs]
import numpy as np
from numpy.typing import NDArray
from scipy import sparse  # pyright: ignore[reportMissingTypeStubs]
from sklearn.cluster import MiniBatchKMeans  # pyright: ignore[reportMissingTypeStubs]
from threadpoolctl import threadpool_limits  # pyright: ignore[reportMissingTypeStubs]

from models.errors import FlywheelError
from transforms.taxonomy.centroids import TAU, Floats, assign_to_centroids, unit

GRAPH_ROWS: Final = 50_000
"""Rows above which the graph is built over micro-clusters: the number of modes grows with rows at one resolution."""
MICRO_CLUSTERS: Final = 1_500
ROWS_PER_RESOLUTION: Final = 60
"""Rows for which the resolution may rise by 1: modularity makes at least about as many clusters as its resolution,
so that few rows would fall into splinters. Swept on 3 to 40 intents of CLINC150."""

_ROWS: Final = 1_024
_TRIALS: Final = 3

Labels = NDArray[np.int64]


class Clusters(NamedTuple):
    """`labels` (n,): 0..k-1, largest cluster first, or -1 for rows in none or left to a known mode;
    `centroids` (k, d), each of length 1.
    """

    labels: Labels
    centroids: Floats


def discover(
    vectors: NDArray[np.floating],
    *,
    keys: Sequence[str],
    min_members: int = 5,
    resolution: float = 15.0,
    seed: int = 7,
    neighbours: int = 15,
    merge: float = 0.8,
    known_centroids: NDArray[np.floating] | None = None,
    tau: float = TAU,
) -> Clusters:
    """Cluster n vectors (n, d); the same for the same rows in any order, as told by their `keys`, which must differ.

    `resolution` is Leiden's, lowered for few rows. Rows with a cosine of `tau` or more to one of `known_centroids`
    (m, d) are left to it, and so is a cluster whose centroid has one of `merge` or more. Fewer than twice `min_members`
    rows give no cluster. Raises FlywheelError for keys that repeat.
    """
    if len(set(keys)) != len(vectors) or len(keys) != len(vectors):
        raise FlywheelError(
            f"Discovery needs one key a row, all different: {len(vectors)} rows, {len(set(keys))} keys."
        )
    order = np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.int64)
    rows = unit(vectors)[order]
    frozen = np.empty((0, vectors.shape[1])) if known_centroids is None else unit(known_centroids)
    known = assign_to_centroids(rows, frozen, tau).index.copy()
    labels = np.full(len(rows), -1, dtype=np.int64)
    left = np.flatnonzero(known < 0)
    if len(left) >= 2 * min_members:
        with threadpool_limits(1):  # more threads sum in another order
            cut = min(resolution, len(left) / ROWS_PER_RESOLUTION)
            labels[left] = _merged(rows[left], _partition(rows[left], neighbours, cut, seed), merge)
    centroids = _centroids(rows, labels)
    near = assign_to_centroids(centroids, frozen, merge).index
    for label in np.flatnonzero(near >= 0):
        known[labels == label] = near[label]
    labels, centroids = _ranked(np.where(known >= 0, -1, labels), centroids, min_members)
    back = np.argsort(order)
    return Clusters(labels[back], centroids)


def _centroids(rows: Floats, labels: Labels) -> Floats:
    """(k, d) of length 1, for labels 0..k-1; rows labelled -1 count for none."""
    sums = np.zeros((int(labels.max(initial=-1)) + 1, rows.shape[1]))
    np.add.at(sums, labels[labels >= 0], rows[labels >= 0])
    return unit(sums)


def _merged(rows: Floats, labels: Labels, merge: float) -> Labels:
    """Labels 0..k-1 after joining, nearest first, clusters whose centroids have a cosine of `merge` or more."""
    labels = np.unique(labels, return_inverse=True)[1].astype(np.int64)
    sums = np.zeros((int(labels.max()) + 1, rows.shape[1]))
    np.add.at(sums, labels, rows)
    similar = np.tril(unit(sums) @ unit(sums).T, -1)
    while True:
        one, other = divmod(int(similar.argmax()), len(similar))
        if similar[one, other] < merge:
            return np.unique(labels, return_inverse=True)[1].astype(np.int64)
        labels[labels == one] = other
        sums[other] += sums[one]
        similar[one, :] = similar[:, one] = -1.0
        now = unit(sums) @ unit(sums[other : other + 1])[0]
        alive = np.unique(labels)
        similar[other, alive[alive < other]] = now[alive[alive < other]]
        similar[alive[alive > other], other] = now[alive[alive > other]]


def _ranked(labels: Labels, centroids: Floats, min_members: int) -> tuple[Labels, Floats]:
    """Clusters of `min_members` or more, numbered by size; of equal ones the one whose first row comes first."""
    found, first, sizes = np.unique(labels[labels >= 0], return_index=True, return_counts=True)
    enough = sizes >= min_members
    ranked = found[enough][np.lexsort((first[enough], -sizes[enough]))]
    renumbered = np.full(len(centroids) + 1, -1, dtype=np.int64)
    renumbered[ranked] = np.arange(len(ranked))
    return renumbered[labels], centroids[ranked]


def _partition(rows: Floats, neighbours: int, resolution: float, seed: int) -> Labels:
    if len(rows) <= GRAPH_ROWS:
        return leiden(shared_neighbours(rows, neighbours), resolution, seed)
    micro = _micro_clusters(rows, seed)
    centroids, inverse = _centroids(rows, micro), np.unique(micro, return_inverse=True)[1]
    return leiden(shared_neighbours(centroids, neighbours), resolution, seed)[inverse]


def _micro_clusters(rows: Floats, seed: int) -> Labels:
    kind: Any = MiniBatchKMeans
    model = kind(n_clusters=MICRO_CLUSTERS, random_state=seed, batch_size=4_096, n_init=1, max_iter=20)
    return np.asarray(model.fit_predict(rows), dtype=np.int64)


def nearest_neighbours(rows: Floats, neighbours: int) -> NDArray[np.int64]:
    """(n, min(neighbours, n - 1)) indices of the rows with the largest cosine, itself left out; exact, in chunks."""
    count = min(neighbours, len(rows) - 1)
    narrow = rows.astype(np.float32)
    nearest = np.empty((len(rows), count), dtype=np.int64)
    for start in range(0, len(rows), _ROWS):
        similar = narrow[start : start + _ROWS] @ narrow.T
        here = np.arange(len(similar))
        similar[here, start + here] = -np.inf
        nearest[start : start + _ROWS] = np.argpartition(-similar, count - 1, axis=1)[:, :count]
    return nearest


def shared_neighbours(rows: Floats, neighbours: int) -> Any:
    """Symmetric sparse graph (n, n) of neighbours, weighed by the Jaccard similarity of their neighbourhoods."""
    nearest = nearest_neighbours(rows, neighbours)
    count, own = len(rows), np.arange(len(rows))[:, None]
    around = np.hstack([own, nearest])
    matrix: Any = sparse
    edges = matrix.csr_matrix(
        (np.ones(around.size), around.ravel(), np.arange(0, around.size + 1, around.shape[1])), shape=(count, count)
    )
    linked = edges.maximum(edges.T)
    shared = (edges @ edges.T).multiply(linked).tocsr()
    shared.data = shared.data / (2 * around.shape[1] - shared.data)
    shared.setdiag(0)
    shared.eliminate_zeros()
    shared.sort_indices()
    return shared


def leiden(graph: Any, resolution: float, seed: int) -> Labels:
    """Communities (n,) of a symmetric sparse graph by modularity; a row without links is one of its own."""
    count = graph.shape[0]
    alone = count + np.arange(count, dtype=np.int64)
    if graph.nnz == 0:
        return alone
    native: Any = graspologic_native
    _, found = native.leiden_csr(
        graph.indptr.astype(np.int64),
        graph.indices.astype(np.int32),
        graph.data.astype(np.float64),
        count,
        resolution=resolution,
        seed=seed,
        trials=_TRIALS,
    )
    return np.array([found.get(row, alone[row]) for row in range(count)], dtype=np.int64)

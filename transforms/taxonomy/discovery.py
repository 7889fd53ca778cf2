"""Find new failure modes among the vectors of texts that no known mode covers.

A graph of shared nearest neighbours, cut by Leiden several times; what the cuts agree on decides the last one, so that
another seed or order finds the same. Then clusters whose centroids nearly agree are merged, rows go where the centroid
is nearest, clusters that belong to a known mode are left to it, and small ones are dropped. Knows no ids: whoever calls
gives the modes theirs.

Sources: Jarvis and Patrick, Clustering using a similarity measure based on shared near neighbors (1973); Traag, Waltman
and van Eck, From Louvain to Leiden (2019); Lancichinetti and Fortunato, Consensus clustering in complex networks
(2012). Measured by benchmarks.failure_modes_clustering and benchmarks.failure_modes_ids, which say how settings were
chosen.
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

GRAPH_ROWS: Final = 20_000
"""Rows above which the graph is built over micro-clusters: neighbours cost the square of the rows, and the number of
modes grows with rows at one resolution."""
MICRO_CLUSTERS: Final = 1_500
MICRO_SAMPLE: Final = 30_000
"""Rows that micro-clusters are found on; the others go to the nearest."""
ROWS_PER_RESOLUTION: Final = 60
"""Rows for which the resolution may rise by 1: modularity makes at least about as many clusters as its resolution,
so that few rows would fall into splinters. Swept on 3 to 40 intents of CLINC150."""

MERGED: Final = 0.9
"""Cosine of centroids from which two clusters are one."""
MERGED_OF_FEW: Final = 0.8
"""Cosine from which clusters of so few rows are one: a theme that comes in parts gives none of them enough evidence.
That of the measured recipe in FAILURE_MODES."""

CUTS: Final = 20
"""Cuts that are compared. Two runs of another seed agree to an ARI of about .96 after one, of .98 after twenty."""

NEAR: Final = 0.95
"""Cosine of centroids from which a cluster is a known mode's."""
AS_NEAR: Final = 0.05
"""How much farther a row may be from known members than from its own cluster, in cosine, and still count as theirs."""
ATTACHED: Final = 0.5
"""Share of a cluster's rows that count as known members' from which the cluster is left to them."""

_ROWS: Final = 1_024
_NEAREST: Final = 3

Labels = NDArray[np.int64]
Narrow = NDArray[np.float32]


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
    neighbours: int = 20,
    merge: float | None = None,
    known_centroids: NDArray[np.floating] | None = None,
    known_members: NDArray[np.floating] | None = None,
    tau: float = TAU,
) -> Clusters:
    """Cluster n vectors (n, d); the same for the same rows in any order, as told by their `keys`, which must differ.

    `resolution` is Leiden's, lowered for few rows. Of `known_centroids` (m, d): a row with a cosine of `tau` or more to
    one is left to it, and so is a cluster whose centroid nearly agrees with one. Where `known_members` (q, d) of the
    known modes are given too, they decide in place of `tau`: a cluster is left to them if half of its rows are about
    as near to them as to each other. Some dozens of members a mode are enough. Fewer than twice `min_members` rows
    give no cluster. Raises FlywheelError for keys that repeat.
    """
    if len(set(keys)) != len(vectors) or len(keys) != len(vectors):
        raise FlywheelError(
            f"Discovery needs one key a row, all different: {len(vectors)} rows, {len(set(keys))} keys."
        )
    order = np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.int64)
    rows = _narrow_unit(vectors, order)
    frozen = np.empty((0, vectors.shape[1])) if known_centroids is None else unit(known_centroids)
    members = None if known_members is None or not len(known_members) else _narrow_unit(known_members)
    is_known = np.zeros(len(rows), dtype=np.bool_)
    if members is None:
        is_known = assign_to_centroids(rows, frozen, tau).index >= 0
    labels = np.full(len(rows), -1, dtype=np.int64)
    left = np.flatnonzero(~is_known)
    with threadpool_limits(1):  # more threads sum in another order
        if len(left) >= 2 * min_members:
            cut = min(resolution, len(left) / ROWS_PER_RESOLUTION)
            least = merge or (MERGED if cut == resolution else MERGED_OF_FEW)
            parts = _partition(rows[left], neighbours, cut, seed)
            labels[left] = _settled(rows[left], _merged(rows[left], parts, least))
        centroids = _centroids(rows, labels)
        of_known = assign_to_centroids(centroids, frozen, NEAR).index >= 0
        if members is not None:
            of_known |= _share_attached(rows, labels, members) >= ATTACHED
        labels = np.where((labels >= 0) & ~np.append(of_known, True)[labels], labels, -1)
    labels, centroids = _ranked(labels, centroids, min_members)
    back = np.argsort(order)
    return Clusters(labels[back], centroids)


def _narrow_unit(vectors: NDArray[np.floating], order: Labels | None = None) -> Narrow:
    """Each row, in `order`, scaled to length 1, in single precision: a million of them must fit."""
    rows = (
        vectors.astype(np.float32) if order is None else vectors[order].astype(np.float32, copy=False)
    )  # indexing has copied
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    rows /= np.where(lengths > 0, lengths, 1.0).astype(np.float32)
    return rows


def _share_attached(rows: Narrow, labels: Labels, members: Narrow) -> Floats:
    """By cluster (k,): the share of its rows that are about as near to known members as to their own cluster.

    Near means the mean cosine to the 3 nearest. Within one density a row of a known mode lies as near to its members as
    to the others that arrived with it; a row of a new mode does not.
    """
    shares = np.zeros(int(labels.max(initial=-1)) + 1)
    for label in range(len(shares)):
        own = rows[labels == label]
        attached = 0
        for start in range(0, len(own), _ROWS):
            block = own[start : start + _ROWS]
            beside = block @ own.T
            beside[np.arange(len(block)), start + np.arange(len(block))] = -1.0
            attached += int((_mean_of_nearest(block @ members.T) >= _mean_of_nearest(beside) - AS_NEAR).sum())
        shares[label] = attached / max(1, len(own))
    return shares


def _mean_of_nearest(similar: Narrow) -> Narrow:
    """(n,) mean of the 3 largest of each row (n, m)."""
    count = min(_NEAREST, similar.shape[1])
    return np.sort(np.partition(similar, -count, axis=1)[:, -count:], axis=1).mean(axis=1)


def _sums(rows: Narrow, labels: Labels) -> Floats:
    """(k, d) sums by label 0..k-1, in double precision; rows labelled -1 count for none."""
    count = int(labels.max(initial=-1)) + 1
    sums = np.zeros((count, rows.shape[1]))
    matrix: Any = sparse
    for start in range(0, len(rows), 16 * _ROWS):
        block, of_block = rows[start : start + 16 * _ROWS].astype(np.float64), labels[start : start + 16 * _ROWS]
        inside = np.flatnonzero(of_block >= 0)
        of_label = matrix.csr_matrix((np.ones(len(inside)), (of_block[inside], inside)), shape=(count, len(block)))
        sums += of_label @ block
    return sums


def _centroids(rows: Narrow, labels: Labels) -> Floats:
    """(k, d) of length 1, for labels 0..k-1; rows labelled -1 count for none."""
    return unit(_sums(rows, labels))


def _merged(rows: Narrow, labels: Labels, merge: float) -> Labels:
    """Labels 0..k-1 after joining, nearest first, clusters whose centroids have a cosine of `merge` or more."""
    labels = np.unique(labels, return_inverse=True)[1].astype(np.int64)
    sums = _sums(rows, labels)
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


def _settled(rows: Narrow, labels: Labels) -> Labels:
    """Each row in the cluster whose centroid is nearest: one step of k-means, by which new texts are assigned too."""
    centroids = _centroids(rows, labels).astype(np.float32)
    settled = np.empty_like(labels)
    for start in range(0, len(rows), _ROWS):
        settled[start : start + _ROWS] = (rows[start : start + _ROWS] @ centroids.T).argmax(axis=1)
    return np.unique(settled, return_inverse=True)[1].astype(np.int64)


def _ranked(labels: Labels, centroids: Floats, min_members: int) -> tuple[Labels, Floats]:
    """Clusters of `min_members` or more, numbered by size; of equal ones the one whose first row comes first."""
    found, first, sizes = np.unique(labels[labels >= 0], return_index=True, return_counts=True)
    enough = sizes >= min_members
    ranked = found[enough][np.lexsort((first[enough], -sizes[enough]))]
    renumbered = np.full(len(centroids) + 1, -1, dtype=np.int64)
    renumbered[ranked] = np.arange(len(ranked))
    return renumbered[labels], centroids[ranked]


def _partition(rows: Narrow, neighbours: int, resolution: float, seed: int) -> Labels:
    if len(rows) <= GRAPH_ROWS:
        return agreed(shared_neighbours(rows, neighbours), resolution, seed)
    micro = _micro_clusters(rows, seed)
    inverse = np.unique(micro, return_inverse=True)[1].astype(np.int64)
    centroids = _centroids(rows, inverse).astype(np.float32)
    return agreed(shared_neighbours(centroids, neighbours), resolution, seed)[inverse]


def _micro_clusters(rows: Narrow, seed: int) -> Labels:
    kind: Any = MiniBatchKMeans
    model = kind(n_clusters=MICRO_CLUSTERS, random_state=seed, batch_size=4_096, n_init=1, max_iter=5)
    sample = np.linspace(0, len(rows) - 1, min(len(rows), MICRO_SAMPLE)).astype(np.int64)
    model.fit(rows[sample])
    centroids = np.asarray(model.cluster_centers_, dtype=np.float32)
    half = (centroids * centroids).sum(axis=1) / 2
    micro = np.empty(len(rows), dtype=np.int64)
    for start in range(0, len(rows), _ROWS):
        block = rows[start : start + _ROWS]
        micro[start : start + len(block)] = (block @ centroids.T - half).argmax(axis=1)
    return micro


def nearest_neighbours(rows: NDArray[np.floating], neighbours: int) -> NDArray[np.int64]:
    """(n, min(neighbours, n - 1)) indices of the rows with the largest cosine, itself left out; exact, in chunks."""
    count = min(neighbours, len(rows) - 1)
    narrow = rows.astype(np.float32, copy=False)
    nearest = np.empty((len(rows), count), dtype=np.int64)
    for start in range(0, len(rows), _ROWS):
        similar = narrow[start : start + _ROWS] @ narrow.T
        here = np.arange(len(similar))
        similar[here, start + here] = -np.inf
        nearest[start : start + _ROWS] = np.argpartition(similar, len(rows) - count, axis=1)[:, len(rows) - count :]
    return nearest


def shared_neighbours(rows: NDArray[np.floating], neighbours: int) -> Any:
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


def agreed(graph: Any, resolution: float, seed: int) -> Labels:
    """Communities (n,) of the graph once each link is weighed by the share of cuts that leave its ends together."""
    linked = graph.tocoo()
    together = np.zeros(len(linked.data))
    for cut in range(CUTS):
        found = leiden(graph, resolution, seed * 1_000 + cut)
        together += found[linked.row] == found[linked.col]
    linked.data = linked.data * (together / CUTS)
    weighed = linked.tocsr()
    weighed.eliminate_zeros()
    weighed.sort_indices()
    return leiden(weighed, resolution, seed)


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
        trials=1,
    )
    return np.array([found.get(row, alone[row]) for row in range(count)], dtype=np.int64)

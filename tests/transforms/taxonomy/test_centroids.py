"""Assignment to frozen centroids, and products that do not depend on the number of rows."""

import numpy as np

from transforms.taxonomy.centroids import assign_to_centroids, cosines, fixed_product


def test_rows_go_to_the_nearest_centroid_or_to_none() -> None:
    centroids = np.array([[2.0, 0.0, 0.0], [0.0, 0.5, 0.0]])
    vectors = np.array([[1.0, 0.1, 0.0], [0.0, 1.0, 0.2], [0.0, 0.0, 1.0], [0.0, 0.0, 0.0]])
    index, cosine = assign_to_centroids(vectors, centroids)
    assert index.tolist() == [0, 1, -1, -1]
    np.testing.assert_allclose(cosine, [1 / np.sqrt(1.01), 1 / np.sqrt(1.04), 0.0, 0.0], atol=1e-6)
    assert assign_to_centroids(vectors, centroids, tau=0.99).index.tolist() == [0, -1, -1, -1]


def test_no_centroids_and_no_rows() -> None:
    assert assign_to_centroids(np.ones((2, 3)), np.empty((0, 3))).index.tolist() == [-1, -1]
    assert assign_to_centroids(np.empty((0, 3)), np.ones((2, 3))).index.shape == (0,)


def test_a_row_does_not_depend_on_its_neighbours() -> None:
    draw = np.random.default_rng(3)
    rows, columns = draw.normal(size=(700, 384)), draw.normal(size=(384, 15))
    together = fixed_product(rows, columns)
    np.testing.assert_allclose(together, rows @ columns, atol=1e-6)
    assert (fixed_product(rows[13:14], columns) == together[13]).all()
    assert (fixed_product(rows[::-1], columns)[::-1] == together).all()


def test_cosines_of_any_length() -> None:
    assert cosines(np.array([[3.0, 4.0]]), np.array([[30.0, 40.0], [-4.0, 3.0]])).tolist() == [[1.0, 0.0]]

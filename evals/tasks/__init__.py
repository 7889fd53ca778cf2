"""Hard verifiable tasks: made by deleting a feature until its tests fail, graded apart from who solved them."""

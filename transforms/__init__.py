"""The warehouse: the dbt project, its build, and the pure functions that its Python models call."""

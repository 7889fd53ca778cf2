"""What the warehouse knows of a text by itself: hash, normal form, language, near-duplicate bands. Pure."""

import hashlib
from collections.abc import Iterable

import numpy as np
import polars as pl

from text.language import language_of
from text.near_duplicates import BANDS, band_hashes
from text.normal_form import normal_form, text_hash


def hashed(texts: Iterable[str]) -> pl.DataFrame:
    """One row per distinct text: `text_key` (MD5 of the text as it is), `text_hash`, `normal_form` and `language`.

    The language is that of the normal form, so that texts that count as the same are in one.
    """
    distinct = sorted(set(texts))
    forms = [normal_form(text) for text in distinct]
    languages = {form: language_of(form) for form in set(forms)}
    return pl.DataFrame(
        {
            "text_key": [_md5(text) for text in distinct],
            "text_hash": [text_hash(form) for form in forms],  # of a normal form, which stays what it is
            "normal_form": forms,
            "language": [languages[form] for form in forms],
        },
        schema={"text_key": pl.String, "text_hash": pl.String, "normal_form": pl.String, "language": pl.String},
    )


def bands(texts: pl.DataFrame) -> pl.DataFrame:
    """32 rows per row of `texts` (`text_hash`, `normal_form`): `text_hash`, `band`, `band_hash` (its bits, signed)."""
    hashes = band_hashes(texts["normal_form"].to_list())
    return pl.DataFrame(
        {
            "text_hash": np.repeat(texts["text_hash"].to_numpy(), BANDS) if texts.height else [],
            "band": np.tile(np.arange(BANDS, dtype=np.int32), texts.height),
            "band_hash": hashes.view(np.int64).ravel(),
        },
        schema={"text_hash": pl.String, "band": pl.Int32, "band_hash": pl.Int64},
    )


def _md5(text: str) -> str:
    """As DuckDB's md5() has it: a key, not a safeguard."""
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()

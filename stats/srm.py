"""Sample ratio mismatch: do the arms have the units that their weights say? If not, no effect can be trusted.

Counts units, each once. `srm` is for one look, `sequential_srm` for as many as one likes.
"""

from collections.abc import Sequence
from math import exp, log
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import chdtrc, gammaln  # pyright: ignore[reportMissingTypeStubs]

CONCENTRATIONS: Final = (1e1, 1e2, 1e3, 1e4, 1e5)
"""Of the priors that are mixed. A share of one half has a standard deviation of 15, 5, 1.6, .5 and .16 points under
them: an assignment that loses half an arm is found among a hundred units, one that loses a hundredth among many."""


def srm(counts: Sequence[float], weights: Sequence[float]) -> float:
    """p of Pearson's chi-square over k arms, k - 1 degrees of freedom; 1 where there are no units yet.

    `weights` are what the shares of the arms were meant to be, up to a factor. Valid once, not daily: of A/A tests 28%
    have p < .05 on one of 28 days. Raises ValueError unless there are as many weights as counts, two or more, all of
    them above 0. Source: Fabijan et al. (2019), Diagnosing sample ratio mismatch in online controlled experiments.
    """
    seen, shares = _checked(counts, weights)
    if not seen.sum():
        return 1.0
    expected = shares * seen.sum()
    return float(chdtrc(len(seen) - 1, float(((seen - expected) ** 2 / expected).sum())))


def sequential_srm(counts: Sequence[float], weights: Sequence[float]) -> float:
    """p that holds at every look at once: under the right weights it ever falls below a with chance a at most.

    One over the likelihood ratio of a mixture of Dirichlet-multinomials (centred on the weights, CONCENTRATIONS in
    equal parts) against the multinomial, at most 1. Raises ValueError as `srm` does. Source: Lindon and Malek (2022),
    Anytime-valid inference for multinomial count data, section 3; a mean of such ratios is one too.
    """
    seen, shares = _checked(counts, weights)
    ratios: list[float] = []
    for concentration in CONCENTRATIONS:
        prior = concentration * shares
        drawn = gammaln(concentration) - gammaln(concentration + seen.sum())
        ratios.append(float(drawn + (gammaln(prior + seen) - gammaln(prior) - seen * np.log(shares)).sum()))
    evidence = float(np.logaddexp.reduce(ratios)) - log(len(ratios))
    return exp(min(0.0, -evidence))


def _checked(counts: Sequence[float], weights: Sequence[float]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    seen, meant = np.asarray(counts, dtype=np.float64), np.asarray(weights, dtype=np.float64)
    if len(seen) != len(meant) or len(seen) < 2 or (meant <= 0).any() or (seen < 0).any():
        raise ValueError(
            f"counts {list(counts)} need weights above 0, one for each of two or more arms: {list(weights)}"
        )
    return seen, meant / meant.sum()

"""An interval that holds at every look at once, however long one looks: for watching, and for stopping on harm.

It never ends and needs no plan, and pays for that: at a planned end it is half as wide again as a fixed one.
`stats.sequential` decides.
"""

from math import exp, log, sqrt


def rho(alpha: float, n_star: float) -> float:
    """The tuning that makes the interval narrowest at `n_star` units (of both arms), to first order.

    Source: Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas (2024), Time-uniform central limit theory and asymptotic
    confidence sequences, section 2.2 and appendix B.2.
    """
    level = -2 * log(alpha)
    return sqrt((level + log(level + 1)) / n_star)


def half_width(n: float, variance: float, rho: float, alpha: float = 0.05) -> float:
    """Half the width at `n` units (of both arms), `variance` that of the estimate itself (its squared standard error).

    The same as the mixture sequential probability ratio test with a normal prior of variance n variance rho^2 (Johari
    et al. 2022). Asymptotic: wants some hundreds of units at the first look. Source: Waudby-Smith et al. (2024),
    theorem 2.2.
    """
    growth = n * rho * rho
    return sqrt(2 * variance * (growth + 1) / growth * log(sqrt(growth + 1) / alpha))


def p_value(n: float, difference: float, variance: float, rho: float) -> float:
    """The lowest alpha whose interval leaves 0 out, `rho` held: valid at every look at once. 1 where `variance` is 0.

    Its least value up to now is valid too. Source: `half_width`, solved for alpha.
    """
    if variance == 0:
        return 1.0
    growth = n * rho * rho
    exponent = difference * difference / variance * growth / (2 * (growth + 1))
    return min(1.0, exp(0.5 * log(growth + 1) - exponent))

"""Verdicts of three values, by intervals: a figure is within its bar, outside it, or cannot be told. Noise widens intervals, and leads to the
third alone."""
import math

WITHIN, OUTSIDE, UNKNOWN = "within", "outside", "unknown"
PROBABILITY = 0.9  # of all intervals
# Of Student's distribution, 95 %, by degrees of freedom; of more the last, which is wide enough.
STUDENT = (6.314, 2.920, 2.353, 2.132, 2.015, 1.943, 1.895, 1.860, 1.833)
MANY = 500  # values, of which ranks are those of the normal distribution
NORMAL = 1.645


def together(verdicts):
    """Of all of them: outside where one is, else unknown where one is."""
    return OUTSIDE if OUTSIDE in verdicts else UNKNOWN if UNKNOWN in verdicts or not verdicts else WITHIN


def by_interval(low, high, least, most):
    """An interval against a range."""
    return WITHIN if least <= low and high <= most else OUTSIDE if high < least or low > most else UNKNOWN


def at_most(interval, most):
    """An interval, None where nothing is known of it, against a bar that no figure may lie above."""
    return by_interval(*(interval or (-math.inf, math.inf)), -math.inf, most)


def met(verdict):
    """As targets have it: True, False, or None where it cannot be told."""
    return {WITHIN: True, OUTSIDE: False, UNKNOWN: None}[verdict]


def median_interval(values):
    """Between two of the values, whatever they are distributed like; None where there are too few."""
    values, outside, rank = sorted(values), 0.0, None
    if len(values) > MANY:
        rank = int((len(values) - NORMAL * math.sqrt(len(values))) / 2) - 1
        return values[rank], values[-1 - rank]
    for k in range((len(values) + 1) // 2):
        outside += 2 * math.comb(len(values), k) * 0.5 ** len(values)
        if outside > 1 - PROBABILITY:
            break
        rank = k
    return None if rank is None else (values[rank], values[-1 - rank])


def ratio_interval(ratios):
    """Of few turns: where their geometric mean lies, their logarithms being normal; None of fewer than two."""
    if len(ratios) < 2:
        return None
    logs = [math.log(ratio) for ratio in ratios]
    mean = math.fsum(logs) / len(logs)
    deviation = math.sqrt(math.fsum((one - mean) ** 2 for one in logs) / (len(logs) - 1))
    reach = STUDENT[min(len(logs) - 1, len(STUDENT)) - 1] * deviation / math.sqrt(len(logs))
    return math.exp(mean - reach), math.exp(mean + reach)

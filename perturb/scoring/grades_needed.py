"""How many human grades a corrected score needs, and which replies to grade.

Replies of one model, class and kind of judgement form a stratum. Grades help most in the strata where the judge and
people differ most often. How often they differ is estimated from earlier grades or, if there are too few, from the
disagreement of several judges.

`draw_for` draws the replies. `_ModelPlan` puts the replies of a model into strata. `GradingStrata` computes how many of
each stratum people have to grade.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from perturb.errors import ConfigError
from perturb.files.resources import seed_of
from perturb.metrics.corrected_rates import FEWEST_GRADES, combined
from perturb.metrics.inputs import Floats, Integers
from perturb.metrics.intervals import bisect, t_quantile
from perturb.scoring.human_grades import (
    CORRECTED,
    CRS,
    HALVES,
    CountedReplies,
    GradedReply,
    Key,
    graded_replies,
    grades_of,
    is_hit,
    key_of_judged,
    key_of_row,
    number_bases,
)
from perturb.scoring.table import ModelReplies, read_results

if TYPE_CHECKING:
    import pandas

    from perturb.auditing.judged_replies import JudgedReply
    from perturb.auditing.rubric import Sample

# The assumed error rate of a judge if no grade and no second judge shows it.
ASSUMED = 0.1
# With this many grades of a model or more, they show how often the judge is wrong about it.
ENOUGH_TO_TELL = 20
# The weight, in grades, of a model's error rate in the error rate of one of its strata.
_PRIOR_GRADES = 5


# The columns of a data frame that name a stratum.
_STRATUM = ["rate", "stratum"]


@dataclass(frozen=True)
class GradingStrata:
    """The strata of the replies that people grade, and how much each adds to the variance of a score.

    Neyman's allocation: grades go where weight times spread is largest. References: Neyman (1934), Journal of the Royal
    Statistical Society 97; Fisch et al. (2024), arXiv 2406.04291.
    """

    sizes: Integers
    """Replies that a judge decided, shape (strata,), as for the next four."""
    weights: Floats
    """The weight of the stratum in the score."""
    spreads: Floats
    """Standard deviation of judge minus human."""
    graded: Integers
    """Number of grades so far."""
    rates: Integers
    """The number of the rate that a stratum belongs to; a score may be made of several."""
    variance: float
    """Variance of the score if people graded everything."""
    bases: int
    """Number of base instances."""

    def counts(self, pace: float) -> Integers:
        """Grades by stratum, including those so far, proportional to weight times spread (Neyman's allocation).

        `pace` is the number of grades for each unit of weight times spread.
        """
        # with fewer grades in a stratum, too few disagreements show to estimate its variance
        least = np.maximum(FEWEST_GRADES, self.graded)
        proportional = np.maximum(np.ceil(pace * self.weights * self.spreads), least)
        return np.minimum(proportional, self.sizes).astype(np.int64)

    def half_width(self, counts: Integers) -> float:
        """Half the 95 % interval that these numbers of grades would give, computed as `CorrectedRate` does."""
        # the variance of a mean of `counts` of `sizes` replies, drawn without replacement
        added = (self.weights * self.spreads) ** 2 * (1 / counts - 1 / self.sizes)
        # The variance that a single disagreement among the grades would add. As in `CorrectedRate.estimate`, the
        # interval counts half a disagreement more than the grades show, and never fewer than two.
        one_error = 0.0
        for rate in np.unique(self.rates):
            in_rate = self.rates == rate
            if counts[in_rate].sum() < self.sizes[in_rate].sum():
                one_error += float(self.weights[in_rate].sum() / counts[in_rate].sum()) ** 2
        variance = max(self.variance + float(added.sum()) + one_error / 2, 2 * one_error)
        # Neither base instances nor grades may be fewer than the clusters of the interval, and two are the least.
        clusters = max(2, min(self.bases, int(counts.sum())))
        return t_quantile(clusters) * math.sqrt(variance)

    def fewest(self, half_width: float) -> Integers | None:
        """The fewest grades by stratum that give at most this half width; None if even all grades do not.

        >>> columns = [400, 400], [0.5, 0.5], [0.4, 0.1], [0, 0], [0, 0]
        >>> strata = GradingStrata(*map(np.array, columns), variance=1e-4, bases=100)
        >>> strata.fewest(0.04).tolist(), strata.fewest(0.01)
        ([128, 32], None)
        """
        if self.half_width(self.sizes) > half_width:
            return None
        if self.half_width(self.counts(0.0)) <= half_width:
            return self.counts(0.0)
        # at the largest pace every reply is graded, which is enough; 60 halvings reach the precision of a float
        largest_pace = float((self.sizes / np.maximum(self.weights * self.spreads, 1e-9)).max())
        _, enough = bisect(
            lambda pace: self.half_width(self.counts(pace)) > half_width, 0.0, largest_pace, halvings=60
        )
        return self.counts(enough)


def draw_for(run: Path, metric: str, half_width: float, seed: int = 0) -> Sample:
    """Draw the fewest replies to grade that give every model's corrected score at most this half width.

    Within a stratum (model, class, kind of judgement) replies are drawn at random, more of them where judge and people
    differ more often. Replies with a grade stay in the sample.

    Returns the ids of the replies in the order of review, and the facts about the draw for the ledger. Its `needed` has
    an entry for each model: the replies that the score counts and a judge decided (`judged`), how many of them people
    graded (`graded`), the number of grades needed, with those so far (`needed`), half of the interval that they would
    give (`half_width`), and where the error rate of the judge comes from (`source`).

    Raises `ConfigError` for a metric that people's grades do not correct, and if no number of grades is enough.
    """
    from perturb.auditing.judged_replies import judged_replies
    from perturb.ledger.calls import reading
    from perturb.ledger.evaluations import read_reviews

    if metric not in CORRECTED:
        raise ConfigError(f"people's grades do not correct {metric}: name one of {', '.join(CORRECTED)}")
    models = read_results(run).models
    with reading(run) as db:
        replies, reviews = judged_replies(db), read_reviews(db)
    grades, bases = grades_of(replies, reviews), number_bases(models)
    by_reply_and_kind = {(key_of_judged(reply), reply.kind): reply for reply in replies}
    chosen: set[str] = {reply.id for reply in replies if reply.id in reviews}
    needs = []
    for model in models:
        plan = _ModelPlan.of(model, graded_replies(model.rows, grades), by_reply_and_kind, metric)
        strata = plan.strata(bases)
        counts = _fewest_grades(model.model, strata, half_width)
        chosen |= plan.draw(counts, seed)
        needs.append(
            {
                "model": model.model,
                "judged": int(strata.sizes.sum()),
                "graded": int(strata.graded.sum()),
                "needed": int(counts.sum()),
                "half_width": strata.half_width(counts),
                "source": plan.source,
            }
        )
    # By id, since a reply with several kinds of judgement is in the list once for each.
    chosen_replies = {reply.id: reply for reply in replies if reply.id in chosen}
    kinds = Counter(reply.kind for reply in chosen_replies.values())
    # In the order of the strata, people would see one model and one class after the other.
    ids = sorted(chosen, key=lambda reply_id: seed_of(seed, "review order", reply_id))
    rule = {"for": f"ci({metric}) <= {half_width:g}", "seed": seed}
    return ids, {**rule, "needed": needs, "drawn": dict(sorted(kinds.items()))}


def _fewest_grades(model: str, strata: GradingStrata, half_width: float) -> Integers:
    """The fewest grades by stratum. Raises `ConfigError` if no number of grades is enough."""
    counts = strata.fewest(half_width)
    if counts is None:
        narrowest = strata.half_width(strata.sizes)
        raise ConfigError(
            f"{model}: no number of grades is enough: with all replies graded the interval is ± {narrowest:.3f}:"
            " allow a wider one, or evaluate on more items"
        )
    return counts


@dataclass(frozen=True)
class _ModelPlan:
    """The strata of one model's score: the rates that it consists of, each by class and kind of judgement."""

    replies: pandas.DataFrame
    """The replies that a judge decided: `rate` (its number), `stratum`, `id`, and `weight` in the score.

    `judge_errs` is 1 if judge and people differ, 0 if they agree, NaN without a grade. `judges_differ` is 1 if the
    judges differ from each other, 0 if they agree, NaN with one judge.
    """
    counted: list[CountedReplies]
    """The strata of each rate; all rates have the same weight."""

    @classmethod
    def of(
        cls,
        model: ModelReplies,
        replies: Sequence[GradedReply],
        judged_replies: Mapping[tuple[Key, str], JudgedReply],
        metric: str,
    ) -> _ModelPlan:
        """The plan of a model; `judged_replies` has the judged replies by key and kind of judgement."""
        import pandas as pd

        names = HALVES if metric == CRS else (metric,)
        counted = [CountedReplies.of(replies, name) for name in names]
        rows = []
        for number, (name, rate) in enumerate(zip(names, counted, strict=True)):
            weight = 1 / len(names) / max(1, len(rate.replies))
            for reply, stratum, judge_hit, people_hit in zip(
                rate.replies, rate.strata, rate.judge_hits, rate.people_hits, strict=True
            ):
                kind = reply.kind_for(name)
                if kind is None:
                    continue
                judged = judged_replies.get((key_of_row(reply.row), kind))
                if judged is None:
                    continue
                hits_by_judges = {
                    is_hit(name, kind, vote, reply.row.expected) for vote in judged.votes.values()
                }
                rows.append(
                    {
                        "rate": number,
                        "stratum": stratum,
                        "id": judged.id,
                        "weight": weight,
                        "judge_errs": np.nan if np.isnan(people_hit) else float(people_hit != judge_hit),
                        "judges_differ": float(len(hits_by_judges) > 1) if hits_by_judges else np.nan,
                    }
                )
        if not rows:
            raise ConfigError(f"{model.model}: no reply that {metric} counts was graded by a judge")
        return cls(pd.DataFrame(rows), counted)

    @property
    def source(self) -> str:
        """Where the judge's error rate comes from: grades, judges that disagree, or an assumption."""
        if self.replies["judge_errs"].count() >= ENOUGH_TO_TELL:
            return "grades"
        return "judges" if self.replies["judges_differ"].count() else "assumed"

    def strata(self, bases: Mapping[str, int]) -> GradingStrata:
        """The strata in the order in which they first occur."""
        overall = combined(
            [counted.corrected(counted.judge_hits, bases) for counted in self.counted],
            [1 / len(self.counted)] * len(self.counted),
        )
        groups = self.replies.groupby(_STRATUM, sort=False)
        if self.source == "assumed":
            shares = np.full(len(groups), ASSUMED)
        else:
            # Two judges that err equally often differ about twice as often as one of them errs.
            scale, column = (1.0, "judge_errs") if self.source == "grades" else (0.5, "judges_differ")
            compared, errors = groups[column].count(), scale * groups[column].sum()
            # A rate of 0 or 1 from few replies would claim certainty. Laplace's rule keeps away from both.
            rate_of_model = (errors.sum() + 1) / (compared.sum() + 2)
            # A stratum with few grades takes the rate of the model for `_PRIOR_GRADES` more of them.
            rates = (errors + _PRIOR_GRADES * rate_of_model) / (compared + _PRIOR_GRADES)
            # Judge minus human is 0, 1 or -1, so its variance is at most the share that is not 0.
            shares = np.minimum(np.asarray(rates), 0.25)
        return GradingStrata(
            sizes=np.asarray(groups.size(), dtype=np.int64),
            weights=groups["weight"].sum().to_numpy(),
            spreads=np.sqrt(shares),
            graded=np.asarray(groups["judge_errs"].count(), dtype=np.int64),
            rates=groups["rate"].first().to_numpy(),
            variance=float(overall.influence @ overall.influence),
            bases=overall.clusters,
        )

    def draw(self, counts: Integers, seed: int) -> set[str]:
        """The ids of this number of replies from each stratum, replies with a grade first."""
        chosen: set[str] = set()
        for (_, rows), count in zip(self.replies.groupby(_STRATUM, sort=False), counts, strict=True):
            graded_ids = set(rows["id"][rows["judge_errs"].notna()])
            # a hash orders the rest, so that a larger sample contains the smaller one
            ranked = sorted(
                rows["id"],
                key=lambda reply_id: (reply_id not in graded_ids, seed_of(seed, "review", reply_id)),
            )
            chosen.update(ranked[:count])
        return chosen

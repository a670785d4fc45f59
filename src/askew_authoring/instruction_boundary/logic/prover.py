"""Small theories in first-order logic, and a prover that is complete for them.

A theory is a list of premises. Predicates are unary, and a rule is about one subject: a named one,
or its universally quantified variable. So what holds of a subject follows from its own facts and
the rules grounded for it: entailment is propositional, and DPLL decides it completely (forward
chaining would miss contraposition and reasoning by cases).

Depth is measured apart, over unit propagation: a proof's depth is its longest line of rule
applications, forwards or by contraposition, and `depth` returns the least over all such proofs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, reduce
from operator import or_
from typing import Literal as OneOf

from askew_authoring.instruction_boundary.logic.wording import Literal, Premise

Label = OneOf["true", "false", "unknown"]


class _Told:
    """What a theory says of one subject.

    Literals are bits: predicate i is bit i, its negation bit i + n. A clause is the set of its
    literals, a state of knowledge the set of literals known to hold. A rule is body and head.
    """

    def __init__(self, n: int, said: Sequence[tuple[int, int]]) -> None:
        self.n, self.rules = n, [rule for rule in said if rule[0]]
        self.models: list[int] = []
        facts = [head for body, head in said if not body]
        self.facts = reduce(or_, facts, 0)
        self.clauses = [*facts, *(self.opposite(body) | head for body, head in self.rules)]

    def opposite(self, mask: int) -> int:
        return (mask >> self.n) | ((mask & ((1 << self.n) - 1)) << self.n)

    def rounds(self, known: int) -> Iterator[int]:
        """What is known after each round of unit propagation, up to a contradiction."""
        before = -1
        while known != before:
            yield known
            before, excluded = known, self.opposite(known)
            if known & excluded:
                return
            for clause in self.clauses:
                rest = clause & ~excluded
                if not clause & before and not rest & (rest - 1):
                    known |= rest

    @cached_property
    def propagated(self) -> int:
        """What the facts come to by unit propagation."""
        *_, known = self.rounds(self.facts)
        return known

    def allows(self, wanted: int) -> bool:
        """DPLL with an explicit stack: is there a model in which all that is wanted holds?

        A model leaves open what no clause needs, so one that was found may serve again.
        """
        denied = self.opposite(wanted)
        if not wanted & denied and any(not model & denied for model in self.models):
            return True
        stack = [self.propagated | wanted]
        while stack:
            *_, reached = self.rounds(stack.pop())
            excluded = self.opposite(reached)
            unmet = [clause & ~excluded for clause in self.clauses if not clause & reached]
            if reached & excluded or not all(unmet):
                continue
            if not unmet:
                self.models.append(reached)
                return True
            choice = unmet[0] & -unmet[0]
            stack += [reached | self.opposite(choice), reached | choice]
        return False

    def reached(self, known: int, wanted: int) -> int | None:
        """The round that reaches what is wanted, or a contradiction."""
        states = enumerate(self.rounds(known))
        return next((i for i, state in states if state & (wanted | self.opposite(state))), None)


class Prover:
    """Decides ground literals against one theory (and any further subjects named)."""

    def __init__(self, theory: Sequence[Premise], subjects: Iterable[str] = ()) -> None:
        self._theory = theory
        literals = (literal for premise in theory for literal in (premise.head, *premise.body))
        names = dict.fromkeys(literal.predicate for literal in literals)
        self._bits: dict[tuple[str, bool], int] = {}
        for i, name in enumerate(names):
            self._bits |= {(name, True): 1 << i, (name, False): 1 << i + len(names)}
        named = {*(premise.head.subject for premise in theory), *subjects} - {None}
        rules = [(p.head.subject, (self._mask(*p.body), self._mask(p.head))) for p in theory]
        self._of = {
            subject: _Told(len(names), [rule for of, rule in rules if of in (None, subject)])
            for subject in named
        }

    @cached_property
    def consistent(self) -> bool:
        return all(facts.allows(0) for facts in self._of.values())

    def entails(self, literal: Literal) -> bool:
        """Whether every model of the theory satisfies the literal (without models, all do)."""
        mask, facts = self._mask(literal), self._of[literal.subject]
        # A mask of 0 is a property that the theory never mentions.
        return not self.consistent or bool(mask and not facts.allows(facts.opposite(mask)))

    def decide(self, claim: Literal) -> Label:
        """True if the claim follows, False if its negation does, Unknown if neither."""
        if self.entails(claim):
            return "true"
        return "false" if self.entails(claim.negated()) else "unknown"

    def depth(self, literal: Literal) -> int | None:
        """Least depth of a proof by unit propagation (a fact: 0); None where there is none."""
        facts = self._of[literal.subject]
        return facts.reached(facts.facts, self._mask(literal))

    def follows_forwards(self, literal: Literal) -> bool:
        """Whether the rules lead there read from conditions to outcome, without contraposition."""
        facts, before = self._of[literal.subject], -1
        known = facts.facts
        while known != before:
            before = known
            for body, head in facts.rules:
                known |= head if body & ~known == 0 else 0
        return bool(known & self._mask(literal))

    def depth_by_cases(self, literal: Literal) -> int | None:
        """Least depth of a proof that tells two cases apart, of its longer case.

        The cases are that the literal's subject has some property, and lacks it. One that comes to
        a contradiction is closed. None where no such proof is there.
        """
        facts, mask = self._of[literal.subject], self._mask(literal)
        depths = [
            [facts.reached(facts.facts | case, mask) for case in (1 << i, 1 << i + facts.n)]
            for i in range(facts.n)
        ]
        return min((max(d) for d in depths if None not in d), default=None)  # type: ignore[type-var]

    def vacuous_rules(self) -> tuple[Premise, ...]:
        """Rules that say nothing: tautologies, repeats, and conditions that nobody can meet."""
        seen: dict[tuple[frozenset[Literal], Literal], Premise] = {}
        return tuple(
            rule
            for rule in self._theory
            if rule.body
            if seen.setdefault((frozenset(rule.body), rule.head), rule) is not rule
            or rule.head in rule.body
            or not any(
                facts.allows(self._mask(*rule.body))
                for subject, facts in self._of.items()
                if rule.head.subject in (None, subject)
            )
        )

    def _mask(self, *literals: Literal) -> int:
        """The bits of properties; none for those that the theory never mentions."""
        mask = 0
        for literal in literals:
            mask |= self._bits.get((literal.predicate, literal.positive), 0)
        return mask

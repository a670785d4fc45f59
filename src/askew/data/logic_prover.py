"""Small theories in first-order logic, and a prover that is complete for them.

A theory is a set of facts (ground literals) and rules (a conjunction of literals implies a
literal). Predicates are unary; a literal is about a named subject or about the rule's one
universally quantified variable; negation is classical. There are no function symbols, so by
Herbrand's theorem a ground literal follows from the theory exactly when it follows from the rules
grounded over the named subjects: entailment is propositional, and DPLL decides it completely
(forward chaining would miss contraposition and reasoning by cases).

Depth is measured apart, over unit propagation: a proof's depth is its longest line of rule
applications, forwards or by contraposition, and `depth` returns the least over all such proofs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal as OneOf

Label = OneOf["true", "false", "unknown"]
LABELS: tuple[Label, ...] = ("true", "false", "unknown")


class TheoryError(ValueError):
    """A theory or a claim that has no verdict: malformed, or inconsistent."""


@dataclass(frozen=True, slots=True)
class Literal:
    """A predicate that a subject has or, if not `positive`, lacks; no subject: the variable."""

    predicate: str
    subject: str | None
    positive: bool = True

    def negated(self) -> Literal:
        return replace(self, positive=not self.positive)

    def about(self, subject: str | None) -> Literal:
        """The same property, of another subject."""
        return replace(self, subject=subject)

    @property
    def ground(self) -> bool:
        return self.subject is not None


@dataclass(frozen=True, slots=True)
class Rule:
    """Whatever meets every literal of `body` meets `head`."""

    body: tuple[Literal, ...]
    head: Literal

    @property
    def literals(self) -> tuple[Literal, ...]:
        return (*self.body, self.head)

    @property
    def universal(self) -> bool:
        return not all(literal.ground for literal in self.literals)

    def grounded(self, subject: str) -> Rule:
        """The instance for one subject; literals about a named subject stay as they are."""
        return Rule(
            tuple(_instance(literal, subject) for literal in self.body),
            _instance(self.head, subject),
        )


@dataclass(frozen=True, slots=True)
class Theory:
    """What is given: facts and rules, in no particular order."""

    facts: tuple[Literal, ...]
    rules: tuple[Rule, ...]

    def __post_init__(self) -> None:
        loose = [fact for fact in self.facts if not fact.ground]
        if loose:
            raise TheoryError(f"fact {loose[0]} has no subject; a fact is about a named subject")
        bare = [rule for rule in self.rules if not rule.body]
        if bare:
            raise TheoryError(f"rule {bare[0]} has no condition; state its head as a fact")

    @property
    def subjects(self) -> tuple[str, ...]:
        """Every named subject, in order of first mention."""
        mentioned = (
            literal.subject
            for literal in (*self.facts, *(lit for rule in self.rules for lit in rule.literals))
        )
        return tuple(dict.fromkeys(subject for subject in mentioned if subject is not None))


class Prover:
    """Decides ground literals against one theory (and any further subjects named)."""

    def __init__(self, theory: Theory, subjects: Iterable[str] = ()) -> None:
        self._bits: dict[tuple[str, str | None], int] = {}
        everyone = tuple(dict.fromkeys((*theory.subjects, *subjects)))
        clauses = [(fact,) for fact in theory.facts]
        clauses += [
            _clause(instance) for rule in theory.rules for instance in _instances(rule, everyone)
        ]
        for literal in (literal for clause in clauses for literal in clause):
            self._bits.setdefault((literal.predicate, literal.subject), len(self._bits))
        # A clause is a bit mask over literals: atom i is bit i, its negation bit i + n.
        self._atoms = len(self._bits)
        self._clauses = [sum({self._mask(literal) for literal in clause}) for clause in clauses]
        self._rounds: list[int] | None = None
        self._known = self._propagated(0)
        self.consistent = self._known is not None and self._satisfiable(self._known)

    def entails(self, literal: Literal) -> bool:
        """Whether every model of the theory satisfies the literal (an inconsistent one has none)."""
        _require_ground(literal)
        if not self.consistent or self._known is None:
            return True
        mask = self._mask(literal)
        if not mask:
            return False  # the theory says nothing of this atom
        if self._known & (mask | self._opposite(mask)):
            return bool(self._known & mask)
        return not self._satisfiable(self._known | self._opposite(mask))

    def possible(self, literals: Iterable[Literal]) -> bool:
        """Whether some model of the theory satisfies all of these ground literals at once."""
        if not self.consistent or self._known is None:
            return False
        wanted = tuple(literals)
        if any(literal.negated() in wanted for literal in wanted):
            return False
        known = self._known
        for literal in wanted:
            _require_ground(literal)
            known |= self._mask(literal)
        return not self._clashes(known) and self._satisfiable(known)

    def decide(self, claim: Literal) -> Label:
        """True if the claim follows, False if its negation does, Unknown if neither."""
        if not self.consistent:
            raise TheoryError("the theory contradicts itself, so every claim follows from it")
        if self.entails(claim):
            return "true"
        return "false" if self.entails(claim.negated()) else "unknown"

    def depth(self, literal: Literal) -> int | None:
        """Least depth of a proof by unit propagation (a fact: 0); None where there is none.

        None for a literal that does not follow, and for one that follows only by cases.
        """
        _require_ground(literal)
        if not self.consistent:
            raise TheoryError("the theory contradicts itself, so proofs have no meaningful depth")
        if self._rounds is None:
            self._rounds = self._propagation_rounds()
        mask = self._mask(literal)
        return next((i for i, known in enumerate(self._rounds) if known & mask), None)

    def _mask(self, literal: Literal) -> int:
        bit = self._bits.get((literal.predicate, literal.subject))
        if bit is None:
            return 0
        return 1 << (bit if literal.positive else bit + self._atoms)

    def _opposite(self, mask: int) -> int:
        n = self._atoms
        return (mask >> n) | ((mask & ((1 << n) - 1)) << n)

    def _clashes(self, known: int) -> bool:
        return bool(known & self._opposite(known))

    def _propagated(self, known: int) -> int | None:
        """Everything that unit propagation adds to `known`; None when it meets a conflict."""
        n, excluded, open_clauses = self._atoms, self._opposite(known), self._clauses
        while True:
            before, still_open = known, []
            for clause in open_clauses:
                if clause & known:
                    continue
                rest = clause & ~excluded
                if not rest:
                    return None
                if rest & (rest - 1):
                    still_open.append(clause)
                else:
                    known |= rest
                    excluded |= rest >> n if rest >> n else rest << n
            if known == before:
                return known
            open_clauses = still_open

    def _satisfiable(self, known: int) -> bool:
        """DPLL with an explicit stack: is there a model that extends the literals known?"""
        stack = [known]
        while stack:
            reached = self._propagated(stack.pop())
            if reached is None:
                continue
            excluded = self._opposite(reached)
            unmet = next((c & ~excluded for c in self._clauses if not c & reached), 0)
            if not unmet:
                return True
            choice = unmet & -unmet
            stack.append(reached | self._opposite(choice))
            stack.append(reached | choice)
        return False

    def _propagation_rounds(self) -> list[int]:
        """What is known after each round, a round using only what the one before had reached."""
        known = sum({clause for clause in self._clauses if not clause & (clause - 1)})
        rounds = [known]
        while True:
            excluded = self._opposite(known)
            for clause in self._clauses:
                rest = clause & ~excluded
                if rest and not clause & rounds[-1] and not rest & (rest - 1):
                    known |= rest
            if known == rounds[-1]:
                return rounds
            rounds.append(known)


def decide(theory: Theory, claim: Literal) -> Label:
    """The claim's label under the theory; an inconsistent theory is refused."""
    _require_ground(claim)
    return Prover(theory, [str(claim.subject)]).decide(claim)


def vacuous_rules(theory: Theory) -> tuple[Rule, ...]:
    """Rules that say nothing: tautologies, repeats, and those whose condition nobody can meet."""
    prover = Prover(theory)
    seen: set[tuple[frozenset[Literal], Literal]] = set()
    empty: list[Rule] = []
    for rule in theory.rules:
        key = (frozenset(rule.body), rule.head)
        instances = _instances(rule, theory.subjects)
        says_nothing = (
            key in seen
            or rule.head in rule.body
            or not any(prover.possible(instance.body) for instance in instances)
        )
        if says_nothing:
            empty.append(rule)
        seen.add(key)
    return tuple(empty)


def _require_ground(literal: Literal) -> None:
    if not literal.ground:
        raise TheoryError(f"{literal} has no subject; only claims about a named one are decided")


def _instance(literal: Literal, subject: str) -> Literal:
    return literal if literal.ground else literal.about(subject)


def _instances(rule: Rule, subjects: Sequence[str]) -> list[Rule]:
    return [rule.grounded(subject) for subject in subjects] if rule.universal else [rule]


def _clause(rule: Rule) -> tuple[Literal, ...]:
    """The rule as a disjunction: some condition fails, or the head holds."""
    return (*(literal.negated() for literal in rule.body), rule.head)

"""Whose turn it is: arms share places, none is ahead of the others, and none waits for one that is gone."""

from __future__ import annotations

import sys
from collections import Counter

from mlebench.experiments.turns import Turns

ARMS = ("a", "b", "c")


def begin(turns: Turns, busy: Counter[str]) -> list[str]:
    """The arms that begin a run when all are asked again and again, in the order in which they do."""
    order: list[str] = []
    while True:
        before = len(order)
        for arm in ARMS:
            if turns.room(arm) > busy[arm]:
                turns.begin(arm, 1)
                busy[arm] += 1
                order.append(arm)
            turns.let_go(arm)
        if len(order) == before:
            return order


def test_arms_take_turns_and_another_one_is_first_in_every_round() -> None:
    turns, busy = Turns(9, dict.fromkeys(ARMS, (0, 3))), Counter[str]()
    order = begin(turns, busy)
    rounds = ["".join(order[at : at + 3]) for at in (0, 3, 6)]
    assert rounds == ["abc", "bca", "cab"]
    assert turns.under_way == 9


def test_no_more_runs_than_places_and_the_arm_that_is_behind_is_next() -> None:
    turns, busy = Turns(2, {"a": (5, 3), "b": (2, 3), "c": (2, 3)}), Counter[str]()
    assert begin(turns, busy) == ["c", "b"], "a is ahead; in round 2 it is c's turn first"
    assert begin(turns, busy) == []
    turns.end("b")
    busy["b"] -= 1
    assert turns.room("a") == busy["a"], "not its turn, although a place is free"
    assert len(begin(turns, busy)) == 1


def test_an_arm_that_is_done_or_gone_is_not_waited_for() -> None:
    turns, busy = Turns(1, {"a": (3, 0), "b": (0, 3), "c": (3, 2)}), Counter[str]()
    assert turns.room("c") == 0, "b is behind"
    turns.leave("b")
    assert begin(turns, busy)[0] in ("a", "c"), "whoever asks, for one that has nothing left may try something again"


def test_what_was_withdrawn_or_adopted_counts() -> None:
    turns = Turns(2, dict.fromkeys(ARMS, (0, 2)))
    turns.adopt("a", is_over=False)
    turns.adopt("b", is_over=True)
    assert turns.under_way == 2
    assert turns.room("c") == 0
    turns.end("b")
    assert (turns.room("a"), turns.room("b")) == (1, 1), "a has begun one, b has none"
    turns.begin("b", 1)
    turns.take_back("b", 1)
    assert turns.room("b") == 1


def test_a_place_that_is_held_is_given_to_one_only() -> None:
    turns = Turns(1, dict.fromkeys(ARMS, (0, 1)))
    assert turns.room("a") == 1
    assert turns.room("b") == 0
    turns.let_go("a")
    assert turns.room("b") == 0, "it is a's turn still"


def test_where_a_queue_holds_runs_back_no_arm_waits_for_its_turn() -> None:
    turns = Turns(None, dict.fromkeys(ARMS, (0, 2)))
    turns.begin("a", 2)
    turns.begin("b", 2)
    assert turns.room("a") == sys.maxsize
    assert not turns.is_next("c"), "it need not look for a place"
    assert turns.under_way == 4

"""Catching fish on an island: open ones or the deck's top, open slots being refilled after the whole catch (D11)."""

from __future__ import annotations

from typing import Literal

from msgspec.structs import replace

from server.engines.burano.actions import Catch
from server.engines.burano.box import Components, Kind
from server.engines.burano.events import Caught
from server.engines.burano.state import Catching, Crewing, FishMarket, Phase, State, with_item
from server.engines.burano.steps.play import Play
from server.engines.engine import Action, Event, IllegalAction

DECK: Literal["deck"] = "deck"


def legal_catch(state: State, _box: Components) -> list[Action]:
    """The open fish by slot, then the deck."""
    market = state.fish
    actions: list[Action] = [Catch(slot) for slot, kind in enumerate(market.open) if kind is not None]
    if market.deck:
        actions.append(Catch(DECK))
    return actions


def catch_or_go_on(play: Play) -> None:
    """Without open fish and deck the catch ends: the crew's phase."""
    task, market = play.state.task, play.state.fish
    assert isinstance(task, Catching)
    if not task.left or not (market.deck or any(kind is not None for kind in market.open)):
        play.enter(Phase.CREW, Crewing(task.matches))


def catch(play: Play, action: Catch) -> None:
    """Take a fish. From the deck only its owner sees which."""
    task, market = play.state.task, play.state.fish
    assert isinstance(task, Catching)
    kind, market = _taken(market, action)
    family = play.family
    play.renew(replace(family, fish=family.fish.plus(kind)))
    play.change(task=replace(task, left=task.left - 1), fish=market)
    catch_or_go_on(play)
    turned_up = _refill(play) if play.state.phase is Phase.CREW else ()
    _tell(play, action, kind, turned_up)


def _taken(market: FishMarket, action: Catch) -> tuple[Kind, FishMarket]:
    slot = action.source
    if slot == DECK:
        if not market.deck:
            raise IllegalAction("the deck of fish is empty")
        return market.deck[-1], replace(market, deck=market.deck[:-1])
    kind = market.open[slot] if 0 <= slot < len(market.open) else None
    if kind is None:
        raise IllegalAction("no open fish lies there")
    return kind, replace(market, open=with_item(market.open, slot, None))


def _refill(play: Play) -> tuple[tuple[int, str], ...]:
    """Empty slots in order, from the deck's top; what was turned up."""
    slots, deck = list(play.state.fish.open), list(play.state.fish.deck)
    turned_up = []
    for slot, lying in enumerate(slots):
        if lying is None and deck:
            kind = slots[slot] = deck.pop()
            turned_up.append((slot, play.box.fish.kinds[kind]))
    if turned_up:
        play.change(fish=FishMarket(tuple(slots), tuple(deck)))
    return tuple(turned_up)


def _tell(play: Play, action: Catch, kind: Kind, turned_up: tuple[tuple[int, str], ...]) -> None:
    whole = Caught(play.seat, action.source, play.box.fish.kinds[kind], turned_up)
    if action.source == DECK:
        hidden = Caught(play.seat, action.source, None, turned_up)
        play.events.append(Event(hidden, private=((play.seat, whole),), reveals=True))
    else:
        play.tell(whole, reveals=bool(turned_up))

"""Building cards: taking one for a painted roof, and what those held do."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from server.engines.burano.actions import TakeBuilding
from server.engines.burano.boards import Colour
from server.engines.burano.box import (
    Building,
    Campanile,
    Card,
    Components,
    DyeHouse,
    Fishmonger,
    LaceSchool,
    Painter,
    RoofTile,
    Scaffolder,
    TownArchive,
)
from server.engines.burano.state import BuildingRow, Family, State, with_item
from server.engines.burano.steps.play import Play
from server.engines.engine import IllegalAction


def holds(box: Components, family: Family, kind: type[Building]) -> bool:
    """Whether the family has a building card of this kind."""
    return any(isinstance(box.buildings[card], kind) for card in family.buildings)


def scaffolded(box: Components, family: Family) -> frozenset[Colour]:
    """The colours of roof ends that may lie on any colour; cards add up."""
    cards = (box.buildings[card] for card in family.buildings)
    return frozenset(box.colour_of[name] for card in cards if isinstance(card, Scaffolder) for name in card.colours)


def painter_bonus(box: Components, family: Family, tile: RoofTile) -> int:
    """The painters' points for a roof that is laid: by the number of its ends in a card's colours; cards add up."""
    bonus = 0
    for card in (box.buildings[number] for number in family.buildings):
        if isinstance(card, Painter):
            ends = sum(box.colours[end] in card.colours for end in tile.ends)
            bonus += card.points[ends - 1] if ends else 0
    return bonus


def takeable(state: State) -> Iterator[TakeBuilding]:
    """The open cards by number."""
    return (TakeBuilding(card) for card in sorted(card for card in state.buildings.open if card is not None))


def take_building(play: Play, card: int) -> Card | None:
    """Take an open card; the card turned up in its slot, or None when the deck is empty.

    Raises:
        IllegalAction: the card is not open.
    """
    row = play.state.buildings
    if card not in row.open:
        raise IllegalAction("that building card is not open")
    slot = row.open.index(Card(card))
    turned_up = row.deck[-1] if row.deck else None
    play.change(buildings=BuildingRow(with_item(row.open, slot, turned_up), row.deck[:-1]))
    play.renew(replace(play.family, buildings=(*play.family.buildings, Card(card))))
    return turned_up


def final_points(box: Components, state: State, seat: int) -> int:
    """What a seat's building cards score after winter."""
    family = state.families[seat]
    return sum(_points(box, state, seat, box.buildings[card]) for card in family.buildings)


def _points(box: Components, state: State, seat: int, card: Building) -> int:
    family = state.families[seat]
    match card:
        case Fishmonger():
            return card.points * sum(family.sold.counts[box.fish_of[fish]] for fish in card.fish)
        case LaceSchool():
            squares = (square for square in state.workshops.squares if square is not None)
            return card.points * sum(
                seat in square.workers and box.colours[square.colour] in card.colours for square in squares
            )
        case TownArchive():
            return card.points * len(family.buildings)
        case DyeHouse() | Campanile():
            return card.points
    return 0

"""A possible state behind what a viewer sees.

Hidden are the order of decks and stacks and the fish in others' hands: what lies nowhere in view is shuffled, and
dealt to where the view shows that many.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from server.engines.burano.boards import Colour
from server.engines.burano.box import Card, Components, Kind, Roof, RoofKind
from server.engines.burano.state import (
    AnyTask,
    BuildingRow,
    Catching,
    Crewing,
    Cubes,
    Earning,
    Family,
    FirstRoofs,
    Fish,
    Fishing,
    FishMarket,
    Floor,
    Island,
    Lacing,
    Markers,
    NewRoofs,
    Options,
    Phase,
    Plot,
    Pyramid,
    Rewarded,
    RoofEnd,
    RoofStacks,
    Sea,
    SeaIsland,
    State,
    Wheel,
    Work,
    Workshop,
    Workshops,
)
from server.engines.burano.view_forms import FamilyView, FloorView, PublicView, RoofEndView, WorkshopView
from server.engines.dice import Dice


class _Seen(PublicView):
    number: int
    phase: str


class _Own(msgspec.Struct):
    seat: int
    fish: tuple[str, ...]


def imagine(
    box: Components,
    public: Mapping[str, object],
    private: Mapping[str, object] | None,
    options: Options,
    dice: Dice,
) -> State:
    """A state whose views for this viewer are these.

    Raises:
        ValueError: they are no views of this game.
    """
    view = msgspec.convert(public, _Seen)
    own = None if private is None else msgspec.convert(private, _Own)
    market, hands = _fish(box, view, own, dice)
    return State(
        options=options,
        phase=Phase(view["phase"]),
        task=_task(box, view),
        season=view["season"],
        round=view["round"],
        turn=view["number"],
        start=view["start"],
        seat=view["seat"],
        actions=view["actions"],
        moves=0,
        supply=_cubes(box, view["supply"]),
        markers=Markers(tuple(Work(view["markers"][colour]) for colour in box.colours)),
        island=Island(tuple(None if floors is None else _plot(box, floors) for floors in view["island"])),
        sea=_sea(box, view),
        workshops=Workshops(tuple(None if each is None else _workshop(box, each) for each in view["workshops"])),
        roofs=_roofs(box, view, dice),
        buildings=_buildings(box, view, dice),
        fish=market,
        families=tuple(_family(box, each, hand) for each, hand in zip(view["families"], hands, strict=True)),
    )


def _cubes(box: Components, cubes: Mapping[str, int]) -> Cubes:
    return Cubes(tuple(cubes[colour] for colour in box.colours))


def _counts(box: Components, fish: tuple[str, ...]) -> Fish:
    return Fish(tuple(fish.count(kind) for kind in box.fish.kinds))


def _plot(box: Components, floors: tuple[FloorView, ...]) -> Plot:
    return Plot(tuple(Floor(box.colour_of[floor["house"]], _roof_end(floor["roof"])) for floor in floors))


def _roof_end(end: RoofEndView | None) -> RoofEnd | None:
    return None if end is None else RoofEnd(Roof(end["roof"]), 1 if end["end"] else 0, end["painter"])


def _workshop(box: Components, square: WorkshopView) -> Workshop:
    return Workshop(box.colour_of[square["colour"]], square["coin"], square["workers"])


def _sea(box: Components, view: PublicView) -> Sea:
    return Sea(
        islands=tuple(SeaIsland(_colours(box, island["docks"]), island["workers"]) for island in view["islands"]),
        ships=tuple(box.sea.harbours.index(ship["harbour"]) for ship in view["ships"]),
    )


def _colours(box: Components, names: tuple[str, ...]) -> tuple[Colour, ...]:
    return tuple(box.colour_of[name] for name in names)


def _family(box: Components, view: FamilyView, hand: Fish) -> Family:
    wheel = view["wheel"]
    letters = list(box.wheel)
    return Family(
        wheel=Wheel(tuple(letters.index(letter) for letter in wheel["pieces"]), wheel["first"], wheel["workers"]),
        coins=view["coins"],
        privileges=view["privileges"],
        points=view["points"],
        stock=_cubes(box, view["stock"]),
        pyramid=Pyramid(tuple(None if cube is None else box.colour_of[cube] for cube in view["pyramid"])),
        ready=_cubes(box, view["ready"]),
        roofs=tuple(Roof(roof["roof"]) for roof in view["roofs"]),
        buildings=tuple(Card(card["card"]) for card in view["buildings"]),
        fish=hand,
        sold=_counts(box, view["sold"]),
        boat=box.sea.node_of[view["boat"]],
    )


def _fish(box: Components, view: PublicView, own: _Own | None, dice: Dice) -> tuple[FishMarket, list[Fish]]:
    """Open fish, a deck, and a hand for each seat: the viewer's as it is, the others' dealt from what is unseen."""
    open_fish = tuple(None if kind is None else box.fish_of[kind] for kind in view["fish"]["open"])
    seen = [kind for kind in view["fish"]["open"] if kind is not None]
    seen += (kind for family in view["families"] for kind in family["sold"])
    seen += own.fish if own else ()
    unseen = dice.shuffle(
        kind for kind, name in enumerate(box.fish.kinds) for _ in range(box.fish.copies - seen.count(name))
    )
    hands = []
    for seat, family in enumerate(view["families"]):
        if own and seat == own.seat:
            hands.append(_counts(box, own.fish))
        else:
            dealt = [unseen.pop() for _ in range(family["hand"])]
            hands.append(Fish(tuple(dealt.count(kind) for kind in range(len(box.fish.kinds)))))
    return FishMarket(open_fish, tuple(Kind(kind) for kind in unseen)), hands


def _roofs(box: Components, view: PublicView, dice: Dice) -> RoofStacks:
    seen = {roof["roof"] for family in view["families"] for roof in family["roofs"]}
    seen |= {floor["roof"]["roof"] for floors in view["island"] for floor in floors or () if floor["roof"] is not None}
    unseen = [Roof(roof) for roof in range(len(box.roof_tiles)) if roof not in seen]
    stacks = ([roof for roof in unseen if box.roof_tiles[roof].kind is kind] for kind in RoofKind)
    return RoofStacks(tuple(tuple(dice.shuffle(stack)) for stack in stacks))


def _buildings(box: Components, view: PublicView, dice: Dice) -> BuildingRow:
    open_cards = tuple(None if card is None else Card(card["card"]) for card in view["buildings"]["open"])
    seen = {card["card"] for family in view["families"] for card in family["buildings"]} | set(open_cards)
    unseen = [Card(card) for card in range(len(box.buildings)) if card not in seen]
    return BuildingRow(open_cards, tuple(dice.shuffle(unseen)))


def _task(box: Components, view: _Seen) -> AnyTask | None:
    task = view["task"]
    match view["phase"], task["work"]:
        case Phase.ROOFS, _:
            return FirstRoofs() if task["setup"] else NewRoofs(drawn=bool(task["drawn"]))
        case Phase.PERFORM, Work.FISH:
            return Fishing(swapped=bool(task["swapped"]))
        case Phase.PERFORM, Work.LACE:
            return Lacing(_colours(box, task["reds"] or ()), task["left"] or 0, task["sent"] or 0)
        case Phase.PERFORM, _:
            return Earning()
        case Phase.CATCH, _:
            return Catching(task["matches"] or 0, task["left"] or 0)
        case Phase.CREW, _:
            return Crewing(task["matches"] or 0)
        case Phase.REWARD, _:
            return Rewarded(Roof(task["roof"] or 0))
    return None

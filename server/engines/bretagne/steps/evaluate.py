"""Evaluate: the lighthouses completed this round, in site order, each in three steps (RULES.md, Round, 4)."""

from __future__ import annotations

from msgspec.structs import replace

from server.engines.bretagne.actions import (
    AnyAction,
    Done,
    Enter,
    Entered,
    Equip,
    EquipDone,
    Equipped,
    Evaluated,
    Flipped,
    Skip,
    Skipped,
)
from server.engines.bretagne.box import CLASSES, KINDS, Equipment
from server.engines.bretagne.state import EnterHarbour, Lighthouse, Status, finished
from server.engines.bretagne.state import Equip as EquipTask
from server.engines.bretagne.steps.play import Play, Stage, leaving
from server.engines.engine import IllegalAction


def begin(play: Play) -> Stage | None:
    """The next lighthouse whose top level was built; the close when there is none."""
    for site, lighthouse in enumerate(play.state.lighthouses, 1):
        if not finished(lighthouse) and len(lighthouse.levels) == play.box.levels:
            return _begin_equipment(play, site)
    return Stage.CLOSE


def workers_of(lighthouse: Lighthouse, seat: int) -> int:
    """A seat's workers on a lighthouse."""
    return sum(level.workers for level in lighthouse.levels if level.seat == seat)


def order_of(lighthouse: Lighthouse) -> tuple[int, ...]:
    """Who has workers on it, most first; tie: whose lowest worker stands lower (D1)."""
    lowest: dict[int, int] = {}
    for height, level in enumerate(lighthouse.levels):
        if level.workers:
            lowest.setdefault(level.seat, height)

    def place(seat: int) -> tuple[int, int]:
        return -workers_of(lighthouse, seat), lowest[seat]

    return tuple(sorted(lowest, key=place))


def _tell_step(play: Play, site: int, step: str, order: tuple[int, ...], points: tuple[int, ...] | None = None) -> None:
    lighthouse, seats = play.lighthouse(site), range(len(play.state.players))
    workers = tuple(workers_of(lighthouse, seat) for seat in seats)
    play.tell(Evaluated(site, step, order, workers, points or (0,) * len(seats)))


def _take_worker(play: Play, site: int, seat: int) -> int:
    """Takes the seat's topmost worker off the lighthouse; the level, from 1, that it stood on."""
    levels = play.lighthouse(site).levels
    height = max(i for i, level in enumerate(levels) if level.seat == seat and level.workers)
    emptier = replace(levels[height], workers=levels[height].workers - 1)
    play.change_lighthouse(site, levels=(*levels[:height], emptier, *levels[height + 1 :]))
    return height + 1


# a. Equipment


def _begin_equipment(play: Play, site: int) -> Stage | None:
    order = order_of(play.lighthouse(site))
    _tell_step(play, site, "equipment", order)
    if not order:
        return _begin_harbour(play, site)
    play.await_decision(EquipTask(site, order))
    return None


def card_choices(play: Play, task: EquipTask) -> list[AnyAction]:
    """The kinds in hand while workers are left, then `done`."""
    return [*(Equip(kind) for kind in _playable(play, task)), Done()]


def _playable(play: Play, task: EquipTask) -> list[Equipment]:
    seat = task.order[0]
    if not workers_of(play.lighthouse(task.site), seat):
        return []
    held = {play.components.card_kinds[card] for card in play.player(seat).hand}
    return [kind for kind in KINDS if kind in held]


def worth(play: Play, site: int, kind: Equipment) -> int:
    """What a card of the kind scores now: 1 less for each of its kind played here by anyone; not below 0."""
    played = [play.components.card_kinds[card] for card in play.lighthouse(site).cards].count(kind)
    return max(0, play.components.card_points[kind][play.class_of(site)] - played)


def equip(play: Play, task: EquipTask, action: AnyAction) -> Stage | None:
    """A card is played, or the next player's turn to play cards comes."""
    seat = task.order[0]
    if isinstance(action, Done):
        play.tell(EquipDone(seat, task.site))
        if len(task.order) == 1:
            return _begin_harbour(play, task.site)
        play.await_decision(replace(task, order=task.order[1:]))
        return None
    if not isinstance(action, Equip) or action.card not in _playable(play, task):
        raise IllegalAction("play a card from your hand while you have a worker on the lighthouse, or be done")
    _play_card(play, task.site, seat, action.card)
    return None


def _play_card(play: Play, site: int, seat: int, kind: Equipment) -> None:
    points = worth(play, site, kind)
    [card] = leaving(play, seat, (kind,))
    level = _take_worker(play, site, seat)
    play.change_lighthouse(site, cards=(*play.lighthouse(site).cards, card))
    player = play.player(seat)
    play.change_player(
        seat,
        hand=tuple(each for each in player.hand if each != card),
        points=player.points + points,
        warehouse=player.warehouse + 1,
    )
    play.tell(Equipped(seat, site, kind, points, level))


# b. Harbour


def _begin_harbour(play: Play, site: int) -> Stage | None:
    order = order_of(play.lighthouse(site))
    _tell_step(play, site, "harbour", order)
    inside = play.state.harbours[play.site(site).harbour].workers
    return _ask_harbour(play, site, tuple(seat for seat in order if seat not in inside))


def _ask_harbour(play: Play, site: int, order: tuple[int, ...]) -> Stage | None:
    if not order:
        return _majority(play, site)
    play.await_decision(EnterHarbour(site, order))
    return None


def _price(play: Play, site: int) -> int:
    """A coin per worker already there."""
    return len(play.state.harbours[play.site(site).harbour].workers)


def harbour_choices(play: Play, task: EnterHarbour) -> list[AnyAction]:
    """`enter` for whoever can pay, and `skip`."""
    can_pay = play.player(task.order[0]).coins >= _price(play, task.site)
    return [Enter(), Skip()] if can_pay else [Skip()]


def enter_harbour(play: Play, task: EnterHarbour, action: AnyAction) -> Stage | None:
    """The seat's topmost worker moves, or stays."""
    if action not in harbour_choices(play, task):
        raise IllegalAction("enter the harbour for a coin per worker already there, or skip")
    seat, number = task.order[0], play.site(task.site).harbour
    if isinstance(action, Enter):
        _move_in(play, task.site, seat, number)
    else:
        play.tell(Skipped(seat, task.site, number))
    return _ask_harbour(play, task.site, task.order[1:])


def _move_in(play: Play, site: int, seat: int, number: int) -> None:
    price = _price(play, site)
    level = _take_worker(play, site, seat)
    play.change_player(seat, coins=play.player(seat).coins - price)
    harbours = play.state.harbours
    fuller = replace(harbours[number], workers=(*harbours[number].workers, seat))
    play.change(harbours=(*harbours[:number], fuller, *harbours[number + 1 :]))
    play.tell(Entered(seat, site, number, level, price))


# c. Majority


def _majority(play: Play, site: int) -> Stage | None:
    lighthouse, box = play.lighthouse(site), play.box
    order = order_of(lighthouse)
    points = [workers_of(lighthouse, seat) * box.worker_left_points for seat in range(len(play.state.players))]
    if order:
        points[order[0]] += box.classes[play.class_of(site)].majority
    _tell_step(play, site, "majority", order, tuple(points))
    for seat, player in enumerate(play.state.players):
        home = player.warehouse + workers_of(lighthouse, seat)
        if home != player.warehouse or points[seat]:
            play.change_player(seat, warehouse=home, points=player.points + points[seat])
    _clear(play, site)
    _flip(play, site)
    return Stage.EVALUATE


def _clear(play: Play, site: int) -> None:
    """Cards to the discards, engineers to the supply, tiles under their stack with level 3 lowest: it is built."""
    lighthouse = play.lighthouse(site)
    place = CLASSES.index(play.class_of(site))
    stacks = play.state.stacks
    below = tuple(level.tile for level in reversed(lighthouse.levels))
    play.change(
        discards=tuple(sorted((*play.state.discards, *lighthouse.cards))),
        stacks=(*stacks[:place], below + stacks[place], *stacks[place + 1 :]),
    )
    play.supply(engineers=lighthouse.engineers)
    play.change_lighthouse(site, status=Status.BUILT, levels=(), engineers=0, cards=())


def _flip(play: Play, site: int) -> None:
    """The region's harbours improve at once when its number has been built in play (D8)."""
    region = play.site(site).region
    built = sum(
        lighthouse.status is Status.BUILT and row.region is region
        for lighthouse, row in zip(play.state.lighthouses, play.box.sites, strict=True)
    )
    numbers = play.components.harbours_of[region]
    harbours = play.state.harbours
    if built < play.box.flips_region[len(play.state.players)] or harbours[numbers[0]].improved:
        return
    play.change(
        harbours=tuple(
            replace(each, improved=True) if number in numbers else each for number, each in enumerate(harbours)
        )
    )
    play.tell(Flipped(region, numbers))

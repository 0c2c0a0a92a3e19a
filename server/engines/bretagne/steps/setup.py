"""Set-up: of the game, and part 1 of every round (RULES.md, Set-up; Round, 1)."""

from __future__ import annotations

from msgspec.structs import replace

from server.engines.bretagne.actions import (
    AnyAction,
    BargeEvent,
    ChooseBarge,
    Gained,
    IncomeEvent,
    Opened,
    RoundEvent,
    Supplied,
    WeatherEvent,
)
from server.engines.bretagne.box import CITIES, CLASSES, NOTHING, Gain, Stock
from server.engines.bretagne.components import Components
from server.engines.bretagne.state import (
    Act,
    Barges,
    Brest,
    Harbour,
    Income,
    Lighthouse,
    Player,
    State,
    Status,
    Supply,
    minus,
    plus,
    smaller,
)
from server.engines.bretagne.state import ChooseBarge as ChooseBargeTask
from server.engines.bretagne.steps.play import Play, Stage
from server.engines.dice import Dice
from server.engines.engine import IllegalAction


def new_game(components: Components, seats: int, barges: Barges, dice: Dice) -> State:
    """The table before the first round's set-up. Draws as RULES.md, Dice, says."""
    box = components.box
    on_site: dict[int, int] = {}
    for light_class in CLASSES:
        shuffled = dice.shuffle(components.lighthouses_of[light_class])
        on_site.update(zip(components.sites_of[light_class], reversed(shuffled), strict=True))
    standing = box.finished.get(seats, ())
    lighthouses = tuple(
        Lighthouse(on_site[row.site], Status.STANDING if row.site in standing else Status.OPEN, (), 0, 0, ())
        for row in box.sites
    )
    harbour_tiles = dice.shuffle(range(len(box.harbours)))[::-1][: box.harbours_in_play]
    stacks = tuple(tuple(dice.shuffle(components.tiles_of[light_class])) for light_class in CLASSES)
    deck = tuple(dice.shuffle(range(len(components.card_kinds))))
    weather = tuple(box.weather[card] for card in reversed(dice.shuffle(range(len(box.weather)))))
    production = tuple(reversed(dice.shuffle(range(len(box.production)))))
    player = Player(
        coins=box.coins_to_start,
        points=0,
        materials=NOTHING,
        engineers=0,
        warehouse=box.workers.start,
        reserve=box.workers.all - box.workers.start,
        cities=(0,) * len(CITIES),
        barge=None,
        loads=(),
        hand=(),
    )
    return State(
        barges=barges,
        round=0,
        number=1,
        task=Act(0),
        order=(),
        passed=tuple(range(seats)),
        weather=weather,
        production=production,
        players=(player,) * seats,
        lighthouses=lighthouses,
        harbours=tuple(Harbour(tile, False, ()) for tile in harbour_tiles),
        supply=Supply(tuple(box.tokens_per_material for _ in box.materials), box.engineers),
        brest=Brest(NOTHING, 0, 0),
        quimper=NOTHING,
        stacks=stacks,
        open=((),) * len(CLASSES),
        deck=deck,
        discards=(),
    )


def begin_round(play: Play) -> Stage | None:
    """(a) the weather, (b) Quimper's leftovers, (c) the barge cards."""
    state = play.state
    play.supply(state.quimper)
    play.change(round=state.round + 1, order=state.passed, passed=(), quimper=NOTHING)
    play.tell(RoundEvent(play.state.round, play.state.order))
    forecast = state.weather[play.state.round] if play.state.round < play.box.rounds else None
    play.tell(WeatherEvent(play.weather(), forecast))
    if state.barges is Barges.CHOSEN:
        play.await_decision(ChooseBargeTask(play.state.order[0]))
        return None
    for place, seat in enumerate(play.state.order, 1):
        _take_barge(play, seat, place)
    return begin_income(play)


def _take_barge(play: Play, seat: int, place: int) -> None:
    card = play.box.barges[place - 1]
    play.change_player(seat, barge=place)
    given = play.give(seat, Gain(engineers=card.engineers, coins=card.coins))
    play.tell(BargeEvent(seat, place, given.got, given.short))


def barge_choices(play: Play) -> list[AnyAction]:
    """The cards 1 to the number of seats that nobody has."""
    taken = {player.barge for player in play.state.players}
    return [ChooseBarge(place) for place in range(1, len(play.state.players) + 1) if place not in taken]


def choose_barge(play: Play, task: ChooseBargeTask, action: AnyAction) -> Stage | None:
    """Option `chosen`: the seat takes a card, and the next in turn order chooses."""
    if not isinstance(action, ChooseBarge) or action not in barge_choices(play):
        raise IllegalAction("choose one of the barge cards that are left")
    _take_barge(play, task.seat, action.place)
    place = play.state.order.index(task.seat) + 1
    if place == len(play.state.order):
        return Stage.INCOME
    play.await_decision(ChooseBargeTask(play.state.order[place]))
    return None


def begin_income(play: Play) -> Stage | None:
    """(d) the harbours pay, from round 2 on (D6: per worker)."""
    return _pay_income(play, 0, 0) if play.state.round > 1 else Stage.SUPPLY


def _pay_income(play: Play, place: int, harbour: int) -> Stage | None:
    """Pays from this place in the turn order and this harbour on, up to the next choice."""
    harbours, order = play.state.harbours, play.state.order
    for seat in order[place:]:
        for number in range(harbour, len(harbours)):
            if seat not in harbours[number].workers:
                continue
            choices = _pay(play, seat, number)
            if choices:
                play.await_decision(Income(seat, number, choices))
                return None
        harbour = 0
    return Stage.SUPPLY


def _pay(play: Play, seat: int, number: int) -> int:
    """One worker's income; the number of materials that are of choice."""
    harbour = play.state.harbours[number]
    row = play.box.harbours[harbour.tile]
    gain = row.improved if harbour.improved else row.normal
    given = play.give(seat, gain)
    play.tell_drawn(seat, IncomeEvent(seat, number, given.got, given.short, given.choices), given.cards)
    return given.choices


def gain(play: Play, task: Income, action: AnyAction) -> Stage | None:
    """A harbour's material of choice."""
    material = play.give_chosen(task.seat, action)
    play.tell(Gained(task.seat, material, task.harbour, None))
    if task.left > 1:
        play.await_decision(replace(task, left=task.left - 1))
        return None
    return _pay_income(play, play.state.order.index(task.seat), task.harbour + 1)


def supply(play: Play) -> Stage:
    """(e) Brest, (f) Quimper, (g) open tiles."""
    market, market_short = _fill_market(play)
    singles, pairs, engineers_short = _fill_engineers(play)
    card = play.state.production[play.state.round - 1]
    wanted = play.box.production[card][len(play.state.players)]
    quimper = _from_supply(play, wanted)
    play.change(quimper=quimper)
    play.tell(Supplied(card, market, market_short, singles, pairs, engineers_short, quimper, minus(wanted, quimper)))
    _open_tiles(play)
    return Stage.LOAD


def _from_supply(play: Play, wanted: Stock) -> Stock:
    taken = smaller(wanted, play.state.supply.materials)
    play.supply(minus(NOTHING, taken))
    return taken


def _fill_market(play: Play) -> tuple[Stock, Stock]:
    """What came to the market, and what was short."""
    market = play.state.brest.market
    wanted = tuple(max(0, play.box.brest.market - n) for n in market)
    taken = _from_supply(play, wanted)
    play.change(brest=replace(play.state.brest, market=plus(market, taken)))
    return taken, minus(wanted, taken)


def _fill_engineers(play: Play) -> tuple[int, int, int]:
    """Singles and pairs that came, and how many engineers were short: first singles, then pairs, none half."""
    box, brest, there = play.box.brest, play.state.brest, play.state.supply.engineers
    size = play.components.pair
    singles_wanted = max(0, box.single_engineers - brest.single_engineers)
    singles = min(singles_wanted, there)
    pairs_wanted = max(0, box.engineer_pairs - brest.engineer_pairs)
    pairs = min(pairs_wanted, (there - singles) // size)
    play.supply(engineers=-(singles + size * pairs))
    filled = replace(
        brest, single_engineers=brest.single_engineers + singles, engineer_pairs=brest.engineer_pairs + pairs
    )
    play.change(brest=filled)
    return singles, pairs, singles_wanted - singles + size * (pairs_wanted - pairs)


def _open_tiles(play: Play) -> None:
    """Turns up tiles until each class has its number open, as far as the stacks go."""
    stacks: list[tuple[int, ...]] = []
    opened: list[tuple[int, ...]] = []
    turned: list[int] = []
    short = 0
    for stack, tiles in zip(play.state.stacks, play.state.open, strict=True):
        wanted = max(0, play.box.open_tiles - len(tiles))
        taken = stack[::-1][:wanted]
        short += wanted - len(taken)
        turned.extend(taken)
        stacks.append(stack[: len(stack) - len(taken)] if taken else stack)
        opened.append(tuple(sorted((*tiles, *taken))) if taken else tiles)
    play.change(stacks=tuple(stacks), open=tuple(opened))
    play.tell(Opened(tuple(turned), short))

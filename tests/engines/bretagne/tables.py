"""Tables laid out by hand for the tests of Bretagne: every state here is one that `load` takes."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from server.engines.bretagne import ENGINE
from server.engines.bretagne.actions import AnyAction, Pass
from server.engines.bretagne.box import CLASSES, MATERIALS, Equipment, Gain, Material, Stock, Weather
from server.engines.bretagne.possible import check
from server.engines.bretagne.rules import BretagneEngine
from server.engines.bretagne.state import Act, Barges, Level, Options, State, Status, deciding_seat, minus, plus
from server.engines.dice import Dice
from server.engines.engine import Event, EventBody
from tests.engines.play import dice

BRICK, STONE, SAND, WOOD = MATERIALS
SUN, CHANGEABLE, STORM = Weather
COMPONENTS = ENGINE.components
BOX = COMPONENTS.box


def new(seats: int = 2, seed: int = 1, barges: Barges = Barges.BY_ORDER, engine: BretagneEngine = ENGINE) -> State:
    """A game at its first decision."""
    return engine.new(seats, Options(barges), dice(seed, seats))


def stock(text: str) -> Stock:
    """The stock that "2 brick 1 sand" names."""
    words = text.split()
    named = dict(zip(words[1::2], map(int, words[::2]), strict=True))
    return tuple(named.get(material.value, 0) for material in MATERIALS)


def step(state: State, action: AnyAction, stream: Dice | None = None) -> tuple[State, list[Event]]:
    """The deciding seat acts."""
    seat = deciding_seat(state)
    assert seat is not None
    after, events = ENGINE.apply(state, seat, action, stream or dice(99, len(state.players)))
    check(ENGINE.components, after)
    return after, list(events)


def play(state: State, *actions: AnyAction) -> State:
    """One action after the other, by whoever decides."""
    for action in actions:
        state, _ = step(state, action)
    return state


def legal(state: State) -> list[AnyAction]:
    """What the deciding seat may do."""
    seat = deciding_seat(state)
    return [] if seat is None else list(ENGINE.legal_actions(state, seat))  # type: ignore[arg-type]


def only(events: Sequence[Event], form: type[EventBody], seat: int | None = None) -> EventBody:
    """The one event of this form, as the seat (None: everybody) gets it."""
    [found] = [body for event in events if isinstance(body := event.form_for(seat), form)]
    return found


def defaults_until(state: State, phase: str) -> State:
    """Lets the server play until a decision of this phase is due."""
    stream = dice(7, len(state.players))
    while ENGINE.turn(state)[1] != phase:
        seat = deciding_seat(state)
        assert seat is not None
        state, _ = ENGINE.apply(state, seat, ENGINE.default_action(state, seat), stream)
    return state


def acting(seats: int = 2, seed: int = 1, weather: Weather = SUN) -> State:
    """The first action of the first round, in this weather; warehouses and hands empty, no engineers."""
    state = with_weather(defaults_until(new(seats, seed), "action"), weather)
    for seat, player in enumerate(state.players):
        back = player.materials
        state = replace(
            state,
            supply=replace(
                state.supply,
                materials=plus(state.supply.materials, back),
                engineers=state.supply.engineers + player.engineers,
            ),
        )
        state = change_player(state, seat, materials=(0, 0, 0, 0), engineers=0, coins=0)
    return checked(state)


def checked(state: State) -> State:
    """The state, if it is possible."""
    check(COMPONENTS, state)
    return state


def change_player(state: State, seat: int, **parts: object) -> State:
    """Other belongings for a seat."""
    players = list(state.players)
    players[seat] = replace(players[seat], **parts)
    return replace(state, players=tuple(players))


def change_lighthouse(state: State, site: int, **parts: object) -> State:
    """Something else on a site."""
    lighthouses = list(state.lighthouses)
    lighthouses[site - 1] = replace(lighthouses[site - 1], **parts)
    return replace(state, lighthouses=tuple(lighthouses))


def with_weather(state: State, weather: Weather) -> State:
    """This weather now: its card and the present one change places."""
    cards = list(state.weather)
    now, other = state.round - 1, cards.index(weather)
    cards[now], cards[other] = cards[other], cards[now]
    return replace(state, weather=tuple(cards))


def give(state: State, seat: int, materials: str = "", *, engineers: int = 0, coins: int = 0) -> State:
    """Materials and engineers from the supply, coins from the bank."""
    given = stock(materials)
    supply = replace(
        state.supply, materials=minus(state.supply.materials, given), engineers=state.supply.engineers - engineers
    )
    player = state.players[seat]
    state = change_player(
        replace(state, supply=supply),
        seat,
        materials=plus(player.materials, given),
        engineers=player.engineers + engineers,
        coins=player.coins + coins,
    )
    return checked(state)


def deal(state: State, seat: int, *kinds: Equipment) -> State:
    """Cards of these kinds from the deck, those with the lowest ids."""
    deck, hand = list(state.deck), list(state.players[seat].hand)
    for kind in kinds:
        card = min(card for card in deck if COMPONENTS.card_kinds[card] is kind)
        deck.remove(card)
        hand.append(card)
    return checked(change_player(replace(state, deck=tuple(deck)), seat, hand=tuple(sorted(hand))))


def workers(state: State, seat: int, home: int) -> State:
    """So many workers in the warehouse, the others that were there in the reserve."""
    player = state.players[seat]
    return checked(change_player(state, seat, warehouse=home, reserve=player.reserve + player.warehouse - home))


def levels(state: State, site: int, *built: tuple[int, int], engineers: int = 0) -> State:
    """Levels by (seat, workers) from the stack's bottom, the warehouse and the supply."""
    place = CLASSES.index(BOX.sites[site - 1].light_class)
    stack = list(state.stacks[place])
    laid = []
    for seat, crew in built:
        laid.append(Level(stack.pop(0), seat, crew))
        state = change_player(state, seat, warehouse=state.players[seat].warehouse - crew)
    stacks = tuple(tuple(stack) if i == place else each for i, each in enumerate(state.stacks))
    supply = replace(state.supply, engineers=state.supply.engineers - engineers)
    state = change_lighthouse(state, site, levels=tuple(laid), engineers=engineers)
    return checked(replace(state, stacks=stacks, supply=supply))


def open_tile(state: State, tile: int) -> State:
    """This tile lies open, in place of one of its class."""
    place = CLASSES.index(BOX.tiles[tile].light_class)
    if tile in state.open[place]:
        return state
    out = state.open[place][0]
    opened = tuple(sorted((*state.open[place][1:], tile)))
    stack = tuple(out if each == tile else each for each in state.stacks[place])
    return checked(
        replace(
            state,
            stacks=tuple(stack if i == place else each for i, each in enumerate(state.stacks)),
            open=tuple(opened if i == place else each for i, each in enumerate(state.open)),
        )
    )


def tile(cost: str, of: str, **reward: int) -> int:
    """The first tile of the class with this cost and this reward."""
    return next(
        i
        for i, row in enumerate(BOX.tiles)
        if row.light_class == of and row.materials == stock(cost) and row.reward == Gain(**reward)
    )


def lighthouse(state: State, site: int, *extra: Material) -> State:
    """On the site a lighthouse with these extra materials: it changes places with the one that is there."""
    light_class = BOX.sites[site - 1].light_class
    wanted = next(i for i in COMPONENTS.lighthouses_of[light_class] if BOX.lighthouses[i].extra == extra)
    there, tile_ = next((i, each) for i, each in enumerate(state.lighthouses, 1) if each.tile == wanted)
    here = state.lighthouses[site - 1]
    state = change_lighthouse(state, there, tile=here.tile)
    return checked(change_lighthouse(state, site, tile=tile_.tile))


def built(state: State, *sites: int) -> State:
    """These lighthouses have been evaluated; regions are turned as they must be."""
    for site in sites:
        state = change_lighthouse(state, site, status=Status.BUILT, levels=(), engineers=0, coins=0, cards=())
    harbours = list(state.harbours)
    for region, numbers in COMPONENTS.harbours_of.items():
        done = sum(
            each.status is Status.BUILT and row.region is region
            for row, each in zip(BOX.sites, state.lighthouses, strict=True)
        )
        for number in numbers:
            improved = done >= BOX.flips_region[len(state.players)]
            harbours[number] = replace(harbours[number], improved=improved)
    return checked(replace(state, harbours=tuple(harbours)))


def in_harbour(state: State, number: int, *seats: int) -> State:
    """Workers of these seats in the harbour, in this order, from their warehouses."""
    harbours = list(state.harbours)
    harbours[number] = replace(harbours[number], workers=(*harbours[number].workers, *seats))
    state = replace(state, harbours=tuple(harbours))
    for seat in seats:
        state = change_player(state, seat, warehouse=state.players[seat].warehouse - 1)
    return checked(state)


def harbour_tile(state: State, number: int, tile_: int) -> State:
    """This tile at the harbour; if it lay at another, they change places."""
    harbours = list(state.harbours)
    for i, harbour in enumerate(harbours):
        if harbour.tile == tile_:
            harbours[i] = replace(harbour, tile=harbours[number].tile)
    harbours[number] = replace(harbours[number], tile=tile_)
    return checked(replace(state, harbours=tuple(harbours)))


def in_round(state: State, round_: int) -> State:
    """The same table in another round."""
    return checked(replace(state, round=round_))


def passing(state: State, *seats: int) -> State:
    """These seats pass, in this order."""
    for seat in seats:
        state = play(checked(replace(state, task=Act(seat))), Pass())
    return state


def turn_of(state: State, seat: int) -> State:
    """The seat acts next."""
    return checked(replace(state, task=Act(seat)))


def pass_but(state: State, seat: int) -> State:
    """All others have passed, ascending; the seat acts."""
    others = [other for other in range(len(state.players)) if other != seat]
    return turn_of(passing(state, *others), seat)

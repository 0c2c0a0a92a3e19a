"""Build: a level, its cost, its reward, its crew (RULES.md, Round, 3, Build)."""

from __future__ import annotations

from msgspec.structs import replace

from server.engines.bretagne.actions import AnyAction, Build, Built, Crew, Crewed, Gained
from server.engines.bretagne.box import CLASSES, ClassRow, Weather
from server.engines.bretagne.state import Crew as CrewTask
from server.engines.bretagne.state import Level, Reward, covers, finished, minus
from server.engines.bretagne.steps.play import Play, Stage, counts
from server.engines.engine import IllegalAction


def injures(play: Play, row: ClassRow) -> bool:
    """Whether this round's weather injures a worker at a lighthouse of the class."""
    return row.storm_injury and play.weather() is Weather.STORM


def choices(play: Play, seat: int) -> list[Build]:
    """Every open tile on every lighthouse where the seat can pay for it; by tile, then by site."""
    player, lighthouses = play.player(seat), play.state.lighthouses
    builds: list[Build] = []
    for tiles, light_class in zip(play.state.open, CLASSES, strict=True):
        row = play.box.classes[light_class]
        if player.engineers < row.engineers[play.weather()] or (injures(play, row) and not player.warehouse):
            continue
        for site in play.components.sites_of[light_class]:
            lighthouse = lighthouses[site - 1]
            if finished(lighthouse) or len(lighthouse.levels) == play.box.levels:
                continue
            costs = play.components.costs[lighthouse.tile, bool(lighthouse.levels)]
            builds += [Build(tile, site) for tile in tiles if covers(player.materials, costs[tile])]
    return sorted(builds, key=_place)


def _place(action: Build) -> tuple[int, int]:
    return action.tile, action.site


def build(play: Play, seat: int, action: Build) -> None:
    """Pays, brings engineers, bears the storm, takes the reward and the idle coins; the crew is the next decision."""
    _check(play, seat, action)
    tile, site = action.tile, action.site
    light_class = play.class_of(site)
    row = play.box.classes[light_class]
    lighthouse, player = play.lighthouse(site), play.player(seat)
    materials = play.components.costs[lighthouse.tile, bool(lighthouse.levels)][tile]
    engineers, injured = row.engineers[play.weather()], injures(play, row)
    play.supply(materials)
    play.change_player(
        seat,
        materials=minus(player.materials, materials),
        engineers=player.engineers - engineers,
        warehouse=player.warehouse - injured,
        reserve=player.reserve + injured,
        coins=player.coins + lighthouse.coins,
    )
    play.change_lighthouse(
        site,
        levels=(*lighthouse.levels, Level(tile, seat, 0)),
        engineers=lighthouse.engineers + engineers,
        coins=0,
    )
    place = CLASSES.index(light_class)
    opened = play.state.open
    left = tuple(each for each in opened[place] if each != tile)
    play.change(open=(*opened[:place], left, *opened[place + 1 :]))
    _reward(
        play,
        seat,
        Built(
            seat=seat,
            tile=tile,
            site=site,
            level=len(lighthouse.levels) + 1,
            paid=counts(materials),
            engineers=engineers,
            injured=injured,
            got={},
            short={},
            idle_coins=lighthouse.coins,
        ),
    )


def _check(play: Play, seat: int, action: Build) -> None:
    """Names the rule that forbids the build, in the order of the rulebook."""
    box, player = play.box, play.player(seat)
    if not any(action.tile in tiles for tiles in play.state.open):
        raise IllegalAction("build with an open construction tile")
    light_class = box.tiles[action.tile].light_class
    if action.site not in play.components.sites_of[light_class]:
        raise IllegalAction("a tile goes on a lighthouse of its class")
    lighthouse, row = play.lighthouse(action.site), box.classes[light_class]
    if finished(lighthouse) or len(lighthouse.levels) == box.levels:
        raise IllegalAction("the lighthouse has all its levels")
    cost = play.components.costs[lighthouse.tile, bool(lighthouse.levels)][action.tile]
    if not covers(player.materials, cost):
        raise IllegalAction(
            "the materials of the tile, of the lighthouse and of the scaffold must be in your warehouse"
        )
    if player.engineers < row.engineers[play.weather()]:
        raise IllegalAction("the class and the weather ask for more engineers than you have")
    if injures(play, row) and not player.warehouse:
        raise IllegalAction("in a storm a worker must be in your warehouse")


def _reward(play: Play, seat: int, built: Built) -> None:
    """D9: the reward comes after everything is paid; a worker that it brings can man the tile."""
    given = play.give(seat, play.box.tiles[built.tile].reward)
    play.tell_drawn(seat, replace(built, got=given.got, short=given.short, choices=given.choices), given.cards)
    spent = sum(built.paid.values())
    if given.choices:
        play.await_decision(Reward(seat, built.site, spent, given.choices))
    else:
        play.await_decision(CrewTask(seat, built.site, spent))


def gain(play: Play, task: Reward, action: AnyAction) -> Stage | None:
    """A tile's material of choice."""
    material = play.give_chosen(task.seat, action)
    play.tell(Gained(task.seat, material, None, task.site))
    if task.left > 1:
        play.await_decision(replace(task, left=task.left - 1))
    else:
        play.await_decision(CrewTask(task.seat, task.site, task.spent))
    return None


def crew_size(play: Play, task: CrewTask) -> int:
    """A worker for each material spent, or all there are."""
    return min(task.spent, play.player(task.seat).warehouse)


def crew_choices(play: Play, task: CrewTask) -> list[AnyAction]:
    """How many of the crew go straight home."""
    return [Crew(home) for home in range(crew_size(play, task) + 1)]


def crew(play: Play, task: CrewTask, action: AnyAction) -> Stage | None:
    """Mans the new level."""
    size = crew_size(play, task)
    if not isinstance(action, Crew) or not 0 <= action.home <= size:
        raise IllegalAction("send home none, some or all of the workers on the new level")
    staying, points = size - action.home, action.home * play.box.worker_home_points
    levels = play.lighthouse(task.site).levels
    play.change_lighthouse(task.site, levels=(*levels[:-1], replace(levels[-1], workers=staying)))
    player = play.player(task.seat)
    play.change_player(task.seat, warehouse=player.warehouse - staying, points=player.points + points)
    play.tell(Crewed(task.seat, task.site, staying, action.home, points))
    return Stage.NEXT_TURN

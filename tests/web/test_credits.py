"""Credits: the bucket, the wait it tells, and what counts as a flood."""

from __future__ import annotations

from server.web.credits import Credits


def test_a_burst_is_free_and_then_the_rate_rules() -> None:
    bucket = Credits(40, 80, 0.0)
    assert all(bucket.take(1, 0.0) for _ in range(80))
    assert not bucket.take(1, 0.0)
    assert bucket.take(1, 0.025)
    assert not bucket.take(1, 0.025)


def test_the_wait_is_long_enough_and_no_longer() -> None:
    bucket = Credits(40, 80, 0.0)
    while bucket.take(5, 0.0):
        pass
    wait = bucket.wait(5)
    assert wait == 125
    assert not bucket.take(5, (wait - 10) / 1000)
    assert bucket.take(5, (wait + 1) / 1000)


def test_credits_do_not_pile_up_beyond_the_burst() -> None:
    bucket = Credits(40, 80, 0.0)
    assert sum(bucket.take(1, 1000.0) for _ in range(200)) == 80


def test_a_flood_lasts_until_the_bucket_is_half_full_again() -> None:
    bucket = Credits(40, 80, 0.0)
    now = 0.0
    while now < 10.0:
        bucket.take(1, now)
        now += 0.01  # 100 a second
    assert bucket.refusing
    assert 8.0 < bucket.flooded(now) < 10.0
    assert bucket.take(1, now + 1.1)
    assert not bucket.refusing
    assert bucket.flooded(now + 1.1) == 0.0


def test_a_single_burst_is_no_flood() -> None:
    bucket = Credits(40, 80, 0.0)
    for _ in range(100):
        bucket.take(1, 0.0)
    for tenth in range(1, 200):
        bucket.take(1, tenth / 10)  # 10 a second from then on
    assert not bucket.refusing

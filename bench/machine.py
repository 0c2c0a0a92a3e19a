"""What the kernel says about processes and cores. Linux only: everything here is read from /proc."""

from __future__ import annotations

import os
from collections.abc import Set
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")


def cores() -> tuple[Set[int], Set[int]]:
    """The core for what is measured, and the cores for the load. A machine with one core has to share it."""
    allowed = sorted(os.sched_getaffinity(0))
    return {allowed[0]}, set(allowed[1:]) or {allowed[0]}


def cpu_seconds(pid: int) -> float:
    """User and system time that the process has used so far, all its threads together."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def resident_bytes(pid: int) -> int:
    """The memory of the process that is in RAM."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE


def description() -> str:
    """The processor, the number of cores, and how busy the machine is: figures mean nothing without."""
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    model = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown")
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    return f"{model}, {len(os.sched_getaffinity(0))} cores, load averages {load}"

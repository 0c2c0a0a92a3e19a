"""The load tool: rooms full of clients that play, watch, dawdle and are cut off, and a look at whether all stays right.

`party` plays a room, `trouble` makes difficulties, `host` is a server of one's own, `ledger` keeps count, `report`
shows it.
"""

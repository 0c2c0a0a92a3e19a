"""Other servers for board games doing the same job beside Pharos: `make bench-peers`.

The job: rooms of four; the seat whose turn it is changes one of forty numbers; all four are told. The peers' servers in
`servers/` are written from their documentation; the load speaks their wire itself, so that it costs the same for all.
"""

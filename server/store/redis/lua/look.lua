-- One field of a room, the time, and the presence records; nothing if there is no such room.
-- KEYS  1 room  2 records by node.  ARGV  1 time  2 field
if redis.call('EXISTS', KEYS[1]) == 0 then return end
return {redis.call('HGET', KEYS[1], ARGV[2]) or '', digits(time(ARGV[1])), redis.call('HVALS', KEYS[2])}

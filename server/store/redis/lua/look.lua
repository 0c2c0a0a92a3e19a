-- Some fields of a room, the time, and the presence records; nothing if there is no such room.
-- KEYS  1 room  2 records by node.  ARGV  1 time  2… fields
if redis.call('EXISTS', KEYS[1]) == 0 then return end
return {redis.call('HMGET', KEYS[1], unpack(ARGV, 2)), digits(time(ARGV[1])), redis.call('HVALS', KEYS[2])}

-- Keep a snapshot unless there is a later one.  KEYS  1 room  2 snapshot.  ARGV  1 seq  2 tag  3 data
if redis.call('EXISTS', KEYS[1]) == 0 then return end
local present = redis.call('HGET', KEYS[2], 'seq')
if present and tonumber(present) > tonumber(ARGV[1]) then return end
redis.call('HSET', KEYS[2], 'seq', ARGV[1], 'tag', ARGV[2], 'data', ARGV[3])

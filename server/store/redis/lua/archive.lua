-- Put one compressed record in the place of the entries up to a seq, unless the journal went another way since it was
-- read, or a record as long is there.
-- It begins with what a full server does, too: what follows is then done, and makes room.
-- KEYS  1 room  2 journal  3 archive.  ARGV  1 seq  2 its tag  3 record
local archived = redis.call('HGET', KEYS[1], 'archived')
if archived and tonumber(archived) >= tonumber(ARGV[1]) then return end
local last = redis.call('XRANGE', KEYS[2], ARGV[1] .. '-0', ARGV[1] .. '-0')[1]
if not last or last[2][2] ~= ARGV[2] then return end
redis.call('DEL', KEYS[3])
redis.call('SET', KEYS[3], ARGV[3])
redis.call('HSET', KEYS[1], 'archived', ARGV[1])
if redis.call('HGET', KEYS[1], 'seq') == ARGV[1] then
  redis.call('DEL', KEYS[2])
else
  redis.call('XTRIM', KEYS[2], 'MINID', digits(tonumber(ARGV[1]) + 1) .. '-0')
end

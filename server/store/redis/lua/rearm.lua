-- Put the next house-keeping at a moment, if the head is still this one.
-- KEYS  1 room  2 due.  ARGV  1 room's id  2 seq  3 tag  4 moment ("": never)
local head = redis.call('HMGET', KEYS[1], 'seq', 'tag', 'aside')
if head[1] ~= ARGV[2] or head[2] ~= ARGV[3] or head[3] then return end
redis.call('ZADD', KEYS[2], ARGV[4] == '' and '+inf' or ARGV[4], ARGV[1])

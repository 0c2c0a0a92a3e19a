-- Set a room aside: out of every index. If the room's game is another than named, do nothing and return that.
-- KEYS  1 room  2… indices.  ARGV  1 room's id  2 game  3 reason
local room = redis.call('HMGET', KEYS[1], 'game', 'aside')
if not room[1] or room[2] then return end
if room[1] ~= ARGV[2] then return room[1] end
redis.call('HSET', KEYS[1], 'aside', ARGV[3])
for i = 2, #KEYS do redis.call('ZREM', KEYS[i], ARGV[1]) end

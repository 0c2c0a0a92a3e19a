-- Remove a room, and remember that its id was used. If its game is another than named, do nothing and return that.
-- It begins with what a full server does, too: what follows is then done, and room is made.
-- KEYS  1 room  2 used  3-8 what else is the room's own  9… indices.  ARGV  1 room's id  2 game
local game = redis.call('HGET', KEYS[1], 'game')
if not game then return end
if game ~= ARGV[2] then return game end
for i = 9, #KEYS do redis.call('ZREM', KEYS[i], ARGV[1]) end
redis.call('UNLINK', KEYS[1], KEYS[3], KEYS[4], KEYS[5], KEYS[6], KEYS[7], KEYS[8])
redis.call('SADD', KEYS[2], ARGV[1])

-- The heads of rooms of one bucket: seq, tag, at of each, or nothing.  KEYS  the rooms
local heads = {}
for i, room in ipairs(KEYS) do
  heads[i] = redis.call('HMGET', room, 'seq', 'tag', 'at')
end
return heads

-- Add a line to the chat, unless its key is known; its number, or nothing if there is no such room.
-- KEYS  1 room  2 lines  3 numbers by key.  ARGV  1 data  2 how many lines are kept  3 key, or nothing
if redis.call('EXISTS', KEYS[1]) == 0 then return end
local key = ARGV[3]
local known = key and redis.call('HGET', KEYS[3], key)
if known then return tonumber(known) end
local n = redis.call('HINCRBY', KEYS[1], 'said', 1)
redis.call('XADD', KEYS[2], n .. '-0', 'd', ARGV[1], 'k', key or '')
if key then redis.call('HSET', KEYS[3], key, n) end
local old = n - tonumber(ARGV[2])
if old > 0 then
  for _, line in ipairs(redis.call('XRANGE', KEYS[2], '-', old .. '-0')) do
    if line[2][4] ~= '' then redis.call('HDEL', KEYS[3], line[2][4]) end
  end
  redis.call('XTRIM', KEYS[2], 'MINID', (old + 1) .. '-0')
end
publish(KEYS[1], 'chat')
return n

-- Renew, change or take away a node's presence record, which is the time and what it says ("": nobody is attached).
-- Records of nodes that are long gone go too; those that are only void stay, for a clock may step back.
-- Where seats are for bot hosts, the moment from which one of them may wait follows from all records.
-- KEYS  1 room  2 records by node  3 offers
-- ARGV  1 time  2 node  3 what it says  4 ms for which a record is good  5 room's id
if redis.call('EXISTS', KEYS[1]) == 0 then return end
local now, records = time(ARGV[1]), redis.call('HGETALL', KEYS[2])
local good, same, old = false, false, {}
for i = 1, #records, 2 do
  local at, says = string.match(records[i + 1], '^(%d+) (.*)$')
  local age = now - tonumber(at)
  if records[i] == ARGV[2] then
    good = math.abs(age) < tonumber(ARGV[4])
    same = says == ARGV[3]
  elseif age > 3600000 then
    table.insert(old, records[i])
  end
end
local changed = good
if ARGV[3] ~= '' then
  redis.call('HSET', KEYS[2], ARGV[2], digits(now) .. ' ' .. ARGV[3])
  changed = not (good and same)
else
  redis.call('HDEL', KEYS[2], ARGV[2])
end
for _, node in ipairs(old) do redis.call('HDEL', KEYS[2], node) end
if changed or good then
  local seen = tonumber(redis.call('HGET', KEYS[1], 'seen') or '0')
  redis.call('HSET', KEYS[1], 'seen', digits(math.max(seen, now)))
end
if redis.call('ZSCORE', KEYS[3], ARGV[5]) then
  local good_until, waits = {}, nil
  for _, record in ipairs(redis.call('HVALS', KEYS[2])) do
    local at, seats = string.match(record, '^(%d+) %d+ (.*)$')
    if tonumber(at) - now < tonumber(ARGV[4]) then
      for seat in string.gmatch(seats, '%d+') do
        good_until[seat] = math.max(good_until[seat] or 0, at + ARGV[4])
      end
    end
  end
  for _, offer in ipairs(cjson.decode(redis.call('HGET', KEYS[1], 'offers'))) do
    local from = offer['taken'] and good_until[tostring(offer['seat'])] or 0
    waits = math.min(waits or from, from)
  end
  redis.call('ZADD', KEYS[3], digits(waits), ARGV[5])
end
if changed then publish(KEYS[1], 'presence') end

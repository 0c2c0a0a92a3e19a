-- When the deadlines were last looked after, and the time. With a moment: note it, never as later than the present.
-- KEYS  1 swept.  ARGV  1 time  2 moment, or nothing
local now, last = time(ARGV[1]), tonumber(redis.call('GET', KEYS[1]) or '0')
if ARGV[2] then
  redis.call('SET', KEYS[1], digits(math.min(math.max(last, tonumber(ARGV[2])), now)))
end
return {digits(last), digits(now)}

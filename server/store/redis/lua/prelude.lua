-- Put before every script. The store's time, in ms: the server's own, moved by what `spec` says ("0" in service; tests
-- move it, or with "=" in front name it); numbers as Redis wants them, never as 1.7e+12.
local function time(spec)
  if string.sub(spec, 1, 1) == '=' then return tonumber(string.sub(spec, 2)) end
  local now = redis.call('TIME')
  return now[1] * 1000 + math.floor(now[2] / 1000) + tonumber(spec)
end

local function digits(number)
  return string.format('%.0f', number)
end

-- Tell whoever follows the room: its channel has the name of its key. Never a reason to fail, for all else is done.
local function publish(channel, news)
  redis.pcall(redis.REDIS_VERSION_NUM and 'SPUBLISH' or 'PUBLISH', channel, news)
end

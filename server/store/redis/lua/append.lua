-- Append entries to a journal, or refuse before anything is written. In its short form (3 keys) it takes only what
-- leaves the room's index as it is; else it answers `index`, and the caller sends the long form, with every key.
--
-- KEYS  1 room  2 journal  3 due | 4 clock  5 offers  6 living  7 used  8-12 lists of all games: any status, open,
--       playing, finished, abandoned  13-17 the same of the room's game  18-22 of the game it had before, if another
-- ARGV  1 time  2 room's id  3 seq and 4 tag of the head to follow  5 not before  6 not after  7 due, ms after the
--       entries ("": never)  8 digest of the index | 9 game  10 status  11 public  12 created  13 clock  14 offers
--       ("": none)  15 listing; then tag and data of each entry
-- Returns the entries' time, or what refused: {conflict, seq, tag, at}, {aside, reason}, {time, now}, {index, game}.
local id, long = ARGV[2], #KEYS > 3
local head = redis.call('HMGET', KEYS[1], 'seq', 'tag', 'at', 'aside', 'index', 'game', 'created')
local seq, tag = head[1] or '0', head[2] or ''
if seq ~= ARGV[3] or tag ~= ARGV[4] then return {'conflict', seq, tag, head[3] or '0'} end
if head[4] then return {'aside', head[4]} end
local now = time(ARGV[1])
if now < tonumber(ARGV[5]) or now > tonumber(ARGV[6]) then return {'time', digits(now)} end
if not long and head[5] ~= ARGV[8] then return {'index', head[6] or ''} end
if long and head[6] and head[6] ~= ARGV[9] and #KEYS < 22 then return {'index', head[6]} end
if long and not head[1] and redis.call('SISMEMBER', KEYS[7], id) == 1 then return {'conflict', '0', '', '0'} end

-- The first write is one that a full server refuses: then nothing at all has happened.
local at = digits(math.max(now, tonumber(head[3] or '0')))
local last = tonumber(seq)
for i = long and 16 or 9, #ARGV, 2 do
  last, tag = last + 1, ARGV[i]
  redis.call('XADD', KEYS[2], digits(last) .. '-0', 't', tag, 'a', at, 'd', ARGV[i + 1])
end
redis.call('HSET', KEYS[1], 'seq', digits(last), 'tag', tag, 'at', at)
redis.call('ZADD', KEYS[3], ARGV[7] == '' and '+inf' or digits(tonumber(at) + tonumber(ARGV[7])), id)

if long then
  local status, public = ARGV[10], ARGV[11] == '1'
  local created = head[7] or (ARGV[12] ~= '0' and ARGV[12] or at)
  redis.call('HSET', KEYS[1], 'index', ARGV[8], 'game', ARGV[9], 'created', created, 'listing', ARGV[15])
  if ARGV[14] == '' then
    redis.call('HDEL', KEYS[1], 'offers')
    redis.call('ZREM', KEYS[5], id)
  else
    redis.call('HSET', KEYS[1], 'offers', ARGV[14])
    redis.call('ZADD', KEYS[5], 0, id)
  end
  local function mark(key, member)
    if member then redis.call('ZADD', key, created, id) else redis.call('ZREM', key, id) end
  end
  mark(KEYS[4], ARGV[13] == '1')
  mark(KEYS[6], status == 'open' or status == 'playing')
  for group = 8, #KEYS, 5 do
    local listed = public and group < 18
    mark(KEYS[group], listed)
    for place, each in ipairs({'open', 'playing', 'finished', 'abandoned'}) do
      mark(KEYS[group + place], listed and status == each)
    end
  end
end
publish(KEYS[1], 'entry ' .. digits(last))
return tonumber(at)

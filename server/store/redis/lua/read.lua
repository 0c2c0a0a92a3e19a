-- The entries above a seq, and the compressed record if some of them are in it.
-- KEYS  1 room  2 journal  3 archive.  ARGV  1 seq
local archived = redis.call('HGET', KEYS[1], 'archived')
local record = archived and tonumber(archived) > tonumber(ARGV[1]) and redis.call('GET', KEYS[3])
return {record or '', redis.call('XRANGE', KEYS[2], digits(tonumber(ARGV[1]) + 1) .. '-0', '+')}

package io.sluice.fleet.quota;

import io.sluice.fleet.redis.LuaClock;

/**
 * The Lua scripts of {@link RedisQuotas}. A client that hears nothing for half a second sends its
 * script again, so each has its effect once: a lease has a record of its reservation's result and
 * of whether it is settled.
 */
final class QuotaScripts {
  /**
   * Fills the buckets. KEYS bucket, places, lease; ARGV requests and tokens a minute; 0 means no
   * limit. A bucket that was never used is full, also because there was no limit.
   */
  private static final String FILL =
      LuaClock.NOW
          + """
          local now = now()
          local rpm, tpm = tonumber(ARGV[1]), tonumber(ARGV[2])
          local bucket = redis.call('HMGET', KEYS[1], 'requests', 'tokens', 'at')
          local passed = math.max(0, now - (tonumber(bucket[3]) or now)) / 60000
          local requests = math.min(rpm, (tonumber(bucket[1]) or rpm) + rpm * passed)
          local tokens = math.min(tpm, (tonumber(bucket[2]) or tpm) + tpm * passed)
          """;

  private static final String STORE =
      """
      redis.call('HSET', KEYS[1], 'requests', rpm > 0 and tostring(requests) or '',
          'tokens', tpm > 0 and tostring(tokens) or '', 'at', tostring(now))
      redis.call('PEXPIRE', KEYS[1], 3600000)
      """;

  /** Gives a lease a place until its life in ms, and keeps its record for an hour beyond. */
  private static final String HOLD =
      """
      local function hold(places, lease, record, now, life)
        redis.call('ZADD', places, now + life, lease)
        redis.call('PEXPIRE', places, math.max(life, redis.call('PTTL', places)))
        redis.call('PEXPIRE', record, life + 3600000)
      end
      """;

  /** Further ARGV: places, cost in tokens, lease, life of the place in ms. */
  static final String RESERVE =
      HOLD
          + """
          local known = redis.call('HMGET', KEYS[3], 'lacking', 'wait', 'requests', 'tokens')
          if known[1] then
            return known
          end
          """
          + FILL
          + """
          local places, cost = tonumber(ARGV[3]), tonumber(ARGV[4])
          redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
          local lacking, wait = '', 0
          if rpm > 0 and requests < 1 then
            lacking, wait = 'requests', (1 - requests) * 60000 / rpm
          elseif tpm > 0 and tokens < cost then
            lacking, wait = 'tokens', (cost - tokens) * 60000 / tpm
          elseif places > 0 and redis.call('ZCARD', KEYS[2]) >= places then
            lacking, wait = 'places', 1000
          else
            requests, tokens = requests - 1, tokens - cost
          end
          """
          + STORE
          + """
          local result = {lacking, tostring(math.ceil(wait)), tostring(math.floor(requests)),
              tostring(math.floor(tokens))}
          redis.call('HSET', KEYS[3], 'state', lacking == '' and 'open' or 'settled',
              'lacking', result[1], 'wait', result[2], 'requests', result[3], 'tokens', result[4])
          if lacking == '' then
            hold(KEYS[2], ARGV[5], KEYS[3], now, tonumber(ARGV[6]))
          else
            redis.call('PEXPIRE', KEYS[3], 10000)
          end
          return result
          """;

  /**
   * Further ARGV: tokens to give back, lease. The record stays for a minute, also of a lease that
   * was not reserved: its reservation may still be on its way, and then has no effect.
   */
  static final String SETTLE =
      """
      local state = redis.call('HGET', KEYS[3], 'state')
      if not state then
        redis.call('HSET', KEYS[3], 'state', 'settled', 'lacking', 'settled', 'wait', '0',
            'requests', '0', 'tokens', '0')
        redis.call('PEXPIRE', KEYS[3], 60000)
      end
      if state ~= 'open' then
        return ''
      end
      """
          + FILL
          + """
          redis.call('ZREM', KEYS[2], ARGV[4])
          tokens = math.min(tpm, tokens + tonumber(ARGV[3]))
          """
          + STORE
          + """
          redis.call('HSET', KEYS[3], 'state', 'settled')
          redis.call('PEXPIRE', KEYS[3], 60000)
          return ''
          """;

  /**
   * KEYS places and lease of each; ARGV life in ms, the leases. A place that was lost, because
   * Redis could not be reached for longer than its life, is taken again.
   */
  static final String RENEW =
      LuaClock.NOW
          + HOLD
          + """
          local now = now()
          for i = 2, #ARGV do
            local places, record = KEYS[2 * i - 3], KEYS[2 * i - 2]
            if redis.pcall('HGET', record, 'state') == 'open' then
              pcall(hold, places, ARGV[i], record, now, tonumber(ARGV[1]))
            end
          end
          return ''
          """;

  private QuotaScripts() {}
}

package io.sluice.fleet.retry;

/**
 * The Lua scripts of {@link RetryIndex}. KEYS is one hash for all HTTP requests of a fingerprint:
 * {@code r:REQUEST} is "readers takeovers" or, if its answer was sent to the last of them, "readers
 * takeovers second"; {@code t:TRY} is the request that a try reads or {@code -} if it was
 * forgotten, {@code body} the digest of their body, and {@code refused} "tries second": how many
 * tries were refused or failed, whose retries are to begin their own, and when that was last so.
 * Each script has its effect once, however often it is sent.
 */
final class RetryScripts {
  /**
   * ARGV request id, try, ttl ms, whether it may follow, a request that failed or an empty text,
   * body digest or an empty text, seconds after its answer in which a request can be followed,
   * seconds after a refusal in which its retry comes. Returns the id of the request to read; an
   * empty text if the try begins its own; {@code reused} for another body. A request without
   * readers goes first, then the one with the fewest, of these the one that was taken over least,
   * and of these the newest; those whose answer was sent go last. A program that sends equal
   * requests for days never lets the hash expire, so from time to time what cannot be followed is
   * removed; of more than 1,000 requests, those sent within a tenth of the time stay.
   */
  static final String BEGIN =
      """
      local id, try, failed, body = ARGV[1], 't:' .. ARGV[2], ARGV[5], ARGV[6]
      local first = redis.call('HGET', KEYS[1], 'body')
      if first and body ~= '' and first ~= body then
        return 'reused'
      end
      local reads = string.match(redis.call('HGET', KEYS[1], try) or '', '^%S+')
      if reads == '-' then
        return ''
      end
      if reads and reads ~= failed then
        return reads == id and '' or reads
      end
      local best, readers, takeovers, bestIsSent
      local now, retriedWithin = tonumber(redis.call('TIME')[1]), tonumber(ARGV[7])
      if redis.call('HLEN', KEYS[1]) > tonumber(redis.call('HGET', KEYS[1], 'limit') or '2000') then
        local all, kept = redis.call('HGETALL', KEYS[1]), {}
        local function removeOlderThan(seconds)
          local left = 0
          for i = 1, #all, 2 do
            local request = string.match(all[i], '^r:(.+)')
            local sent = request and string.match(all[i + 1], '^%d+ %d+ (%d+)$')
            if sent and now - tonumber(sent) > seconds then
              kept[request] = nil
              redis.call('HDEL', KEYS[1], all[i])
            elseif request then
              kept[request] = true
              left = left + 1
            end
          end
          return left
        end
        if removeOlderThan(retriedWithin) > 1000 then
          removeOlderThan(retriedWithin / 10)
        end
        for i = 1, #all, 2 do
          if string.match(all[i], '^t:') and not kept[string.match(all[i + 1], '^%S+')] then
            redis.call('HDEL', KEYS[1], all[i])
          end
        end
        redis.call('HSET', KEYS[1], 'limit', math.max(2000, 2 * redis.call('HLEN', KEYS[1])))
      end
      local isReplaced = failed ~= '' and redis.call('HDEL', KEYS[1], 'r:' .. failed) == 1
      local isRefused = false
      if ARGV[4] == 'true' and body == '' and failed == '' then
        local refused = redis.call('HGET', KEYS[1], 'refused') or ''
        local tries, last = string.match(refused, '^(%d+) (%d+)')
        if tries and tonumber(tries) > 0 and now - tonumber(last) <= tonumber(ARGV[8]) then
          isRefused = true
          redis.call('HSET', KEYS[1], 'refused', (tries - 1) .. ' ' .. last)
        end
      end
      if ARGV[4] == 'true' and not isReplaced and not isRefused then
        local all = redis.call('HGETALL', KEYS[1])
        for i = 1, #all, 2 do
          local other = string.match(all[i], '^r:(.+)')
          if other then
            local r, t, sent = string.match(all[i + 1], '^(%d+) (%d+) ?(%d*)')
            r, t = tonumber(r), tonumber(t)
            local isSent = sent ~= ''
            local isOld = isSent and now - tonumber(sent) > retriedWithin
            local isEqual = best and r == readers and t == takeovers
            if isOld then
              redis.call('HDEL', KEYS[1], all[i])
            elseif not best or (bestIsSent and not isSent)
                or (bestIsSent == isSent and (r < readers or (r == readers and t < takeovers)
                    or (isEqual and other > best))) then
              best, readers, takeovers, bestIsSent = other, r, t, isSent
            end
          end
        end
      end
      if best then
        redis.call('HSET', KEYS[1], 'r:' .. best, (readers + 1) .. ' ' .. (takeovers + 1), try, best)
      else
        redis.call('HSET', KEYS[1], 'r:' .. id, '1 0', try, id)
      end
      if body ~= '' then
        redis.call('HSET', KEYS[1], 'body', body)
      end
      redis.call('PEXPIRE', KEYS[1], math.max(tonumber(ARGV[3]), redis.call('PTTL', KEYS[1])))
      return best or ''
      """;

  /**
   * ARGV try, whether the answer was sent to it. The mark of a try that left holds the number of
   * takeovers at that time.
   */
  static final String LEAVE =
      """
      local try = 't:' .. ARGV[1]
      local reads = redis.call('HGET', KEYS[1], try)
      local state = reads and redis.call('HGET', KEYS[1], 'r:' .. reads)
      if state then
        local readers, takeovers = string.match(state, '^(%d+) (%d+)')
        local isLast = tonumber(readers) <= 1
        local sent = ARGV[2] == 'true' and isLast and ' ' .. redis.call('TIME')[1] or ''
        redis.call('HSET', KEYS[1], 'r:' .. reads, (readers - 1) .. ' ' .. takeovers .. sent,
            try, reads .. ' ' .. takeovers)
      end
      return ''
      """;

  /**
   * ARGV try. Returns {@code taken} if another try has the request; else forgets the request. A try
   * whose leaving overtook its beginning still counts as a reader.
   */
  static final String ABANDON =
      """
      local try = 't:' .. ARGV[1]
      local mark = redis.call('HGET', KEYS[1], try)
      local id, before = string.match(mark or '', '^(%S+) ?(%d*)')
      local alone = before == '' and '1 0' or '0 ' .. (before or '')
      local state = id and redis.call('HGET', KEYS[1], 'r:' .. id)
      if state and state ~= alone then
        return 'taken'
      end
      if id and id ~= '-' then
        redis.call('HDEL', KEYS[1], try, 'r:' .. id)
      end
      return 'alone'
      """;

  /**
   * ARGV try, seconds after a refusal in which its retry comes. A request that none of its tries
   * reads any more is not given to a later one, and the retry of its last try is not given an equal
   * one. A try that has left is not refused. The beginning of a try that is not known may still be
   * on its way, and then has no effect.
   */
  static final String FORGET =
      """
      local try = 't:' .. ARGV[1]
      local reads, left = string.match(redis.call('HGET', KEYS[1], try) or '', '^(%S+) ?(%d*)')
      if reads == '-' or (left and left ~= '') then
        return ''
      end
      redis.call('HSET', KEYS[1], try, '-')
      redis.call('PEXPIRE', KEYS[1], math.max(90000, redis.call('PTTL', KEYS[1])))
      local state = reads and redis.call('HGET', KEYS[1], 'r:' .. reads)
      local readers, takeovers = string.match(state or '1 0', '^(%d+) (%d+)')
      if tonumber(readers) > 1 then
        redis.call('HSET', KEYS[1], 'r:' .. reads, (readers - 1) .. ' ' .. takeovers)
        return ''
      end
      if reads then
        redis.call('HDEL', KEYS[1], 'r:' .. reads)
      end
      local now = redis.call('TIME')[1]
      local tries, last =
          string.match(redis.call('HGET', KEYS[1], 'refused') or '0 0', '^(%d+) (%d+)')
      if now - last > tonumber(ARGV[2]) then
        tries = 0
      end
      redis.call('HSET', KEYS[1], 'refused', (tries + 1) .. ' ' .. now)
      return ''
      """;

  private RetryScripts() {}
}

package io.sluice.fleet;

import io.sluice.fleet.redis.TolerantLua;

/** The transition table of {@link io.sluice.fleet.breaker.Breaker} as a Lua script for Redis. */
final class BreakerScript {

  /**
   * KEYS breaker, call; ARGV events, rules, ttl ms, channel, worker id, ttl of the call ms. Returns
   * the resulting state, or an empty string if the breaker has never changed. The client runs the
   * script again if Redis answers late: a call has its effect once.
   */
  static final String APPLY =
      TolerantLua.READ
          + """
      local rules = cjson.decode(ARGV[2])

      local function open_millis(trips)
        local millis = rules.open_millis
        for _ = 2, trips do
          if millis < rules.longest_open_millis then
            millis = millis * 2
          end
        end
        return math.min(millis, rules.longest_open_millis)
      end

      local circuit = {}

      function circuit.enter(c, phase, now)
        c.phase, c.failures, c.successes, c.since_millis = phase, 0, 0, now
      end

      function circuit.trip(c, now)
        if c.phase == 'open' then
          c.open_until_millis = math.max(c.open_until_millis, now + open_millis(c.trips))
          return
        end
        local forgiven = c.phase == 'closed' and now - c.since_millis >= rules.forgive_millis
        c.trips = forgiven and 1 or c.trips + 1
        c.open_until_millis = now + open_millis(c.trips)
        circuit.enter(c, 'open', now)
      end

      local apply = {}

      function apply.usage(s, e)
        if s.memory then
          s.memory = e.usage >= rules.memory_close_below
        else
          s.memory = e.usage > rules.memory_open_above
        end
      end

      function apply.failed(s, _, now)
        local c = s.circuit
        if c.phase == 'closed' and c.failures + 1 < rules.failures then
          c.failures = c.failures + 1
        elseif c.phase ~= 'open' then
          circuit.trip(c, now)
        end
      end

      function apply.succeeded(s, _, now)
        local c = s.circuit
        if c.phase == 'closed' then
          c.failures = 0
        elseif c.phase == 'half_open' then
          c.successes = c.successes + 1
          if c.successes >= rules.probes then
            circuit.enter(c, 'closed', now)
          end
        end
      end

      function apply.tripped(s, _, now)
        circuit.trip(s.circuit, now)
      end

      function apply.ticked(s, _, now)
        local c = s.circuit
        if c.phase == 'open' and (now >= c.open_until_millis
            or c.open_until_millis - now > rules.longest_open_millis) then
          circuit.enter(c, 'half_open', now)
        end
      end

      function apply.engine_down(s)
        s.engine_dead = true
      end

      function apply.engine_up(s, _, now)
        if s.engine_dead then
          s.engine_dead = false
          circuit.enter(s.circuit, 'half_open', now)
        end
      end

      function apply.worker_started(s, _, now)
        local was_open = s.engine_dead or s.circuit.phase == 'open'
        s.memory, s.engine_dead = false, false
        if was_open then
          circuit.enter(s.circuit, 'half_open', now)
        end
      end

      function apply.overridden(s, e)
        s.operator, s.reason = e.operator, e.reason
      end

      local function restored(ours, theirs, now)
        if theirs.epoch <= ours.epoch then
          return ours
        end
        local same = theirs.operator == ours.operator and theirs.reason == ours.reason
        if ours.epoch > 0 and not same then
          theirs.operator, theirs.reason = ours.operator, ours.reason
          theirs.epoch = math.max(theirs.epoch + 1, now)
        end
        return theirs
      end

      -- Written field by field, so that equal states are equal texts.
      local function text(s)
        local c = s.circuit
        return string.format(
          '{"epoch":%.0f,"circuit":{"phase":"%s","failures":%.0f,"successes":%.0f,"trips":%.0f,'
          .. '"open_until_millis":%.0f,"since_millis":%.0f},"memory":%s,"engine_dead":%s,'
          .. '"operator":"%s","reason":%s}',
          s.epoch, c.phase, c.failures, c.successes, c.trips,
          c.open_until_millis, c.since_millis, tostring(s.memory), tostring(s.engine_dead),
          s.operator, cjson.encode(s.reason))
      end

      local stored = read(KEYS[1]) or ''
      local readable, state = pcall(cjson.decode, stored)
      readable = readable and type(state) == 'table' and pcall(text, state)
      if not readable then
        state = {
          epoch = 0, memory = false, engine_dead = false, operator = 'auto', reason = '',
          circuit = {
            phase = 'closed', failures = 0, successes = 0, trips = 0,
            open_until_millis = 0, since_millis = 0 } }
      end

      local is_new = redis.call('SET', KEYS[2], '1', 'NX', 'PX', ARGV[6])
      for _, timed in ipairs(is_new and cjson.decode(ARGV[1]) or {}) do
        local event, now = timed.event, timed.at_millis
        if event.type == 'restored' then
          state = restored(state, event.state, now)
        else
          local before = text(state)
          apply[event.type](state, event, now)
          if text(state) ~= before then
            state.epoch = math.max(state.epoch + 1, now)
          end
        end
      end

      if state.epoch == 0 then
        return ''
      end
      local after = text(state)
      redis.call('SET', KEYS[1], after, 'PX', ARGV[3])
      if after ~= stored then
        redis.call('PUBLISH', ARGV[4], 'breaker ' .. ARGV[5] .. ' ' .. after)
      end
      return after
      """;

  private BreakerScript() {}
}

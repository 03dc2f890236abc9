package io.sluice.fleet.redis;

/** The clock of Lua scripts: that of Redis, the same for all who call. */
public final class LuaClock {

  /** {@code now()} returns the time in milliseconds since 1970. */
  public static final String NOW =
      """
      local function now()
        local time = redis.call('TIME')
        return time[1] * 1000 + math.floor(time[2] / 1000)
      end
      """;

  private LuaClock() {}
}

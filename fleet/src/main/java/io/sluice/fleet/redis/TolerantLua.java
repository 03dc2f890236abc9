package io.sluice.fleet.redis;

/**
 * Lua functions for keys that may be of a wrong type, since one such key must not hide the others.
 */
public final class TolerantLua {

  /**
   * {@code read(key)} returns the text at a key, or {@code false} if there is none. If the key is
   * of another type, it returns Redis's error as text, which no reader understands as a value.
   */
  public static final String READ =
      """
      local function read(key)
        local value = redis.pcall('GET', key)
        return type(value) == 'table' and value.err or value
      end
      """;

  /**
   * {@code index(set, id)} adds an id to a set. A key of another type is replaced: it belongs to
   * the pool, and each heartbeat adds its id again.
   */
  public static final String INDEX =
      """
      local function index(set, id)
        if type(redis.pcall('SADD', set, id)) == 'table' then
          redis.call('DEL', set)
          redis.call('SADD', set, id)
        end
      end
      """;

  /**
   * {@code each(set, prefix, visit)} visits the ids in a set and the texts at their keys, and
   * removes the ids without a key.
   */
  public static final String EACH =
      READ
          + """
          local function each(set, prefix, visit)
            for _, id in ipairs(redis.call('SMEMBERS', set)) do
              local value = read(prefix .. id)
              if value then
                visit(id, value)
              else
                redis.call('SREM', set, id)
              end
            end
          end
          """;

  private TolerantLua() {}
}

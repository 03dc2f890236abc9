package io.sluice.gateway.access;

import io.sluice.fleet.redis.BadKeys;
import io.sluice.fleet.redis.RedisTable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Keys in the pool's Redis. */
public final class RedisKeyStore implements KeyStore {
  /** The table's name in the pool. */
  public static final String TABLE = "keys";

  private static final long TIMEOUT_SECONDS = 10;

  private final RedisTable table;
  private final BadKeys badKeys = new BadKeys();

  public RedisKeyStore(RedisTable table) {
    this.table = table;
  }

  /** A key that cannot be read, such as one of a newer version, opens nothing. */
  @Override
  public List<ApiKey> all() throws IOException {
    List<ApiKey> keys = new ArrayList<>();
    await(table.readAll())
        .forEach(
            (id, json) ->
                badKeys
                    .parse(table.key() + " field " + id, json, ApiKey::parse)
                    .ifPresent(keys::add));
    return keys;
  }

  @Override
  public void add(ApiKey key) throws IOException {
    await(table.put(key.id(), key.toJson()));
  }

  @Override
  public boolean remove(String id) throws IOException {
    return await(table.remove(id));
  }

  /** Returns the first line of the cause; the client's errors have several. */
  private static String reason(ExecutionException e) {
    Throwable cause = e.getCause();
    String message = cause == null ? null : cause.getMessage();
    return message == null
        ? "no answer within its time"
        : message.lines().findFirst().orElse("no reason given");
  }

  private static <T> T await(CompletionStage<T> stage) throws IOException {
    try {
      return stage.toCompletableFuture().get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw new IOException("Redis does not answer: " + reason(e), e);
    } catch (TimeoutException e) {
      throw new IOException("Redis does not answer within " + TIMEOUT_SECONDS + " s", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }
}

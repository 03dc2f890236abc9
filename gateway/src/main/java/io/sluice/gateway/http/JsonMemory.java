package io.sluice.gateway.http;

import io.sluice.common.openai.JsonSizes;
import jakarta.inject.Singleton;
import java.time.Duration;
import java.util.stream.Stream;

/**
 * Bounds the memory of parsed JSON. Code that parses what a client sent takes a share by its values
 * and names, and keeps it as long as the tree. Small ones are bounded by the number of requests in
 * progress. Thread-safe.
 */
@Singleton
public final class JsonMemory {
  private static final int HEAP_SHARE = 4;

  private static final int SMALL_BYTES = 32 * 1024;
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);

  private final long most;
  private final TenantShares bytes;

  public JsonMemory() {
    this(Runtime.getRuntime().maxMemory() / HEAP_SHARE);
  }

  private JsonMemory(long amount) {
    this.most = amount / 2;
    this.bytes = new TenantShares(amount);
  }

  /** Returns a memory of this many bytes. */
  public static JsonMemory of(long amount) {
    return new JsonMemory(amount);
  }

  /**
   * Waits until a tenant can have the memory for the trees of JSON texts, at most half of all. A
   * caller that has a share must not wait for another one.
   *
   * @param json may be broken
   * @throws ApiException with status 429 if it cannot in time
   */
  public TenantShares.Share take(String tenant, byte[]... json) throws InterruptedException {
    long weight = Stream.of(json).mapToLong(JsonSizes::ofTree).sum();
    long amount = weight <= SMALL_BYTES ? 0 : Math.min(most, weight);
    return bytes.take(tenant, amount, LONGEST_WAIT).orElseThrow(() -> new ApiException(full()));
  }

  /** Returns the error of a request for which there is no memory. */
  public static ApiError full() {
    return ApiError.overloaded(
        "the gateway holds too many large requests; try again, or send smaller ones");
  }
}

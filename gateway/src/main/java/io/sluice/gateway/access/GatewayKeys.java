package io.sluice.gateway.access;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/**
 * The keys of a gateway.
 *
 * @param ring empty for a gateway without keys
 */
public record GatewayKeys(Optional<KeyRing> ring) {
  /** Every client may use the gateway. */
  public static final GatewayKeys NONE = new GatewayKeys(Optional.empty());

  /**
   * Only clients with a key of a store may use the gateway.
   *
   * @param maxAge how long keys may be used that cannot be read again
   * @param remedy what to look at if the store cannot be read
   * @throws IllegalStateException if it cannot be read; the message is one line without anything
   *     from the store, and there is no cause that could tell more
   */
  public static GatewayKeys of(KeyStore store, Duration maxAge, String remedy) {
    try {
      return new GatewayKeys(Optional.of(new KeyRing(store, maxAge, System::nanoTime)));
    } catch (IOException e) {
      throw new IllegalStateException(
          "the API keys cannot be read: " + e.getMessage() + "; " + remedy);
    }
  }
}

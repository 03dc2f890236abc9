package io.sluice.gateway.access;

import java.util.Optional;

/**
 * The keys of a gateway.
 *
 * @param ring empty for a gateway without keys
 */
public record GatewayKeys(Optional<KeyRing> ring) {
  /** Every client may use the gateway. */
  public static final GatewayKeys NONE = new GatewayKeys(Optional.empty());

  /** Only clients with a key of a store may use the gateway. */
  public static GatewayKeys of(KeyStore store) {
    return new GatewayKeys(Optional.of(new KeyRing(store, System::nanoTime)));
  }
}

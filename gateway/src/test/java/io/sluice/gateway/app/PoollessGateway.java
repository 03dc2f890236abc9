package io.sluice.gateway.app;

import io.micronaut.context.ApplicationContext;
import io.sluice.gateway.config.GatewayConfig;
import java.util.Map;

/** A gateway without a pool, for what it does without one. */
final class PoollessGateway {
  private PoollessGateway() {}

  /**
   * Returns its context, whose server is not started.
   *
   * @param keys the setting of its API keys
   */
  static ApplicationContext start(String keys) {
    return Gateway.context(
            GatewayConfig.of(Map.of("port", "0", "keys", keys, "kafka", "127.0.0.1:1")))
        .start();
  }
}

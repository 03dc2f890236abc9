package io.sluice.gateway.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.gateway.config.GatewayConfig;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ContextPropertiesTest {
  @Test
  void tokensAreNotHeldBackUntilTheClientHasConfirmedTheOneBefore() {
    assertThat(ContextProperties.of(GatewayConfig.of(Map.of())))
        .containsEntry("micronaut.server.netty.child-options.TCP_NODELAY", true);
  }
}

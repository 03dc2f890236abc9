package io.sluice.gateway.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.micronaut.context.ApplicationContext;
import io.micronaut.http.server.netty.NettyServerCustomizer;
import io.micronaut.runtime.server.EmbeddedServer;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import java.net.Socket;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The connections of a gateway's server, which needs no pool for that. */
@Tag("slow")
class ConnectionOptionsTest {
  @Test
  void aConnectionSendsTokensAtOnceAndFindsOutThatItsClientIsGone() throws Exception {
    // Given
    try (ApplicationContext context = PoollessGateway.start("none")) {
      Accepted accepted = new Accepted(new CompletableFuture<>());
      EmbeddedServer server = context.getBean(EmbeddedServer.class);
      context.getBean(NettyServerCustomizer.Registry.class).register(accepted);
      server.start();

      // When
      Channel connection;
      try (Socket _ = new Socket("127.0.0.1", server.getPort())) {
        connection = accepted.connection().get(30, TimeUnit.SECONDS);
      }

      // Then
      assertThat(connection.config().getOption(ChannelOption.TCP_NODELAY)).isTrue();
      assertThat(connection.config().getOption(ChannelOption.SO_KEEPALIVE)).isTrue();
    }
  }

  private record Accepted(CompletableFuture<Channel> connection) implements NettyServerCustomizer {
    @Override
    public NettyServerCustomizer specializeForChannel(Channel channel, ChannelRole role) {
      if (role == ChannelRole.CONNECTION) {
        connection.complete(channel);
      }
      return this;
    }
  }
}

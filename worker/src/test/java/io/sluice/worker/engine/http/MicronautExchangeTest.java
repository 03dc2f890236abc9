package io.sluice.worker.engine.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import io.sluice.worker.engine.Transport.Reach;
import io.sluice.worker.engine.Transport.Signal;
import java.net.ConnectException;
import java.net.SocketException;
import org.junit.jupiter.api.Test;

class MicronautExchangeTest {
  private final ConnectionCloser connections = new ConnectionCloser();
  private final MicronautExchange exchange = new MicronautExchange(connections);

  @Test
  void aRequestThatFailsWithoutAConnectionWasNotSent() throws Exception {
    exchange.responses().onError(new SocketException("Connection reset by peer"));

    assertThat(exchange.poll(0))
        .contains(new Signal.Failed("Connection reset by peer", Reach.UNSENT));
  }

  @Test
  void aRefusedConnectionIsReportedAsRefused() throws Exception {
    exchange.responses().onError(new ConnectException("Connection refused"));

    assertThat(exchange.poll(0)).contains(new Signal.Failed("Connection refused", Reach.REFUSED));
  }

  @Test
  void aRequestThatFailsOnItsConnectionMayHaveArrived() throws Exception {
    connections.begin(exchange.key(), new EmbeddedChannel());
    connections.finish(exchange.key());
    exchange.responses().onError(new SocketException("Connection reset by peer"));

    assertThat(exchange.poll(0))
        .contains(new Signal.Failed("Connection reset by peer", Reach.SENT));
  }
}

package io.sluice.worker.engine.http;

import io.micronaut.core.io.buffer.ByteArrayBufferFactory;
import io.micronaut.http.HttpMethod;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.MutableHttpRequest;
import io.micronaut.http.body.ByteBodyFactory;
import io.micronaut.http.client.RawHttpClient;
import io.sluice.worker.engine.Transport;
import java.net.URI;

/**
 * HTTP to the engine over Micronaut's client. That client drains a response whose reader has gone,
 * so an abort closes the exchange's own connection, which {@link ConnectionCloser} knows.
 * Thread-safe.
 */
public final class MicronautTransport implements Transport {
  private final RawHttpClient client;
  private final ConnectionCloser connections;
  private final URI base;
  private final ByteBodyFactory bodies =
      ByteBodyFactory.createDefault(ByteArrayBufferFactory.INSTANCE);

  /**
   * A transport to one engine.
   *
   * @param connections must be registered with the client as a customizer
   */
  public MicronautTransport(RawHttpClient client, ConnectionCloser connections, URI base) {
    this.client = client;
    this.connections = connections;
    this.base = base;
  }

  @Override
  public Exchange send(Call call) {
    MutableHttpRequest<?> request =
        HttpRequest.create(HttpMethod.valueOf(call.method()), base + call.path());
    call.headers().forEach(request::header);
    var exchange = new MicronautExchange(connections);
    request.header(ConnectionCloser.EXCHANGE_HEADER, exchange.key());
    var response =
        call.body().length == 0
            ? client.exchange(request, null, null)
            : client.exchange(request, bodies.adapt(call.body()), null);
    response.subscribe(exchange.responses());
    return exchange;
  }
}

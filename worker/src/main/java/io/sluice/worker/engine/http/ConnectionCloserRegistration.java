package io.sluice.worker.engine.http;

import io.micronaut.context.event.BeanCreatedEvent;
import io.micronaut.context.event.BeanCreatedEventListener;
import io.micronaut.http.client.netty.NettyClientCustomizer;
import jakarta.inject.Singleton;

/** Adds the connection closer to every HTTP client of the application context. */
@Singleton
final class ConnectionCloserRegistration
    implements BeanCreatedEventListener<NettyClientCustomizer.Registry> {
  private final ConnectionCloser closer;

  ConnectionCloserRegistration(ConnectionCloser closer) {
    this.closer = closer;
  }

  @Override
  public NettyClientCustomizer.Registry onCreated(
      BeanCreatedEvent<NettyClientCustomizer.Registry> event) {
    event.getBean().register(closer);
    return event.getBean();
  }
}

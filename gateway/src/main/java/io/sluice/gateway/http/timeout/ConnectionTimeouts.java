package io.sluice.gateway.http.timeout;

import io.micronaut.context.event.BeanCreatedEvent;
import io.micronaut.context.event.BeanCreatedEventListener;
import io.micronaut.http.netty.channel.ChannelPipelineCustomizer;
import io.micronaut.http.server.netty.NettyServerCustomizer;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.HttpServerUpgradeHandler;
import io.sluice.gateway.config.GatewayConfig;
import io.sluice.gateway.http.OpenResponses;
import jakarta.inject.Singleton;
import org.jspecify.annotations.Nullable;

/**
 * Adds {@link SilentConnections}, {@link Http2Watch} and {@link UpgradesOfBodies} to every
 * connection, and {@link RequestTimeouts} to those of HTTP/1.1.
 */
@Singleton
final class ConnectionTimeouts implements BeanCreatedEventListener<NettyServerCustomizer.Registry> {
  private static final String HTTP2 = "sluice-http2";

  /** What Micronaut's server holds by default. */
  private static final int MAX_UPGRADE_BYTES = 8 * 1024;

  private final GatewayConfig config;
  private final OpenResponses responses;

  ConnectionTimeouts(GatewayConfig config, OpenResponses responses) {
    this.responses = responses;
    this.config = config;
  }

  @Override
  public NettyServerCustomizer.Registry onCreated(
      BeanCreatedEvent<NettyServerCustomizer.Registry> event) {
    event.getBean().register(new Customizer(null));
    return event.getBean();
  }

  private final class Customizer implements NettyServerCustomizer {
    private final @Nullable Channel channel;
    private final SilentConnections silent = new SilentConnections(config.receiveTimeout());

    Customizer(@Nullable Channel channel) {
      this.channel = channel;
    }

    @Override
    public void onInitialPipelineBuilt() {
      if (channel != null) {
        channel.pipeline().addFirst("sluice-silence", silent);
        channel.pipeline().addFirst(HTTP2, new Http2Watch(config.receiveTimeout(), responses));
        ChannelHandlerContext upgrade = channel.pipeline().context(HttpServerUpgradeHandler.class);
        if (upgrade != null) {
          channel
              .pipeline()
              .addBefore(
                  upgrade.name(), "sluice-upgrades", new UpgradesOfBodies(MAX_UPGRADE_BYTES));
        }
      }
    }

    @Override
    public NettyServerCustomizer specializeForChannel(Channel its, ChannelRole role) {
      return new Customizer(its);
    }

    @Override
    public void onStreamPipelineBuilt() {
      if (channel == null) {
        return;
      }
      silent.requestCame();
      ChannelPipeline pipeline = channel.pipeline();
      pipeline.remove(HTTP2);
      if (pipeline.get(ChannelPipelineCustomizer.HANDLER_MICRONAUT_INBOUND) != null) {
        pipeline.addBefore(
            ChannelPipelineCustomizer.HANDLER_MICRONAUT_INBOUND,
            "sluice-timeouts",
            new RequestTimeouts(config.receiveTimeout(), responses));
      }
    }
  }
}

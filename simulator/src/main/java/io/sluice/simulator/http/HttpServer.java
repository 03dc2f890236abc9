package io.sluice.simulator.http;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The listening socket of one server and all its connections, which share one event loop thread.
 */
public final class HttpServer {

  /** uvicorn's limit for the head of a request. */
  private static final int MAX_HEAD_BYTES = 4 * 1024 * 1024;

  private final Consumer<Exchange> handler;
  private final HttpOptions options;
  private final CrossOrigin crossOrigin;
  private final AnswerListener listener;
  private final String name;
  private final EventLoopGroup eventLoop;
  private final ChannelGroup channels = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
  private @Nullable Listener listening;

  /**
   * The listening socket and the event loop that accepts connections. A selector keeps the
   * descriptor of a closed channel open until it selects again, and until then the kernel keeps
   * accepting connections. Therefore the socket is closed only when its selector is.
   */
  private record Listener(Channel socket, EventLoopGroup acceptor) {
    void close() {
      socket.close().awaitUninterruptibly(1, TimeUnit.SECONDS);
      end(acceptor);
    }
  }

  /**
   * Creates a server that does not listen yet.
   *
   * @param name the name of its threads
   * @param handler answers requests; called on the event loop
   * @param anyOrigin whether pages of any origin may use the server; otherwise none may
   * @param listener receives each answer that counts in the metrics
   */
  public HttpServer(
      String name,
      Consumer<Exchange> handler,
      HttpOptions options,
      boolean anyOrigin,
      AnswerListener listener) {
    this.name = name;
    this.handler = handler;
    this.options = options;
    this.crossOrigin = new CrossOrigin(anyOrigin);
    this.listener = listener;
    this.eventLoop = newEventLoop(name);
  }

  private static EventLoopGroup newEventLoop(String name) {
    return new MultiThreadIoEventLoopGroup(
        1, new DefaultThreadFactory(name, true), NioIoHandler.newFactory());
  }

  private static void end(EventLoopGroup eventLoop) {
    eventLoop
        .shutdownGracefully(0, 500, TimeUnit.MILLISECONDS)
        .awaitUninterruptibly(1, TimeUnit.SECONDS);
  }

  /**
   * Starts to listen.
   *
   * @param port the port; 0 for a free one
   * @return the port
   * @throws IOException if the address is in use or cannot be bound; the message names it
   */
  public synchronized int listen(String host, int port) throws IOException {
    EventLoopGroup acceptor = newEventLoop(name + "-accept");
    var bound =
        new ServerBootstrap()
            .group(acceptor, eventLoop)
            .channel(NioServerSocketChannel.class)
            .option(ChannelOption.SO_BACKLOG, 2048)
            .childOption(ChannelOption.TCP_NODELAY, true)
            .childHandler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    channels.add(channel);
                    channel
                        .pipeline()
                        .addLast(new HttpServerCodec(16 * 1024, MAX_HEAD_BYTES, 64 * 1024))
                        .addLast(new HttpObjectAggregator(options.maxBodyBytes()))
                        .addLast(new ConnectionHandler(handler, options, crossOrigin, listener));
                  }
                })
            .bind(new InetSocketAddress(host, port))
            .awaitUninterruptibly();
    if (!bound.isSuccess()) {
      end(acceptor);
      stop(Duration.ZERO);
      throw new IOException(
          "Cannot listen on %s:%d: %s. Choose another port."
              .formatted(host, port, bound.cause().getMessage()),
          bound.cause());
    }
    listening = new Listener(bound.channel(), acceptor);
    return ((InetSocketAddress) bound.channel().localAddress()).getPort();
  }

  /** Refuses new connections until {@link #listen} is called again. Open connections continue. */
  public synchronized void refuse() {
    if (listening != null) {
      listening.close();
      listening = null;
    }
  }

  /**
   * Refuses new connections, closes idle ones, and closes the others after their answer.
   *
   * @return completes when the last client has disconnected
   */
  public CompletableFuture<Void> whenClientsLeft() {
    refuse();
    CompletableFuture<Void> left = new CompletableFuture<>();
    eventLoop
        .next()
        .execute(
            () -> {
              channels.forEach(
                  channel ->
                      channel.pipeline().fireUserEventTriggered(new ConnectionHandler.Stop()));
              channels.newCloseFuture().addListener(_ -> left.complete(null));
            });
    return left;
  }

  /** Returns whether it accepts connections. */
  public synchronized boolean isListening() {
    return listening != null;
  }

  /** Closes every socket. Pending writes have {@code grace} to be sent. */
  public void stop(Duration grace) {
    if (eventLoop.isShuttingDown()) {
      return;
    }
    refuse();
    channels.flush();
    if (grace.isPositive()) {
      // Runs after all tasks that the driver has already submitted.
      eventLoop.next().submit(() -> channels.flush()).awaitUninterruptibly(grace.toMillis());
    }
    channels.close().awaitUninterruptibly(1, TimeUnit.SECONDS);
    end(eventLoop);
  }
}

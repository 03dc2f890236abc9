package io.sluice.producer.client;

import io.sluice.producer.ClientConfig;
import io.sluice.producer.follow.Follower;
import io.sluice.producer.follow.Rereader;
import io.sluice.producer.stream.FoldedStream;
import io.sluice.producer.stream.StreamOwner;
import io.sluice.producer.stream.UnreadBytes;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.LongSupplier;

/** What a client's streams depend on. Thread-safe. */
final class ClientStreamOwner implements StreamOwner {
  private final int bufferedEvents;
  private final UnreadBytes unread;
  private final InFlight inFlight;
  private final Controls controls;
  private final Rereader rereader;
  private final Executor executor;
  private final LongSupplier nanoTime;

  ClientStreamOwner(
      ClientConfig config,
      InFlight inFlight,
      Controls controls,
      Rereader rereader,
      Executor executor,
      LongSupplier nanoTime) {
    this.bufferedEvents = config.bufferedEvents();
    this.unread = new UnreadBytes(config.maxUnreadBytes());
    this.inFlight = inFlight;
    this.controls = controls;
    this.rereader = rereader;
    this.executor = executor;
    this.nanoTime = nanoTime;
  }

  @Override
  public Executor executor() {
    return executor;
  }

  @Override
  public int bufferedEvents() {
    return bufferedEvents;
  }

  @Override
  public UnreadBytes unreadBytes() {
    return unread;
  }

  @Override
  public void ended(FoldedStream stream) {
    inFlight.remove(stream);
  }

  @Override
  public CompletableFuture<Void> cancel(FoldedStream stream) {
    return controls.cancel(stream);
  }

  @Override
  public long nanoTime() {
    return nanoTime.getAsLong();
  }

  @Override
  public void follow(Follower follower) {
    rereader.follow(follower);
  }
}

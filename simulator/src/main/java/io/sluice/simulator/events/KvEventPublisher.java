package io.sluice.simulator.events;

import io.sluice.simulator.engine.BlockListener;
import io.sluice.simulator.engine.StoredBlocks;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.DoubleSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ;
import org.zeromq.ZMQException;

/**
 * Publishes one message for each engine step that changed the cache (topic, sequence number,
 * payload) and replays earlier ones on request.
 *
 * <p>The engine never waits: if the queue is full, the batch is dropped together with its number,
 * so that subscribers notice the gap. Numbers start at 0 with every publisher. The methods of the
 * listener are called on the engine's thread; the sockets are used on the publisher's own thread
 * only.
 */
public final class KvEventPublisher implements BlockListener, AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(KvEventPublisher.class);

  private static final int HIGH_WATER_MARK = 100_000;
  private static final int MAX_QUEUED_BATCHES = 100_000;
  private static final long POLL_MILLIS = 20;
  private static final Duration MAX_BIND = Duration.ofSeconds(5);

  /** Ends a replay, in place of a sequence number. */
  private static final byte[] END = number(-1);

  private record Batch(long sequence, byte[] payload) {}

  /** The bound addresses. */
  private record Endpoints(String events, List<String> replays) {}

  private final KvEventsConfig config;
  private final EventEncoder encoder;
  private final DoubleSupplier nowSeconds;
  private final BlockingQueue<Batch> queue = new ArrayBlockingQueue<>(MAX_QUEUED_BATCHES);
  private final Endpoints endpoints;
  private final Thread thread;
  private volatile boolean closed;

  /** The events of the current step and the number of its batch. Used on the engine's thread. */
  private List<KvEvent> events = new ArrayList<>();

  private long nextSequence;

  /** The batches that can be replayed. Used on the publisher's thread. */
  private final Deque<Batch> sent = new ArrayDeque<>();

  /**
   * Binds the sockets and starts the publisher's thread.
   *
   * @param nowSeconds the wall clock in Unix seconds
   * @throws IOException if an endpoint cannot be bound; the message names it
   */
  public KvEventPublisher(KvEventsConfig config, DoubleSupplier nowSeconds) throws IOException {
    this.config = config;
    this.encoder = new EventEncoder(config.encoding());
    this.nowSeconds = nowSeconds;
    CompletableFuture<Endpoints> bound = new CompletableFuture<>();
    this.thread = Thread.ofPlatform().name("kv-events").daemon().start(() -> run(bound));
    this.endpoints = await(bound);
  }

  private static Endpoints await(CompletableFuture<Endpoints> bound) throws IOException {
    try {
      return bound.get(MAX_BIND.toSeconds(), TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      throw new IOException(cause.getMessage(), cause);
    } catch (TimeoutException e) {
      throw new IOException("Binding the KV event endpoints took too long.", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("Interrupted while binding the KV event endpoints.", e);
    }
  }

  /** Returns the bound endpoint, with the actual port if the configured one was {@code *}. */
  public String endpoint() {
    return endpoints.events();
  }

  /** Returns the bound endpoints of the replay sockets: one or none. */
  public List<String> replayEndpoints() {
    return endpoints.replays();
  }

  @Override
  public void stored(StoredBlocks blocks) {
    events.add(new KvEvent.Stored(blocks));
  }

  @Override
  public void removed(long hash) {
    events.add(new KvEvent.Removed(hash));
  }

  @Override
  public void allCleared() {
    events.add(new KvEvent.Cleared());
  }

  @Override
  public void stepEnded() {
    if (events.isEmpty()) {
      return;
    }
    long sequence = nextSequence++;
    byte[] payload = encoder.encode(nowSeconds.getAsDouble(), events);
    events = new ArrayList<>();
    if (!queue.offer(new Batch(sequence, payload))) {
      LOG.warn("event=kv_events_dropped sequence={}", sequence);
    }
  }

  /** Stops publishing immediately and closes the sockets. Waits for at most a second. */
  @Override
  public void close() {
    closed = true;
    try {
      thread.join(Duration.ofSeconds(1));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Runs the publisher. A ZeroMQ socket belongs to the thread that creates it, so that one thread
   * does everything.
   */
  private void run(CompletableFuture<Endpoints> bound) {
    byte[] topic = config.topic().getBytes(ZMQ.CHARSET);
    try (ZContext context = new ZContext()) {
      ZMQ.Socket publisher = bind(context, SocketType.PUB, config.endpoint());
      List<ZMQ.Socket> replays = new ArrayList<>();
      config
          .replayEndpoint()
          .ifPresent(replay -> replays.add(bind(context, SocketType.ROUTER, replay)));
      bound.complete(
          new Endpoints(
              publisher.getLastEndpoint(),
              replays.stream().map(ZMQ.Socket::getLastEndpoint).toList()));
      while (!closed) {
        Batch batch = queue.poll(POLL_MILLIS, TimeUnit.MILLISECONDS);
        if (batch != null) {
          publish(publisher, topic, batch);
        }
        replays.forEach(this::replay);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ZMQException | IllegalArgumentException e) {
      if (!bound.completeExceptionally(e)) {
        LOG.error("event=kv_events_failed", e);
      }
    }
  }

  private static ZMQ.Socket bind(ZContext context, SocketType type, String endpoint) {
    ZMQ.Socket socket = context.createSocket(type);
    socket.setLinger(0);
    socket.setHWM(HIGH_WATER_MARK);
    try {
      socket.bind(endpoint);
    } catch (ZMQException e) {
      throw new IllegalArgumentException(
          "Cannot bind the KV event endpoint %s: %s. Choose another port."
              .formatted(endpoint, e.getMessage()),
          e);
    }
    return socket;
  }

  private void publish(ZMQ.Socket publisher, byte[] topic, Batch batch) {
    publisher.sendMore(topic);
    publisher.sendMore(number(batch.sequence()));
    publisher.send(batch.payload());
    sent.addLast(batch);
    if (sent.size() > config.bufferSteps()) {
      sent.removeFirst();
    }
  }

  /**
   * Answers one replay request: identity, an empty frame from a REQ socket, and the first requested
   * number.
   */
  private void replay(ZMQ.Socket socket) {
    byte[] frame = socket.recv(ZMQ.DONTWAIT);
    if (frame == null) {
      return;
    }
    List<byte[]> request = new ArrayList<>(List.of(frame));
    while (socket.hasReceiveMore()) {
      request.add(socket.recv());
    }
    byte[] start = request.getLast();
    if (request.size() < 2 || start.length != Long.BYTES) {
      LOG.warn("event=kv_replay_refused reason=\"the request is not an 8-byte sequence number\"");
      return;
    }
    List<byte[]> envelope = request.subList(0, request.size() - 1);
    long from = ByteBuffer.wrap(start).getLong();
    for (Batch batch : sent) {
      if (batch.sequence() >= from) {
        answer(socket, envelope, number(batch.sequence()), batch.payload());
      }
    }
    answer(socket, envelope, END, new byte[0]);
  }

  private static void answer(
      ZMQ.Socket socket, List<byte[]> envelope, byte[] number, byte[] payload) {
    envelope.forEach(socket::sendMore);
    socket.sendMore(number);
    socket.send(payload);
  }

  private static byte[] number(long value) {
    return ByteBuffer.allocate(Long.BYTES).putLong(value).array();
  }
}

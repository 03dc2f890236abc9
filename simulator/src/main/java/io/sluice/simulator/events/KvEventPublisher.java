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
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ;
import org.zeromq.ZMQException;

/**
 * Publishes a message per engine step that changed the cache: topic, sequence number, payload; and
 * sends past ones again on request.
 *
 * <p>The engine never waits: a batch that finds the queue full is dropped, and its number with it,
 * so that subscribers see the gap. Numbers start at 0 with every publisher. The listener's methods
 * belong to the engine's thread; everything about sockets to the publisher's own.
 */
public final class KvEventPublisher implements BlockListener, AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(KvEventPublisher.class);

  private static final int HIGH_WATER_MARK = 100_000;
  private static final int MAX_QUEUED_BATCHES = 100_000;
  private static final long POLL_MILLIS = 20;

  /** Ends a replay, in the place of a sequence number. */
  private static final byte[] END = number(-1);

  private record Batch(long sequence, byte[] payload) {}

  private final KvEventsConfig config;
  private final EventEncoder encoder;
  private final DoubleSupplier nowSeconds;
  private final BlockingQueue<Batch> queue = new ArrayBlockingQueue<>(MAX_QUEUED_BATCHES);
  private final ZContext context = new ZContext();
  private final ZMQ.Socket publisher;
  private final List<ZMQ.Socket> replays = new ArrayList<>();
  private final String endpoint;
  private final List<String> replayEndpoints;
  private final Thread thread;
  private volatile boolean closed;

  /** The events of the step under way, and the number of its batch; on the engine's thread. */
  private List<KvEvent> events = new ArrayList<>();

  private long nextSequence;

  /** What a replay can send; on the publisher's thread. */
  private final Deque<Batch> sent = new ArrayDeque<>();

  /**
   * Binds the sockets and starts the publisher's thread.
   *
   * @param nowSeconds the wall clock in Unix seconds
   * @throws IOException if an endpoint cannot be bound; says which
   */
  public KvEventPublisher(KvEventsConfig config, DoubleSupplier nowSeconds) throws IOException {
    this.config = config;
    this.encoder = new EventEncoder(config.encoding());
    this.nowSeconds = nowSeconds;
    this.publisher = context.createSocket(SocketType.PUB);
    publisher.setHWM(HIGH_WATER_MARK);
    bind(publisher, config.endpoint());
    if (config.replayEndpoint().isPresent()) {
      ZMQ.Socket replay = context.createSocket(SocketType.ROUTER);
      bind(replay, config.replayEndpoint().get());
      replays.add(replay);
    }
    // Asked here, because from now on the sockets belong to the thread.
    this.endpoint = publisher.getLastEndpoint();
    this.replayEndpoints = replays.stream().map(ZMQ.Socket::getLastEndpoint).toList();
    this.thread = Thread.ofPlatform().name("kv-events").daemon().start(this::run);
  }

  /** Returns the endpoint as bound: with the port, where one was left open with {@code *}. */
  public String endpoint() {
    return endpoint;
  }

  /** Returns the bound endpoints of the replay sockets: one, or none. */
  public List<String> replayEndpoints() {
    return replayEndpoints;
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

  /** Stops publishing, at once, and closes the sockets; waits at most a second. */
  @Override
  public void close() {
    closed = true;
    try {
      thread.join(Duration.ofSeconds(1));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void bind(ZMQ.Socket socket, String endpoint) throws IOException {
    socket.setLinger(0);
    try {
      socket.bind(endpoint);
    } catch (ZMQException | IllegalArgumentException e) {
      context.close();
      throw new IOException(
          "Cannot bind the KV event endpoint %s: %s. Choose another port."
              .formatted(endpoint, e.getMessage()),
          e);
    }
  }

  private void run() {
    byte[] topic = config.topic().getBytes(ZMQ.CHARSET);
    try {
      while (!closed) {
        Batch batch = queue.poll(POLL_MILLIS, TimeUnit.MILLISECONDS);
        if (batch != null) {
          publish(topic, batch);
        }
        replays.forEach(this::replay);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      context.close();
    }
  }

  private void publish(byte[] topic, Batch batch) {
    publisher.sendMore(topic);
    publisher.sendMore(number(batch.sequence()));
    publisher.send(batch.payload());
    sent.addLast(batch);
    if (sent.size() > config.bufferSteps()) {
      sent.removeFirst();
    }
  }

  /** Answers one request: identity, an empty frame from a REQ socket, the first number wanted. */
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
      LOG.warn("event=kv_replay_refused reason=\"the request is no 8-byte sequence number\"");
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

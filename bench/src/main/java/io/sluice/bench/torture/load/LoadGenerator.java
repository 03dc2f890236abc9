package io.sluice.bench.torture.load;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Sends each planned request at its time, on its own thread. Thread-safe. */
public final class LoadGenerator implements AutoCloseable {
  /**
   * A request that was sent.
   *
   * @param beganMillis when its sending began, by the clock of this process
   */
  public record Sent(PlannedRequest request, long beganMillis) {}

  /** A repeat that Kafka accepted. */
  public record Repeated(Repeat repeat, RecordPosition place) {}

  private final SdkCaller sdk;
  private final RawCaller raw;
  private final List<Thread> callers = Collections.synchronizedList(new ArrayList<>());
  private final Map<String, Sent> sent = new ConcurrentHashMap<>();
  private final Map<String, List<Repeated>> repeats = new ConcurrentHashMap<>();

  public LoadGenerator(String kafka) {
    sdk = new SdkCaller(kafka);
    raw = new RawCaller(kafka);
  }

  /** Returns when the last request was given to its thread. */
  public void run(List<PlannedRequest> plan) throws InterruptedException {
    Timeline pace = Timeline.fromNow();
    for (PlannedRequest request : plan) {
      pace.await(request.at());
      send(request.at(Duration.ZERO));
    }
  }

  /** Sends a request when its time, counted from now, has come; returns at once. */
  public void send(PlannedRequest request) {
    callers.add(Thread.ofVirtual().name(request.id()).start(() -> call(request)));
  }

  private void call(PlannedRequest request) {
    try {
      Timeline.fromNow().await(request.at());
      sent.put(request.id(), new Sent(request, System.currentTimeMillis()));
      if (request.bySdk()) {
        sdk.call(request);
        return;
      }
      raw.send(request);
      Timeline sinceSent = Timeline.fromNow();
      if (request.cancelAfter().isPresent()) {
        sinceSent.await(request.cancelAfter().get());
        raw.cancel(request);
      }
      for (Repeat repeat : request.repeats()) {
        sinceSent.await(repeat.after());
        raw.repeat(request, repeat)
            .ifPresent(
                place ->
                    repeats
                        .computeIfAbsent(
                            request.id(), id -> Collections.synchronizedList(new ArrayList<>()))
                        .add(new Repeated(repeat, place)));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Waits until all callers are done; returns the ids of the requests whose callers are not. */
  public List<String> awaitCallers(Duration limit) throws InterruptedException {
    long end = System.nanoTime() + limit.toNanos();
    List<String> unanswered = new ArrayList<>();
    for (Thread caller : List.copyOf(callers)) {
      Duration left = Duration.ofNanos(Math.max(1, end - System.nanoTime()));
      if (!caller.join(left)) {
        unanswered.add(caller.getName());
      }
    }
    return unanswered;
  }

  /** Returns all requests that were sent so far. */
  public List<Sent> sent() {
    return sent.values().stream()
        .sorted((a, b) -> Long.compare(a.beganMillis(), b.beganMillis()))
        .toList();
  }

  public Optional<SdkAnswer> told(String id) {
    return sdk.told(id);
  }

  public List<Repeated> repeats(String id) {
    return List.copyOf(repeats.getOrDefault(id, List.of()));
  }

  /** Returns whether a request's caller was told that it did not reach Kafka. */
  public boolean isUnsent(String id) {
    return raw.unsent().containsKey(id) || sdk.told(id).filter(it -> !it.sent()).isPresent();
  }

  /** Returns what Kafka refused, and why. */
  public Map<String, String> unsent() {
    return raw.unsent();
  }

  @Override
  public void close() {
    List.copyOf(callers).forEach(Thread::interrupt);
    sdk.close();
    raw.close();
  }
}

package io.sluice.bench.torture;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Sends the requests of a plan when their time has come, each on a thread of its own. */
final class Load implements AutoCloseable {
  private final SdkCaller sdk;
  private final RawCaller raw;
  private final List<Thread> callers = new ArrayList<>();

  Load(String kafka) {
    sdk = new SdkCaller(kafka);
    raw = new RawCaller(kafka);
  }

  /** Returns when the last request was given to its thread. */
  void run(List<PlannedRequest> plan) throws InterruptedException {
    Pace pace = Pace.fromNow();
    for (PlannedRequest request : plan) {
      pace.await(request.at());
      callers.add(Thread.ofVirtual().name(request.id()).start(() -> call(request)));
    }
  }

  private void call(PlannedRequest request) {
    try {
      if (request.bySdk()) {
        sdk.call(request);
        return;
      }
      raw.send(request);
      Pace sinceSent = Pace.fromNow();
      if (request.cancelAfter().isPresent()) {
        sinceSent.await(request.cancelAfter().get());
        raw.cancel(request);
      }
      if (request.repeatAfter().isPresent()) {
        sinceSent.await(request.repeatAfter().get());
        raw.send(request);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Waits until all callers have their end; returns the requests of those that then have none. */
  List<String> awaitCallers(Duration limit) throws InterruptedException {
    long end = System.nanoTime() + limit.toNanos();
    List<String> untold = new ArrayList<>();
    for (Thread caller : callers) {
      Duration left = Duration.ofNanos(Math.max(1, end - System.nanoTime()));
      if (!caller.join(left)) {
        untold.add(caller.getName());
      }
    }
    return untold;
  }

  Optional<SdkCaller.Told> told(String id) {
    return sdk.told(id);
  }

  /** Whether a request's caller was told that it did not reach Kafka. */
  boolean isUnsent(String id) {
    return raw.unsent().containsKey(id) || sdk.told(id).filter(it -> !it.sent()).isPresent();
  }

  /** What Kafka did not take, and why. */
  Map<String, String> unsent() {
    return raw.unsent();
  }

  @Override
  public void close() {
    callers.forEach(Thread::interrupt);
    sdk.close();
    raw.close();
  }
}

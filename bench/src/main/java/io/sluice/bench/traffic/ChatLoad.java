package io.sluice.bench.traffic;

import io.sluice.bench.gateway.Gateways;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Streamed chats that are sent evenly, regardless of earlier ones (open loop).
 *
 * @param perSecond how many are sent in a second
 * @param time for how long they are sent
 */
public record ChatLoad(double perSecond, Duration time) {
  /** Returns how many are sent. */
  public int count() {
    return (int) (perSecond * time.toMillis() / 1e3);
  }

  /** Sends all of them; returns what their callers saw, in the order of sending. */
  public List<ChatOutcome> run(URI gateway) throws IOException, InterruptedException {
    List<Future<ChatOutcome>> calls = new ArrayList<>();
    try (var gateways = new Gateways(List.of(gateway));
        ExecutorService callers = Executors.newVirtualThreadPerTaskExecutor()) {
      var caller = new ChatCaller(gateways);
      OpenLoop.run(perSecond, count(), () -> calls.add(callers.submit(caller::call)));
      return Calls.results(calls);
    }
  }
}

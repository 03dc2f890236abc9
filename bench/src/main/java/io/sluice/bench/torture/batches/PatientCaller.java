package io.sluice.bench.torture.batches;

import io.sluice.bench.gateway.Gateways;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Sends a request to one gateway after the other until one of them answers. Each request begins at
 * another gateway than the one before, so that all of them are asked. Used by one thread.
 */
final class PatientCaller {
  static final Duration HEAD_WITHIN = Duration.ofSeconds(12);

  static final Set<Integer> OK = Set.of(200);

  private static final Duration PAUSE = Duration.ofMillis(200);
  private static final int SHOWN = 300;
  private static final int UNAVAILABLE = 503;

  /** A request to a gateway. */
  interface Call {
    HttpResponse<InputStream> to(int gateway) throws IOException, InterruptedException;
  }

  private final Gateways gateways;
  private final long endNanos;
  private final Set<String> problems = new LinkedHashSet<>();
  private int gateway;
  private int breaks;

  /**
   * Makes a caller.
   *
   * @param first the gateway that is asked first
   * @param limit after which it gives up
   */
  PatientCaller(Gateways gateways, int first, Duration limit) {
    this.gateways = gateways;
    this.gateway = first % gateways.count();
    this.endNanos = System.nanoTime() + limit.toNanos();
  }

  /**
   * Returns the body of an answer with one of some statuses; empty if there was none in time. A
   * gateway that is lost may have done what it was asked for.
   */
  Optional<String> call(String what, Set<Integer> statuses, Call call) throws InterruptedException {
    while (!isOver()) {
      gateway = (gateway + 1) % gateways.count();
      Optional<String> body = attempt(what, statuses, call);
      if (body.isPresent()) {
        return body;
      }
      Thread.sleep(PAUSE);
    }
    return Optional.empty();
  }

  /** Asks for something with {@code GET}. */
  Optional<String> get(String path) throws InterruptedException {
    return call(path, OK, at -> gateways.get(at, path, Map.of(), HEAD_WITHIN));
  }

  private Optional<String> attempt(String what, Set<Integer> statuses, Call call)
      throws InterruptedException {
    try {
      HttpResponse<InputStream> response = call.to(gateway);
      try (InputStream stream = response.body()) {
        String body = new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        if (statuses.contains(response.statusCode())) {
          return Optional.of(body);
        }
        if (response.statusCode() != UNAVAILABLE) {
          String shown = body.substring(0, Math.min(SHOWN, body.length()));
          problems.add("status %d for %s: %s".formatted(response.statusCode(), what, shown));
        }
      }
    } catch (IOException e) {
      breaks++;
    }
    return Optional.empty();
  }

  /** Returns whether it has given up. */
  boolean isOver() {
    return System.nanoTime() - endNanos >= 0;
  }

  /** Returns how often a connection broke, or a gateway could not be reached. */
  int breaks() {
    return breaks;
  }

  /** Returns what gateways did that they must not do. */
  List<String> problems() {
    return List.copyOf(problems);
  }
}

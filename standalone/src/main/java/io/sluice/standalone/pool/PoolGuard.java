package io.sluice.standalone.pool;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Notices that a local pool works again only after a restart, as an orchestrator's probes notice it
 * of separate processes. Kafka ends the process by itself.
 */
final class PoolGuard {
  private static final Duration LOOK_AGAIN = Duration.ofSeconds(5);
  private static final Duration ANSWER_WITHIN = Duration.ofSeconds(5);
  private static final int STRIKES = 3;
  private static final int UNAVAILABLE = 503;

  private final LocalPool pool;
  private final HttpClient http;
  private int strikes;

  private PoolGuard(LocalPool pool, HttpClient http) {
    this.pool = pool;
    this.http = http;
  }

  /**
   * Watches a pool until the process ends.
   *
   * @param broken is called once, with the reason
   */
  static void watch(LocalPool pool, Consumer<String> broken) {
    Thread.ofPlatform()
        .name("sluice-guard")
        .daemon()
        .start(
            () -> {
              try (HttpClient http = HttpClient.newHttpClient()) {
                broken.accept(new PoolGuard(pool, http).awaitBroken());
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
  }

  private String awaitBroken() throws InterruptedException {
    while (true) {
      if (!pool.isRedisAlive()) {
        return "the embedded Redis has ended";
      }
      Optional<URI> dead = dead();
      strikes = dead.isPresent() ? strikes + 1 : 0;
      if (strikes >= STRIKES) {
        return dead.orElseThrow() + " says that only a restart helps";
      }
      TimeUnit.MILLISECONDS.sleep(LOOK_AGAIN.toMillis());
    }
  }

  private Optional<URI> dead() throws InterruptedException {
    for (URI probe : pool.livenessProbes()) {
      if (isDead(probe)) {
        return Optional.of(probe);
      }
    }
    return Optional.empty();
  }

  /** Silence does not count: the machine may be busy. */
  private boolean isDead(URI probe) throws InterruptedException {
    HttpRequest ask = HttpRequest.newBuilder(probe).timeout(ANSWER_WITHIN).build();
    try {
      return http.send(ask, BodyHandlers.discarding()).statusCode() == UNAVAILABLE;
    } catch (IOException e) {
      return false;
    }
  }
}

package io.sluice.bench.torture.pool;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Checks that a pool without requests holds no resources: no running or waiting request, no lease.
 */
public final class IdlePool {
  private static final Duration HTTP_WITHIN = Duration.ofSeconds(5);
  private static final List<String> ENGINE =
      List.of("vllm:num_requests_running", "vllm:num_requests_waiting");
  private static final List<String> WORKER = List.of("sluice_worker_running");
  private static final List<String> ROUTER =
      List.of("sluice_router_pending", "sluice_router_leases");

  private final PoolProcesses pool;
  private final PoolSetup setup;
  private final HttpClient http = HttpClient.newHttpClient();

  public IdlePool(PoolProcesses pool, PoolSetup setup) {
    this.pool = pool;
    this.setup = setup;
  }

  /** Waits until nothing is held anywhere; returns what is still held when the time is over. */
  public List<String> await(Duration limit) throws InterruptedException {
    long end = System.nanoTime() + limit.toNanos();
    List<String> held = held();
    while (!held.isEmpty() && System.nanoTime() - end < 0) {
      TimeUnit.MILLISECONDS.sleep(500);
      held = held();
    }
    return held;
  }

  private List<String> held() throws InterruptedException {
    List<String> held = new ArrayList<>();
    for (Target target : Wiring.all(setup).toList()) {
      switch (target.role()) {
        case ENGINE -> collect(target, "/metrics", ENGINE, held);
        case WORKER -> collect(target, "/prometheus", WORKER, held);
        case ROUTER -> collect(target, "/prometheus", ROUTER, held);
        case BROKER, REDIS, GATEWAY -> {}
      }
    }
    return held;
  }

  /** Returns what a process reports of itself now; 0 if it does not report it. */
  public double value(Target target, String metric) throws IOException, InterruptedException {
    String path = target.role() == Target.Role.ENGINE ? "/metrics" : "/prometheus";
    return value(text(pool.http(target, path)), metric).orElse(0);
  }

  private String text(URI page) throws IOException, InterruptedException {
    HttpRequest ask = HttpRequest.newBuilder(page).timeout(HTTP_WITHIN).build();
    return http.send(ask, BodyHandlers.ofString()).body();
  }

  private static OptionalDouble value(String text, String metric) {
    Matcher value = Pattern.compile("(?m)^" + metric + "(\\{.*})? ([0-9.eE+-]+)$").matcher(text);
    return value.find()
        ? OptionalDouble.of(Double.parseDouble(value.group(2)))
        : OptionalDouble.empty();
  }

  private void collect(Target target, String path, List<String> metrics, List<String> held)
      throws InterruptedException {
    URI page = pool.http(target, path);
    try {
      String text = text(page);
      for (String metric : metrics) {
        OptionalDouble value = value(text, metric);
        if (value.isEmpty()) {
          held.add("%s has no metric %s".formatted(target.id(), metric));
        } else if (value.getAsDouble() != 0) {
          held.add("%s: %s is %s".formatted(target.id(), metric, value.getAsDouble()));
        }
      }
    } catch (IOException e) {
      held.add("%s does not answer: %s".formatted(target.id(), e));
    }
  }
}

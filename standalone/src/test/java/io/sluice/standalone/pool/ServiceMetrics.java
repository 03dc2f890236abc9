package io.sluice.standalone.pool;

import io.sluice.simulator.fit.MetricsPage;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalDouble;

/** The metrics of a service on this machine at {@code /prometheus}. Thread-safe. */
public record ServiceMetrics(int port) {
  private static final HttpClient HTTP = HttpClient.newHttpClient();

  /** Returns a meter's value, summed over its labels; empty if the service does not respond. */
  public OptionalDouble sum(String meter) throws InterruptedException {
    return page().stream().mapToDouble(page -> page.sum(meter)).findFirst();
  }

  /** Returns all metrics; empty if the service does not respond. */
  Optional<MetricsPage> page() throws InterruptedException {
    var page = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/prometheus"));
    try {
      HttpRequest ask = page.timeout(Duration.ofSeconds(5)).build();
      return Optional.of(new MetricsPage(HTTP.send(ask, BodyHandlers.ofString()).body()));
    } catch (IOException e) {
      return Optional.empty();
    }
  }
}

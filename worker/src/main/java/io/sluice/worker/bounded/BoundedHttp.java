package io.sluice.worker.bounded;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLContext;

/**
 * An HTTP client for small answers, which are limited in time and size. The JDK's own limit of a
 * request ends with the head of the answer; this one ends with its last byte. Thread-safe.
 */
public final class BoundedHttp implements AutoCloseable {
  private final HttpClient client;
  private final Duration atMost;
  private final long mostBytes;

  private BoundedHttp(HttpClient.Builder client, Duration atMost, long mostBytes) {
    this.client = client.connectTimeout(atMost).build();
    this.atMost = atMost;
    this.mostBytes = mostBytes;
  }

  /**
   * Returns a client that trusts the JDK's authorities.
   *
   * @param atMost how long an answer may take, with the connection
   * @param mostBytes the largest body of an answer
   */
  public static BoundedHttp of(Duration atMost, long mostBytes) {
    return new BoundedHttp(HttpClient.newBuilder(), atMost, mostBytes);
  }

  /** Returns a client with its own authorities. */
  public static BoundedHttp of(SSLContext tls, Duration atMost, long mostBytes) {
    return new BoundedHttp(HttpClient.newBuilder().sslContext(tls), atMost, mostBytes);
  }

  /**
   * Returns the answer, whatever its status.
   *
   * @throws IOException if there is no whole answer within the limits; the message names the URI
   */
  public <T> HttpResponse<T> send(HttpRequest request, BodyHandler<T> body)
      throws IOException, InterruptedException {
    CompletableFuture<HttpResponse<T>> answer =
        client.sendAsync(request, BodyHandlers.limiting(body, mostBytes));
    try {
      return answer.get(atMost.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException e) {
      throw new IOException("%s does not answer: %s".formatted(request.uri(), e.getCause()), e);
    } catch (TimeoutException e) {
      throw new IOException(
          "%s did not answer within %d ms".formatted(request.uri(), atMost.toMillis()), e);
    } finally {
      answer.cancel(true);
    }
  }

  /** Gives up what is in progress. */
  @Override
  public void close() {
    client.shutdownNow();
  }
}

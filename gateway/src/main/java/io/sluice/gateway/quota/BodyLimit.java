package io.sluice.gateway.quota;

import io.micronaut.core.annotation.Order;
import io.micronaut.http.HttpMethod;
import io.micronaut.http.HttpRequest;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.HttpVersion;
import io.micronaut.http.ServerHttpRequest;
import io.micronaut.http.annotation.ResponseFilter;
import io.micronaut.http.annotation.ServerFilter;
import io.sluice.common.topic.PoolTopics;
import io.sluice.gateway.access.Caller;
import io.sluice.gateway.access.RequestGate;
import io.sluice.gateway.http.FilterOrder;
import io.sluice.gateway.http.JsonMemory;
import io.sluice.gateway.http.TenantShares;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Lets a large body into memory only while there is room for it, from before it is read until its
 * response begins. Small bodies are bounded by the number of requests in progress. Uploads of files
 * are not held in memory. What a body needs when it is parsed is bounded by {@link JsonMemory}.
 * Thread-safe.
 */
@ServerFilter("/v1/**")
@Order(FilterOrder.BODY_LIMIT)
public final class BodyLimit implements RequestGate {
  private static final String ATTRIBUTE = "sluice.body";
  private static final String UPLOAD_PATH = "/v1/files";
  private static final int SMALL_BYTES = 16 * 1024;

  /** Received and sent, a body needs several times its size for moments. */
  private static final int HEAP_SHARE = 5;

  private static final Duration LONGEST_WAIT = Duration.ofSeconds(10);

  private final TenantShares bytes =
      new TenantShares(
          Math.max(
              2L * PoolTopics.MAX_REQUEST_BYTES, Runtime.getRuntime().maxMemory() / HEAP_SHARE));

  /** Refuses a request if there is no room for its body in time. */
  @Override
  public @Nullable HttpResponse<?> admit(HttpRequest<?> request, Caller caller)
      throws InterruptedException {
    long needed = bytesOf(request);
    if (needed <= SMALL_BYTES) {
      return null;
    }
    // A body that waits over HTTP/2 would hold up all others of its connection.
    Duration wait = request.getHttpVersion() == HttpVersion.HTTP_2_0 ? Duration.ZERO : LONGEST_WAIT;
    Optional<TenantShares.Share> share = bytes.take(caller.tenant(), needed, wait);
    if (share.isEmpty()) {
      return JsonMemory.full().toResponse();
    }
    request.setAttribute(ATTRIBUTE, share.get().until(request));
    return null;
  }

  @ResponseFilter
  void answered(HttpRequest<?> request) {
    request.getAttribute(ATTRIBUTE, TenantShares.Share.class).ifPresent(TenantShares.Share::close);
  }

  /** The body of a request has been read, and has this size. */
  public static void read(HttpRequest<?> request, int bytes) {
    request
        .getAttribute(ATTRIBUTE, TenantShares.Share.class)
        .ifPresent(share -> share.shrinkTo(bytes));
  }

  /** The length of a body that comes in chunks or compressed is known when it has been read. */
  private static long bytesOf(HttpRequest<?> request) {
    if (request.getMethod() != HttpMethod.POST || request.getPath().startsWith(UPLOAD_PATH)) {
      return 0;
    }
    OptionalLong length =
        request instanceof ServerHttpRequest<?> server
            ? server.byteBody().expectedLength()
            : OptionalLong.empty();
    // A larger one is refused anyway.
    return Math.min(length.orElse(PoolTopics.MAX_REQUEST_BYTES), PoolTopics.MAX_REQUEST_BYTES);
  }
}

package io.sluice.worker.watchdog;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.Json;
import io.sluice.worker.bounded.BoundedHttp;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Restarts an engine by evicting the Kubernetes pod that it shares with its worker. A
 * PodDisruptionBudget may refuse that for a while, which is asked for before the worker drains.
 *
 * @param api base URL of the API server
 * @param account what proves who asks
 * @param pod the pod's name, which is the worker's id
 * @param atMost how long an eviction may take, with repetitions after a refusal
 * @param pause between two repetitions
 */
record PodEviction(URI api, ServiceAccount account, String pod, Duration atMost, Duration pause)
    implements RestartAction {
  private static final Duration PAUSE = Duration.ofSeconds(5);

  /** Well below the life of a permit, which is not renewed meanwhile. */
  private static final Duration DRY_RUN = Duration.ofSeconds(10);

  private static final long MOST_BYTES = 64 * 1024;
  private static final int CREATED = 201;
  private static final int OK = 200;
  private static final int UNAUTHORIZED = 401;
  private static final int FORBIDDEN = 403;
  private static final int NOT_FOUND = 404;
  private static final int TOO_MANY = 429;
  private static final Logger log = LoggerFactory.getLogger(PodEviction.class);

  /**
   * Returns the eviction of the pod in which this process runs.
   *
   * @param environment of the process
   * @param account of the pod
   * @throws IllegalArgumentException if it runs in no pod, or the pod's account is not mounted
   */
  static PodEviction inCluster(
      Map<String, String> environment, ServiceAccount account, String pod, Duration atMost) {
    String host = environment.getOrDefault("KUBERNETES_SERVICE_HOST", "");
    String port = environment.getOrDefault("KUBERNETES_SERVICE_PORT", "443");
    if (host.isEmpty()) {
      throw new IllegalArgumentException(
          "--restart-pod works in a Kubernetes pod only: KUBERNETES_SERVICE_HOST is not set");
    }
    try {
      account.token();
      account.namespace();
      account.tls();
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "--restart-pod needs the token of a service account, as k8s/components/restart mounts it: "
              + e.getMessage(),
          e);
    }
    String authority = host.indexOf(':') < 0 ? host : '[' + host + ']';
    return new PodEviction(
        URI.create("https://" + authority + ':' + port), account, pod, atMost, PAUSE);
  }

  /** A failure of any other kind is not a refusal: the restart will tell it. */
  @Override
  public boolean isAllowed() throws InterruptedException {
    try {
      return post("?dryRun=All", DRY_RUN).statusCode() != TOO_MANY;
    } catch (RestartFailedException e) {
      return true;
    }
  }

  @Override
  public void restart(String cause) throws RestartFailedException, InterruptedException {
    long start = System.nanoTime();
    HttpResponse<byte[]> answer = post("", atMost);
    while (answer.statusCode() == TOO_MANY) {
      log.info("event=eviction_refused pod={} reason=\"{}\"", pod, message(answer));
      Duration left = atMost.minusNanos(System.nanoTime() - start).minus(pause);
      if (!left.isPositive()) {
        throw new RestartFailedException(refusal(answer));
      }
      Thread.sleep(pause);
      answer = postAgain(left, refusal(answer));
    }
    if (answer.statusCode() != CREATED && answer.statusCode() != OK) {
      throw new RestartFailedException(complaint(answer));
    }
    log.info("event=pod_evicted pod={} cause={}", pod, cause);
  }

  private String refusal(HttpResponse<byte[]> answer) {
    return "the eviction of pod %s, which may take %d ms, was refused: %s"
        .formatted(pod, atMost.toMillis(), message(answer));
  }

  private HttpResponse<byte[]> postAgain(Duration within, String refusal)
      throws RestartFailedException, InterruptedException {
    try {
      return post("", within);
    } catch (RestartFailedException e) {
      throw new RestartFailedException(refusal + "; then " + e.getMessage());
    }
  }

  private String complaint(HttpResponse<byte[]> answer) {
    String hint =
        switch (answer.statusCode()) {
          case UNAUTHORIZED -> "the API server refuses the token in " + account.folder();
          case FORBIDDEN ->
              "the pod's service account needs a role that may create pods/eviction, such as that of"
                  + " k8s/components/restart";
          case NOT_FOUND -> "there is no such pod; the worker's id must be the name of its pod";
          default -> "status " + answer.statusCode();
        };
    return "pod %s was not evicted: %s: %s".formatted(pod, hint, message(answer));
  }

  /** Returns the message of Kubernetes' {@code Status}; else nothing. */
  private static String message(HttpResponse<byte[]> answer) {
    try {
      return Json.tree(answer.body()).path("message").asText();
    } catch (IOException e) {
      return "no reason given";
    }
  }

  private HttpResponse<byte[]> post(String query, Duration within)
      throws RestartFailedException, InterruptedException {
    try (BoundedHttp http = BoundedHttp.of(account.tls(), within, MOST_BYTES)) {
      return answer(http, request(query));
    } catch (IOException e) {
      throw new RestartFailedException(
          "the pod's service account cannot be read: " + e.getMessage());
    }
  }

  private static HttpResponse<byte[]> answer(BoundedHttp http, HttpRequest request)
      throws RestartFailedException, InterruptedException {
    try {
      return http.send(request, BodyHandlers.ofByteArray());
    } catch (IOException e) {
      throw new RestartFailedException(String.valueOf(e.getMessage()));
    }
  }

  private HttpRequest request(String query) throws IOException {
    String namespace = account.namespace();
    ObjectNode body =
        Json.mapper().createObjectNode().put("apiVersion", "policy/v1").put("kind", "Eviction");
    body.putObject("metadata").put("name", pod).put("namespace", namespace);
    return HttpRequest.newBuilder(
            api.resolve(
                "/api/v1/namespaces/%s/pods/%s/eviction%s".formatted(namespace, pod, query)))
        .header("authorization", "Bearer " + account.token())
        .header("content-type", "application/json")
        .POST(BodyPublishers.ofByteArray(Json.bytes(body)))
        .build();
  }
}

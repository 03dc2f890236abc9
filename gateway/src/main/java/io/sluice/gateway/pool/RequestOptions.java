package io.sluice.gateway.pool;

import com.fasterxml.jackson.databind.JsonNode;
import io.micronaut.http.HttpHeaders;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.Priority;
import io.sluice.gateway.http.ApiException;
import io.sluice.producer.client.InferenceRequest;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a caller says about a request in addition to OpenAI's own fields: in headers {@code
 * x-sluice-NAME}, or in the body's {@code metadata} as {@code sluice_NAME}. A header wins.
 */
final class RequestOptions {
  private static final String HEADER_PREFIX = "x-sluice-";
  private static final String METADATA_PREFIX = "sluice_";

  /** Values go into Kafka headers and from there into logs, so they are printable. */
  private static final Pattern PRINTABLE = Pattern.compile("[\\x20-\\x7e]{1,256}");

  /** W3C asks to ignore a state that is not valid. */
  private static final Pattern STATE = Pattern.compile("[\\x20-\\x7e]{1,512}");

  private final HttpHeaders headers;
  private final JsonNode body;

  RequestOptions(HttpHeaders headers, JsonNode body) {
    this.headers = headers;
    this.body = body;
  }

  /**
   * Adds the options to a request.
   *
   * @param defaultTimeout the deadline of a request that sets none
   * @throws ApiException if an option is not valid
   */
  void applyTo(InferenceRequest.Builder request, Duration defaultTimeout) {
    Priority priority = priority();
    request.priority(priority);
    request.timeout(
        millis("timeout-ms")
            .orElse(priority == Priority.BULK ? priority.defaultTimeout() : defaultTimeout));
    millis("slo-ttft-ms").ifPresent(request::sloTtft);
    option("tier").ifPresent(request::tier);
    option("fallback-model").ifPresent(request::fallbackModel);
    option("conversation")
        .or(() -> text(body.path("prompt_cache_key"), "prompt_cache_key"))
        .ifPresent(request::conversationId);
    text(headers.get("traceparent"), "traceparent").ifPresent(request::traceparent);
    String state = headers.get("tracestate");
    if (state != null && STATE.matcher(state).matches()) {
      request.tracestate(state);
    }
  }

  private Priority priority() {
    Optional<String> named = option("priority");
    if (named.isPresent()) {
      return Priority.parse(named.get())
          .orElseThrow(
              () ->
                  invalid(
                      "x-sluice-priority",
                      "must be urgent, interactive or bulk, not '" + named.get() + "'"));
    }
    // Other values of OpenAI's service_tier (auto, default) ask for nothing special.
    return switch (body.path("service_tier").asText("")) {
      case "flex" -> Priority.BULK;
      case "priority" -> Priority.URGENT;
      default -> Priority.INTERACTIVE;
    };
  }

  private Optional<Duration> millis(String name) {
    String header = HEADER_PREFIX + name;
    return option(name)
        .map(
            text -> {
              try {
                long millis = Long.parseLong(text);
                if (millis >= 1) {
                  return Duration.ofMillis(millis);
                }
              } catch (NumberFormatException e) {
                throw invalid(header, "must be a whole number, not '" + text + "'");
              }
              throw invalid(header, "must be at least 1, not " + text);
            });
  }

  private Optional<String> option(String name) {
    String header = headers.get(HEADER_PREFIX + name);
    if (header != null) {
      return text(header, HEADER_PREFIX + name);
    }
    String field = METADATA_PREFIX + name.replace('-', '_').toLowerCase(Locale.ROOT);
    return text(body.path("metadata").path(field), "metadata." + field);
  }

  private static Optional<String> text(JsonNode value, String param) {
    return value.isTextual() ? text(value.asText(), param) : Optional.empty();
  }

  private static Optional<String> text(@Nullable String value, String param) {
    if (value == null || value.isEmpty()) {
      return Optional.empty();
    }
    if (!PRINTABLE.matcher(value).matches()) {
      throw invalid(param, "must be at most 256 printable ASCII characters");
    }
    return Optional.of(value);
  }

  private static ApiException invalid(String param, String problem) {
    return new ApiException(ErrorKind.INVALID_REQUEST, param + " " + problem, param);
  }
}

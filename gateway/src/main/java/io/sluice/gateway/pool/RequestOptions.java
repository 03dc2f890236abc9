package io.sluice.gateway.pool;

import com.fasterxml.jackson.databind.JsonNode;
import io.micronaut.http.HttpHeaders;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.HeaderNames;
import io.sluice.common.protocol.Priority;
import io.sluice.gateway.access.KeyLimits;
import io.sluice.gateway.http.ApiException;
import io.sluice.producer.client.InferenceRequest;
import java.math.BigInteger;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a caller says about a request in addition to OpenAI's own fields: in headers {@code
 * x-sluice-NAME}, or in the body's {@code metadata} as {@code sluice_NAME}. A header wins.
 */
final class RequestOptions {
  /** Values go into Kafka headers and from there into logs, so they are printable. */
  private static final Pattern PRINTABLE = Pattern.compile("[\\x20-\\x7e]{1,256}");

  /** W3C asks to ignore a state that is not valid. */
  private static final Pattern STATE = Pattern.compile("[\\x20-\\x7e]{1,512}");

  /** Beyond the 24 h of most pools, and short enough for all that keeps or computes with times. */
  private static final Duration LONGEST = Duration.ofDays(7);

  private final HttpHeaders headers;
  private final JsonNode body;

  RequestOptions(HttpHeaders headers, JsonNode body) {
    this.headers = headers;
    this.body = body;
  }

  /**
   * Adds the options to a request.
   *
   * @param limits those of the caller, for what the request does not name
   * @param defaultTimeout the deadline of a request that sets none
   * @throws ApiException if an option is not valid
   */
  void applyTo(InferenceRequest.Builder request, KeyLimits limits, Duration defaultTimeout) {
    Priority priority = priority(limits.defaultPriority());
    request.priority(priority);
    request.timeout(
        millis(RequestOption.TIMEOUT_MS)
            .orElse(priority == Priority.BULK ? priority.defaultTimeout() : defaultTimeout));
    millis(RequestOption.SLO_TTFT_MS).ifPresent(request::sloTtft);
    option(RequestOption.TIER).or(limits::defaultTier).ifPresent(request::tier);
    option(RequestOption.FALLBACK_MODEL)
        .or(limits::defaultFallback)
        .ifPresent(request::fallbackModel);
    option(RequestOption.CONVERSATION)
        .or(() -> text(body.path("prompt_cache_key"), "prompt_cache_key"))
        .ifPresent(request::conversationId);
    text(headers.get(HeaderNames.TRACEPARENT), HeaderNames.TRACEPARENT)
        .ifPresent(request::traceparent);
    state(headers).ifPresent(request::tracestate);
  }

  /** Returns the vendors' part of the trace context; empty if it is not valid. */
  static Optional<String> state(HttpHeaders headers) {
    return Optional.ofNullable(headers.get(HeaderNames.TRACESTATE))
        .filter(state -> STATE.matcher(state).matches());
  }

  private Priority priority(Priority defaultPriority) {
    Optional<String> named = option(RequestOption.PRIORITY);
    if (named.isPresent()) {
      return Priority.parse(named.get())
          .orElseThrow(
              () ->
                  invalid(
                      RequestOption.PRIORITY.header(),
                      "must be urgent, interactive or bulk, not '" + named.get() + "'"));
    }
    // Other values of OpenAI's service_tier (auto, default) ask for nothing special.
    return switch (body.path("service_tier").asText("")) {
      case "flex" -> Priority.BULK;
      case "priority" -> Priority.URGENT;
      default -> defaultPriority;
    };
  }

  private Optional<Duration> millis(RequestOption option) {
    return option(option).map(text -> duration(option.header(), text));
  }

  private static Duration duration(String header, String text) {
    BigInteger millis;
    try {
      millis = new BigInteger(text);
    } catch (NumberFormatException e) {
      throw invalid(header, "must be a whole number, not '" + text + "'");
    }
    if (millis.signum() < 1) {
      throw invalid(header, "must be at least 1, not " + text);
    }
    if (millis.compareTo(BigInteger.valueOf(LONGEST.toMillis())) > 0) {
      throw invalid(
          header,
          "must be at most %d (%d days), not %s"
              .formatted(LONGEST.toMillis(), LONGEST.toDays(), text));
    }
    return Duration.ofMillis(millis.longValueExact());
  }

  private Optional<String> option(RequestOption option) {
    String header = headers.get(option.header());
    if (header != null) {
      return text(header, option.header());
    }
    return scalar(body.path("metadata").path(option.field()), "metadata." + option.field());
  }

  private static Optional<String> scalar(JsonNode value, String param) {
    if (value.isContainerNode()) {
      throw invalid(param, "must be a text");
    }
    return value.isNumber() || value.isBoolean() ? text(value.asText(), param) : text(value, param);
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

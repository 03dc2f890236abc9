package io.sluice.producer.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.openai.OpenAiRequest;
import io.sluice.common.protocol.Endpoint;
import io.sluice.common.protocol.Json;
import io.sluice.common.protocol.Priority;
import io.sluice.common.protocol.TraceContext;
import io.sluice.producer.reply.Answer;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A request to the pool: an OpenAI body, which is sent unchanged, and the request's headers.
 * Immutable.
 */
public final class InferenceRequest {
  private final byte[] body;
  private final OpenAiRequest openAi;
  private final Builder options;

  private InferenceRequest(byte[] body, OpenAiRequest openAi, Builder options) {
    this.body = body;
    this.openAi = openAi;
    this.options = options;
  }

  /** One message of a conversation. */
  public record Message(String role, String content) {
    public static Message user(String content) {
      return new Message("user", content);
    }

    public static Message assistant(String content) {
      return new Message("assistant", content);
    }
  }

  /**
   * Creates a request with this OpenAI body.
   *
   * @throws IllegalArgumentException if the body is not a JSON object, or has more levels or values
   *     than the pool accepts
   */
  public static Builder of(Endpoint endpoint, byte[] body) {
    return new Builder(RequestBody.parse(endpoint, body));
  }

  /** Creates a request with this OpenAI body, which must not be changed afterwards. */
  public static Builder of(Endpoint endpoint, ObjectNode body) {
    return new Builder(RequestBody.shared(endpoint, body));
  }

  /** Creates a streamed chat request. */
  public static Builder chat(String model, List<Message> messages) {
    ObjectNode body = Json.mapper().createObjectNode().put("model", model);
    body.set("messages", Json.mapper().valueToTree(messages));
    body.put("stream", true);
    return new Builder(RequestBody.own(Endpoint.CHAT_COMPLETIONS, body));
  }

  /** Returns the OpenAI body as it is sent. */
  byte[] body() {
    return body;
  }

  /** Returns what the body says. */
  public OpenAiRequest openAi() {
    return openAi;
  }

  /** Returns the body as a tree, which must not be changed. */
  public JsonNode json() {
    return openAi.json();
  }

  public Endpoint endpoint() {
    return openAi.endpoint();
  }

  public Priority priority() {
    return options.priority;
  }

  /** Returns whether the body asks for a stream of chunks. */
  public boolean isStreamed() {
    return openAi.isStream();
  }

  /** Returns the tier that the request names. */
  public Optional<String> tier() {
    return options.tier;
  }

  /** Returns the id that the caller chose. */
  public Optional<String> requestId() {
    return options.requestId;
  }

  /** Returns the conversation that the request belongs to. */
  public Optional<String> conversationId() {
    return options.conversationId;
  }

  /** Returns the tenant to whose quota and fair share the request counts. */
  public String tenant() {
    return options.tenant;
  }

  /** Returns the fallback model that the request names; {@code none} for no fallback. */
  public Optional<String> fallbackModel() {
    return options.fallbackModel;
  }

  /** Returns the W3C trace context under which the request is sent. */
  public Optional<String> traceparent() {
    return options.traceparent;
  }

  /** Returns the vendors' part of the trace context. */
  public Optional<String> tracestate() {
    return options.tracestate;
  }

  /** Returns the same request under another place in its trace. */
  public InferenceRequest under(TraceContext context) {
    Builder moved = new Builder(options).traceparent(context.traceparent());
    moved.tracestate = context.state().isEmpty() ? Optional.empty() : Optional.of(context.state());
    return moved.build();
  }

  /** Returns the same request under another id. */
  public InferenceRequest withId(String id) {
    return new Builder(options).requestId(id).build();
  }

  /** Returns how soon the first token is wanted. */
  public Optional<Duration> sloTtft() {
    return options.sloTtft;
  }

  /** Returns how long the answer is wanted; empty for the default of its priority. */
  public Optional<Duration> timeout() {
    return options.timeout;
  }

  boolean isAssembled() {
    return options.isAssembled;
  }

  boolean isCancelledOnClose() {
    return options.isCancelledOnClose;
  }

  Optional<Instant> deadline() {
    return options.deadline;
  }

  /** Returns the time from now until the request's deadline. */
  public Duration patience(Instant now) {
    Duration byTimeout =
        options.timeout.orElseGet(
            () ->
                options.deadline.isPresent()
                    ? Duration.ofSeconds(Long.MAX_VALUE)
                    : options.priority.defaultTimeout());
    Duration byDeadline = options.deadline.map(at -> Duration.between(now, at)).orElse(byTimeout);
    return byDeadline.compareTo(byTimeout) < 0 ? byDeadline : byTimeout;
  }

  /** Builds a request. Not thread-safe. */
  public static final class Builder {
    private static final long FARTHEST_SECONDS = Duration.ofDays(365_000).toSeconds();

    private final RequestBody body;
    private Priority priority = Priority.INTERACTIVE;
    private Optional<String> tier = Optional.empty();
    private Optional<Duration> timeout = Optional.empty();
    private Optional<Instant> deadline = Optional.empty();
    private Optional<Duration> sloTtft = Optional.empty();
    private Optional<String> conversationId = Optional.empty();
    private Optional<String> requestId = Optional.empty();
    private Optional<String> fallbackModel = Optional.empty();
    private Optional<String> traceparent = Optional.empty();
    private Optional<String> tracestate = Optional.empty();
    private String tenant = "default";
    private boolean isCancelledOnClose;
    private boolean isAssembled = true;

    private Builder(RequestBody body) {
      this.body = body;
    }

    private Builder(Builder other) {
      this(other.body.copy());
      priority = other.priority;
      tier = other.tier;
      timeout = other.timeout;
      deadline = other.deadline;
      sloTtft = other.sloTtft;
      conversationId = other.conversationId;
      requestId = other.requestId;
      fallbackModel = other.fallbackModel;
      traceparent = other.traceparent;
      tracestate = other.tracestate;
      tenant = other.tenant;
      isCancelledOnClose = other.isCancelledOnClose;
      isAssembled = other.isAssembled;
    }

    /** Returns what the body says. */
    public OpenAiRequest openAi() {
      return body.openAi();
    }

    /** Bulk requests are sent to the bulk topic and use the capacity that other traffic leaves. */
    public Builder priority(Priority value) {
      priority = value;
      return this;
    }

    /** A quality tier, or {@code auto}. */
    public Builder tier(String value) {
      tier = Optional.of(value);
      return this;
    }

    /** Sets the deadline relative to the broker's append time. */
    public Builder timeout(Duration value) {
      if (value.toMillis() < 1) {
        throw new IllegalArgumentException("the timeout must be at least 1 ms, not " + value);
      }
      timeout = Optional.of(value);
      return this;
    }

    /** Sets the deadline; if a timeout is set too, the earlier one applies. */
    public Builder deadline(Instant value) {
      if (Math.abs(value.getEpochSecond()) > FARTHEST_SECONDS) {
        throw new IllegalArgumentException("the deadline is out of range: " + value);
      }
      deadline = Optional.of(value);
      return this;
    }

    /**
     * Sets the longest time from the broker's append time to the first token. The pool refuses the
     * request with {@code overloaded} as soon as it expects the first token later. Not for bulk.
     */
    public Builder sloTtft(Duration value) {
      if (value.toMillis() < 1) {
        throw new IllegalArgumentException("the SLO must be at least 1 ms, not " + value);
      }
      sloTtft = Optional.of(value);
      return this;
    }

    /**
     * Requests of one conversation are read in order, and preferably served where their prefix is
     * cached.
     */
    public Builder conversationId(String value) {
      conversationId = Optional.of(value);
      return this;
    }

    /** Sets an id chosen by the caller. A repeat of the id is not run a second time. */
    public Builder requestId(String value) {
      requestId = Optional.of(value);
      return this;
    }

    /** Overrides the pool's fallback model; {@code none} disables it. */
    public Builder fallbackModel(String value) {
      fallbackModel = Optional.of(value);
      return this;
    }

    /** Sets the tenant to whose quota and fair share the request counts. */
    public Builder tenant(String value) {
      tenant = value;
      return this;
    }

    /** W3C trace context: the caller's span, below which the pool puts its own. */
    public Builder traceparent(String value) {
      traceparent = Optional.of(value);
      return this;
    }

    /** The vendors' part of the W3C trace context. */
    public Builder tracestate(String value) {
      tracestate = Optional.of(value);
      return this;
    }

    /**
     * Cancels the request when its reader stops before the end: when the stream is closed, its
     * subscription is cancelled, or the client is closed. By default the request continues without
     * its reader.
     */
    public Builder cancelOnClose() {
      isCancelledOnClose = true;
      return this;
    }

    /**
     * Leaves out the assembly of the whole answer from a stream, which costs memory until the
     * stream is let go: the {@link Answer} holds only what the closing chunk says. Its usage and
     * who served it are complete. Has no effect on a request that is not streamed.
     */
    public Builder withoutWholeAnswer() {
      isAssembled = false;
      return this;
    }

    /** Sets a field of the body and replaces an existing value. */
    public Builder with(String field, Object value) {
      body.set(field, value);
      return this;
    }

    public InferenceRequest build() {
      return new InferenceRequest(body.bytes(), body.openAi(), new Builder(this));
    }
  }
}

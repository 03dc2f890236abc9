package io.sluice.common.protocol;

import java.util.Set;

/** The names of all record headers. Header values are UTF-8 text. */
public final class HeaderNames {
  /** The protocol version, present on every record of the pool. */
  public static final String VERSION = "sluice";

  public static final String VERSION_1 = "1";

  // Requests
  public static final String REQUEST_ID = "request-id";
  public static final String REPLY_TO = "reply-to";
  public static final String REPLY_PARTITION = "reply-partition";
  public static final String ENDPOINT = "endpoint";
  public static final String TIMEOUT_MS = "timeout-ms";
  public static final String DEADLINE = "deadline";
  public static final String SLO_TTFT_MS = "slo-ttft-ms";
  public static final String PRIORITY = "priority";
  public static final String TENANT = "tenant";
  public static final String TIER = "tier";
  public static final String FALLBACK_MODEL = "fallback-model";
  public static final String TRACEPARENT = "traceparent";
  public static final String TRACESTATE = "tracestate";

  // Spring Kafka's names for the same things, accepted in requests.
  public static final String SPRING_REPLY_TOPIC = "kafka_replyTopic";
  public static final String SPRING_REPLY_PARTITION = "kafka_replyPartition";
  public static final String SPRING_CORRELATION_ID = "kafka_correlationId";

  // Replies and assignments
  public static final String KIND = "kind";
  public static final String ATTEMPT = "attempt";
  public static final String LEASE = "lease";
  public static final String MODE = "mode";
  public static final String INDEX = "index";
  public static final String COUNT = "count";
  public static final String TOKEN_IDS = "token-ids";
  public static final String PROMPT_TOKENS = "prompt-tokens";
  public static final String FINISH_REASON = "finish-reason";
  public static final String STOP_REASON = "stop-reason";
  public static final String WORKER = "worker";
  public static final String MODEL = "model";
  public static final String FALLBACK = "fallback";
  public static final String LATENCY_MS = "latency-ms";

  // Assignments only
  public static final String INCARNATION = "incarnation";
  public static final String ROUTER = "router";
  public static final String FRESH = "fresh";
  public static final String FOLD_FROM = "fold-from";
  public static final String FOLD_FROM_TIME = "fold-from-time";
  public static final String REQUEST_PARTITION = "request-partition";
  public static final String APPEND_TIME = "append-time";
  public static final String REMAINING_MS = "remaining-ms";
  public static final String AGE_MS = "age-ms";
  public static final String EVICTIONS = "evictions";
  public static final String SUSPECT = "suspect";

  // Requests in a lane that came from the bulk topic
  public static final String PROMOTED = "promoted";

  // Dead letters
  public static final String ERROR_CODE = "error-code";
  public static final String ERROR_MESSAGE = "error-message";
  public static final String SOURCE_TOPIC = "source-topic";
  public static final String SOURCE_PARTITION = "source-partition";
  public static final String SOURCE_OFFSET = "source-offset";
  public static final String HISTORY = "history";

  /** On a record that replaces one that is too large: the number of bytes that were left out. */
  public static final String OMITTED_BYTES = "omitted-bytes";

  /** On the mark that follows a dead letter: the id under which the request was sent again. */
  public static final String REDRIVEN_AS = "redriven-as";

  /** The error code of a record, of any topic, that a router failed to process. */
  public static final String UNPROCESSED = "unprocessed";

  // Requests that were dead letters
  public static final String REDRIVE_OF = "redrive-of";
  public static final String REDRIVE_COUNT = "redrive-count";

  /**
   * The headers of a dead letter or of its mark. In a request's own headers they have no meaning.
   */
  public static final Set<String> OF_DEAD_LETTERS =
      Set.of(
          ERROR_CODE,
          ERROR_MESSAGE,
          SOURCE_TOPIC,
          SOURCE_PARTITION,
          SOURCE_OFFSET,
          APPEND_TIME,
          MODEL,
          HISTORY,
          REDRIVEN_AS);

  private HeaderNames() {}
}

package io.sluice.common.trace;

/**
 * The names of attributes and events: OpenTelemetry's conventions for generative AI, messaging and
 * HTTP where they have one, {@code sluice.} names for the rest.
 */
public final class AttributeNames {
  public static final String OPERATION = "gen_ai.operation.name";
  public static final String PROVIDER = "gen_ai.provider.name";
  public static final String REQUEST_MODEL = "gen_ai.request.model";
  public static final String MAX_TOKENS = "gen_ai.request.max_tokens";
  public static final String STREAM = "gen_ai.request.stream";
  public static final String RESPONSE_MODEL = "gen_ai.response.model";
  public static final String FINISH_REASONS = "gen_ai.response.finish_reasons";

  /** Seconds from the call to the first chunk with output. */
  public static final String TIME_TO_FIRST_CHUNK = "gen_ai.response.time_to_first_chunk";

  public static final String INPUT_TOKENS = "gen_ai.usage.input_tokens";
  public static final String OUTPUT_TOKENS = "gen_ai.usage.output_tokens";
  public static final String CACHED_TOKENS = "gen_ai.usage.cache_read.input_tokens";

  public static final String SERVER_ADDRESS = "server.address";
  public static final String SERVER_PORT = "server.port";
  public static final String HTTP_METHOD = "http.request.method";
  public static final String HTTP_ROUTE = "http.route";

  public static final String MESSAGING_SYSTEM = "messaging.system";
  public static final String MESSAGING_DESTINATION = "messaging.destination.name";
  public static final String MESSAGING_PARTITION = "messaging.destination.partition.id";
  public static final String MESSAGING_OFFSET = "messaging.kafka.offset";

  public static final String REQUEST_ID = "sluice.request.id";
  public static final String TENANT = "sluice.tenant";
  public static final String LANE = "sluice.lane";
  public static final String PRIORITY = "sluice.priority";
  public static final String ATTEMPT = "sluice.attempt";
  public static final String ATTEMPTS = "sluice.attempts";
  public static final String WORKER = "sluice.worker.id";
  public static final String LEASE = "sluice.lease.id";

  /** How an attempt ended: an outcome's type, or a router's reason. */
  public static final String OUTCOME = "sluice.outcome";

  /** Output tokens of all attempts that were in the log by then. */
  public static final String TOKENS = "sluice.tokens";

  /** Of a claim: {@code resume} or {@code restart}. */
  public static final String CLAIM_MODE = "sluice.claim.mode";

  /**
   * How a later attempt continues: {@code ids}, {@code text}, {@code end}, {@code start}, {@code
   * restart}.
   */
  public static final String RESUME_WAY = "sluice.resume.way";

  /** The event of a claim in the reply log. */
  public static final String CLAIM_EVENT = "claim";

  /** The event after a claim: from where the attempt continues. */
  public static final String RESUME_EVENT = "resume";

  /** The event of an attempt's first token. */
  public static final String FIRST_TOKEN_EVENT = "first_token";

  private AttributeNames() {}
}

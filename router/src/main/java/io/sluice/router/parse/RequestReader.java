package io.sluice.router.parse;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.HeaderNames;
import io.sluice.common.protocol.Lanes;
import io.sluice.common.protocol.Partitions;
import io.sluice.common.protocol.Priority;
import io.sluice.common.protocol.ReplyAddress;
import io.sluice.common.protocol.RequestHeaders;
import io.sluice.common.protocol.Topics;
import io.sluice.common.tokens.TokenEstimate;
import io.sluice.common.trace.Tracer;
import io.sluice.router.catalog.FallbackModels;
import io.sluice.router.catalog.ModelCatalog;
import io.sluice.router.catalog.PromptFactors;
import io.sluice.router.catalog.ReplyAddresses;
import io.sluice.router.catalog.ServedModels;
import io.sluice.router.catalog.TopicDirectory;
import io.sluice.router.classify.Classifier;
import io.sluice.router.request.RequestBody;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.request.RequestMetadataBuilder;
import io.sluice.router.request.RequestTrace;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Predicate;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/**
 * Parses a request's record into its metadata, or says what is wrong with it. Never fails, whatever
 * the record contains. Thread-safe.
 */
public final class RequestReader {
  /** A longer correlation id from a caller is refused and never sent back. */
  public static final int MAX_CORRELATION_ID_BYTES = 1_024;

  private static final int MAX_NAME_LENGTH = 256;
  private static final byte[] NOTHING = new byte[0];

  /**
   * Callers that ask for exactly the longest deadline may have a clock that differs from the
   * broker's.
   */
  private static final Duration TOLERANCE = Duration.ofMinutes(10);

  private final Lanes lanes;
  private final ParsedBody.Reader bodies;
  private final PoolRules rules;
  private final TopicDirectory topics;
  private final Predicate<RequestMetadata.Source> fresh;
  private final Tracer tracer;

  /**
   * Creates a reader for one pool.
   *
   * @param fresh whether no attempt can have been made before for the record
   */
  public static RequestReader forPool(
      Lanes lanes,
      ModelCatalog catalog,
      Classifier classifier,
      PoolRules rules,
      TopicDirectory topics,
      Predicate<RequestMetadata.Source> fresh) {
    var bodies =
        new ParsedBody.Reader(
            ServedModels.awaited(catalog),
            TokenEstimate.loaded(),
            new PromptFactors(),
            classifier,
            rules.assumedOutputTokens());
    return new RequestReader(lanes, bodies, rules, topics, fresh, Tracer.OFF);
  }

  private RequestReader(
      Lanes lanes,
      ParsedBody.Reader bodies,
      PoolRules rules,
      TopicDirectory topics,
      Predicate<RequestMetadata.Source> fresh,
      Tracer tracer) {
    this.lanes = lanes;
    this.bodies = bodies;
    this.rules = rules;
    this.topics = topics;
    this.fresh = fresh;
    this.tracer = tracer;
  }

  /** Returns the same reader, which finds out which requests are traced. */
  public RequestReader tracedBy(Tracer newTracer) {
    return new RequestReader(lanes, bodies, rules, topics, fresh, newTracer);
  }

  /**
   * Returns the same reader, for a pool whose workers report what they serve and how long prompts
   * were.
   */
  public RequestReader withFleet(ServedModels served, PromptFactors factors) {
    var reader =
        new ParsedBody.Reader(
            served, bodies.estimate(), factors, bodies.classifier(), bodies.assumedOutputTokens());
    return new RequestReader(lanes, reader, rules, topics, fresh, tracer);
  }

  /** Returns whether it is certain by now that no worker is going to serve such requests. */
  public boolean isUnservable(String model, long contextTokens) {
    return bodies.served().isUnservable(model, contextTokens);
  }

  /** Returns the lane of a request whose length is not known. */
  public String shortestLane() {
    return lanes.all().getFirst().name();
  }

  /** Reads one record. */
  public ParsedRequest read(
      RequestMetadata.Source source,
      Headers recordHeaders,
      byte @Nullable [] value,
      long appendTimeMillis) {
    String generatedId = source.topic() + "-" + source.partition() + "-" + source.offset();
    RequestHeaders.Parsed parsed =
        RequestHeaders.parse(recordHeaders, generatedId, Priority.INTERACTIVE);
    RequestHeaders headers = parsed.headers();
    Optional<String> problem =
        RequestBody.sizeProblem(recordHeaders, value == null ? NOTHING : value)
            .or(parsed::problem)
            .or(() -> correlationProblem(recordHeaders))
            .or(() -> deadlineProblem(headers.deadline(appendTimeMillis) - appendTimeMillis))
            .or(() -> lengthProblem(HeaderNames.TENANT, headers.tenant()))
            .or(() -> bodies.classifier().problem(headers.tier()))
            .or(() -> lengthProblem(HeaderNames.FALLBACK_MODEL, headers.fallbackModel().orElse("")))
            .or(() -> FallbackModels.problem(headers, bodies.served()))
            .or(() -> addressProblem(headers));
    ParsedBody body = ParsedBody.NONE;
    ErrorKind kind = ErrorKind.INVALID_REQUEST;
    if (problem.isEmpty()) {
      try {
        body = bodies.read(value, headers.endpoint(), headers.tier());
      } catch (ParsedBody.Refused refused) {
        kind = refused.kind();
        problem = Optional.of(String.valueOf(refused.getMessage()));
      }
    }
    RequestMetadata metadata = metadata(source, recordHeaders, headers, body, appendTimeMillis);
    return problem.isEmpty()
        ? new ParsedRequest.Accepted(metadata, body.prefix())
        : new ParsedRequest.Refused(metadata, kind, problem.get());
  }

  private RequestMetadata metadata(
      RequestMetadata.Source source,
      Headers recordHeaders,
      RequestHeaders headers,
      ParsedBody body,
      long appendTimeMillis) {
    long context = body.promptTokens() + body.outputTokens();
    return RequestMetadataBuilder.builder()
        .requestId(headers.requestId())
        .requestPartition(source.partition())
        .source(source)
        .replyTo(address(headers))
        .endpoint(headers.endpoint())
        .model(body.model())
        .lane(lanes.holding(context).name())
        .promptTokens(body.promptTokens())
        .outputTokens(body.outputTokens())
        .classification(body.classification())
        .priority(headers.priority())
        .tenant(bounded(headers.tenant()))
        .appendTimeMillis(appendTimeMillis)
        .deadlineEpochMillis(headers.deadline(appendTimeMillis))
        .firstTokenByMillis(
            RequestBody.isPromoted(recordHeaders)
                ? OptionalLong.empty()
                : headers.firstTokenBy(
                    appendTimeMillis, rules.objectives().of(body.classification())))
        .fresh(fresh.test(source))
        .estimatedTokens(body.estimatedTokens())
        .fallbackModel(rules.fallbacks().of(body.model(), headers).map(RequestReader::bounded))
        .trace(RequestTrace.of(tracer, recordHeaders, source, headers.requestId()))
        .build();
  }

  /** The correlation id is sent back with the answer, which must have room for it. */
  private static Optional<String> correlationProblem(Headers headers) {
    Header header = headers.lastHeader(HeaderNames.SPRING_CORRELATION_ID);
    return header != null
            && header.value() != null
            && header.value().length > MAX_CORRELATION_ID_BYTES
        ? Optional.of(
            "header '%s' must be at most %d bytes"
                .formatted(HeaderNames.SPRING_CORRELATION_ID, MAX_CORRELATION_ID_BYTES))
        : Optional.empty();
  }

  private Optional<String> deadlineProblem(long millis) {
    return millis > rules.longestDeadline().plus(TOLERANCE).toMillis()
        ? Optional.of(
            "the deadline is %d hours after the request, but this pool allows at most %d; set timeout-ms to at most %d, or run the routers with a longer --max-deadline"
                .formatted(
                    Duration.ofMillis(millis).toHours(),
                    rules.longestDeadline().toHours(),
                    rules.longestDeadline().toMillis()))
        : Optional.empty();
  }

  private static Optional<String> lengthProblem(String header, String text) {
    return text.length() > MAX_NAME_LENGTH
        ? Optional.of(
            "header '%s' must be at most %d characters".formatted(header, MAX_NAME_LENGTH))
        : Optional.empty();
  }

  /** Bounds a name, because it is stored with every request. */
  private static String bounded(String name) {
    return name.length() > MAX_NAME_LENGTH ? name.substring(0, MAX_NAME_LENGTH) : name;
  }

  private Optional<String> addressProblem(RequestHeaders headers) {
    String topic = headers.replyTopic().orElse(Topics.REPLIES);
    if (!Topics.isReplyTopic(topic)) {
      return Optional.of(
          "reply-to must be sluice.replies or a topic that begins with 'sluice.replies.'");
    }
    OptionalInt partitions = topics.partitions(topic);
    if (partitions.isEmpty()) {
      return Optional.of("reply topic '" + topic + "' does not exist; create it first");
    }
    int asked = headers.replyPartition().orElse(0);
    return asked < partitions.getAsInt()
        ? Optional.empty()
        : Optional.of(
            "reply-partition %d does not exist: topic %s has %d"
                .formatted(asked, topic, partitions.getAsInt()));
  }

  /**
   * Returns the reply address: the requested one if it exists, otherwise the one that is derived
   * from the request's id.
   */
  private ReplyAddress address(RequestHeaders headers) {
    Optional<String> asked =
        Optional.of(headers.replyTopic().orElse(Topics.REPLIES)).filter(Topics::isReplyTopic);
    OptionalInt partitions = asked.map(topics::partitions).orElse(OptionalInt.empty());
    if (asked.isPresent() && partitions.isPresent()) {
      int count = partitions.getAsInt();
      int partition = headers.replyPartition().orElse(count);
      return new ReplyAddress(
          asked.get(), partition < count ? partition : Partitions.of(headers.requestId(), count));
    }
    return new ReplyAddresses(topics).common(headers.requestId());
  }
}

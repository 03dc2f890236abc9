package io.sluice.router.schedule;

import io.sluice.common.protocol.Endpoint;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.Priority;
import io.sluice.common.protocol.ReplyAddress;
import io.sluice.router.classify.Classification;
import io.sluice.router.parse.ParsedRequest;
import io.sluice.router.prefix.PrefixChain;
import io.sluice.router.request.RequestBody;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.request.RequestMetadata.Source;
import io.sluice.router.request.RequestMetadataBuilder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.kafka.common.header.internals.RecordHeaders;

/** A request that a test can shape. */
public final class TestRequest {
  private final String id;
  private Source source;
  private ReplyAddress replyTo = new ReplyAddress("sluice.replies", 3);
  private String model = "llama";
  private String lane = "2k";
  private Classification classification = Classification.NONE;
  private Optional<String> fallbackModel = Optional.empty();
  private String tenant = "default";
  private long promptTokens = 100;
  private long estimatedTokens = 100;
  private Priority priority = Priority.INTERACTIVE;
  private long deadlineEpochMillis = VirtualRouter.START_EPOCH_MILLIS + 60_000;
  private OptionalLong firstTokenByMillis = OptionalLong.empty();
  private long appendTimeMillis = VirtualRouter.START_EPOCH_MILLIS;
  private boolean fresh = true;
  private PrefixChain prefix = PrefixChain.NONE;

  public TestRequest(String id) {
    this.id = id;
    this.source = new Source("sluice.requests.2k", 0, Math.abs((long) id.hashCode()));
  }

  TestRequest at(long offset) {
    source = new Source("sluice.requests.2k", 0, offset);
    return this;
  }

  TestRequest replyTo(ReplyAddress address) {
    replyTo = address;
    return this;
  }

  TestRequest model(String name) {
    model = name;
    return this;
  }

  TestRequest lane(String name) {
    lane = name;
    return this;
  }

  public TestRequest tiers(String... names) {
    classification =
        new Classification(List.of(names), classification.needs(), classification.text());
    return this;
  }

  TestRequest needs(String... options) {
    classification =
        new Classification(classification.tiers(), List.of(options), classification.text());
    return this;
  }

  public TestRequest fallback(String name) {
    fallbackModel = Optional.of(name);
    return this;
  }

  TestRequest tenant(String name) {
    tenant = name;
    return this;
  }

  TestRequest promptTokens(long tokens) {
    promptTokens = tokens;
    estimatedTokens = tokens;
    return this;
  }

  public TestRequest priority(Priority value) {
    priority = value;
    return this;
  }

  /** So long after the start of the test's time. */
  public TestRequest deadlineMillis(long sinceStart) {
    deadlineEpochMillis = VirtualRouter.START_EPOCH_MILLIS + sinceStart;
    return this;
  }

  /** So long after the start of the test's time. */
  TestRequest appendedMillis(long sinceStart) {
    appendTimeMillis = VirtualRouter.START_EPOCH_MILLIS + sinceStart;
    return this;
  }

  TestRequest firstTokenBy(long millis) {
    firstTokenByMillis = OptionalLong.of(millis);
    return this;
  }

  TestRequest prefix(PrefixChain chain) {
    prefix = chain;
    return this;
  }

  TestRequest fresh(boolean is) {
    fresh = is;
    return this;
  }

  public RequestMetadata metadata() {
    return RequestMetadataBuilder.builder()
        .requestId(id)
        .requestPartition(0)
        .source(source)
        .replyTo(replyTo)
        .endpoint(Endpoint.CHAT_COMPLETIONS)
        .model(model)
        .lane(lane)
        .promptTokens(promptTokens)
        .outputTokens(100)
        .classification(classification)
        .priority(priority)
        .tenant(tenant)
        .appendTimeMillis(appendTimeMillis)
        .deadlineEpochMillis(deadlineEpochMillis)
        .firstTokenByMillis(firstTokenByMillis)
        .fresh(fresh)
        .estimatedTokens(estimatedTokens)
        .fallbackModel(fallbackModel)
        .build();
  }

  ParsedRequest accepted() {
    return new ParsedRequest.Accepted(metadata(), prefix);
  }

  ParsedRequest refused(ErrorKind kind) {
    return new ParsedRequest.Refused(metadata(), kind, "it is wrong");
  }

  RequestBody body() {
    return new RequestBody(
        new RecordHeaders().add("tenant", "a".getBytes(StandardCharsets.UTF_8)),
        ("{\"of\":\"" + id + "\"}").getBytes(StandardCharsets.UTF_8));
  }
}

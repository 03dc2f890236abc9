package io.sluice.bench.replay.model;

import io.sluice.bench.replay.log.End;
import io.sluice.bench.replay.log.Happened;
import io.sluice.bench.replay.log.RecordedRequest;
import io.sluice.common.protocol.Endpoint;
import io.sluice.common.protocol.Priority;
import io.sluice.common.protocol.ReplyAddress;
import io.sluice.router.classify.Classification;
import io.sluice.router.prefix.PrefixChain;
import io.sluice.router.request.RequestMetadata;
import io.sluice.router.request.RequestMetadataBuilder;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** Recorded requests of the model {@code m} for tests. */
public final class Recorded {
  /** When the first request of a test arrives. */
  public static final long START = 1_700_000_000_000L;

  private Recorded() {}

  /** Returns a request that says nothing of its first token and has a minute. */
  public static RecordedRequest request(
      int number, long afterMillis, PrefixChain prefix, Happened happened) {
    return new RecordedRequest(
        metadata(number, afterMillis, OptionalLong.empty()), prefix, false, happened);
  }

  /** Returns a request that wants its first token within a time. */
  public static RecordedRequest within(long sloMillis, int number, Happened happened) {
    return new RecordedRequest(
        metadata(number, 0, OptionalLong.of(START + sloMillis)), PrefixChain.NONE, false, happened);
  }

  private static RequestMetadata metadata(int number, long afterMillis, OptionalLong firstBy) {
    return RequestMetadataBuilder.builder()
        .requestId("request-" + number)
        .requestPartition(3)
        .source(new RequestMetadata.Source("sluice.requests.2k", 3, number))
        .replyTo(new ReplyAddress("sluice.replies", 0))
        .endpoint(Endpoint.CHAT_COMPLETIONS)
        .model("m")
        .lane("2k")
        .promptTokens(1_000)
        .outputTokens(100)
        .classification(Classification.NONE)
        .priority(Priority.INTERACTIVE)
        .tenant("default")
        .appendTimeMillis(START + afterMillis)
        .deadlineEpochMillis(START + afterMillis + 60_000)
        .firstTokenByMillis(firstBy)
        .fresh(true)
        .estimatedTokens(0)
        .build();
  }

  /** Returns an answer of a worker with 1,000 prompt tokens. */
  public static Happened answered(
      String worker, long ttftMillis, int cachedTokens, int outputTokens, long endedMillis) {
    return new Happened(
        End.ANSWERED,
        OptionalLong.of(ttftMillis),
        OptionalInt.of(1_000),
        OptionalInt.of(cachedTokens),
        OptionalInt.of(outputTokens),
        Optional.of(worker),
        OptionalLong.of(5),
        OptionalLong.of(endedMillis));
  }

  /** Returns an end without an answer. */
  public static Happened ended(End end) {
    return new Happened(
        end,
        OptionalLong.empty(),
        OptionalInt.empty(),
        OptionalInt.empty(),
        OptionalInt.empty(),
        Optional.empty(),
        OptionalLong.empty(),
        OptionalLong.of(START + 1_000));
  }
}

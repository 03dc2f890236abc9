package io.sluice.common.protocol;

import static io.sluice.common.protocol.HeaderNames.AGE_MS;
import static io.sluice.common.protocol.HeaderNames.APPEND_TIME;
import static io.sluice.common.protocol.HeaderNames.ENDPOINT;
import static io.sluice.common.protocol.HeaderNames.EVICTIONS;
import static io.sluice.common.protocol.HeaderNames.FALLBACK;
import static io.sluice.common.protocol.HeaderNames.FOLD_FROM;
import static io.sluice.common.protocol.HeaderNames.FOLD_FROM_TIME;
import static io.sluice.common.protocol.HeaderNames.FRESH;
import static io.sluice.common.protocol.HeaderNames.KIND;
import static io.sluice.common.protocol.HeaderNames.MODEL;
import static io.sluice.common.protocol.HeaderNames.PRIORITY;
import static io.sluice.common.protocol.HeaderNames.REMAINING_MS;
import static io.sluice.common.protocol.HeaderNames.REPLY_PARTITION;
import static io.sluice.common.protocol.HeaderNames.REPLY_TO;
import static io.sluice.common.protocol.HeaderNames.REQUEST_PARTITION;
import static io.sluice.common.protocol.HeaderNames.ROUTER;
import static io.sluice.common.protocol.HeaderNames.SUSPECT;
import static io.sluice.common.protocol.HeaderNames.TENANT;

import io.soabase.recordbuilder.core.RecordBuilder;
import io.soabase.recordbuilder.core.RecordBuilder.BuilderMode;
import java.time.Duration;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.kafka.common.header.Headers;

/**
 * A lease as the router sends it to a worker, in the headers of a worker-topic record. The record's
 * value is the unchanged request body.
 *
 * @param fresh whether no worker can have answered this request before, so that attempt 1 needs no
 *     claim
 * @param foldFromOffset the offset of the request's first reply record, if it is known
 * @param foldFromTimeMillis used if the offset is not known: a broker time, in epoch milliseconds,
 *     before which there is no reply record
 * @param tenant whose request it is; the worker names it in the reply records
 * @param remainingMillis the time left until the deadline, counted from when the worker receives
 *     the record, so that the worker's clock does not matter; 0 or less if the deadline has passed
 * @param ageMillis the time since the request was appended, counted in the same way
 * @param appendTimeMillis when the request was appended, in epoch milliseconds; informational,
 *     never compared with another clock
 * @param requestPartition the partition to which outcomes are sent
 * @param fallbackModel the model to serve instead of the requested one; empty for the requested one
 * @param evictions how often workers have evicted the request
 * @param suspect whether the request may have killed a worker or its engine; a worker never holds
 *     two suspects that have no token yet
 * @param trace the place of the attempt in its trace, in place of what came with the request; empty
 *     if the router does not trace the request
 */
@RecordBuilder
@RecordBuilder.Options(builderMode = BuilderMode.STAGED_REQUIRED_ONLY, enableWither = false)
public record Assignment(
    LeaseRef lease,
    String router,
    boolean fresh,
    OptionalLong foldFromOffset,
    long foldFromTimeMillis,
    ReplyAddress replyTo,
    Endpoint endpoint,
    String tenant,
    Priority priority,
    long remainingMillis,
    long ageMillis,
    long appendTimeMillis,
    int requestPartition,
    Optional<String> fallbackModel,
    int evictions,
    boolean suspect,
    Optional<TraceContext> trace) {

  /** The value of the header {@code kind} of an assignment. */
  public static final String KIND_ASSIGN = "assign";

  /** The value of the header {@code kind} of a record that revokes a lease. */
  public static final String KIND_REVOKE = "revoke";

  /**
   * Routers wait no longer than this for the acceptance of an assignment. Workers refuse older
   * ones.
   */
  public static final Duration MAX_AGE = Duration.ofSeconds(12);

  /**
   * Writes the assignment into a record's headers and replaces headers of the same names that came
   * with the request.
   */
  public void writeTo(Headers headers) {
    HeaderText.set(headers, HeaderNames.VERSION, HeaderNames.VERSION_1);
    HeaderText.set(headers, KIND, KIND_ASSIGN);
    LeaseHeaders.write(headers, lease);
    HeaderText.set(headers, ROUTER, router);
    HeaderText.set(headers, FRESH, Boolean.toString(fresh));
    headers.remove(FOLD_FROM);
    foldFromOffset.ifPresent(offset -> HeaderText.put(headers, FOLD_FROM, offset));
    HeaderText.set(headers, FOLD_FROM_TIME, Long.toString(foldFromTimeMillis));
    HeaderText.set(headers, REPLY_TO, replyTo.topic());
    HeaderText.set(headers, REPLY_PARTITION, Integer.toString(replyTo.partition()));
    HeaderText.set(headers, ENDPOINT, endpoint.path());
    HeaderText.set(headers, TENANT, tenant);
    HeaderText.set(headers, PRIORITY, priority.headerValue());
    HeaderText.set(headers, REMAINING_MS, Long.toString(remainingMillis));
    HeaderText.set(headers, AGE_MS, Long.toString(ageMillis));
    HeaderText.set(headers, APPEND_TIME, Long.toString(appendTimeMillis));
    HeaderText.set(headers, REQUEST_PARTITION, Integer.toString(requestPartition));
    HeaderText.set(headers, EVICTIONS, Integer.toString(evictions));
    HeaderText.set(headers, SUSPECT, Boolean.toString(suspect));
    HeaderText.set(headers, FALLBACK, Boolean.toString(isFallback()));
    headers.remove(MODEL);
    fallbackModel.ifPresent(model -> HeaderText.put(headers, MODEL, model));
    trace.ifPresent(context -> context.writeTo(headers));
  }

  /** Returns whether the worker serves another model than the requested one. */
  public boolean isFallback() {
    return fallbackModel.isPresent();
  }

  /** Writes the headers of a record that revokes a lease. */
  public static void writeRevoke(Headers headers, LeaseRef lease) {
    HeaderText.set(headers, HeaderNames.VERSION, HeaderNames.VERSION_1);
    HeaderText.set(headers, KIND, KIND_REVOKE);
    LeaseHeaders.write(headers, lease);
  }

  /** Reads the lease that a worker-topic record is about; empty if it names none. */
  public static Optional<LeaseRef> parseLease(Headers headers) {
    try {
      return Optional.of(LeaseHeaders.read(headers));
    } catch (NoSuchElementException e) {
      return Optional.empty();
    }
  }

  /**
   * Reads an assignment; empty if the record is not one, is incomplete, or wants its answer on a
   * topic that is not for replies.
   */
  public static Optional<Assignment> parse(Headers headers) {
    if (!HeaderText.get(headers, KIND).equals(Optional.of(KIND_ASSIGN))) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          AssignmentBuilder.builder()
              .lease(LeaseHeaders.read(headers))
              .router(HeaderText.get(headers, ROUTER).orElseThrow())
              .fresh(HeaderText.get(headers, FRESH).map(Boolean::parseBoolean).orElse(false))
              .foldFromOffset(HeaderText.getLong(headers, FOLD_FROM))
              .foldFromTimeMillis(HeaderText.getLong(headers, FOLD_FROM_TIME).orElseThrow())
              .replyTo(
                  new ReplyAddress(
                      HeaderText.get(headers, REPLY_TO).filter(Topics::isReplyTopic).orElseThrow(),
                      HeaderText.getInt(headers, REPLY_PARTITION).orElseThrow()))
              .endpoint(HeaderText.get(headers, ENDPOINT).flatMap(Endpoint::parse).orElseThrow())
              .tenant(HeaderText.get(headers, TENANT).orElse(RequestHeaders.DEFAULT_TENANT))
              .priority(HeaderText.get(headers, PRIORITY).flatMap(Priority::parse).orElseThrow())
              .remainingMillis(HeaderText.getLong(headers, REMAINING_MS).orElseThrow())
              .ageMillis(HeaderText.getLong(headers, AGE_MS).orElseThrow())
              .appendTimeMillis(HeaderText.getLong(headers, APPEND_TIME).orElseThrow())
              .requestPartition(HeaderText.getInt(headers, REQUEST_PARTITION).orElseThrow())
              .evictions(Math.max(0, HeaderText.getInt(headers, EVICTIONS).orElse(0)))
              .suspect(HeaderText.get(headers, SUSPECT).map(Boolean::parseBoolean).orElse(false))
              .fallbackModel(
                  HeaderText.get(headers, FALLBACK)
                      .filter(Boolean::parseBoolean)
                      .flatMap(isFallback -> HeaderText.get(headers, MODEL)))
              .trace(TraceContext.read(headers))
              .build());
    } catch (NoSuchElementException e) {
      return Optional.empty();
    }
  }
}

package io.sluice.producer.reply;

import io.soabase.recordbuilder.core.RecordBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Where a reader that attaches to a request searches for its answer.
 *
 * @param fromIndex the index of the first requested token; the stream begins with the record that
 *     contains it
 * @param patience how long to wait for the first record of the request after all existing records
 *     were read; by default 3 s, and at least until an interactive request of that id would have
 *     been rejected
 * @param since the earliest time at which the answer can have begun, by the broker's clock; by
 *     default the time in a UUIDv7, and for other ids the beginning of the partition
 * @param tenant whose answer is wanted: the answer of another tenant is not found; by default any
 *     tenant's. An answer that names no tenant, because its workers are of an older version, is
 *     that of the tenant {@code default}
 * @param replyTopic the request's reply topic; by default that of the client
 * @param replyPartition the request's reply partition; by default the partition of the request's id
 * @param isAssembled whether the whole answer is assembled also if it was streamed; it is by
 *     default
 */
@RecordBuilder
@RecordBuilder.Options(enableWither = false)
public record AttachOptions(
    int fromIndex,
    Optional<Duration> patience,
    Optional<Instant> since,
    Optional<String> tenant,
    Optional<String> replyTopic,
    OptionalInt replyPartition,
    boolean isAssembled) {
  private static final AttachOptions STANDARD =
      new AttachOptions(
          0,
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          Optional.empty(),
          OptionalInt.empty(),
          true);

  public AttachOptions {
    if (fromIndex < 0) {
      throw new IllegalArgumentException("the first token has index 0, not " + fromIndex);
    }
  }

  /** Returns options to read the whole answer from the default place for the request's id. */
  public static AttachOptions standard() {
    return STANDARD;
  }

  public AttachOptions from(int index) {
    return changed().fromIndex(index).build();
  }

  public AttachOptions waiting(Duration forFirstRecord) {
    return changed().patience(Optional.of(forFirstRecord)).build();
  }

  public AttachOptions since(Instant time) {
    return changed().since(Optional.of(time)).build();
  }

  public AttachOptions ofTenant(String owner) {
    return changed().tenant(Optional.of(owner)).build();
  }

  public AttachOptions on(Optional<String> topic, OptionalInt partition) {
    return changed().replyTopic(topic).replyPartition(partition).build();
  }

  /**
   * Returns options for a reader that needs only the events. They save memory: the {@link Answer}
   * of a stream then has only its last chunk.
   */
  public AttachOptions withoutWholeAnswer() {
    return changed().isAssembled(false).build();
  }

  private AttachOptionsBuilder changed() {
    return AttachOptionsBuilder.builder(this);
  }
}

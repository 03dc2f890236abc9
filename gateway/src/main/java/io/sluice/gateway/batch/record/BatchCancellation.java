package io.sluice.gateway.batch.record;

import java.util.Objects;

/**
 * A batch is to be cancelled.
 *
 * @param at when that was asked for, in milliseconds since 1970
 */
public record BatchCancellation(String id, long at) implements BatchRecord {
  public BatchCancellation {
    Objects.requireNonNull(id, "the cancellation has no id");
  }
}

package io.sluice.gateway.batch.record;

import io.sluice.gateway.files.StoredFile.Part;
import java.util.List;
import java.util.Objects;

/**
 * From where another gateway can continue a batch: the results of all lines before a place in the
 * input are in stored parts.
 *
 * @param bytes how many bytes of the input are before the place
 * @param lines how many lines of the input are before the place
 * @param counts of the lines before the place
 * @param output the parts with answers
 * @param errors the parts with errors
 */
public record Checkpoint(
    long bytes, long lines, Counts counts, List<Part> output, List<Part> errors) {
  /** Nothing is done. */
  public static final Checkpoint START = new Checkpoint(0, 0, Counts.NONE, List.of(), List.of());

  /** Of a part with its name and size, as JSON. */
  private static final int PART_RECORD_BYTES = 45;

  /** Of a part and its name. */
  private static final int PART_MEMORY_BYTES = 96;

  public Checkpoint {
    Objects.requireNonNull(counts, "the checkpoint has no counts");
    output = List.copyOf(output);
    errors = List.copyOf(errors);
  }

  /** Returns how many parts are stored. */
  public int parts() {
    return output.size() + errors.size();
  }

  /** Returns about how many bytes the parts have in a record. */
  long recordBytes() {
    return (long) parts() * PART_RECORD_BYTES;
  }

  /** Returns about how many bytes of memory the parts need. */
  long memoryBytes() {
    return (long) parts() * PART_MEMORY_BYTES;
  }

  Checkpoint withoutParts() {
    return new Checkpoint(bytes, lines, counts, List.of(), List.of());
  }
}

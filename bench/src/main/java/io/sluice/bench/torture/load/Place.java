package io.sluice.bench.torture.load;

/** Where a record stands. */
public record Place(String topic, int partition, long offset) {
  /** What a request without an id is called. */
  public String id() {
    return topic + "-" + partition + "-" + offset;
  }
}

package io.sluice.bench.torture.load;

/** The position of a record in Kafka. */
public record RecordPosition(String topic, int partition, long offset) {
  /** Returns the id that a router gives to a request without one. */
  public String id() {
    return topic + "-" + partition + "-" + offset;
  }
}

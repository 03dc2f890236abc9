package io.sluice.bench.torture;

/** Where a record stands. */
record Place(String topic, int partition, long offset) {
  /** What a request without an id is called. */
  String id() {
    return topic + "-" + partition + "-" + offset;
  }
}

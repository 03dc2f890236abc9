package io.sluice.bench.torture.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.Test;

class BulkMentionsTest {
  private final BulkMentions mentions = new BulkMentions();

  @Test
  void requestsAreFoundByTheNameOfTheirPrompt() {
    add("a", "{\"prompt\":\"Request batch-1-002-003: tell me 3 things\"}");
    add("b", "{\"prompt\":\"Request batch-1-002-003: tell me 3 things\"}");
    add("a", "{\"prompt\":\"Request batch-1-002-003: tell me 3 things\"}");
    add("c", "{\"prompt\":\"Hello\"}");
    assertThat(mentions.of("batch-1-002-003")).containsExactlyInAnyOrder("a", "b");
    assertThat(mentions.of("batch-1-002-004")).isEmpty();
  }

  private void add(String id, String value) {
    mentions.add(
        new ConsumerRecord<>("sluice.bulk", 0, 0, "", value.getBytes(StandardCharsets.UTF_8)), id);
  }
}

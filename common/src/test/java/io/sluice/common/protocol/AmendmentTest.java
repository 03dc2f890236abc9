package io.sluice.common.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.Test;

class AmendmentTest {
  private final Amendment amendment =
      new Amendment(new LeaseRef("r", 2, "lease", "w", "boot"), Priority.URGENT, 1_000);

  @Test
  void whatIsWrittenIsRead() {
    var headers = new RecordHeaders();

    amendment.writeTo(headers);

    assertThat(Amendment.parse(headers)).contains(amendment);
    assertThat(Assignment.parse(headers)).isEmpty();
  }

  @Test
  void whatIsNotWholeIsNone() {
    var headers = new RecordHeaders();
    amendment.writeTo(headers);
    headers.remove(HeaderNames.REMAINING_MS);

    assertThat(Amendment.parse(headers)).isEmpty();
  }
}

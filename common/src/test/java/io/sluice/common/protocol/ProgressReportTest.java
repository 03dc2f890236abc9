package io.sluice.common.protocol;

import static io.sluice.common.protocol.Outcome.Progress;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProgressReportTest {
  private static final Outcome FIRST =
      new Outcome(new LeaseRef("r-1", 2, "lease-7", "gpu-3", "boot-1"), new Progress(42));
  private static final Outcome SECOND =
      new Outcome(new LeaseRef("r-2", 1, "lease-8", "gpu-3", "boot-1"), new Progress(0));

  @Test
  void whatIsWrittenIsReadBack() {
    assertThat(ProgressReport.parse(ProgressReport.toJson(List.of(FIRST, SECOND))))
        .containsExactly(FIRST, SECOND);
  }

  @Test
  void aRecordOfOneOutcomeIsReadToo() {
    assertThat(ProgressReport.parse(FIRST.toJson())).containsExactly(FIRST);
  }

  @Test
  void aLeaseThatCannotBeReadDoesNotHideTheOthers() {
    // Given
    String report =
        """
        {"type":"progress","worker":"gpu-3","incarnation":"boot-1","leases":[7,{"attempt":1},
        {"request_id":"r-2","attempt":1,"lease":"lease-8","tokens":0}]}""";

    // Then
    assertThat(ProgressReport.parse(report.getBytes(UTF_8))).containsExactly(SECOND);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "null",
        "[]",
        "{\"leases\":[]}",
        "{\"type\":\"completed\",\"leases\":[{\"attempt\":1}]}",
        "{\"type\":\"unheard-of\"}"
      })
  void anInvalidReportIsNothing(String value) {
    assertThat(ProgressReport.parse(value.getBytes(UTF_8))).isEmpty();
  }
}

package io.sluice.common.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TraceContextTest {
  private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
  private static final String SPAN = "b7ad6b7169203331";

  @Test
  void theContextOfARecordComesBackAsItWasWritten() {
    var written = new TraceContext(TRACE, SPAN, true, "vendor=1");
    var headers = new RecordHeaders();
    HeaderText.put(headers, "traceparent", "stale");
    HeaderText.put(headers, "tracestate", "stale=1");

    written.writeTo(headers);

    assertThat(TraceContext.read(headers)).contains(written);
    assertThat(HeaderText.get(headers, "traceparent")).contains("00-" + TRACE + "-" + SPAN + "-01");
    assertThat(headers.toArray()).hasSize(2);
  }

  @Test
  void theContextOfAnotherSpanStaysInTheTrace() {
    var context = new TraceContext(TRACE, SPAN, false, "");

    assertThat(context.at("00f067aa0ba902b7").traceparent())
        .isEqualTo("00-" + TRACE + "-00f067aa0ba902b7-00");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "00-" + TRACE + "-" + SPAN + "-01",
        "00-" + TRACE + "-" + SPAN + "-ff",
        "cc-" + TRACE + "-" + SPAN + "-03",
        "cc-" + TRACE + "-" + SPAN + "-01-what-comes-later"
      })
  void sampledContextsAreRead(String traceparent) {
    assertThat(TraceContext.parse(traceparent, ""))
        .contains(new TraceContext(TRACE, SPAN, true, ""));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "00",
        "00-ab-cd-01",
        "ff-" + TRACE + "-" + SPAN + "-01",
        "00-" + TRACE + "-" + SPAN + "-01-more",
        "cc-" + TRACE + "-" + SPAN + "-01more",
        "00-" + TRACE + "-" + SPAN + "-0x",
        "00-" + TRACE + "_" + SPAN + "-01",
        "00-00000000000000000000000000000000-" + SPAN + "-01",
        "00-" + TRACE + "-0000000000000000-01",
        "00-0AF7651916CD43DD8448EB211C80319C-" + SPAN + "-01"
      })
  void anInvalidContextIsNotRead(String traceparent) {
    assertThat(TraceContext.parse(traceparent, "vendor=1")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"vendor=\n", "vendor=\u00e9"})
  void aBadStateIsLeftOut(String state) {
    assertThat(TraceContext.parse("00-" + TRACE + "-" + SPAN + "-00", state))
        .contains(new TraceContext(TRACE, SPAN, false, ""));
  }

  @Test
  void aLongStateIsLeftOut() {
    String state = "vendor=" + "x".repeat(512);

    assertThat(TraceContext.parse("00-" + TRACE + "-" + SPAN + "-00", state).orElseThrow().state())
        .isEmpty();
  }
}

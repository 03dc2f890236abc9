package io.sluice.gateway.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.producer.reply.ReplyEvent;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class FailuresTest {
  private static final String DETAILS =
      "Kafka at broker-1:9092 did not accept the request in time: TimeoutException";

  @Test
  void callersDoNotSeeBrokersOrExceptions() {
    assertThat(ApiError.of(local(DETAILS)).toText())
        .contains(Failures.UNREACHABLE)
        .doesNotContain("broker-1", "Exception");
    assertThat(Failures.unreachable(Optional.of("id"), DETAILS).toText())
        .doesNotContain("broker-1", "Exception");
  }

  @Test
  void anErrorOfOneRequestHasItsId() {
    assertThat(
            Failures.unreachable(Optional.of("id"), DETAILS)
                .toResponse()
                .getHeaders()
                .get("x-request-id"))
        .isEqualTo("id");
  }

  @Test
  void callersSeeThatTheGatewayStopped() {
    assertThat(ApiError.of(local(Failures.STOPPED)).message()).isEqualTo(Failures.STOPPED);
  }

  @Test
  void whatThePoolSaysIsShown() {
    ReplyEvent.Failed ofThePool =
        new ReplyEvent.Failed(ErrorKind.ENGINE_ERROR, DETAILS, OptionalLong.empty(), "{}");

    assertThat(Failures.shown(ofThePool)).isEqualTo(ofThePool);
  }

  private static ReplyEvent.Failed local(String message) {
    return new ReplyEvent.Failed(ErrorKind.UNAVAILABLE, message, OptionalLong.empty(), "{}", true);
  }
}

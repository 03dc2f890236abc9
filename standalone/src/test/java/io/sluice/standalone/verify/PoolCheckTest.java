package io.sluice.standalone.verify;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.standalone.verify.PoolCheck.Verdict;
import org.junit.jupiter.api.Test;

class PoolCheckTest {

  @Test
  void whatAnEngineDoesNotDoIsNoLossButWhatItDiesOfIs() {
    assertThat(PoolCheck.unanswered(ErrorKind.INVALID_REQUEST)).isEqualTo(Verdict.REFUSED);
    assertThat(PoolCheck.unanswered(ErrorKind.ENGINE_ERROR)).isEqualTo(Verdict.REFUSED);
    assertThat(PoolCheck.unanswered(ErrorKind.DEADLINE_EXCEEDED)).isEqualTo(Verdict.UNANSWERED);
    assertThat(PoolCheck.unanswered(ErrorKind.WORKER_LOST)).isEqualTo(Verdict.UNANSWERED);
  }
}

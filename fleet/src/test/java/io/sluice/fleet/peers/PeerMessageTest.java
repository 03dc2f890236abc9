package io.sluice.fleet.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.sluice.fleet.peers.PeerMessage.AtWorker;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PeerMessageTest {

  @Property(tries = 200)
  void blocksAreReadAsTheyWereWritten(@ForAll long[] hashes) {
    // Given
    AtWorker told = new AtWorker("w1", "boot-1", 3, 900, 500, 64, AtWorker.encoded(hashes));
    PeerMessage message = new PeerMessage("router-1", List.of(told));

    // When
    PeerMessage read = PeerMessage.parse(message.toJson());

    // Then
    assertThat(read).isEqualTo(message);
    assertThat(read.workers().getFirst().hashes()).containsExactly(hashes);
  }

  @Test
  void whatANewerPeerAddsIsIgnoredAndWhatItLeavesOutIsEmpty() {
    // When
    PeerMessage read =
        PeerMessage.parse(
            """
            {"version":1,"router":"r","since":7,
             "workers":[{"worker":"w","incarnation":"i","leases":-4,"mood":"good"}]}
            """);

    // Then
    assertThat(read.workers()).containsExactly(new AtWorker("w", "i", 0, 0, 0, 1, ""));
    assertThat(read.workers().getFirst().hashes()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "null",
        "7",
        "changed {}",
        "{}",
        "{\"version\":2,\"router\":\"r\"}",
        "{\"version\":1}",
        "{\"version\":1,\"router\":\"r\",\"workers\":[null]}",
        "{\"version\":1,\"router\":\"r\",\"workers\":[{\"worker\":\"w\"}]}",
        "{\"version\":1,\"router\":\"r\",\"workers\":[{\"worker\":\"w\",\"incarnation\":\"i\","
            + "\"blocks\":\"%%%\"}]}"
      })
  void anInvalidMessageIsRefused(String json) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> PeerMessage.parse(json))
        .withMessageContaining("router's message");
  }
}

package io.sluice.common.reply;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.protocol.ReplyAddress;
import java.nio.charset.StandardCharsets;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class ReplyPointerTest {

  @Test
  void aPointerIsReadAsItWasWritten() {
    ReplyPointer known =
        new ReplyPointer(
            new ReplyAddress("sluice.replies.shop", 7), OptionalLong.of(42), OptionalLong.of(43));
    ReplyPointer unknown =
        new ReplyPointer(
            new ReplyAddress("sluice.replies", 0), OptionalLong.empty(), OptionalLong.empty());

    assertThat(ReplyPointer.parse(known.toJson())).contains(known);
    assertThat(ReplyPointer.parse(unknown.toJson())).contains(unknown);
  }

  @Test
  void aPointerWithoutAProperOffsetLeavesItOpen() {
    String json =
        "{\"reply_to\":\"sluice.replies\",\"reply_partition\":1,\"offset\":-1,\"since\":\"x\"}";
    assertThat(ReplyPointer.parse(json.getBytes(StandardCharsets.UTF_8)))
        .contains(
            new ReplyPointer(
                new ReplyAddress("sluice.replies", 1), OptionalLong.empty(), OptionalLong.empty()));
  }

  @Test
  void whatPointsNowhereIsNotAPointer() {
    assertThat(parse("no json")).isFalse();
    assertThat(parse("{}")).isFalse();
    assertThat(parse("{\"reply_to\":\"sluice.control\",\"reply_partition\":1}")).isFalse();
    assertThat(parse("{\"reply_to\":\"sluice.replies\",\"reply_partition\":-1}")).isFalse();
    assertThat(parse("{\"reply_to\":\"sluice.replies\"}")).isFalse();
  }

  private static boolean parse(String json) {
    return ReplyPointer.parse(json.getBytes(StandardCharsets.UTF_8)).isPresent();
  }
}

package io.sluice.producer.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.common.reply.ClaimMode;
import io.sluice.producer.ClientConfig;
import io.sluice.producer.reply.ReplyEvent;
import io.sluice.producer.reply.ReplyStream;
import java.util.List;
import java.util.concurrent.TimeUnit;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

class DetachedStreamPropertyTest {

  /** Steps: 0 to 5 tokens of the current attempt; 6 a straggler's; 7 a resume; 8 a restart. */
  @Property(tries = 60)
  void howeverSlowTheReaderItReadsWhatAFastOneReads(
      @ForAll @IntRange(min = 1, max = 5) int bufferedEvents,
      @ForAll @Size(max = 40) List<@IntRange(min = 0, max = 8) Integer> steps)
      throws Exception {
    // Given
    MockPool pool = new MockPool(ClientConfig.at("kafka:1").withBufferedEvents(bufferedEvents));
    ReplyStream stream = pool.submit(MockPool.streamed());
    StringBuilder expected = new StringBuilder();
    int attempt = 1;
    int index = 0;
    for (int step : steps) {
      switch (step) {
        case 6 -> pool.tokens(stream, attempt, "straggler-of-" + attempt, index, "STRAGGLER");
        case 7 -> pool.claim(stream, ++attempt, ClaimMode.RESUME);
        case 8 -> {
          pool.claim(stream, ++attempt, ClaimMode.RESTART);
          index = 0;
          expected.setLength(0);
        }
        default -> {
          pool.tokens(stream, attempt, index, "<" + attempt + "." + index + ">");
          expected.append("<").append(attempt).append(".").append(index).append(">");
          index++;
        }
      }
      // The first attempt can have a straggler only after it has begun.
      if (step == 6 && index == 0 && attempt == 1) {
        pool.claim(stream, ++attempt, ClaimMode.RESTART);
        expected.setLength(0);
      }
      if (step % 3 == 0) {
        pool.read();
      }
    }
    pool.finish(stream, attempt, index);

    // When
    pool.read();

    // Then
    List<ReplyEvent> events = MockPool.drain(stream);
    assertThat(MockPool.textOf(events)).isEqualTo(expected.toString());
    assertThat(events).filteredOn(ReplyEvent.Terminal.class::isInstance).hasSize(1);
    assertThat(stream.answer().get(10, TimeUnit.SECONDS).text()).isEqualTo(expected.toString());
    pool.client.close();
  }
}

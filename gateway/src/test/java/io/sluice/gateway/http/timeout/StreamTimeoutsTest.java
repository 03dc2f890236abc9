package io.sluice.gateway.http.timeout;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2ConnectionHandlerBuilder;
import io.netty.handler.codec.http2.Http2EventAdapter;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameListener;
import io.netty.handler.codec.http2.Http2Headers;
import io.sluice.gateway.http.OpenResponses;
import io.sluice.gateway.http.StreamEnds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class StreamTimeoutsTest {
  private static final int ID = 3;

  private final OpenResponses responses = new OpenResponses();

  /** The streams that the server takes for reset. */
  private final List<Integer> reset = new ArrayList<>();

  private final Http2ConnectionHandler http2 =
      new Http2ConnectionHandlerBuilder()
          .server(true)
          .frameListener(
              new Http2EventAdapter() {
                @Override
                public void onRstStreamRead(ChannelHandlerContext context, int id, long code) {
                  reset.add(id);
                }
              })
          .build();
  private final EmbeddedChannel channel = new EmbeddedChannel(http2);
  private final ChannelHandlerContext context = channel.pipeline().context(http2);

  StreamTimeoutsTest() {
    channel.freezeTime();
  }

  @Test
  void aBodyThatArrivesTooSlowlyResetsItsStreamAndNoOther() throws Http2Exception {
    // Given
    watch();
    head(ID, "POST", "/v1/chat/completions", false);
    head(ID + 2, "POST", "/v1/chat/completions", true);
    after(59);
    data(1, false);
    assertThat(isOpen(ID)).isTrue();

    // When
    after(2);

    // Then
    assertThat(isOpen(ID)).isFalse();
    assertThat(reset).containsExactly(ID);
    assertThat(isOpen(ID + 2)).isTrue();
    assertThat(channel.isOpen()).isTrue();
  }

  @Test
  void aResponseIsOpenUntilItsStreamEnds() throws Http2Exception {
    // Given
    watch();
    head(ID, "POST", "/v1/chat/completions", true);
    head(ID + 2, "POST", "/v1/files", false);
    assertThat(responses.count()).isEqualTo(2);

    // When
    http2.connection().stream(ID).close();

    // Then
    assertThat(responses.count()).isEqualTo(1);
    channel.pipeline().fireChannelInactive();
    assertThat(responses.count()).isZero();
  }

  @Test
  void anAnswerMayTakeAsLongAsItsRequestWants() throws Http2Exception {
    // Given
    watch();
    head(ID, "POST", "/v1/chat/completions", false);
    data(100, true);

    // When
    after(TimeUnit.HOURS.toSeconds(24));

    // Then
    assertThat(isOpen(ID)).isTrue();
  }

  @Test
  void aFileMayArriveAsLongAsItMakesProgress() throws Http2Exception {
    // Given
    watch();
    head(ID, "POST", "/v1/files?x=y", false);
    for (int minute = 0; minute < 100; minute++) {
      after(30);
      data(40_000, false);
      after(29);
      data(40_000, false);
    }
    assertThat(isOpen(ID)).isTrue();

    // When
    after(59);
    data(1_000, false);
    after(2);

    // Then
    assertThat(isOpen(ID)).isFalse();
  }

  @Test
  void aStreamThatHasBegunBeforeIsWatchedToo() throws Http2Exception {
    // Given
    http2.connection().remote().createStream(ID, false);
    watch();

    // When
    after(61);

    // Then
    assertThat(isOpen(ID)).isFalse();
  }

  @Test
  void whoWaitsForTheEndOfAStreamHearsOfItOnce() throws Http2Exception {
    // Given
    watch();
    StreamEnds.watch(http2.connection(), channel);
    StreamEnds ends = StreamEnds.of(channel).orElseThrow();
    head(ID, "POST", "/v1/chat/completions", true);
    AtomicInteger heard = new AtomicInteger();
    ends.whenEnded(ID, heard::incrementAndGet);
    assertThat(heard).hasValue(0);

    // When
    http2.closeStream(http2.connection().stream(ID), channel.newSucceededFuture());

    // Then
    assertThat(heard).hasValue(1);
    ends.whenEnded(ID, heard::incrementAndGet);
    assertThat(heard).hasValue(2);
  }

  private void watch() throws Http2Exception {
    StreamTimeouts.watch(http2, context, Duration.ofSeconds(60), responses);
  }

  private void head(int id, String method, String path, boolean isEnd) throws Http2Exception {
    http2.connection().remote().createStream(id, isEnd);
    Http2Headers headers = new DefaultHttp2Headers().method(method).path(path);
    frames().onHeadersRead(context, id, headers, 0, isEnd);
  }

  private void data(int bytes, boolean isEnd) throws Http2Exception {
    ByteBuf data = Unpooled.wrappedBuffer(new byte[bytes]);
    frames().onDataRead(context, ID, data, 0, isEnd);
  }

  private Http2FrameListener frames() {
    return http2.decoder().frameListener();
  }

  private boolean isOpen(int id) {
    return http2.connection().stream(id) != null;
  }

  private void after(long seconds) {
    channel.advanceTimeBy(seconds, TimeUnit.SECONDS);
    channel.runScheduledPendingTasks();
  }
}

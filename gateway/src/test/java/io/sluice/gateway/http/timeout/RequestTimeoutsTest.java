package io.sluice.gateway.http.timeout;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.DefaultHttpContent;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.DefaultHttpResponse;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.sluice.gateway.http.OpenResponses;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class RequestTimeoutsTest {
  private final OpenResponses responses = new OpenResponses();
  private final EmbeddedChannel channel =
      new EmbeddedChannel(new RequestTimeouts(Duration.ofSeconds(60), responses));

  RequestTimeoutsTest() {
    channel.freezeTime();
  }

  @Test
  void aBodyThatArrivesTooSlowlyClosesItsConnection() {
    // Given
    channel.writeInbound(head());
    after(59);
    channel.writeInbound(new DefaultHttpContent(Unpooled.wrappedBuffer(new byte[] {'a'})));
    assertThat(channel.isOpen()).isTrue();

    // When
    after(2);

    // Then
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void anAnswerMayTakeAsLongAsItsRequestWants() {
    // Given
    channel.writeInbound(head(), LastHttpContent.EMPTY_LAST_CONTENT);

    // When
    after(TimeUnit.HOURS.toSeconds(24));

    // Then
    assertThat(channel.isOpen()).isTrue();
  }

  @Test
  void anIdleConnectionIsClosed() {
    // Given
    channel.writeInbound(head(), LastHttpContent.EMPTY_LAST_CONTENT);
    after(1_000);
    channel.writeOutbound(
        new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK),
        LastHttpContent.EMPTY_LAST_CONTENT);
    after(299);
    assertThat(channel.isOpen()).isTrue();

    // When
    after(2);

    // Then
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void aConnectionWhoseRequestWasAnsweredEarlyIsIdleWhenTheRestHasArrived() {
    // Given
    channel.writeInbound(head());
    channel.writeOutbound(
        new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.UNAUTHORIZED),
        LastHttpContent.EMPTY_LAST_CONTENT);

    // When
    channel.writeInbound(LastHttpContent.EMPTY_LAST_CONTENT);
    after(301);

    // Then
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void theInvitationToSendTheBodyIsNotAnAnswer() {
    // Given
    channel.writeInbound(head());
    channel.writeOutbound(
        new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE));
    channel.writeInbound(LastHttpContent.EMPTY_LAST_CONTENT);
    channel.writeOutbound(
        new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK),
        LastHttpContent.EMPTY_LAST_CONTENT);

    // When
    after(301);

    // Then
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void aResponseIsOpenUntilItsLastByteIsSent() {
    // Given
    channel.writeInbound(head(), LastHttpContent.EMPTY_LAST_CONTENT);
    channel.writeOutbound(
        new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK),
        new DefaultHttpContent(Unpooled.wrappedBuffer(new byte[] {'a'})));
    assertThat(responses.count()).isOne();

    // When
    channel.writeOutbound(LastHttpContent.EMPTY_LAST_CONTENT);

    // Then
    assertThat(responses.count()).isZero();
  }

  @Test
  void theResponseOfAClientThatHasLeftIsNotOpen() {
    // Given
    channel.writeInbound(head(), LastHttpContent.EMPTY_LAST_CONTENT);

    // When
    channel.close();

    // Then
    assertThat(responses.count()).isZero();
  }

  @Test
  void aFileMayArriveAsLongAsItMakesProgress() {
    // Given
    channel.writeInbound(
        new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.POST, "/v1/files?x=y"));
    for (int minute = 0; minute < 100; minute++) {
      after(30);
      channel.writeInbound(chunk(40_000));
      after(29);
      channel.writeInbound(chunk(40_000));
    }
    assertThat(channel.isOpen()).isTrue();

    // When
    after(59);
    channel.writeInbound(chunk(1_000));
    after(2);

    // Then
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void aRequestAfterAFileHasNoMoreTimeThanOthers() {
    // Given
    channel.writeInbound(
        new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.POST, "/v1/files"),
        LastHttpContent.EMPTY_LAST_CONTENT);
    channel.writeOutbound(
        new DefaultHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.OK),
        LastHttpContent.EMPTY_LAST_CONTENT);
    channel.writeInbound(head());
    after(59);
    channel.writeInbound(chunk(100_000));

    // When
    after(2);

    // Then
    assertThat(channel.isOpen()).isFalse();
  }

  private static DefaultHttpContent chunk(int bytes) {
    return new DefaultHttpContent(Unpooled.wrappedBuffer(new byte[bytes]));
  }

  private void after(long seconds) {
    channel.advanceTimeBy(seconds, TimeUnit.SECONDS);
    channel.runScheduledPendingTasks();
  }

  private static DefaultHttpRequest head() {
    return new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.POST, "/v1/chat/completions");
  }
}

package io.sluice.bench.faults;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class RawExchangeTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final String HEAD = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
  private static final String TOKEN = "e\r\ndata: {\"a\":1}\n\r\n";
  private static final String DONE = "d\r\ndata: [DONE]\n\r\n";
  private static final String LAST = "0\r\n\r\n";

  private final ServerSocket server;

  RawExchangeTest() throws IOException {
    server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
  }

  @AfterEach
  void close() throws IOException {
    server.close();
  }

  @Test
  void anAnswerWithItsEndIsWholeAlsoWhileItsConnectionIsOpen() throws Exception {
    assertThat(seen(HEAD + TOKEN + DONE + LAST, false)).isEqualTo("whole");
    assertThat(seen("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}", false)).isEqualTo("whole");
  }

  @Test
  void whatIsMissingAtTheEndIsTold() throws Exception {
    assertThat(seen(HEAD + TOKEN + LAST, true)).isEqualTo("whole, no [DONE]");
    assertThat(seen(HEAD + TOKEN + DONE, true)).isEqualTo("cut");
    assertThat(seen("", true)).isEqualTo("closed without an answer");
  }

  @Test
  void errorsAreToldByStatusOrByType() throws Exception {
    assertThat(seen("HTTP/1.1 503 X\r\ncontent-length: 0\r\n\r\n", true)).isEqualTo("status 503");
    assertThat(seen(HEAD + "data: {\"error\":{\"type\": \"Oops\"}}\r\n" + DONE + LAST, true))
        .isEqualTo("error frame Oops");
    assertThat(seen(HEAD + "data: {\"finish_reason\":\"abort\"}\r\n" + DONE + LAST, true))
        .isEqualTo("abort");
  }

  @Test
  void anAnswerThatDoesNotEndIsOpenAndItsFramesAreCounted() throws Exception {
    try (var exchange = new RawExchange(server.getLocalPort(), "/", "{}");
        Socket accepted = accept()) {
      accepted.getOutputStream().write((HEAD + TOKEN + TOKEN).getBytes(StandardCharsets.UTF_8));
      while (exchange.frames() < 2) {
        Thread.onSpinWait();
      }
      assertThat(exchange.await(Duration.ofMillis(10), 0).what()).isEqualTo("open");
    }
  }

  @Test
  void whatIsNotReadComesWhenReadingGoesOn() throws Exception {
    try (var exchange = RawExchange.withSmallBuffer(server.getLocalPort(), "/", "{}");
        Socket accepted = accept()) {
      exchange.pause(true);
      // A read that had begun before takes the first bytes.
      accepted.getOutputStream().write(HEAD.getBytes(StandardCharsets.UTF_8));
      accepted.getOutputStream().write((TOKEN + DONE + LAST).getBytes(StandardCharsets.UTF_8));
      exchange.pause(false);
      assertThat(exchange.await(PATIENCE, 0).what()).isEqualTo("whole");
      assertThat(exchange.frames()).isOne();
    }
  }

  @Test
  void aPortThatClosesIsNoticed() throws Exception {
    try (var watch = new PortWatch(server.getLocalPort())) {
      assertThat(watch.seen().what()).isEqualTo("stays open");
      server.close();
      while (watch.seen().what().equals("stays open")) {
        Thread.onSpinWait();
      }
      assertThat(watch.seen().what()).isEqualTo("closes");
    }
  }

  @Test
  void anAddressWithoutAListenerRefuses() throws Exception {
    server.close();
    try (var exchange = new RawExchange(server.getLocalPort(), "/", "")) {
      assertThat(exchange.await(PATIENCE, System.nanoTime()).what()).isEqualTo("refused");
    }
  }

  private String seen(String answer, boolean isClosed) throws Exception {
    try (var exchange = new RawExchange(server.getLocalPort(), "/", "{}");
        Socket accepted = accept()) {
      accepted.getOutputStream().write(answer.getBytes(StandardCharsets.UTF_8));
      if (isClosed) {
        accepted.close();
      }
      return exchange.await(PATIENCE, System.nanoTime()).what();
    }
  }

  /** Returns a connection whose request was read, so that closing it resets nothing. */
  private Socket accept() throws IOException {
    Socket accepted = server.accept();
    InputStream in = accepted.getInputStream();
    StringBuilder request = new StringBuilder();
    while (!request.toString().endsWith("{}")) {
      request.append((char) in.read());
    }
    return accepted;
  }
}

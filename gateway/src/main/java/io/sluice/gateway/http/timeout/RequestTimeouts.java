package io.sluice.gateway.http.timeout;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.LastHttpContent;
import io.sluice.gateway.http.OpenResponses;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Closes an HTTP/1.1 connection that is idle, or whose request takes too long to arrive. A file may
 * take as long as it makes progress. While a response is awaited or sent there is no limit here:
 * requests have deadlines, and a silent stream has comments. Used by the event loop of its
 * connection only.
 */
final class RequestTimeouts extends ChannelDuplexHandler {
  private static final Duration IDLE = Duration.ofMinutes(5);

  /** The least that must arrive of a file within the time that other requests have altogether. */
  static final int LEAST_PROGRESS_BYTES = 64 * 1024;

  private static final String UPLOAD_PATH = "/v1/files";

  private final Duration receive;
  private final OpenResponses responses;
  private int unanswered;

  /** Responses whose last byte is not sent yet. */
  private int unsent;

  private boolean isUpload;
  private int progressBytes;
  private @Nullable Future<?> timeout;

  /**
   * @param receive from the head of a request to the end of its body, or of a file's next 64 KiB
   * @param responses counts the connection's open responses
   */
  RequestTimeouts(Duration receive, OpenResponses responses) {
    this.receive = receive;
    this.responses = responses;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    closeAfter(IDLE, context);
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext context) {
    stop();
    while (unsent > 0) {
      sent();
    }
  }

  private void sent() {
    if (unsent > 0) {
      unsent--;
      responses.end();
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext context, Object message) throws Exception {
    if (message instanceof HttpRequest request) {
      unanswered++;
      unsent++;
      responses.begin();
      isUpload = isUpload(request.method().asciiName(), request.uri());
      progressBytes = 0;
      closeAfter(receive, context);
    }
    if (isUpload && timeout != null && message instanceof HttpContent content) {
      progressBytes += content.content().readableBytes();
      if (progressBytes >= LEAST_PROGRESS_BYTES) {
        progressBytes = 0;
        closeAfter(receive, context);
      }
    }
    if (message instanceof LastHttpContent) {
      if (unanswered == 0) {
        closeAfter(IDLE, context);
      } else {
        stop();
      }
    }
    super.channelRead(context, message);
  }

  @Override
  public void write(ChannelHandlerContext context, Object message, ChannelPromise promise)
      throws Exception {
    boolean isInterim =
        message instanceof HttpResponse response
            && response.status().codeClass() == HttpStatusClass.INFORMATIONAL;
    boolean isEnd = message instanceof LastHttpContent && !isInterim;
    if (isEnd) {
      ChannelPromise watched = promise.unvoid();
      watched.addListener(_ -> sent());
      super.write(context, message, watched);
    } else {
      super.write(context, message, promise);
    }
    if (isEnd && --unanswered == 0 && timeout == null) {
      closeAfter(IDLE, context);
    }
  }

  /** Returns whether a request sends a file. */
  static boolean isUpload(CharSequence method, CharSequence target) {
    String uri = target.toString();
    int query = uri.indexOf('?');
    String path = query < 0 ? uri : uri.substring(0, query);
    return HttpMethod.POST.asciiName().contentEquals(method)
        && (path.equals(UPLOAD_PATH) || path.equals(UPLOAD_PATH + "/"));
  }

  private void closeAfter(Duration time, ChannelHandlerContext context) {
    stop();
    timeout =
        context.executor().schedule(() -> close(context), time.toMillis(), TimeUnit.MILLISECONDS);
  }

  private static void close(ChannelHandlerContext context) {
    var _ = context.close();
  }

  private void stop() {
    if (timeout != null) {
      timeout.cancel(false);
      timeout = null;
    }
  }
}

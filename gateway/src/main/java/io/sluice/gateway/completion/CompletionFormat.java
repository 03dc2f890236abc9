package io.sluice.gateway.completion;

import io.sluice.common.openai.StreamUsage;
import io.sluice.gateway.http.ApiError;
import io.sluice.gateway.http.Frame;
import io.sluice.producer.reply.Answer;
import io.sluice.producer.reply.ReplyEvent;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Function;

/**
 * OpenAI's format of completions, which is also the pool's.
 *
 * @param usage where a stream reports its usage
 */
record CompletionFormat(StreamUsage usage) implements AnswerFormat {

  @Override
  public Frames frames(String requestId) {
    return new CompletionFrames(new ChunkFrames(usage));
  }

  @Override
  public Function<Answer, byte[]> whole() {
    return answer -> answer.json().getBytes(StandardCharsets.UTF_8);
  }

  private record CompletionFrames(ChunkFrames chunks) implements Frames {

    @Override
    public List<Frame> of(ReplyEvent event) {
      return chunks.of(event).stream().<Frame>map(Frame.Data::new).toList();
    }

    @Override
    public boolean isEnded() {
      return chunks.isEnded();
    }

    @Override
    public Frame keepAlive() {
      return Frame.KEEP_ALIVE;
    }

    @Override
    public Frame last() {
      return new Frame.Data(ChunkFrames.DONE);
    }

    @Override
    public Frame error(ApiError error) {
      return new Frame.Data(error.toText());
    }
  }
}

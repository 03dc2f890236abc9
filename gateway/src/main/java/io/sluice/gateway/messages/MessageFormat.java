package io.sluice.gateway.messages;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.protocol.Json;
import io.sluice.gateway.completion.AnswerFormat;
import io.sluice.gateway.completion.Frames;
import io.sluice.gateway.messages.answer.MessageEvents;
import io.sluice.gateway.messages.answer.WholeMessage;
import io.sluice.producer.reply.Answer;
import java.util.function.Function;

/**
 * The format of messages.
 *
 * @param chat the request as the pool gets it
 */
record MessageFormat(ObjectNode chat, PromptTokens tokens) implements AnswerFormat {

  @Override
  public Frames frames(String requestId) {
    return new MessageEvents(requestId, Math.toIntExact(tokens.of(chat)));
  }

  @Override
  public Function<Answer, byte[]> whole() {
    return answer -> Json.bytes(WholeMessage.of(answer));
  }
}

package io.sluice.worker.resume;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.common.openai.AnswerEnvelope;
import io.sluice.common.protocol.Endpoint;
import io.sluice.worker.engine.dialect.MessageContinuation;
import io.sluice.worker.engine.dialect.TokenIdSupport;
import io.sluice.worker.reply.PartialReply;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** How an engine is made to continue after what the log holds already. */
public sealed interface Continuation {
  /** Ways to continue, for logs and metrics; {@code restart} voids what other attempts wrote. */
  List<String> WAYS = List.of("start", "text", "ids", "end", "restart");

  /** Returns the answer so far, from the log. */
  PartialReply begun();

  /** Changes the engine's request so that its output follows the answer so far. */
  void applyTo(ObjectNode body);

  /** Returns the engine's endpoint for the request. */
  default Endpoint endpoint(Endpoint asked) {
    return asked;
  }

  /**
   * Returns whether the token ids in the log and the ids of the new tokens together are the tokens
   * of the text. Not so after a text that may have been cut inside a token.
   */
  default boolean keepsIds() {
    return true;
  }

  /** Output tokens that are in the log already. */
  default int tokens() {
    return begun().fold().tokens();
  }

  /**
   * Returns how many tokens may follow, if the engine has told another limit than the caller's.
   * That limit would otherwise count from here again.
   */
  default OptionalInt left() {
    return OptionalInt.empty();
  }

  /** Returns the kind of continuation in one word, for logs and metrics. */
  default String way() {
    return "text";
  }

  /** Returns how many of those tokens the engine gets as part of its prompt. */
  default int tokensInPrompt() {
    return tokens();
  }

  /** Returns the text of those tokens. */
  default String text() {
    return begun().text();
  }

  /** Id and creation time of the answer's first chunk; empty if there is none. */
  default Optional<AnswerEnvelope.Origin> origin() {
    return begun().origin();
  }

  /**
   * From the start. The log holds no tokens, or they will be voided by a claim that is still to
   * come.
   */
  record FromStart(PartialReply begun) implements Continuation {
    @Override
    public int tokens() {
      return 0;
    }

    @Override
    public String text() {
      return "";
    }

    @Override
    public Optional<AnswerEnvelope.Origin> origin() {
      return Optional.empty();
    }

    @Override
    public String way() {
      return "start";
    }

    @Override
    public int tokensInPrompt() {
      return 0;
    }

    @Override
    public void applyTo(ObjectNode body) {}
  }

  /** The tokens so far have no text: from the start, with lower limits. */
  record AfterSilence(PartialReply begun, OptionalInt left) implements Continuation {
    @Override
    public int tokensInPrompt() {
      return 0;
    }

    @Override
    public boolean keepsIds() {
      return false;
    }

    @Override
    public void applyTo(ObjectNode body) {}
  }

  /** The engine continues the assistant's message. */
  record InMessage(PartialReply begun, OptionalInt left, MessageContinuation how)
      implements Continuation {
    @Override
    public boolean keepsIds() {
      return false;
    }

    @Override
    public void applyTo(ObjectNode body) {
      how.apply(body, text());
    }
  }

  /** The text is appended to the prompt. */
  record AfterPrompt(PartialReply begun, OptionalInt left) implements Continuation {
    @Override
    public boolean keepsIds() {
      return false;
    }

    @Override
    public void applyTo(ObjectNode body) {
      body.put("prompt", body.path("prompt").asText() + text());
    }
  }

  /**
   * The tokens themselves follow those of the prompt, so nothing depends on how text is split into
   * tokens.
   *
   * @param outputIds the ids of the tokens in the log
   */
  record AfterIds(
      PartialReply begun,
      List<Integer> promptIds,
      List<Integer> outputIds,
      OptionalInt left,
      TokenIdSupport how)
      implements Continuation {
    @Override
    public String way() {
      return "ids";
    }

    @Override
    public Endpoint endpoint(Endpoint asked) {
      return how.endpoint();
    }

    @Override
    public void applyTo(ObjectNode body) {
      how.continueAfter(body, promptIds, outputIds);
    }
  }

  /** The answer is complete; only its end has to be published. */
  record Finished(PartialReply begun, String reason, Optional<JsonNode> stopReason)
      implements Continuation {
    @Override
    public String way() {
      return "end";
    }

    @Override
    public void applyTo(ObjectNode body) {}
  }

  /** From the start, with nothing in the log. */
  static Continuation fromStart() {
    return new FromStart(new PartialReply());
  }
}

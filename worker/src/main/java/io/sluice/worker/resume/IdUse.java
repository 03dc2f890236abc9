package io.sluice.worker.resume;

import io.sluice.common.openai.OpenAiRequest;
import io.sluice.worker.engine.dialect.EngineDialect;
import io.sluice.worker.engine.dialect.EngineDialects;

/** What an engine is asked for the ids of an answer's tokens for. */
public enum IdUse {
  /** It is not asked. */
  NONE,
  /** The ids show that the engine works while it withholds what it makes; they are not kept. */
  LIFE_SIGN,
  /** Another attempt can resume the answer by them. */
  RESUME;

  /** Returns what the ids of the answer to a request are for, at an engine of this kind. */
  public static IdUse of(OpenAiRequest body, EngineDialect dialect) {
    if (Resumability.byIds(body, dialect)) {
      return RESUME;
    }
    boolean isWithheld = EngineBody.isStreamed(body) && EngineDialects.mayWithhold(body);
    boolean areSent = dialect.tokenIds().filter(ids -> !ids.areWithheld(body)).isPresent();
    return isWithheld && areSent ? LIFE_SIGN : NONE;
  }
}

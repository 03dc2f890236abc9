package io.sluice.worker.engine;

/** What an engine understands beyond OpenAI's own interface. */
public enum EngineDialect {
  /** Nothing that is known. */
  OPENAI(false, false, false),
  SGLANG(true, false, false),
  VLLM(true, true, true);

  private final boolean continuesChats;
  private final boolean givesTokenIds;
  private final boolean tellsOutputLimit;

  EngineDialect(boolean continuesChats, boolean givesTokenIds, boolean tellsOutputLimit) {
    this.continuesChats = continuesChats;
    this.givesTokenIds = givesTokenIds;
    this.tellsOutputLimit = tellsOutputLimit;
  }

  /** The dialect of the engine that owns its models under this name. */
  public static EngineDialect ownedBy(String owner) {
    return switch (owner) {
      case "vllm" -> VLLM;
      case "sglang" -> SGLANG;
      default -> OPENAI;
    };
  }

  /** Whether it can go on in the middle of an assistant's message. */
  public boolean continuesChats() {
    return continuesChats;
  }

  /**
   * Whether it tells token ids with {@code return_token_ids}, and takes them as a prompt. Older
   * releases ignore the field.
   */
  public boolean givesTokenIds() {
    return givesTokenIds;
  }

  /**
   * Whether it names the most tokens it would generate when it is asked for more, by {@code
   * min_tokens}, before it generates any.
   */
  public boolean tellsOutputLimit() {
    return tellsOutputLimit;
  }
}

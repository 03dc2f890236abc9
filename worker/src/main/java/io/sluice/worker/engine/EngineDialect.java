package io.sluice.worker.engine;

/** What an engine understands beyond OpenAI's own interface. */
public enum EngineDialect {
  /** Nothing that is known. */
  OPENAI(false, false),
  SGLANG(true, false),
  VLLM(true, true);

  private final boolean continuesChats;
  private final boolean givesTokenIds;

  EngineDialect(boolean continuesChats, boolean givesTokenIds) {
    this.continuesChats = continuesChats;
    this.givesTokenIds = givesTokenIds;
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
}

package io.sluice.gateway.responses.chat;

/** A field of a request that is wrong, or that the pool does not support. */
public final class InvalidFieldException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final String param;

  InvalidFieldException(String param, String problem) {
    super(param + " " + problem);
    this.param = param;
  }

  /** Returns the field, such as {@code input[2].content}. */
  public String param() {
    return param;
  }
}

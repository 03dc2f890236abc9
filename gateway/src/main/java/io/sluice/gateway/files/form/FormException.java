package io.sluice.gateway.files.form;

import java.io.IOException;

/** A body is not the form that it should be. The message is for the caller. */
public final class FormException extends IOException {
  private static final long serialVersionUID = 1L;

  public FormException(String message) {
    super(message);
  }
}

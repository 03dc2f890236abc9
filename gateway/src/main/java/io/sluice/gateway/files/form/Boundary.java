package io.sluice.gateway.files.form;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The text between the fields of a form. */
public final class Boundary {
  private static final Pattern FORM =
      Pattern.compile("\\s*multipart/form-data\\s*(;.*)?", Pattern.CASE_INSENSITIVE);
  private static final Pattern BOUNDARY =
      Pattern.compile(
          ";\\s*boundary\\s*=\\s*(?:\"([^\"\\p{Cntrl}]{1,70})\"|([^\\s;\"\\p{Cntrl}]{1,70}))\\s*(?:;|$)",
          Pattern.CASE_INSENSITIVE);

  private Boundary() {}

  /**
   * Returns the boundary that a content type names.
   *
   * @throws FormException if the content type is not that of a form
   */
  public static String of(@Nullable String contentType) throws FormException {
    if (contentType == null || !FORM.matcher(contentType).matches()) {
      throw new FormException("the content type must be multipart/form-data");
    }
    Matcher matcher = BOUNDARY.matcher(contentType);
    if (!matcher.find()) {
      throw new FormException("the content type has no valid boundary");
    }
    return matcher.group(1) == null ? matcher.group(2) : matcher.group(1);
  }
}

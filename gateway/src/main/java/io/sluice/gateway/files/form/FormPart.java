package io.sluice.gateway.files.form;

import java.io.InputStream;
import java.util.Optional;

/**
 * A field of a form.
 *
 * @param filename as the client sent it; empty if the field is not a file
 * @param body the value, readable until the next field is read
 */
public record FormPart(String name, Optional<String> filename, InputStream body) {}

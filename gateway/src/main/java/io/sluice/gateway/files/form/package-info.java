/** Reads {@code multipart/form-data} in constant memory. */
@NullMarked
package io.sluice.gateway.files.form;

import org.jspecify.annotations.NullMarked;

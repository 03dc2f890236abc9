/** Sends valid and invalid HTTP requests to an engine that is verified. */
@NullMarked
package io.sluice.verify.http;

import org.jspecify.annotations.NullMarked;

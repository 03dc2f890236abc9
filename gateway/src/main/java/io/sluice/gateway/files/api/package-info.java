/** OpenAI's Files API. */
@NullMarked
package io.sluice.gateway.files.api;

import org.jspecify.annotations.NullMarked;

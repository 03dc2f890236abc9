/**
 * Parsing of request records: headers, body, token estimate and prompt prefix, or what is wrong
 * with them. Pure.
 */
@NullMarked
package io.sluice.router.parse;

import org.jspecify.annotations.NullMarked;

/** Rate limits: requests, tokens and places of each API key. */
@NullMarked
package io.sluice.gateway.quota;

import org.jspecify.annotations.NullMarked;

/** Translates chat answers into messages, their events and their errors. */
@NullMarked
package io.sluice.gateway.messages.answer;

import org.jspecify.annotations.NullMarked;

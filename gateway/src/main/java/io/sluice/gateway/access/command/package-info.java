/** {@code sluice keys}: creates, lists and revokes API keys. */
@NullMarked
package io.sluice.gateway.access.command;

import org.jspecify.annotations.NullMarked;

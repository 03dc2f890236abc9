/** What callers see of a response: a pure function of its record and its reply log. */
@NullMarked
package io.sluice.gateway.responses.event;

import org.jspecify.annotations.NullMarked;

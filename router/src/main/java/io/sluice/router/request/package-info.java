/**
 * A request and what is stored of it: its metadata, its state, the history of its attempts, and
 * where its record is in the log. Values and ports only; pure.
 */
@NullMarked
package io.sluice.router.request;

import org.jspecify.annotations.NullMarked;

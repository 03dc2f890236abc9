/**
 * The {@code sluice} command of production images: router, worker and the client commands, without
 * simulator and embedded backends.
 */
@NullMarked
package io.sluice.services;

import org.jspecify.annotations.NullMarked;

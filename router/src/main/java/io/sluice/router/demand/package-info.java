/** What the open requests ask of workers: tokens by model, tier and kind of traffic. */
@NullMarked
package io.sluice.router.demand;

import org.jspecify.annotations.NullMarked;

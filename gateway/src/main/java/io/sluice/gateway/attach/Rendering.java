package io.sluice.gateway.attach;

import java.util.List;

/** The form in which the events of one answer reach a reader. */
interface Rendering {

  /** Returns the items of the next event, with increasing positions; there may be none. */
  List<Item> of(Numbered event);
}

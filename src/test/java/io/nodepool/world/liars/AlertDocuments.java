package io.nodepool.world.liars;

import io.nodepool.health.catalogue.AlertCatalogue;
import io.nodepool.model.Observation;
import java.util.Optional;
import java.util.function.Consumer;

/** The document with a user's changes of the alert catalogue, as operators observe it. */
final class AlertDocuments {
  private Optional<Consumer<Observation>> observer = Optional.empty();

  /** What a new process observes first; empty if there is no document. */
  private Optional<Observation> last = Optional.empty();

  /** A process begins to observe. */
  Consumer<Observation> watched(Consumer<Observation> next) {
    observer = Optional.of(next);
    last.ifPresent(next);
    return next;
  }

  /** The catalogue is this one from now on. */
  void change(AlertCatalogue next) {
    write(new Observation.CatalogueSeen(next));
  }

  /** The document cannot be read from now on. */
  void garble() {
    write(new Observation.CatalogueRefused("alerts.yaml line 3: no grade"));
  }

  private void write(Observation next) {
    last = Optional.of(next);
    observer.ifPresent(to -> to.accept(next));
  }
}

package io.nodepool.control.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.health.catalogue.AlertCatalogue;
import io.nodepool.model.Observation;
import io.nodepool.model.ReconcileKey;
import io.nodepool.plan.Given;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which alert catalogue counts. */
class ObservedAlertsTest {
  private static final AlertCatalogue CHANGED =
      AlertCatalogue.shipped().changedBy("alerts.yaml", "alerts: {GPUVeryHot: {grade: manual}}");

  private final ClusterState state = ClusterStates.empty(InstantSource.fixed(Instant.EPOCH));

  @BeforeEach
  void aMachineIsKnown() {
    see(new Observation.HostSeen(Given.unassigned(Given.running("g1"))));
  }

  private Set<ReconcileKey> see(Observation seen) {
    return state.fold(seen, ClusterState.Source.WATCH);
  }

  @Test
  void atFirstItIsTheOneThatShips() {
    assertThat(state.health().catalogue()).isEqualTo(AlertCatalogue.shipped());
  }

  @Test
  void anotherOneWakesEverythingAndTheSameOneNothing() {
    assertThat(see(new Observation.CatalogueSeen(CHANGED)))
        .isEqualTo(state.known())
        .contains(new ReconcileKey.OfMachine("g1"));
    assertThat(state.health().catalogue()).isEqualTo(CHANGED);
    assertThat(
            see(
                new Observation.CatalogueSeen(
                    AlertCatalogue.shipped()
                        .changedBy("alerts.yaml", "alerts: {GPUVeryHot: {grade: manual}}"))))
        .isEmpty();
  }

  @Test
  void theLastOneThatCouldBeReadStays() {
    see(new Observation.CatalogueSeen(CHANGED));
    assertThat(see(new Observation.CatalogueRefused("alerts.yaml line 3: …"))).isEmpty();
    assertThat(state.health().catalogue()).isEqualTo(CHANGED);
  }

  @Test
  void whenTheChangesAreDeletedItIsTheOneThatShips() {
    see(new Observation.CatalogueSeen(CHANGED));
    see(new Observation.CatalogueSeen(AlertCatalogue.shipped()));
    assertThat(state.health().catalogue()).isEqualTo(AlertCatalogue.shipped());
  }

  @Test
  void whatAlertsAskIsNotKnownWhileAProcessHasReadNoDocumentThatCanBeRead() {
    assertThat(state.health().ungraded()).as("nothing was listed").isPresent();
    see(new Observation.CatalogueRefused("alerts.yaml line 3: …"));
    state.completed();
    assertThat(state.health().ungraded()).contains("alerts.yaml line 3: …");

    assertThat(see(new Observation.CatalogueSeen(AlertCatalogue.shipped())))
        .isEqualTo(state.known());
    assertThat(state.health().ungraded()).isEmpty();
    see(new Observation.CatalogueRefused("alerts.yaml line 3: …"));
    assertThat(state.health().ungraded()).isEmpty();
  }

  @Test
  void withoutADocumentItIsKnownOnceEverythingWasListed() {
    state.completed();
    assertThat(state.health().ungraded()).isEmpty();
  }
}

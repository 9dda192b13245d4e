package io.nodepool.world;

import static java.time.temporal.ChronoUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.FleetOffer;
import io.nodepool.fleet.configuration.FleetRelease;
import io.nodepool.vocabulary.EventReason;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A fleet that answers, and does not offer what a pool has active (contract §20). */
@Tag("world")
class MissingConfigurationTest {
  private static final String OTHER = "ncore-2.11.0";

  private final Drill drill = Drill.calm(1);
  private final FleetOffer first = drill.world.cluster().offer();

  private void offers(List<FleetRelease> releases) {
    drill.world.cluster().fleetOwner().offer(first.withReleases(releases));
  }

  private List<String> errors() {
    return drill
        .events(EventReason.NODE_CONFIG_INTERNAL_ERROR)
        .map(event -> event.eventDraft().message())
        .toList();
  }

  @Test
  void itIsSaidOnceAndNoMachineIsAssignedUntilItIsOfferedAgain() {
    drill.pool("a").target(2).toRest();

    offers(List.of(FleetRelease.whole(OTHER, List.of())));
    drill.advance(1, MINUTES);
    drill.pool("a").target(4);
    drill.advance(30, MINUTES);

    assertThat(drill.pool("a").conditions())
        .containsEntry("Validated", "NodeConfigInternalError")
        .containsEntry("NodeReconfigurationRequired", "InternalError")
        .containsEntry("AtTarget", "UnderTarget");
    assertThat(errors())
        .singleElement()
        .asString()
        .startsWith(
            "failed to generate node configuration due to internal error: the fleet does not offer ncore-2.10.1, which is active.");
    assertThat(drill.pool("a").hosts()).hasSize(2);

    offers(first.releases());
    drill.toRest();

    assertThat(drill.pool("a").conditions())
        .containsEntry("Validated", "Valid")
        .containsEntry("NodeReconfigurationRequired", "AllNodesUpToDate")
        .containsEntry("AtTarget", "TargetMet");
    assertThat(errors()).hasSize(1);
  }

  @Test
  void aPromotionOfWhatIsOfferedEndsItAndANewOccurrenceIsAnotherEvent() {
    drill.pool("a").target(2).toRest();
    RolloutClient client = new RolloutClient(drill, "a");

    offers(List.of(FleetRelease.whole(OTHER, List.of())));
    drill.advance(5, MINUTES);
    client.promote();
    drill.advance(5, MINUTES);
    assertThat(drill.pool("a").conditions()).containsEntry("Validated", "Valid");

    offers(first.releases());
    drill.advance(5, MINUTES);

    assertThat(drill.pool("a").conditions()).containsEntry("Validated", "NodeConfigInternalError");
    assertThat(errors()).hasSize(2);
    assertThat(errors().getLast()).contains("the fleet does not offer ncore-2.11.0");
  }

  @Test
  void anOfferThatCannotBeReadSaysNothingOfConfigurations() {
    drill.pool("a").target(2).toRest();

    drill.world.cluster().fleetOwner().loseOffer("no answer");
    drill.advance(5, MINUTES);

    assertThat(drill.pool("a").conditions()).containsEntry("Validated", "InternalError");
    assertThat(errors()).isEmpty();
  }
}

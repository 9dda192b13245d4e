package io.nodepool.simulated.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.nodepool.fleet.configuration.FleetRelease;
import io.nodepool.kubernetes.api.SimulatedFleet;
import io.nodepool.kubernetes.api.SimulatedFleetSpec;
import io.nodepool.kubernetes.convert.document.OfferDocument;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What a data centre on a cluster publishes of its releases, and when. */
class FleetReleasesTest {
  private static final Duration MOMENT = Duration.ofSeconds(1);

  private LoopHarness harness = new LoopHarness();
  private final SimulatedFleet fleet = harness.fleet();
  private ConfigMap offer = new ConfigMap();

  private void start(SimulatedFleetSpec.PublishedRelease... releases) {
    fleet.getSpec().releases.addAll(List.of(releases));
    harness.loop.fleetSeen(fleet);
    harness.loop.listed();
  }

  private static SimulatedFleetSpec.PublishedRelease release(String name, String after) {
    SimulatedFleetSpec.ReleasedImage image = new SimulatedFleetSpec.ReleasedImage();
    image.name = "ncore-" + name;
    image.train = "stable";
    image.kernels = List.of("6.8.0-71");
    SimulatedFleetSpec.PublishedRelease release = new SimulatedFleetSpec.PublishedRelease();
    release.name = name;
    release.after = after.isEmpty() ? null : after;
    release.images.add(image);
    release.kubernetesVersion = "v1.34.4";
    return release;
  }

  private Optional<LoopHarness.Sent> request() {
    return harness.sent.stream()
        .filter(each -> each.request().path().contains("configmaps"))
        .findFirst();
  }

  /** Answers the request in flight that publishes the offer, and returns what it publishes. */
  private List<String> published() throws Exception {
    LoopHarness.Sent sent = request().orElseThrow();
    harness.sent.remove(sent);
    if (sent.request().verb() == ApiRequest.Verb.POST) {
      offer = Serialization.unmarshal(sent.request().body(), ConfigMap.class);
      offer.getMetadata().setUid("offer");
    } else {
      offer = Serialization.clone(offer);
      offer.setData(
          Map.of(
              OfferDocument.KEY,
              new ObjectMapper()
                  .readTree(sent.request().body())
                  .at("/data")
                  .get(OfferDocument.KEY)
                  .asText()));
    }
    sent.answer().accept(harness.done(offer));
    return OfferDocument.read(offer).releases().stream().map(FleetRelease::name).toList();
  }

  @Test
  void aScheduledReleaseIsPublishedAtItsTimeWithoutAnotherObservation() throws Exception {
    start(release("1", ""), release("2", "2h"), release("3", "5h"));
    assertThat(published()).containsExactly("1");
    harness.pass(Duration.ofHours(2).minus(MOMENT));
    assertThat(request()).isEmpty();
    harness.pass(MOMENT);
    assertThat(published()).containsExactly("1", "2");
    harness.pass(Duration.ofHours(3));
    assertThat(published()).containsExactly("1", "2", "3");
    harness.pass(Duration.ofDays(9));
    assertThat(request()).isEmpty();
  }

  @Test
  void aReleaseThatIsAddedIsPublishedAtOnce() throws Exception {
    start(release("1", ""), release("2", "2h"));
    assertThat(published()).containsExactly("1");

    SimulatedFleet changed = Serialization.clone(fleet);
    changed.getSpec().releases.add(release("now", ""));
    changed.getMetadata().setGeneration(2L);
    harness.loop.fleetSeen(harness.seen(changed));
    assertThat(published()).containsExactly("1", "now");
    harness.pass(Duration.ofHours(2));
    assertThat(published()).containsExactly("1", "2", "now");
  }

  @Test
  void aDataCentreThatStartsLaterPublishesWhatIsDue() throws Exception {
    start(release("1", ""), release("2", "2h"));
    published();
    harness = new LoopHarness();
    harness.pass(Duration.ofHours(3));
    harness.loop.fleetSeen(fleet);
    harness.loop.offerSeen(harness.seen(Serialization.clone(offer)));
    harness.loop.listed();

    assertThat(published()).containsExactly("1", "2");
    harness.pass(Duration.ofDays(1));
    assertThat(request()).isEmpty();
  }
}

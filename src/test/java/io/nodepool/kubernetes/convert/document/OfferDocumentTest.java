package io.nodepool.kubernetes.convert.document;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.nodepool.fleet.FleetOffer;
import io.nodepool.fleet.configuration.FleetRelease;
import io.nodepool.kubernetes.convert.UnreadableObjectException;
import io.nodepool.model.Fixtures;
import io.nodepool.vocabulary.BootKind;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OfferDocumentTest {
  @Test
  void anOfferIsReadAsItWasWritten() {
    FleetOffer offer =
        Fixtures.offer(
            "US-EAST-04A",
            "US-EAST",
            "cw9a2f",
            new TreeSet<>(List.of("a", "b")),
            new TreeSet<>(List.of("b")),
            new TreeMap<>(Map.of("a", 4)),
            List.of(FleetRelease.whole("c1", List.of("image 1", "driver 2"))));

    assertThat(OfferDocument.read(OfferDocument.write(offer))).isEqualTo(offer);
    for (FleetOffer.Capabilities capabilities :
        List.of(
            FleetOffer.Capabilities.ALL,
            new FleetOffer.Capabilities(new TreeSet<>(List.of(BootKind.POWER_RESET)), false, false),
            new FleetOffer.Capabilities(new TreeSet<>(), true, false),
            new FleetOffer.Capabilities(new TreeSet<>(), false, true))) {
      FleetOffer able = offer.withCapabilities(capabilities);
      assertThat(OfferDocument.read(OfferDocument.write(able))).isEqualTo(able);
    }
  }

  @Test
  void releasesAreReadAsTheyWereWrittenAndConfigurationsAreOlder() {
    FleetOffer offer =
        Fixtures.offer(
            "US-EAST-04A",
            "US-EAST",
            "cw9a2f",
            new TreeSet<>(List.of("a")),
            new TreeSet<>(),
            new TreeMap<>(),
            List.of(
                FleetRelease.whole("c1", List.of("image 1")),
                new FleetRelease.Parts(
                    "2026.10",
                    List.of(
                        new FleetRelease.Image(
                            "ncore-2.12.0",
                            "stable",
                            List.of("6.8.0-60"),
                            new FleetRelease.Image.Source(
                                "https://images/ncore", "sha256:0a", "user-data")),
                        new FleetRelease.Image("ncore-2.13.0", "latest", List.of("6.8.0", "6.11"))),
                    List.of("570.172.08", "580.65.06"),
                    "v1.34.4"),
                new FleetRelease.Parts(
                    "2026.11",
                    List.of(new FleetRelease.Image("ncore-2.13.0", "stable", List.of("6.11"))),
                    List.of(),
                    "v1.34.5+cw1")));

    assertThat(OfferDocument.read(OfferDocument.write(offer))).isEqualTo(offer);
  }

  @Test
  void unknownFieldsOfReleasesAreIgnored() {
    FleetOffer offer =
        offer(
            """
            {"releases": [{"name": "r", "color": "red", "kubernetesVersion": "v1.34.4",
              "images": [{"name": "i", "train": "stable", "kernels": ["k"], "size": 1}]}]}
            """
                .strip());

    assertThat(offer.releases())
        .containsExactly(
            new FleetRelease.Parts(
                "r",
                List.of(new FleetRelease.Image("i", "stable", List.of("k"))),
                List.of(),
                "v1.34.4"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{}|releases in offer.json is no list: {}.",
        "[{}]|name of a release in offer.json is missing.",
        "[7]|name of a release in offer.json is missing.",
        "[{'name':'r'}]|images of release r in offer.json is empty; there must be at least one.",
        "[{'name':'r','images':{}}]|images of release r in offer.json is no list: {}.",
        "[{'name':'r','images':[{}]}]|name of an image of release r in offer.json is missing.",
        "[{'name':'r','images':[{'name':'a_b'}]}]|name of an image of release r in offer.json is or contains \"a_b\"; a part of a configuration must match [A-Za-z0-9]",
        "[{'name':'r','images':[{'name':'i'}]}]|train of image i of release r in offer.json is missing.",
        "[{'name':'r','images':[{'name':'i','train':'beta'}]}]|train of image i of release r in offer.json is beta; it must be stable or latest.",
        "[{'name':'r','images':[{'name':'i','train':'stable'}]}]|kernels of image i of release r in offer.json is empty; there must be at least one.",
        "[{'name':'r','images':[{'name':'i','train':'stable','kernels':[8]}]}]|kernels of image i of release r in offer.json is or contains no text: 8.",
        "[{'name':'r','images':[{'name':'i','train':'stable','kernels':['k']},{'name':'i','train':'latest','kernels':['k']}]}]|images of release r in offer.json has two named i.",
        "[{'name':'r','images':[{'name':'i','train':'stable','kernels':['k']}]}]|kubernetesVersion of release r in offer.json is missing.",
        "[{'name':'r','images':[{'name':'i','train':'stable','kernels':['k']}],'gpuDrivers':['-']}]|gpuDrivers of release r in offer.json is or contains \"-\"; a part of a configuration must match",
        "[{'name':'c1','kubernetesVersion':'v1','images':[{'name':'i','train':'stable','kernels':['k']}]}]|offer.json has two releases or configurations named c1."
      })
  void theMessageNamesTheMistakeInARelease(String releases, String message) {
    assertThatThrownBy(() ->
            offer(
                "{\"configurations\":[{\"profile\":\"c1\"}],\"releases\":%s}"
                    .formatted(releases.replace('\'', '"'))))
        .isInstanceOf(UnreadableObjectException.class)
        .hasMessageStartingWith(message);
  }

  @Test
  void aFleetThatNamesNoCapabilitiesBootsNothingOnRequest() {
    assertThat(offer("{}").capabilities()).isEqualTo(FleetOffer.Capabilities.NONE);
    assertThat(offer("{\"capabilities\":null}").capabilities())
        .isEqualTo(FleetOffer.Capabilities.NONE);
    assertThat(offer("{\"capabilities\":{}}").capabilities())
        .isEqualTo(FleetOffer.Capabilities.NONE);
  }

  @Test
  void aKindOfBootThatIsNotKnownIsIgnored() {
    assertThat(
            offer("{\"capabilities\":{\"boots\":[\"Melt\",\"Reboot\"],\"verifies\":true}}")
                .capabilities())
        .isEqualTo(
            new FleetOffer.Capabilities(new TreeSet<>(List.of(BootKind.REBOOT)), true, false));
  }

  /** The offer with these fields, besides those that every offer has. */
  private static FleetOffer offer(String more) {
    String fields = more.substring(1, more.length() - 1);
    return OfferDocument.read(
        "{\"zone\":\"Z\",\"instanceTypes\":[]" + (fields.isEmpty() ? "" : "," + fields) + "}");
  }

  @Test
  void theMinimalOfferHasAZoneAndTypes() {
    FleetOffer offer = OfferDocument.read("{\"zone\":\"Z\",\"instanceTypes\":[],\"other\":1}");

    assertThat(offer.region()).isEqualTo("Z");
    assertThat(offer.quota()).isEmpty();
    assertThat(offer.releases()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "[]|offer.json is no JSON object.",
        "{|offer.json is no JSON: Unexpected end-of-input",
        "{\"instanceTypes\":[]}|zone in offer.json is missing.",
        "{\"zone\":7,\"instanceTypes\":[]}|zone in offer.json is no text: 7.",
        "{\"zone\":\"Z\"}|instanceTypes in offer.json is missing.",
        "{\"zone\":\"Z\",\"instanceTypes\":[1]}|instanceTypes in offer.json holds what is no text: 1",
        "{\"zone\":\"Z\",\"instanceTypes\":[],\"quota\":{\"a\":1.5}}|quota of a in offer.json is no number of Nodes: 1.5",
        "{\"zone\":\"Z\",\"instanceTypes\":[],\"quota\":{\"a\":-1}}|quota of a in offer.json is no number of Nodes: -1",
        "{\"zone\":\"Z\",\"instanceTypes\":[],\"configurations\":[{}]}|profile in offer.json is missing.",
        "{\"zone\":\"Z\",\"instanceTypes\":[],\"capabilities\":[]}|capabilities in offer.json is no object.",
        "{\"zone\":\"Z\",\"instanceTypes\":[],\"capabilities\":{\"boots\":\"Reboot\"}}|boots in offer.json is no list: \"Reboot\".",
        "{\"zone\":\"Z\",\"instanceTypes\":[],\"capabilities\":{\"boots\":[1]}}|boots in offer.json holds what is no text: 1",
        "{\"zone\":\"Z\",\"instanceTypes\":[],\"capabilities\":{\"verifies\":1}}|verifies in offer.json is neither true nor false: 1"
      })
  void theMessageNamesTheMistake(String text, String message) {
    assertThatThrownBy(() -> OfferDocument.read(text))
        .isInstanceOf(UnreadableObjectException.class)
        .hasMessageStartingWith(message);
  }

  @Test
  void aConfigMapWithoutTheKeyIsUnreadable() {
    assertThatThrownBy(() ->
            OfferDocument.read(
                new ConfigMapBuilder()
                    .withNewMetadata()
                    .withName("fleet-offer")
                    .endMetadata()
                    .build()))
        .hasMessage("ConfigMap fleet-offer has no key offer.json.");
  }
}

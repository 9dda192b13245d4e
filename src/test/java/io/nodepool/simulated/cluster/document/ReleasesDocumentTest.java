package io.nodepool.simulated.cluster.document;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.nodepool.fleet.catalogue.InstanceCatalogue;
import io.nodepool.fleet.configuration.FleetRelease;
import io.nodepool.kubernetes.api.SimulatedFleetSpec;
import io.nodepool.simulated.BrokenConfiguration;
import io.nodepool.simulated.DataCentre;
import io.nodepool.simulated.RebootMishaps;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ReleasesDocumentTest {
  private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());
  private static final String VALID =
      """
      zone: US-EAST-04A
      configurations:
        - name: c1
          summary: [image 1]
      releases:
        - name: "2026.10"
          images:
            - {name: ncore-2.12.0, train: stable, kernels: [6.8.0-60, 6.8.0-71]}
            - {name: ncore-2.13.0, train: latest, kernels: [6.11.0-29]}
          gpuDrivers: [570.172.08, 580.65.06]
          kubernetesVersion: v1.34.4
        - name: "2026.11"
          after: 2h
          images:
            - {name: ncore-2.13.0, train: stable, kernels: [6.11.0-29]}
          kubernetesVersion: v1.34.5
      mishaps:
        configurations:
          - {image: ncore-2.13.0, fromBoot: 11}
          - {kernel: 6.11.0-29, gpuDriver: 580.65.06, mishap: NotReady}
      """;

  private static DataCentreDocument.Reading read(String yaml) {
    try {
      JsonNode tree = YAML.readTree(yaml);
      return DataCentreDocument.read(
          new ObjectMapper().convertValue(tree, SimulatedFleetSpec.class),
          InstanceCatalogue.bundled());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void releasesAndWhatBreaksAreRead() {
    DataCentre centre = ((DataCentreDocument.Reading.Valid) read(VALID)).dataCentre();

    FleetRelease first =
        new FleetRelease.Parts(
            "2026.10",
            List.of(
                new FleetRelease.Image("ncore-2.12.0", "stable", List.of("6.8.0-60", "6.8.0-71")),
                new FleetRelease.Image("ncore-2.13.0", "latest", List.of("6.11.0-29"))),
            List.of("570.172.08", "580.65.06"),
            "v1.34.4");
    assertThat(centre.offer().releases())
        .containsExactly(FleetRelease.whole("c1", List.of("image 1")), first);
    assertThat(centre.terms().nextPublication(Duration.ZERO)).contains(Duration.ofHours(2));
    assertThat(centre.mishaps().configurations())
        .containsExactly(
            new BrokenConfiguration("ncore-2.13.0", "", "", 11, RebootMishaps.Kind.HANG),
            new BrokenConfiguration("", "6.11.0-29", "580.65.06", 1, RebootMishaps.Kind.NOT_READY));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "name: \"2026.11\"|name: \"2026.10\"|spec.releases: there is another release or configuration named 2026.10.",
        "name: \"2026.11\"|name: c1|spec.releases: there is another release or configuration named c1.",
        "name: \"2026.11\"|name: \"\"|spec.releases: there is a release without a name.",
        "after: 2h|after: soon|spec.releases: 2026.11: after: \"soon\" is not a duration; write it like 90s, 5m or 1h30m.",
        "train: latest|train: beta|spec.releases: 2026.10: image ncore-2.13.0: train is \"beta\"; it is stable or latest.",
        "name: ncore-2.12.0|name: ncore-2.13.0|spec.releases: 2026.10: there are two images named ncore-2.13.0.",
        "name: ncore-2.12.0|name: a_b|spec.releases: 2026.10: images: \"a_b\" cannot be a part of a configuration",
        "[6.8.0-60, 6.8.0-71]|[]|spec.releases: 2026.10: image ncore-2.12.0 has no kernels; it needs at least one.",
        "[6.8.0-60, 6.8.0-71]|[a b]|spec.releases: 2026.10: image ncore-2.12.0: kernels: \"a b\" cannot be a part",
        "580.65.06]|580+1]|spec.releases: 2026.10: gpuDrivers: \"580+1\" cannot be a part of a configuration",
        "kubernetesVersion: v1.34.5|kubernetesVersion: v1_34|spec.releases: 2026.11: kubernetesVersion: \"v1_34\" cannot be a part",
        "image: ncore-2.13.0, fromBoot: 11|fromBoot: 11|spec.mishaps.configurations: an entry names no part; give at least one of image, kernel and gpuDriver.",
        "fromBoot: 11|fromBoot: 0|spec.mishaps.configurations: fromBoot is 0; the first one is 1, and without it each is meant.",
        "NotReady|Melt|spec.mishaps.configurations: there is no mishap \"Melt\"; it is one of Hang, Fail, NotReady, VerificationFailure."
      })
  void theMessageNamesTheMistake(String right, String wrong, String message) {
    assertThat(VALID).contains(right);

    assertThat(read(VALID.replace(right, wrong)))
        .isInstanceOfSatisfying(
            DataCentreDocument.Reading.Invalid.class,
            reading -> assertThat(reading.why()).startsWith(message));
  }

  @Test
  void aReleaseNeedsAnImage() {
    assertThat(
            read(
                """
                {zone: Z, releases: [{name: r, images: [], kubernetesVersion: v1}]}
                """))
        .isEqualTo(
            new DataCentreDocument.Reading.Invalid(
                "spec.releases: r has no images; it needs at least one."));
  }
}

package io.nodepool.ironic.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.fabric8.kubernetes.client.Config;
import io.nodepool.fleet.FleetOffer;
import io.nodepool.fleet.configuration.FleetRelease;
import io.nodepool.kubernetes.convert.document.OfferDocument;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What docs/ironic.md tells an owner of machines to write is understood. */
class IronicPageTest {
  private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());

  private static JsonNode page(String first) throws IOException {
    String text = Files.readString(Path.of("docs/ironic.md"));
    return YAML.readTree(
        Pattern.compile("```yaml\n(" + Pattern.quote(first) + ".*?)```", Pattern.DOTALL)
            .matcher(text)
            .results()
            .map(found -> found.group(1))
            .findFirst()
            .orElseThrow());
  }

  @Test
  void theUserDataHasAKubeconfigWithWhichAKubeletJoins() throws IOException {
    String template = page("#cloud-config").path("write_files").path(0).path("content").asText();
    String authority = "-----BEGIN CERTIFICATE-----\nlines\n-----END CERTIFICATE-----\n";
    String encoded = Base64.getEncoder().encodeToString(authority.getBytes(StandardCharsets.UTF_8));
    Config config =
        Config.fromKubeconfig(
            JoinDrive.rendered(
                template,
                Map.of("token", "secret", "server", "https://api.example", "authority", encoded)));
    assertThat(config.getAutoOAuthToken()).isEqualTo("secret");
    assertThat(config.getMasterUrl()).startsWith("https://api.example");
    assertThat(config.getCaCertData()).isEqualTo(encoded);
  }

  @Test
  void theValuesAreThoseOfTheChartAndTheirOfferHasAnImage() throws IOException {
    JsonNode values = page("ironic:").path("ironic");
    JsonNode known = YAML.readTree(Path.of("deploy/chart/values.yaml").toFile()).path("ironic");
    assertThat(known.fieldNames()).toIterable().containsAll(List.copyOf(names(values)));
    FleetOffer offer = OfferDocument.read(values.path("offer").toString());
    assertThat(offer.releases().getFirst())
        .isInstanceOfSatisfying(
            FleetRelease.Parts.class,
            parts -> assertThat(parts.images().getFirst().source().image()).endsWith(".iso"));
  }

  private static List<String> names(JsonNode object) {
    return object.properties().stream().map(Map.Entry::getKey).toList();
  }
}

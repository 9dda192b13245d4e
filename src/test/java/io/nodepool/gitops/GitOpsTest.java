package io.nodepool.gitops;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What Argo CD and Flux find of recorded NodePools with the checks of {@code docs/gitops.md}. */
class GitOpsTest {
  private static final String WELL =
      "AtTarget-TargetMet.Capacity-Sufficient.Quota-Under.Validated-Valid";

  private final HealthChecks checks = HealthChecks.documented();

  private static ObjectNode well() throws IOException {
    return Objects.requireNonNull(RecordedPools.all().get(WELL)).deepCopy();
  }

  @Test
  void aPoolIsHealthyOnceItHasWhatGitAsksFor() throws IOException {
    Map<String, JsonNode> pools = RecordedPools.all();

    assertThat(pools).containsKey(WELL).hasSizeGreaterThan(8);
    pools.forEach((standing, pool) -> RecordedPools.assertHealth(checks, standing, pool));
  }

  @ParameterizedTest
  @CsvSource({"true, Suspended", "yes, Suspended", "false, Healthy", "'', Healthy"})
  void aPausedPoolIsSuspended(String paused, String status) throws IOException {
    ObjectNode pool = well();
    ((ObjectNode) pool.get("metadata"))
        .withObjectProperty("annotations")
        .put("nodepool.io/paused", paused);

    assertThat(checks.ofArgo(pool).status()).isEqualTo(status);
    assertThat(checks.ofFlux(pool)).isEqualTo("Current");
  }

  @Test
  void aSpecThatTheOperatorHasNotSeenIsInProgress() throws IOException {
    ObjectNode changed = well();
    ((ObjectNode) changed.get("metadata")).put("generation", 99);
    ObjectNode created = well();
    created.remove("status");

    assertThat(checks.ofArgo(changed).status()).isEqualTo("Progressing");
    assertThat(checks.ofFlux(changed)).isEqualTo("InProgress");
    assertThat(checks.ofArgo(created).status()).isEqualTo("Progressing");
    assertThat(checks.ofFlux(created)).as("it waits").isEqualTo("Unknown");
  }
}

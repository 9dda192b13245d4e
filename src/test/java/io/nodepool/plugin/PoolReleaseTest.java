package io.nodepool.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The command that releases what a pool holds for a person. */
class PoolReleaseTest {
  private static final String PATH = "/apis/compute.coreweave.com/v1alpha1/nodepools/train";

  private static final String NODES = "GET /api/v1/nodes?limit=500";

  @RegisterExtension private final FakeApi api = new FakeApi();

  private static String pool(String failed) {
    return """
    {'metadata': {'name': 'train', 'generation': 3},
     'status': {'observedGeneration': 3, 'currentNodes': 10%s}}
    """
        .formatted(failed);
  }

  @Test
  void whatIsHeldNowIsReleasedByItsName() {
    api.on(
        "GET " + PATH,
        pool(", 'failedReboots': {'waiting': 4, 'heldSince': '2026-01-01T10:00:00Z'}"));

    assertThat(api.command("release", "train")).isZero();
    assertThat(api.writes)
        .containsExactly(
            "PATCH %s {'metadata':{'annotations':{'nodepool.io/release-failed-reboots':'2026-01-01T10:00:00Z'}}}"
                .formatted(PATH));
    assertThat(api.out())
        .isEqualTo(
            "nodepool/train release requested of what is held since 2026-01-01T10:00:00Z: 4 waiting\n");
  }

  @Test
  void whatIsHeldByTheLimitsOfRepairsIsReleasedUntilNow() {
    api.on("GET " + PATH, pool(", 'repairs': {'waiting': 2, 'message': 'Held.'}"))
        .on(NODES, "{'items': []}");

    assertThat(api.command("release", "train")).isZero();
    assertThat(api.writes)
        .containsExactly(
            "PATCH %s {'metadata':{'annotations':{'nodepool.io/release':'2026-11-22T10:00:00Z'}}}"
                .formatted(PATH));
    assertThat(api.out())
        .isEqualTo(
            "nodepool/train release requested of what was set aside until 2026-11-22T10:00:00Z: 2 waiting\n");
  }

  @Test
  void allThatIsHeldIsReleasedInOneWrite() {
    api.on(
        "GET " + PATH,
        pool(
            ", 'repairs': {'waiting': 2}, 'failedReboots': {'waiting': 4, 'heldSince': '2026-01-01T10:00:00Z'}"));

    api.on(NODES, "{'items': []}");
    assertThat(api.command("release", "train")).isZero();
    assertThat(api.writes)
        .containsExactly(
            "PATCH %s {'metadata':{'annotations':{'nodepool.io/release':'2026-11-22T10:00:00Z','nodepool.io/release-failed-reboots':'2026-01-01T10:00:00Z'}}}"
                .formatted(PATH));
    assertThat(api.out()).contains("until 2026-11-22T10:00:00Z: 2 waiting", "since 2026-01-01");
  }

  @Test
  void anAlertThatIsSuspectedIsReleasedForAWhile() {
    String until = "2026-11-22T12:00:00Z";
    String later = "2026-11-22T10:01:00Z";
    api.on(
        "GET " + PATH,
        pool(", 'repairs': {'waiting': 20, 'suspects': [{'alert': 'GPUFallenOffBus', 'verdict': 'Pending'}]}")
            .replace(
                "'generation': 3}",
                "'generation': 3, 'annotations': {'nodepool.io/release-suspects': 'Old/2020-01-01T00:00:00Z,Other/%s'}}"
                    .formatted(later)));

    api.on(NODES, "{'items': []}");
    assertThat(api.command("release", "train", "--suspect", "GPUFallenOffBus", "--for", "2h"))
        .isZero();
    assertThat(api.writes)
        .containsExactly(
            "PATCH %s {'metadata':{'annotations':{'nodepool.io/release-suspects':'GPUFallenOffBus/%s,Other/%s'}}}"
                .formatted(PATH, until, later));
    assertThat(api.out())
        .isEqualTo(
            "nodepool/train release requested of GPUFallenOffBus until %s\n".formatted(until));
  }

  @Test
  void anAlertThatIsNotSuspectedNeedsNoRelease() {
    api.on(
        "GET " + PATH,
        pool(
            ", 'repairs': {'suspects': [{'alert': 'GPUVeryHot', 'verdict': 'Genuine'}, {'alert': 'GPUFallenOffBus', 'verdict': 'Pending'}]}"));

    assertThat(api.command("release", "train", "--suspect", "GPUVeryHot")).isZero();
    assertThat(api.out())
        .isEqualTo(
            "nodepool/train does not suspect GPUVeryHot; nothing was written. Suspected: GPUFallenOffBus\n");
    assertThat(api.writes).isEmpty();
  }

  @Test
  void nothingIsWrittenIfNothingIsHeldForAPerson() {
    api.on("GET " + PATH, pool(", 'failedReboots': {'waiting': 4}"));

    assertThat(api.command("release", "train")).isZero();
    assertThat(api.out())
        .isEqualTo("nodepool/train holds no repairs and no failed reboots; nothing was written\n");
    assertThat(api.writes).isEmpty();
  }
}

package io.nodepool.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The commands that show, promote and roll back the configurations of a NodePool. */
class ConfigurationCommandsTest {
  private static final String PATH = "/apis/compute.coreweave.com/v1alpha1/nodepools/train";
  private static final String POOL = "GET " + PATH;
  private static final String WRITE = "PATCH " + PATH + " ";
  private static final String WATCH =
      "GET /apis/compute.coreweave.com/v1alpha1/nodepools?fieldSelector=metadata.name%3Dtrain";
  private static final String EVENTS =
      "GET /api/v1/namespaces/default/events?fieldSelector=involvedObject.kind%3DNodePool%2CinvolvedObject.name%3Dtrain";
  private static final String PENDING =
      "'pendingNodeConfiguration': {'nodeProfile': 'c', 'createdAt': '2026-11-22T09:59:00Z', 'summary': ['image i3']}";

  /** Roll-backs have made b the last one that was active before a. */
  private static final String REVISIONS =
      """
      'nodeProfile': 'a', 'nodeConfigurationRevisions': [
        {'nodeProfile': 'broken', 'createdAt': '2026-11-20T10:00:00Z', 'activatedAt': '2026-11-20T10:00:00Z', 'disabled': true},
        {'nodeProfile': 'b', 'createdAt': '2026-11-21T10:00:00Z', 'activatedAt': '2026-11-22T08:00:00Z', 'activeNodes': 2, 'summary': ['image i1', 'kernel k']},
        {'nodeProfile': 'old', 'createdAt': '2026-11-21T11:00:00Z'},
        {'nodeProfile': 'a', 'createdAt': '2026-11-22T08:00:00Z', 'activatedAt': '2026-11-22T09:00:00Z', 'activeNodes': 6, 'summary': ['image i2']}]
      """;

  @RegisterExtension private final FakeApi api = new FakeApi();

  @BeforeEach
  void start() {
    api.on(WATCH, "{'type': 'MODIFIED', 'object': {}}\n");
  }

  private static String pool(String annotations, String... status) {
    return "{'metadata': {'name': 'train', 'resourceVersion': '7', 'annotations': {%s}}, 'status': {%s}}"
        .formatted(annotations, String.join(", ", status));
  }

  private static String accepted(int number) {
    return "'nodepool.io/accepted-command': '{\\\"number\\\":%d,\\\"promote\\\":true}'"
        .formatted(number);
  }

  private static String carriedOut(int number) {
    return "'configuration': {'command': %d}".formatted(number);
  }

  @Test
  void theRevisionsAreListedWithTheActiveAndThePendingOne() {
    api.on(POOL, pool("", REVISIONS, PENDING));

    assertThat(api.command("revisions", "train")).isZero();
    assertThat(api.out())
        .isEqualTo(
            """
            PROFILE   ACTIVE    NODES   AGE    DISABLED   SUMMARY
            broken              0       2d     true       <none>
            b                   2       24h    false      image i1, kernel k
            old                 0       23h    false      <none>
            a         *         6       120m   false      image i2
            c         pending   0       60s    false      image i3
            """);
    assertThat(api.err()).isEmpty();
  }

  @Test
  void aDocumentHasValuesInsteadOfTexts() {
    api.on(POOL, pool("", REVISIONS, PENDING));

    assertThat(api.command("revisions", "train", "-o", "json")).isZero();
    assertThat(api.out().replaceAll("\\s+", " "))
        .contains("\"profile\": \"b\", \"active\": false, \"pending\": false, \"nodes\": 2")
        .contains("\"disabled\": false, \"summary\": [ \"image i1\", \"kernel k\" ]")
        .contains("\"profile\": \"a\", \"active\": true")
        .contains("\"profile\": \"c\", \"active\": false, \"pending\": true")
        .contains("\"createdAt\": \"2026-11-22T08:00:00Z\"");
  }

  @Test
  void aRevisionThatIsPendingAgainIsListedOnce() {
    api.on(POOL, pool("", REVISIONS, "'pendingNodeConfiguration': {'nodeProfile': 'old'}"));

    assertThat(api.command("revisions", "train")).isZero();
    assertThat(api.out().lines().filter(line -> line.startsWith("old")))
        .containsExactly("old       pending   0       23h    false      <none>");
    assertThat(api.out().lines()).hasSize(5);
  }

  @Test
  void aPoolWithoutConfigurationsAndOneThatDoesNotExistAreReported() {
    assertThat(api.command("revisions", "train")).isEqualTo(1);
    assertThat(api.err()).isEqualTo("error: train not found\n");
    api.on(POOL, pool(""));
    assertThat(api.command("revisions", "train")).isZero();
    assertThat(api.err()).isEqualTo("NodePool train has no configuration yet.\n");
  }

  @Test
  void anUpgradePromotesThePendingConfiguration() {
    api.on(POOL, pool("", REVISIONS, PENDING));

    assertThat(api.command("upgrade", "train")).isZero();
    assertThat(api.writes)
        .containsExactly(WRITE + "{'metadata':{'annotations':{'nodepool.io/promote':'true'}}}");
    assertThat(api.out()).isEqualTo("nodepool/train upgrade to c requested\n");
  }

  @Test
  void anUpgradeNeedsAPendingConfiguration() {
    api.on(POOL, pool("", REVISIONS));

    assertThat(api.command("upgrade", "train")).isEqualTo(1);
    assertThat(api.err())
        .isEqualTo("error: nodepool/train: no configuration is pending; the active one is a\n");
    assertThat(api.writes).isEmpty();
  }

  @Test
  void anUpgradeThatIsRequestedAlreadyIsNotWrittenAgain() {
    api.on(POOL, pool("'nodepool.io/promote': 'true'", REVISIONS, PENDING));

    assertThat(api.command("upgrade", "train")).isZero();
    assertThat(api.out())
        .isEqualTo("nodepool/train upgrade to c is requested already; nothing was written\n");
    assertThat(api.writes).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "upgrade, rollback, a rollback is requested and not accepted yet; the operator would refuse both",
    "rollback, promote, an upgrade is requested and not accepted yet; the operator would refuse both"
  })
  void thereAreNeverBothCommandsAtOnce(String command, String other, String why) {
    api.on(POOL, pool("'nodepool.io/%s': 'true'".formatted(other), REVISIONS, PENDING));

    assertThat(api.command(command, "train")).isEqualTo(1);
    assertThat(api.err()).isEqualTo("error: nodepool/train: " + why + "\n");
    assertThat(api.writes).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"rollback train, b", "rollback train old, old"})
  void aRollbackNamesItsTarget(String command, String target) {
    api.on(POOL, pool("", REVISIONS, PENDING));

    assertThat(api.command(command.split(" "))).isZero();
    assertThat(api.writes)
        .containsExactly(
            WRITE + "{'metadata':{'annotations':{'nodepool.io/rollback':'%s'}}}".formatted(target));
    assertThat(api.out()).isEqualTo("nodepool/train rollback to %s requested\n".formatted(target));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "a | a is the active configuration already",
        "c | c is pending and was not active before; kubectl nodepool upgrade train makes it the active one",
        "z | \"z\" is none of its revisions; revisions: broken (disabled), b, old, a (active)",
        "broken | broken is disabled, since machines in a row did not boot with it; revisions: broken (disabled), b, old, a (active)"
      })
  void aRollbackToAnythingElseIsRefused(String target, String why) {
    api.on(POOL, pool("", REVISIONS, PENDING));

    assertThat(api.command("rollback", "train", target)).isEqualTo(1);
    assertThat(api.err()).isEqualTo("error: nodepool/train: " + why + "\n");
    assertThat(api.writes).isEmpty();
  }

  @Test
  void thereMayBeNothingToGoBackTo() {
    api.on(
        POOL, pool("", "'nodeProfile': 'a', 'nodeConfigurationRevisions': [{'nodeProfile': 'a'}]"));

    assertThat(api.command("rollback", "train")).isEqualTo(1);
    assertThat(api.err())
        .isEqualTo("error: nodepool/train: no configuration was active before a\n");
  }

  @Test
  void waitEndsOnceTheConfigurationIsActive() {
    api.on(EVENTS, "{'items': []}");
    String promote = "'nodepool.io/promote': 'true'";
    api.on(POOL, pool("", REVISIONS, PENDING))
        .on(POOL, pool(promote, REVISIONS, PENDING))
        .on(POOL, pool(accepted(1), REVISIONS, PENDING))
        .on(POOL, pool(accepted(1), "'nodeProfile': 'c'", carriedOut(1)));

    assertThat(api.command("upgrade", "train", "--wait")).isZero();
    assertThat(api.out())
        .isEqualTo("nodepool/train upgrade to c requested\nnodepool/train upgraded to c\n");
    assertThat(api.requests).filteredOn(WATCH::equals).hasSize(2);
  }

  @Test
  void waitSaysWhichConfigurationIsActiveIfANewerOneBecamePendingMeanwhile() {
    api.on(EVENTS, "{'items': []}");
    api.on(POOL, pool("", REVISIONS, PENDING))
        .on(POOL, pool(accepted(1), "'nodeProfile': 'd'", carriedOut(1)));

    assertThat(api.command("upgrade", "train", "--wait")).isZero();
    assertThat(api.out()).endsWith("nodepool/train upgraded to d\n");
  }

  private static String event(String name, String version, String message) {
    return "{'metadata': {'name': '%s', 'resourceVersion': '%s'}, 'reason': 'CWNodePoolNodeConfigRollbackFailed', 'message': '%s'}"
        .formatted(name, version, message);
  }

  @Test
  void waitReportsWhyTheOperatorRefusedTheCommand() {
    String earlier = event("e1", "1", "An earlier one.");
    api.on(EVENTS, "{'items': [%s]}".formatted(earlier))
        .on(EVENTS, "{'items': [%s, %s]}".formatted(earlier, event("e2", "9", "Too old.")))
        .on(POOL, pool(accepted(4), REVISIONS, carriedOut(4)))
        .on(POOL, pool(accepted(5), REVISIONS, carriedOut(5)));

    assertThat(api.command("rollback", "train", "old", "--wait")).isEqualTo(1);
    assertThat(api.out()).isEqualTo("nodepool/train rollback to old requested\n");
    assertThat(api.err()).isEqualTo("error: nodepool/train: Too old.\n");
  }

  @Test
  void waitFailsIfNothingChangedAndNoEventSaysWhy() {
    api.on(EVENTS, "{'items': []}");
    api.on(POOL, pool("", REVISIONS)).on(POOL, pool(accepted(1), REVISIONS, carriedOut(1)));

    assertThat(api.command("rollback", "train", "--wait")).isEqualTo(1);
    assertThat(api.err()).isEqualTo("error: nodepool/train: carried out, but a is still active\n");
  }

  @Test
  void waitEndsWithAnErrorAtItsTimeOut() {
    api.on(EVENTS, "{'items': []}");
    api.step = Duration.ofMinutes(1);
    api.on(POOL, pool("", REVISIONS, PENDING))
        .on(
            POOL,
            pool(
                accepted(1),
                REVISIONS,
                PENDING,
                "'configuration': {'waitingUntil': '2026-11-22T10:30:00Z'}"));

    assertThat(api.command("upgrade", "train", "--wait", "--timeout=2m")).isEqualTo(4);
    assertThat(api.err())
        .isEqualTo(
            "error: nodepool/train: not carried out after 120 s: the active configuration is a;"
                + " the change waits until 2026-11-22T10:30:00Z at most for Nodes in delivery\n");
  }

  @Test
  void whatTheServerRefusesIsReported() {
    api.on(POOL, pool("", REVISIONS, PENDING))
        .on("PATCH " + PATH, 403, FakeApi.status("nodepools train is forbidden"));

    assertThat(api.command("upgrade", "train")).isEqualTo(1);
    assertThat(api.err()).isEqualTo("error: nodepool/train: nodepools train is forbidden\n");
    assertThat(api.out()).isEmpty();
  }
}

package io.nodepool.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The commands that start, stop and show rollouts. */
class RolloutCommandsTest {
  private static final String PATH = "/apis/compute.coreweave.com/v1alpha1/nodepools/train";
  private static final String POOL = "GET " + PATH;

  @RegisterExtension private final FakeApi api = new FakeApi();

  /** A pool of 10 Nodes, 4 of which are up to date. */
  private static String pool(String annotations, String rollout) {
    return """
    {'metadata': {'name': 'train', 'generation': 3, 'annotations': {%s}},
     'spec': {'nodeConfigurationUpdateStrategy': {'type': 'RolloutOnCommand'}},
     'status': {'observedGeneration': 3, 'currentNodes': 10, 'nodeProfile': 'a',
       'nodeConfigurationRevisions': [{'nodeProfile': 'a', 'activeNodes': 4, 'disabled': false}],
       'conditions': [{'type': 'NodeReconfigurationRequired', 'status': 'True', 'reason': 'StagedNodeConfig',
         'message': '6 nodes are not booted into a.'}],
       'configuration': {'command': 0%s}}}
    """
        .formatted(annotations, rollout);
  }

  private static String rollout(String fields) {
    return ", 'rollout': {'number': 2" + fields + "}";
  }

  private static String upToDate(String pool) {
    return pool.replace(
        "'True', 'reason': 'StagedNodeConfig'", "'False', 'reason': 'AllNodesUpToDate'");
  }

  private static String written(String annotations) {
    return "PATCH %s {'metadata':{'annotations':{%s}}}".formatted(PATH, annotations);
  }

  @Test
  void aRolloutIsStartedWithTheSettingsThatThePoolHas() {
    api.on(POOL, pool("'nodepool.io/rollout-max-unavailable': '10%'", ""));

    assertThat(api.command("rollout", "start", "train")).isZero();
    assertThat(api.writes).containsExactly(written("'nodepool.io/rollout':'start'"));
    assertThat(api.out())
        .isEqualTo(
            "nodepool/train rollout start requested (max unavailable 10%, no canary, busy Nodes are waited for)\n");
  }

  @Test
  void settingsAreWrittenWithTheCommand() {
    api.on(POOL, pool("'nodepool.io/rollout-evict': 'false'", ""));

    assertThat(
            api.command(
                "rollout",
                "start",
                "train",
                "--max-unavailable=5",
                "--canary=2",
                "--soak=10m",
                "--evict"))
        .isZero();
    assertThat(api.writes)
        .containsExactly(
            written(
                "'nodepool.io/rollout':'start','nodepool.io/rollout-canary':'2','nodepool.io/rollout-evict':'true',"
                    + "'nodepool.io/rollout-max-unavailable':'5','nodepool.io/rollout-soak':'10m'"));
    assertThat(api.out())
        .isEqualTo(
            "nodepool/train rollout start requested (max unavailable 5, canary 2, soak 600 s, busy Nodes are drained)\n");
  }

  @Test
  void evictionIsSwitchedOffAgain() {
    api.on(POOL, pool("'nodepool.io/rollout-evict': 'true'", rollout(", 'phase': 'Paused'")));

    assertThat(api.command("rollout", "start", "train", "--no-evict")).isZero();
    assertThat(api.writes)
        .containsExactly(
            written("'nodepool.io/rollout':'start','nodepool.io/rollout-evict':'false'"));
  }

  @Test
  void settingsThatDoNotFitAreRefused() {
    api.on(POOL, pool("'nodepool.io/rollout-canary': 'x'", ""));

    assertThat(api.command("rollout", "start", "train")).isEqualTo(1);
    assertThat(api.err())
        .isEqualTo(
            "error: nodepool/train: Annotation nodepool.io/rollout-canary: \"x\" is not a number of Nodes; examples: 2, or 0 for none.\n");
    assertThat(api.command("rollout", "start", "train", "--canary=0", "--soak=10m")).isEqualTo(1);
    assertThat(api.err()).contains("there is no canary that could soak");
    assertThat(api.writes).isEmpty();
  }

  @Test
  void aRolloutThatRunsIsNotStartedAgainUnlessASettingChanges() {
    api.on(
        POOL, pool("'nodepool.io/rollout-max-unavailable': '5'", rollout(", 'phase': 'Running'")));

    assertThat(api.command("rollout", "start", "train", "--max-unavailable=5")).isZero();
    assertThat(api.out()).isEqualTo("nodepool/train rollout runs already; nothing was written\n");
    assertThat(api.writes).isEmpty();
    assertThat(api.command("rollout", "start", "train", "--max-unavailable=6")).isZero();
    assertThat(api.writes).hasSize(1);
  }

  @Test
  void aRolloutThatWouldComeToNothingIsRefused() {
    api.on(POOL, upToDate(pool("", "")));
    assertThat(api.command("rollout", "start", "train")).isEqualTo(1);
    assertThat(api.err())
        .isEqualTo("error: nodepool/train: all Nodes are on the active configuration a\n");
    assertThat(api.writes).isEmpty();
  }

  @Test
  void aRolloutBeforeThePromotionIsRefusedWithAHint() {
    api.on(
        POOL,
        upToDate(pool("", ", 'x': 0"))
            .replace(
                "'nodeProfile': 'a',\n",
                "'nodeProfile': 'a', 'pendingNodeConfiguration': {'nodeProfile': 'c'},\n"));
    assertThat(api.command("rollout", "start", "train")).isEqualTo(1);
    assertThat(api.err())
        .isEqualTo(
            "error: nodepool/train: all Nodes are on the active configuration a; c is pending: kubectl nodepool upgrade train makes it the active one\n");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "'nodepool.io/promote': 'true' | ''",
        "'nodepool.io/rollback': '' | ''",
        "'x': 'y' | , 'waitingUntil': '2026-11-22T10:30:00Z'"
      },
      quoteCharacter = '"')
  void aRolloutWaitsForAChangeOfTheActiveConfiguration(String annotation, String waiting) {
    api.on(POOL, pool(annotation, waiting.equals("''") ? "" : waiting));
    assertThat(api.command("rollout", "start", "train")).isEqualTo(1);
    assertThat(api.err())
        .isEqualTo(
            "error: nodepool/train: the active configuration is about to change; start the rollout when it has changed (upgrade and rollback can --wait for that)\n");
    assertThat(api.writes).isEmpty();
  }

  @Test
  void aRolloutOfADisabledConfigurationIsRefused() {
    api.on(POOL, pool("", "").replace("'disabled': false", "'disabled': true"));
    assertThat(api.command("rollout", "start", "train")).isEqualTo(1);
    assertThat(api.err())
        .isEqualTo(
            "error: nodepool/train: the active configuration a is disabled, since machines in a row did not boot with it; roll back or upgrade first\n");
  }

  @Test
  void aStatusThatIsNotOfThePresentSpecRefusesNothing() {
    api.on(POOL, upToDate(pool("", "")).replace("'generation': 3", "'generation': 4"));
    assertThat(api.command("rollout", "start", "train")).isZero();
    assertThat(api.writes).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource({"Running", "Paused"})
  void aRolloutIsStopped(String phase) {
    api.on(POOL, pool("", rollout(", 'phase': '%s'".formatted(phase))));

    assertThat(api.command("rollout", "stop", "train")).isZero();
    assertThat(api.writes).containsExactly(written("'nodepool.io/rollout':'stop'"));
    assertThat(api.out()).isEqualTo("nodepool/train rollout stop requested\n");
  }

  @Test
  void onlyARolloutUnderWayIsStopped() {
    api.on(POOL, pool("", rollout(", 'phase': 'Stopped'"))).on(POOL, pool("", rollout("")));

    assertThat(api.command("rollout", "stop", "train")).isZero();
    assertThat(api.out())
        .isEqualTo("nodepool/train rollout is stopped already; nothing was written\n");
    assertThat(api.command("rollout", "stop", "train")).isEqualTo(1);
    assertThat(api.err()).isEqualTo("error: nodepool/train: no rollout is under way\n");
    assertThat(api.writes).isEmpty();
  }

  @Test
  void aStartThatIsNotAcceptedYetIsStopped() {
    api.on(POOL, pool("'nodepool.io/rollout': 'start'", ""));

    assertThat(api.command("rollout", "stop", "train")).isZero();
    assertThat(api.writes).containsExactly(written("'nodepool.io/rollout':'stop'"));
  }

  @Test
  void aConfigurationThatIsPrintedDoesNotControlTheTerminal() {
    api.on(
        POOL,
        pool("", "")
            .replace(
                "'nodeProfile': 'a',\n",
                "'nodeProfile': 'a', 'pendingNodeConfiguration': {'nodeProfile': 'b\u009b31m', 'summary': []},\n"));

    assertThat(api.command("upgrade", "train")).isZero();
    assertThat(api.out()).isEqualTo("nodepool/train upgrade to b 31m requested\n");
  }

  @Test
  void theStatusSaysThatTheSoakIsTheOneOfTheAnnotation() {
    api.on(POOL, pool("'nodepool.io/rollout-canary': '2', 'nodepool.io/rollout-soak': '10m'", ""));

    assertThat(api.command("rollout", "status", "train")).isZero();
    assertThat(api.out())
        .contains(
            "Settings:    max unavailable 1 or 5%, whichever is more, canary 2, soak 600 s, busy Nodes are waited for (as set; nodepool dev --speed divides the soak)\n");
  }

  @ParameterizedTest
  @CsvSource({
    "'', '', <none>",
    "'', 2, Ended; 6 not up to date since",
    "Running, 2, Running",
    "Paused, 2, Paused: 3 boots in a row failed."
  })
  void theStatusHasProgressAndSettings(String phase, String number, String text) {
    String reason = phase.equals("Paused") ? ", 'reason': '3 boots in a row failed.'" : "";
    api.on(
        POOL,
        pool(
            "'nodepool.io/rollout-max-unavailable': '5'",
            number.isEmpty() ? "" : rollout(", 'phase': '%s'%s".formatted(phase, reason))));

    assertThat(api.command("rollout", "status", "train")).isZero();
    assertThat(api.out())
        .isEqualTo(
            """
            NodePool:    train
            Strategy:    RolloutOnCommand
            Active:      a
            Pending:     <none>
            Up to date:  4 of 10 Nodes
            Rollout:     %s
            Settings:    max unavailable 5, no canary, busy Nodes are waited for
            Progress:    6 nodes are not booted into a.
            """
                .formatted(text));
  }
}

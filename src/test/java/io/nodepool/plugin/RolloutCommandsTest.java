package io.nodepool.plugin;

import static io.nodepool.plugin.FakeApi.node;
import static io.nodepool.plugin.FakeApi.with;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The commands that start, stop and show rollouts. */
class RolloutCommandsTest {
  private static final String PATH = "/apis/compute.coreweave.com/v1alpha1/nodepools/train";
  private static final String POOL = "GET " + PATH;
  private static final String NODES = "GET /api/v1/nodes?limit=500";

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
                "--evict",
                "--yes"))
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

    api.on(NODES, "{'items': []}");

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
                    .formatted(text)
                + (phase.isEmpty() ? "" : "Turns:       <none>\n"));
  }

  /** A Node with this record of its disruption, in this state. */
  private static String disrupted(String name, String record, String state) {
    return with(
            node(name, "False"),
            "annotations",
            "'nodepool.io/removal': '%s'".formatted(record.replace("'", "\\'")))
        .replace("cloud/state': 'production'", "cloud/state': '%s'".formatted(state));
  }

  private static String committed(String cause, String at) {
    return "{'v':1,'seq':1,'stage':'Committed','causes':[%s],'cordon':'Ours','at':'%s','ending':'Reboot','forceAt':'2026-11-22T10:20:00Z','boot':'PowerReset'}"
        .formatted(cause, at);
  }

  private static String turn(String at) {
    return "{'cause':'Rollout','ref':'a','at':'%s'}".formatted(at);
  }

  @Test
  void theStatusSaysWhoseTurnItIsSinceWhenWhatItWaitsForAndUntilWhen() {
    String admitted =
        "{'v':1,'seq':1,'stage':'Admitted','causes':[%s],'cordon':'Ours'}"
            .formatted(turn("2026-11-22T09:59:30Z"));
    String drained = committed(turn("2026-11-22T09:49:00Z"), "2026-11-22T09:50:00.5Z");
    String rebooted = committed(turn("2026-11-22T09:40:00Z"), "2026-11-22T09:41:00Z");
    String other =
        "{'v':1,'seq':1,'stage':'Admitted','causes':[{'cause':'Orphaned','at':'2026-11-22T09:59:30Z'}],'cordon':'Ours'}";
    api.on(POOL, pool("", rollout(", 'phase': 'Running', 'since': '2026-11-22T09:30:00Z'")))
        .on(
            NODES,
            "{'items': [%s, %s, %s, %s]}"
                .formatted(
                    disrupted("g1", admitted, "production"),
                    disrupted("g2", drained, "production"),
                    disrupted("g3", rebooted, "production-reconfigure"),
                    disrupted("g4", other, "production")))
        .on(
            "GET /api/v1/namespaces/default/events?fieldSelector=involvedObject.kind%3DNode%2CinvolvedObject.name%3Dg2",
            """
            {'items': [
              {'reason': 'CWNodeDrainingPDBViolation', 'lastTimestamp': '2026-11-22T09:55:00Z', 'message': 'A budget blocks team/a.'},
              {'reason': 'CWNodeDrainingPDBViolation', 'lastTimestamp': '2026-11-22T09:10:00Z', 'message': 'An older one.'}]}
            """)
        .on(
            "GET /api/v1/namespaces/default/events?fieldSelector=involvedObject.kind%3DNode%2CinvolvedObject.name%3Dg3",
            "{'items': []}");

    assertThat(api.command("rollout", "status", "train")).isZero();
    assertThat(api.out())
        .contains("Rollout:     Running since 2026-11-22T09:30:00Z\n")
        .endsWith(
            """
            Turns:
              Node  Stage      Since                 Waits for
              g3    Rebooting  2026-11-22T09:40:00Z  its machine to boot, and to be verified
              g2    Draining   2026-11-22T09:49:00Z  its Pods to end, until 2026-11-22T10:20:00Z, then the Pods left are deleted. Last at 2026-11-22T09:55:00Z: A budget blocks team/a.
              g1    Cordoned   2026-11-22T09:59:30Z  its drain to begin, and may still be taken back
            """);
  }

  @Test
  void anEndedRolloutIsCompleteOnlyWhileAllNodesAreUpToDate() {
    String ended =
        pool("", rollout(", 'since': '2026-11-22T09:30:00Z'")).replace("': 4,", "': 10,");
    api.on(POOL, upToDate(ended)).on(POOL, ended.replace("StagedNodeConfig", "InternalError"));

    assertThat(api.command("rollout", "status", "train")).isZero();
    assertThat(api.out()).contains("Rollout:     Complete since 2026-11-22T09:30:00Z\n");
    assertThat(api.command("rollout", "status", "train")).isZero();
    assertThat(api.out()).contains("Rollout:     Ended since 2026-11-22T09:30:00Z\n");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      value = {
        "'phase': 'Paused', 'reason': '2 Nodes did not come back.' | 5 | Paused: 4 of 10 Nodes booted into a. 2 Nodes did not come back.",
        "'phase': 'Stopped' | 6 | Stopped: 4 of 10 Nodes booted into a",
        "'phase': '' | 0 | Complete: 4 of 10 Nodes booted into a",
      })
  void aRolloutIsFollowedToItsEnd(String end, int code, String line) {
    String runs = pool("", rollout(", 'phase': 'Running'"));
    String last = pool("", rollout(", " + end));
    String watch =
        "GET /apis/compute.coreweave.com/v1alpha1/nodepools?fieldSelector=metadata.name%3Dtrain";
    api.on(POOL, runs).on(POOL, runs).on(POOL, last).on(watch, "{}");

    assertThat(api.command("rollout", "status", "train", "--watch")).isEqualTo(code);
    assertThat(api.out())
        .isEqualTo(
            "nodepool/train Running: 4 of 10 Nodes booted into a. 6 nodes are not booted into a.\nnodepool/train "
                + line
                + "\n");

    assertThat(api.command("rollout", "status", "train", "--wait")).isEqualTo(code);
    assertThat(api.out()).isEqualTo("nodepool/train " + line + "\n");
  }

  @Test
  void aRolloutThatTakesTooLongIsNotFollowed() {
    api.step = Duration.ofSeconds(30);
    api.on(POOL, pool("", rollout(", 'phase': 'Running'")));

    assertThat(api.command("rollout", "status", "train", "--wait", "--timeout", "10s"))
        .isEqualTo(4);
    assertThat(api.out()).isEqualTo("nodepool/train not complete after 10 s\n");
    assertThat(api.command("rollout", "status", "train", "--timeout", "10s")).isEqualTo(2);
    assertThat(api.err()).isEqualTo("error: --timeout needs --watch or --wait\n");
  }

  @Test
  void aRolloutThatWasNeverStartedIsNotFollowed() {
    api.on(POOL, pool("", ""));

    assertThat(api.command("rollout", "status", "train", "--wait")).isEqualTo(1);
    assertThat(api.err()).isEqualTo("error: nodepool/train: no rollout was started\n");
  }
}

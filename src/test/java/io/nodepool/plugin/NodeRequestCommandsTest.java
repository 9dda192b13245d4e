package io.nodepool.plugin;

import static io.nodepool.plugin.FakeApi.condition;
import static io.nodepool.plugin.FakeApi.node;
import static io.nodepool.plugin.FakeApi.with;
import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.kubernetes.convert.DisruptionRecord;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.DisruptionEnding;
import io.nodepool.model.node.DisruptionLimits;
import io.nodepool.model.node.DrainStage;
import io.nodepool.plan.disruption.cause.RequestedRebootCause;
import io.nodepool.vocabulary.BootKind;
import io.nodepool.vocabulary.LifecycleState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The commands that request something of a Node: what they write, ask and print. */
class NodeRequestCommandsTest {
  private static final String G1 = "GET /api/v1/nodes/g1";
  private static final String STATUS = "PATCH /api/v1/nodes/g1/status";
  private static final String NODE = "PATCH /api/v1/nodes/g1 ";
  private static final String WATCH = "GET /api/v1/nodes?fieldSelector=metadata.name%3Dg1";

  @RegisterExtension private final FakeApi api = new FakeApi();

  private static String added(String state, String message) {
    return STATUS
        + " [{'op':'add','path':'/status/conditions/-','value':{'type':'PendingPhaseState','status':'True','reason':'"
        + state
        + "','message':'"
        + message
        + "','lastHeartbeatTime':'2026-11-22T10:00:00Z','lastTransitionTime':'2026-11-22T10:00:00Z'}}]";
  }

  private static String reboot(String state) {
    return added(state, "Requested with kubectl nodepool node reboot.");
  }

  private static String label(String state, String annotations) {
    return NODE
        + "{'metadata':{'labels':{'node.coreweave.cloud/pending-state':'"
        + state
        + "'}"
        + annotations
        + "}}";
  }

  private static String pending(String status, String state) {
    return condition("PendingPhaseState", status, state, "");
  }

  private static String labelled(String node, String state) {
    return with(node, "labels", "'node.coreweave.cloud/pending-state': '" + state + "'");
  }

  @ParameterizedTest
  @CsvSource({
    "--safe, production-reboot, reboot requested (safe)",
    "--safe --power-reset, production-powerreset, power reset requested (safe)",
    "--reconfigure, production-reconfigure-powercycle-test, reboot requested (reconfigure)"
  })
  void aRebootThatWaitsIsWrittenAsOtherClientsDo(String flags, String state, String line) {
    api.on(G1, node("g1", "True"));

    assertThat(api.run(("reboot " + flags + " g1").split(" "))).isZero();
    assertThat(api.writes).containsExactly(reboot(state), label(state, ""));
    assertThat(api.out()).isEqualTo("node/g1 " + line + "\n");
    assertThat(api.err()).isEmpty();
    assertThat(api.questions).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "reboot g1, False, production-reboot, reboot requested (immediate)",
    "reboot --power-reset g1, False, production-powerreset, power reset requested (immediate)",
    "reboot --force g1, True, production-reboot, reboot requested (immediate)",
    "reboot --force --power-reset g1, True, production-powerreset, power reset requested (immediate)",
    "reboot --force --reconfigure g1, True, production-reconfigure-powercycle-test, 'reboot requested (reconfigure, immediate)'"
  })
  void anImmediateRebootHasItsPolicyInThePatchOfTheLabel(
      String command, String active, String state, String line) {
    api.on(G1, node("g1", active));

    assertThat(api.run(command.split(" "))).isZero();
    assertThat(api.writes)
        .containsExactly(
            reboot(state),
            label(state, ",'annotations':{'nodepool.io/reboot-policy':'Immediate'}"));
    assertThat(api.out()).isEqualTo("node/g1 " + line + "\n");
    assertThat(api.questions).isEmpty();
  }

  @Test
  void anActiveNodeIsRebootedIfThePersonAgrees() {
    api.on(G1, node("g1", "True"));
    api.person = Optional.of(true);

    assertThat(api.run("reboot", "g1")).isZero();
    assertThat(api.questions)
        .containsExactly(
            """
            node/g1 will be rebooted at once, without a drain. Work that may end on g1:
              g1: it is reported active: 2 Pods of tenant workloads: Job a/b.
            Go on?\
            """);
    assertThat(api.writes).hasSize(2);
  }

  @Test
  void anActiveNodeIsNotRebootedIfThePersonDoesNotAgree() {
    api.on(G1, node("g1", "True"));
    api.person = Optional.of(false);

    assertThat(api.run("reboot", "g1")).isEqualTo(1);
    assertThat(api.writes).isEmpty();
    assertThat(api.err())
        .isEqualTo("error: node/g1: nothing was written, since you did not agree\n");
  }

  @ParameterizedTest
  @CsvSource({
    "True, it is reported active: 2 Pods of tenant workloads: Job a/b.",
    "Unknown, unknown whether tenant work runs"
  })
  void withoutATerminalOnlyAnIdleNodeIsRebooted(String active, String why) {
    api.on(G1, node("g1", active)).on("GET /api/v1/nodes/g2", node("g2", "False"));

    assertThat(api.run("reboot", "g1", "g2")).isEqualTo(1);
    assertThat(api.err())
        .isEqualTo(
            "error: node/g1: work may end, and without a terminal nobody can be asked; --yes does it without a question: g1: %s\n"
                .formatted(why));
    assertThat(api.out()).isEqualTo("node/g2 reboot requested (immediate)\n");
    assertThat(api.writes).hasSize(2).allMatch(write -> write.contains("/g2"));
  }

  @Test
  void everyNodeIsTriedOnceWhateverHappensToOthers() {
    api.on(G1, node("g1", "False"))
        .on(STATUS, 403, FakeApi.status("nodes g1 is forbidden"))
        .on("GET /api/v1/nodes/g3", node("g3", "False"));

    assertThat(api.run("reboot", "--safe", "g1", "g2", "g3", "g3")).isEqualTo(1);
    assertThat(api.err())
        .isEqualTo("error: node/g1: nodes g1 is forbidden\nerror: node/g2: g2 not found\n");
    assertThat(api.out()).isEqualTo("node/g3 reboot requested (safe)\n");
  }

  @Test
  void aRequestThatIsPendingAlreadyIsNotWrittenAgain() {
    api.on(
        G1,
        labelled(node("g1", "True", pending("True", "production-reboot")), "production-reboot"));

    assertThat(api.run("reboot", "--safe", "g1")).isZero();
    assertThat(api.writes).isEmpty();
    assertThat(api.out())
        .isEqualTo("node/g1 has a pending reboot already (safe); nothing was written\n");
  }

  @Test
  void aRequestThatLostItsLabelIsCompleted() {
    api.on(G1, node("g1", "True", pending("True", "production-reboot")));

    assertThat(api.run("reboot", "--safe", "g1")).isZero();
    assertThat(api.writes).containsExactly(label("production-reboot", ""));
  }

  @Test
  void aPendingRebootBecomesImmediate() {
    api.on(
        G1,
        labelled(node("g1", "True", pending("True", "production-reboot")), "production-reboot"));

    assertThat(api.run("reboot", "--force", "g1")).isZero();
    assertThat(api.writes)
        .containsExactly(
            label("production-reboot", ",'annotations':{'nodepool.io/reboot-policy':'Immediate'}"));
  }

  @Test
  void anotherPendingStateStays() {
    api.on(G1, node("g1", "True", pending("True", "production-powerreset")));

    assertThat(api.run("reboot", "--force", "g1")).isEqualTo(1);
    assertThat(api.writes).isEmpty();
    assertThat(api.err())
        .endsWith(
            "error: node/g1: production-powerreset is pending already; nothing was requested (uncordon cancels it)\n");
  }

  @Test
  void aConditionThatAnEarlierRequestLeftIsFilledAndItsPolicyRemoved() {
    api.on(
        G1,
        with(
            node("g1", "True", pending("False", "production-powerreset")),
            "annotations",
            "'nodepool.io/reboot-policy': 'Immediate'"));

    assertThat(api.run("reboot", "--safe", "g1")).isZero();
    assertThat(api.writes.getFirst())
        .startsWith(
            STATUS
                + " [{'op':'test','path':'/status/conditions/2/type','value':'PendingPhaseState'},"
                + "{'op':'add','path':'/status/conditions/2/type','value':'PendingPhaseState'},"
                + "{'op':'add','path':'/status/conditions/2/status','value':'True'},"
                + "{'op':'add','path':'/status/conditions/2/reason','value':'production-reboot'}");
    assertThat(api.writes.getLast())
        .isEqualTo(label("production-reboot", ",'annotations':{'nodepool.io/reboot-policy':null}"));
  }

  @Test
  void aConditionWhosePlaceChangedIsWrittenAtItsNewPlace() {
    api.on(G1, node("g1", "True", pending("False", "x")))
        .on(G1, node("g1", "True", condition("Other", "True", "", ""), pending("False", "x")))
        .on(
            STATUS,
            422,
            FakeApi.status("the server rejected our request due to an error in our request"))
        .on(STATUS, "{}");

    assertThat(api.run("reboot", "--safe", "g1")).isZero();
    assertThat(api.writes).hasSize(3);
    assertThat(api.writes.get(1)).contains("/status/conditions/3/type");
  }

  @Test
  void theReasonOfARebootIsInTheConditionAsOneLine() {
    api.on(G1, node("g1", "True"));

    assertThat(api.run("reboot", "--force", "--message", "fan\n\u001b[31m fails", "g1")).isZero();
    assertThat(api.writes.getFirst())
        .isEqualTo(
            added(
                "production-reboot",
                "Requested with kubectl nodepool node reboot: fan [31m fails"));
    assertThat(api.run("reboot", "--message", "x".repeat(1025), "g1")).isEqualTo(2);
    assertThat(api.err()).isEqualTo("error: --message is longer than 1024 characters\n");
  }

  @Test
  void theReasonReplacesThatOfARequestThatIsPending() {
    String pending =
        with(
            node(
                "g1",
                "False",
                condition("PendingPhaseState", "True", "production-reboot", "An alert.")),
            "labels",
            "'node.coreweave.cloud/pending-state': 'production-reboot'");
    api.on(G1, pending);

    assertThat(api.run("reboot", "--safe", "--message", "fan", "g1")).isZero();
    assertThat(api.out()).isEqualTo("node/g1 reboot requested (safe)\n");
    assertThat(api.writes)
        .singleElement()
        .asString()
        .contains(
            "{'op':'add','path':'/status/conditions/2/message','value':'Requested with kubectl nodepool node reboot: fan'}")
        .doesNotContain("lastTransitionTime");
  }

  @Test
  void aVerificationIsRequestedInTheSameWay() {
    api.on(G1, node("g1", "True"));

    assertThat(api.run("verify", "g1")).isZero();
    assertThat(api.writes)
        .containsExactly(
            added("production-verification", "Requested with kubectl nodepool node verify."),
            label("production-verification", ""));
    assertThat(api.out()).isEqualTo("node/g1 verification requested\n");
  }

  @Test
  void cordonAndUncordonWriteOnlyWhatChanges() {
    api.on(G1, node("g1", "False"))
        .on("GET /api/v1/nodes/g2", with(node("g2", "False"), "spec", "'unschedulable': true"));

    assertThat(api.run("cordon", "g1", "g2")).isZero();
    assertThat(api.out()).isEqualTo("node/g1 cordoned\nnode/g2 already cordoned\n");
    assertThat(api.run("undrain", "g1", "g2")).isZero();
    assertThat(api.out()).isEqualTo("node/g1 already uncordoned\nnode/g2 uncordoned\n");
    assertThat(api.writes)
        .containsExactly(
            NODE + "{'spec':{'unschedulable':true}}",
            "PATCH /api/v1/nodes/g2 {'spec':{'unschedulable':null},'metadata':{'resourceVersion':'7'}}");
  }

  @Test
  void uncordonReadsANodeAgainThatHasChanged() {
    String pending =
        labelled(node("g1", "True", pending("True", "production-reboot")), "production-reboot");
    api.on(G1, pending)
        .on(
            G1,
            recorded(labelled(node("g1", "False"), "production-reboot"), Disruption.Cordon.OURS))
        .on("PATCH /api/v1/nodes/g1", 409, FakeApi.status("the object has been modified"))
        .on("GET /api/v1/nodes/g2", node("g2", "True"))
        .on("GET /api/v1/nodes/g2", with(node("g2", "True"), "spec", "'unschedulable': true"))
        .on("PATCH /api/v1/nodes/g2", 409, FakeApi.status("the object has been modified"));

    assertThat(api.run("uncordon", "g1", "g2", "g2")).isOne();
    assertThat(api.err())
        .isEqualTo(
            "error: node/g1: too late: its reboot (Reboot) was committed and goes on; the Node is uncordoned when it is back\n");
    assertThat(api.out()).isEqualTo("node/g2 already uncordoned\n");
    assertThat(api.writes).hasSize(1);

    assertThat(api.run("uncordon", "g2")).isOne();
    assertThat(api.err()).isEqualTo("error: node/g2: the object has been modified\n");
  }

  @Test
  void uncordonTakesAPendingRequestOff() {
    api.on(
        G1,
        labelled(node("g1", "True", pending("True", "production-reboot")), "production-reboot"));

    assertThat(api.run("uncordon", "g1")).isZero();
    assertThat(api.out())
        .isEqualTo("node/g1 already uncordoned; the pending production-reboot is cancelled\n");
    assertThat(api.writes.getFirst())
        .isEqualTo(
            NODE
                + "{'metadata':{'labels':{'node.coreweave.cloud/pending-state':null},'annotations':{'nodepool.io/reboot-policy':null},'resourceVersion':'7'}}");
    assertThat(api.writes.getLast())
        .startsWith(
            STATUS
                + " [{'op':'test','path':'/status/conditions/2/type','value':'PendingPhaseState'}")
        .contains("{'op':'add','path':'/status/conditions/2/status','value':'False'}");
  }

  @Test
  void uncordonCancelsNothingThatIsCommitted() {
    String own =
        recorded(labelled(node("g1", "False"), "production-reboot"), Disruption.Cordon.OURS);
    api.on(G1, own)
        .on("GET /api/v1/nodes/g2", recorded(node("g2", "False"), Disruption.Cordon.FOREIGN));

    assertThat(api.run("undrain", "g1", "g2")).isOne();
    assertThat(api.err())
        .isEqualTo(
            """
            error: node/g1: too late: its reboot (Reboot) was committed and goes on; the Node is uncordoned when it is back
            error: node/g2: too late: its reboot (Reboot) was committed and goes on; the Node is uncordoned when it is back
            """);
    assertThat(api.writes)
        .containsExactly(
            "PATCH /api/v1/nodes/g2 {'spec':{'unschedulable':null},'metadata':{'resourceVersion':'7'}}");
  }

  private static String recorded(String node, Disruption.Cordon cordon) {
    Instant at = Instant.parse("2026-11-22T09:00:00Z");
    String record =
        DisruptionRecord.write(
            new Disruption.Committed(
                1,
                List.of(new RequestedRebootCause(LifecycleState.REBOOT, false).at(at)),
                cordon,
                at,
                new DisruptionLimits(
                    new DisruptionEnding.Reboot(BootKind.REBOOT), at, Optional.empty()),
                DrainStage.NONE));
    return with(
        with(node, "annotations", "'nodepool.io/removal': '" + record.replace("\"", "\\'") + "'"),
        "spec",
        "'unschedulable': true");
  }

  private static String rebooted(String node) {
    return node.replace("boot-1", "boot-2");
  }

  @Test
  void waitEndsOnceTheNodeIsBackInProductionOnAnotherBoot() {
    String before = node("g1", "False");
    String reserved =
        with(
            rebooted(before),
            "spec",
            "'taints': [{'key': 'node.coreweave.cloud/reserved', 'effect': 'NoExecute'}]");
    api.on(G1, before)
        .on(G1, before)
        .on(G1, rebooted(before).replace("'production'", "'production-reboot'"))
        .on(G1, reserved)
        .on(G1, rebooted(labelled(before, "production-reboot")))
        .on(G1, rebooted(before))
        .on(WATCH, "{'type': 'MODIFIED', 'object': {}}\n");

    assertThat(api.run("reboot", "--wait", "g1")).isZero();
    assertThat(api.out())
        .isEqualTo("node/g1 reboot requested (immediate)\nnode/g1 rebooted (boot id boot-2)\n");
    assertThat(api.requests).filteredOn(WATCH::equals).hasSize(4);
  }

  @Test
  void aWatchThatIsRefusedIsAnErrorAndNotTriedForEver() {
    api.on(G1, node("g1", "False")).on(WATCH, 403, FakeApi.status("forbidden"));

    assertThat(api.run("reboot", "--wait", "g1")).isEqualTo(1);
    assertThat(api.err())
        .startsWith("error: node/g1: the API server refuses to watch /api/v1/nodes?");
  }

  @Test
  void waitEndsWithAnErrorAtItsTimeOut() {
    api.step = Duration.ofMinutes(1);
    api.on(G1, node("g1", "False")).on(WATCH, "{'type': 'MODIFIED', 'object': {}}\n");

    assertThat(api.run("reboot", "--wait", "--timeout=2m", "g1")).isEqualTo(4);
    assertThat(api.err())
        .isEqualTo(
            "error: node/g1: not back in production after 120 s: state production, pending <none>, Ready True\n");
  }
}

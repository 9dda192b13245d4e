package io.nodepool.simulated.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.nodepool.fleet.Answer;
import io.nodepool.kubernetes.api.HostResource;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FleetLoopTest {
  private static final Duration BOOT = Duration.ofSeconds(60);
  private static final Duration MOMENT = Duration.ofSeconds(1);

  private LoopHarness harness = new LoopHarness();
  private HostResource host = new HostResource();
  private String name = "";

  @BeforeEach
  void createTheHost() {
    harness.loop.fleetSeen(harness.fleet());
    harness.loop.listed();
    host = harness.host();
    name = host.getMetadata().getName();
    harness.answer(harness.done(host));
  }

  @Test
  void nothingIsDoneBeforeEverythingWasListed() {
    LoopHarness fresh = new LoopHarness();
    fresh.loop.fleetSeen(fresh.fleet());

    assertThat(fresh.sent).isEmpty();
  }

  @Test
  void aFreeHostIsNotChanged() {
    harness.pass(Duration.ofHours(1));

    assertThat(harness.waiting()).isEmpty();
  }

  @Test
  void theEndOfABootIsReportedOnlyWhenItIsDue() {
    harness.loop.hostSeen(harness.assigned(host));
    harness.pass(BOOT.minus(MOMENT));
    assertThat(harness.waiting()).isEmpty();

    harness.pass(MOMENT);

    assertThat(harness.waiting()).containsExactly("JSON_PATCH " + path("/status"));
  }

  @Test
  void aHostInAnUnknownPhaseIsNotChanged() {
    HostResource assigned = harness.assigned(host);
    harness.loop.hostSeen(assigned);
    HostResource later = Serialization.clone(assigned);
    later.getStatus().phase = null;
    later.getStatus().note("phase", "Inspecting");
    harness.loop.hostSeen(harness.seen(later));

    harness.pass(Duration.ofHours(1));

    assertThat(harness.waiting()).isEmpty();
  }

  @Test
  void anAnswerWithAnUnknownPhaseIsReadLikeAWatch() {
    HostResource assigned = boot();
    Answer.Done<String> running = (Answer.Done<String>) harness.done(LoopHarness.running(assigned));

    harness.answer(
        new Answer.Done<>(
            running.object().replace("\"phase\":\"Running\"", "\"phase\":\"Inspecting\"")));
    harness.pass(Duration.ofHours(1));

    assertThat(harness.waiting()).isEmpty();
  }

  @Test
  void theNodeJoinsOnlyAfterTheReportWasAnswered() {
    HostResource assigned = boot();
    assertThat(harness.waiting()).containsExactly("JSON_PATCH " + path("/status"));

    harness.answer(harness.done(LoopHarness.running(assigned)));

    assertThat(harness.waiting()).containsExactly("POST /api/v1/nodes");
  }

  @Test
  void aReportThatWasRefusedIsDecidedAgain() {
    boot();
    harness.answer(new Answer.Refused<>("test failed"));
    // The pool cancelled the assignment meanwhile.
    HostResource back = Serialization.clone(host);
    back.getSpec().tenancy = 1;
    harness.loop.hostSeen(harness.seen(back));

    harness.pass(MOMENT);

    assertThat(harness.waiting()).isEmpty();
  }

  @Test
  void aReportThatFailedIsRetriedAfterAWait() {
    boot();
    harness.answer(new Answer.Unavailable<>("429"));
    assertThat(harness.waiting()).isEmpty();

    harness.pass(MOMENT);

    assertThat(harness.waiting()).containsExactly("JSON_PATCH " + path("/status"));
  }

  @Test
  void aMachineWhoseWriteIsInDoubtIsNotChangedUntilItIsReadBack() {
    HostResource assigned = boot();
    harness.answer(new Answer.Unknown<>("time-out"));
    harness.loop.hostSeen(harness.seen(Serialization.clone(assigned)));
    assertThat(harness.waiting()).isEmpty();

    harness.pass(MOMENT);
    assertThat(harness.waiting()).containsExactly("GET " + path(""));
    harness.answer(harness.done(LoopHarness.running(assigned)));

    assertThat(harness.waiting()).containsExactly("POST /api/v1/nodes");
  }

  @Test
  void aJoinInDoubtThatTookEffectIsNotRepeated() {
    join();
    Node node = node();
    harness.answer(new Answer.Unknown<>("time-out"));
    harness.pass(MOMENT);
    assertThat(harness.waiting()).containsExactly("GET /api/v1/nodes/" + name);

    harness.answer(harness.done(node));

    harness.pass(Duration.ofHours(1));
    assertThat(harness.waiting()).isEmpty();
  }

  @Test
  void aNodeWhoseDeletionIsObservedBeforeTheAnswerToItsJoinJoinsAgain() {
    join();
    Node node = harness.seen(node());
    harness.loop.nodeSeen(node);
    harness.loop.nodeGone(node);

    harness.answer(new Answer.Done<>(Serialization.asJson(node)));

    harness.pass(MOMENT);
    assertThat(harness.waiting()).containsExactly("POST /api/v1/nodes");
  }

  @Test
  void aNodeThatIsNotAllowedIsReportedOnceAndRetriedAtGrowingIntervals() {
    HostResource assigned = boot();
    harness.answer(harness.done(LoopHarness.running(assigned)));
    harness.answer(new Answer.Denied<>("HTTP 422: labels: Invalid value"));
    assertThat(harness.waiting()).isEmpty();
    harness.pass(MOMENT);

    assertThat(harness.waiting()).containsExactly("JSON_PATCH " + path("/status"));
    assertThat(harness.first().request().body())
        .contains("\"joinRefusal\":\"HTTP 422: labels: Invalid value\"");
    HostResource refused = LoopHarness.running(assigned);
    refused.getStatus().joinRefusal = "HTTP 422: labels: Invalid value";
    harness.answer(harness.done(refused));
    assertThat(harness.waiting()).containsExactly("POST /api/v1/nodes");

    int tries = 0;
    for (int second = 0; second < 600; second++) {
      if (!harness.waiting().isEmpty()) {
        assertThat(harness.waiting()).containsExactly("POST /api/v1/nodes");
        harness.answer(new Answer.Denied<>("HTTP 422: labels: Invalid value"));
        tries++;
      }
      harness.pass(Duration.ofSeconds(1));
    }
    assertThat(tries).isBetween(10, 40);
  }

  /** As while a webhook that hangs is asked about it. */
  @Test
  void aNodeWhoseCreationIsNotAnsweredIsReportedUntilItIs() {
    HostResource assigned = boot();
    harness.answer(harness.done(LoopHarness.running(assigned)));
    HostResource refused = LoopHarness.running(assigned);
    refused.getStatus().joinRefusal = "no answer in time";
    int reports = 0;
    for (int second = 0; second < 600; second++) {
      String next = harness.waiting().stream().findFirst().orElse("");
      if (next.startsWith("POST")) {
        harness.answer(new Answer.Unknown<>("no answer in time"));
      } else if (next.startsWith("GET")) {
        harness.answer(new Answer.Missing<>());
      } else if (next.startsWith("JSON_PATCH")) {
        assertThat(harness.first().request().body())
            .contains("\"joinRefusal\":\"no answer in time\"");
        harness.answer(harness.done(refused));
        reports++;
      }
      harness.pass(Duration.ofSeconds(1));
    }
    assertThat(reports).isOne();

    while (harness.waiting().stream().noneMatch(next -> next.startsWith("POST"))) {
      if (!harness.waiting().isEmpty()) {
        harness.answer(new Answer.Missing<>());
      }
      harness.pass(Duration.ofSeconds(1));
    }
    harness.answer(harness.done(node()));
    assertThat(harness.waiting()).containsExactly("JSON_PATCH " + path("/status"));
    assertThat(harness.first().request().body()).doesNotContain("no answer in time");
  }

  @Test
  void aForeignNodeOfTheSameNameIsAwaited() {
    HostResource assigned = boot();
    Node other = new Node();
    other.setMetadata(Serialization.clone(host).getMetadata());
    other.getMetadata().setUid("other");
    harness.loop.nodeSeen(harness.seen(other));

    harness.answer(harness.done(LoopHarness.running(assigned)));

    assertThat(harness.waiting()).isEmpty();
    harness.loop.nodeGone(other);
    assertThat(harness.waiting()).containsExactly("POST /api/v1/nodes");
  }

  @ParameterizedTest
  @CsvSource({
    "node.kubernetes.io/instance-type, ",
    "node.coreweave.cloud/class, other",
    "cks.coreweave.com/cluster, ",
    "node.coreweave.cloud/type, other"
  })
  void aLabelOfTheMachineThatAClientChangesComesBack(String key, @Nullable String value) {
    join();
    Node node = node();
    harness.answer(harness.done(node));
    String due = node.getMetadata().getLabels().get(key);
    Node changed = Serialization.clone(node);
    changed.getMetadata().getLabels().remove(key);
    if (value != null) {
      changed.getMetadata().getLabels().put(key, value);
    }
    harness.loop.nodeSeen(harness.seen(changed));

    assertThat(harness.waiting())
        .containsExactly("STRATEGIC_PATCH /api/v1/nodes/%s/status".formatted(name));
    assertThat(harness.first().request().body())
        .contains("\"uid\":\"node-uid\"", "\"%s\":\"%s\"".formatted(key, due));
    harness.answer(harness.done(node));
    harness.pass(Duration.ofHours(1));
    assertThat(harness.waiting()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "node.coreweave.cloud/state",
        "node.coreweave.cloud/reserved",
        "compute.coreweave.com/node-pool",
        "team"
      })
  void aLabelThatOthersWriteIsTheirs(String key) {
    join();
    Node node = node();
    harness.answer(harness.done(node));
    Node changed = Serialization.clone(node);
    changed.getMetadata().getLabels().put(key, "other");
    harness.loop.nodeSeen(harness.seen(changed));

    assertThat(harness.waiting()).isEmpty();
  }

  @Test
  void aPodRunsOnceItsNodeExistsAndEndsAfterItsGracePeriod() {
    Pod pod = pod();
    harness.loop.podSeen(harness.seen(pod));
    assertThat(harness.waiting()).isEmpty();
    join();
    harness.answer(harness.done(node()));
    assertThat(harness.waiting())
        .containsExactly("STRATEGIC_PATCH /api/v1/namespaces/default/pods/p/status");
    Pod running = Serialization.clone(pod);
    running.getStatus().setPhase("Running");
    harness.answer(harness.done(running));

    Pod leaving = Serialization.clone(running);
    leaving.getMetadata().setDeletionTimestamp(harness.now().plusSeconds(30).toString());
    harness.loop.podSeen(harness.seen(leaving));
    harness.pass(Duration.ofSeconds(29));
    assertThat(harness.waiting()).isEmpty();

    harness.pass(MOMENT);
    assertThat(harness.waiting())
        .containsExactly("STRATEGIC_PATCH /api/v1/namespaces/default/pods/p/status");
    assertThat(harness.first().request().body())
        .contains("\"phase\":\"Failed\"", "\"exitCode\":137");
    Pod ended = Serialization.clone(leaving);
    ended.getStatus().setPhase("Failed");
    harness.answer(harness.done(ended));
    assertThat(harness.waiting()).containsExactly("DELETE /api/v1/namespaces/default/pods/p");
    Pod kept = Serialization.clone(ended);
    kept.getMetadata().setDeletionGracePeriodSeconds(0L);
    harness.answer(harness.done(kept));
    harness.loop.podSeen(harness.seen(kept));
    assertThat(harness.waiting()).isEmpty();
    harness.loop.podGone(kept);
    harness.pass(Duration.ofHours(1));
    assertThat(harness.waiting()).isEmpty();
  }

  @Test
  void aPodEndsAlsoAfterAClientDeletedTheHostOfItsNode() {
    Pod leaving = pod();
    leaving.getStatus().setPhase("Running");
    leaving.getMetadata().setDeletionTimestamp(harness.now().plusSeconds(30).toString());
    join();
    harness.answer(harness.done(node()));
    harness.loop.hostGone(host);

    harness.loop.podSeen(harness.seen(leaving));
    harness.pass(Duration.ofMinutes(1));

    assertThat(harness.waiting())
        .contains("STRATEGIC_PATCH /api/v1/namespaces/default/pods/p/status");
  }

  @Test
  void aPodOnAForeignNodeIsNotChanged() {
    Pod pod = pod();
    pod.getSpec().setNodeName("elsewhere");

    harness.loop.podSeen(harness.seen(pod));

    assertThat(harness.waiting()).isEmpty();
  }

  @Test
  void aMistakeInTheSpecIsPublishedAndChangesNoMachine() {
    changeTypeOfRack("none-such-thing");

    assertThat(harness.sent)
        .anySatisfy(each ->
            assertThat(each.request().body())
                .contains(
                    "Nothing of the spec is carried out until this is corrected: spec.racks: rack r: there is no instance type"));
    harness.loop.hostSeen(harness.assigned(host));
    harness.pass(BOOT);
    assertThat(harness.waiting()).containsExactly("JSON_PATCH " + path("/status"));
  }

  @Test
  void aHostInUseThatTheSpecDoesNotHaveAnyMoreIsReported() {
    harness.loop.hostSeen(harness.assigned(host));
    changeTypeOfRack("gd-8xh100ib-i128");

    assertThat(harness.sent)
        .anySatisfy(each ->
            assertThat(each.request().body())
                .contains(
                    "1 Host is not in the spec any more, or as another machine, and stays until it is free: "
                        + name
                        + "."));
  }

  @Test
  void aHostThatIsFreeIsReplacedAndNotReported() {
    changeTypeOfRack("gd-8xh100ib-i128");

    assertThat(harness.waiting()).containsExactly("DELETE " + path(""));
    assertThat(harness.sent)
        .noneSatisfy(each -> assertThat(each.request().body()).contains("not in the spec"));
  }

  /** Assigns the Host and lets it boot; its report is then in flight. */
  private HostResource boot() {
    HostResource assigned = harness.assigned(host);
    harness.loop.hostSeen(assigned);
    harness.pass(BOOT);
    return assigned;
  }

  /** Lets the Host boot; the creation of its Node is then in flight. */
  private void join() {
    HostResource assigned = boot();
    harness.answer(harness.done(LoopHarness.running(assigned)));
  }

  /** The Node that the request in flight creates. */
  private Node node() {
    Node node = Serialization.unmarshal(harness.first().request().body(), Node.class);
    node.getMetadata().setUid("node-uid");
    return node;
  }

  private Pod pod() {
    return new PodBuilder()
        .withNewMetadata()
        .withNamespace("default")
        .withName("p")
        .withUid("pod-uid")
        .endMetadata()
        .withNewSpec()
        .withNodeName(name)
        .addNewContainer()
        .withName("main")
        .withImage("i")
        .endContainer()
        .endSpec()
        .withNewStatus()
        .withPhase("Pending")
        .endStatus()
        .build();
  }

  private String path(String below) {
    return "/apis/fleet.nodepool.io/v1alpha1/hosts/" + name + below;
  }

  /** The spec changes, so that its rack has machines of another type. */
  private void changeTypeOfRack(String type) {
    var changed = harness.fleet();
    changed.getMetadata().setGeneration(2L);
    changed.getSpec().racks.getFirst().instanceType = type;
    harness.loop.fleetSeen(harness.seen(changed));
    harness.refuseReports();
    harness.pass(MOMENT);
  }
}

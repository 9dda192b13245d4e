package io.nodepool.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.nodepool.kubernetes.api.NodePool;
import io.nodepool.kubernetes.api.NodePoolSpec;
import io.nodepool.kubernetes.api.NodePoolStatus;
import io.nodepool.kubernetes.convert.ObjectFacts;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.condition.AtTargetReason;
import io.nodepool.vocabulary.condition.CapacityReason;
import io.nodepool.vocabulary.condition.PoolCondition.PoolReason;
import io.nodepool.vocabulary.condition.QuotaReason;
import io.nodepool.vocabulary.condition.ValidatedReason;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.vocabulary.metadata.PoolAnnotations;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** One NodePool on a cluster: a client's actions on it, and its observed status and Events. */
final class PoolUnderTest {
  private static final List<PoolReason> WELL =
      List.of(
          ValidatedReason.VALID,
          CapacityReason.SUFFICIENT,
          QuotaReason.UNDER,
          AtTargetReason.TARGET_MET);

  private final OperatedFleet fleet;
  private final KubernetesClient admin;
  private final String name;
  private final String uid;

  /** Events that were emitted once and must not have been emitted again when the pool is well. */
  private final List<EventReason> once = new ArrayList<>();

  private PoolUnderTest(OperatedFleet fleet, KubernetesClient admin, NodePool created) {
    this.fleet = fleet;
    this.admin = admin;
    this.name = ObjectFacts.name(created);
    this.uid = ObjectFacts.uid(created);
  }

  /**
   * Creates the pool.
   *
   * @param affinity empty text for none
   */
  static PoolUnderTest create(
      OperatedFleet fleet,
      KubernetesClient admin,
      String name,
      String type,
      int target,
      String affinity) {
    return create(fleet, admin, name, affinity, of(type, target));
  }

  /** Creates a pool of spot Nodes. */
  static PoolUnderTest spot(
      OperatedFleet fleet, KubernetesClient admin, String name, String type, int target) {
    NodePoolSpec spec = of(type, target);
    spec.computeClass = "spot";
    return create(fleet, admin, name, "", spec);
  }

  private static NodePoolSpec of(String type, int target) {
    NodePoolSpec spec = new NodePoolSpec();
    spec.instanceType = type;
    spec.targetNodes = target;
    return spec;
  }

  private static PoolUnderTest create(
      OperatedFleet fleet,
      KubernetesClient admin,
      String name,
      String affinity,
      NodePoolSpec spec) {
    NodePool pool = new NodePool();
    pool.setMetadata(
        new ObjectMetaBuilder()
            .withName(name)
            .addToAnnotations(
                affinity.isEmpty()
                    ? Map.of()
                    : Map.of(PoolAnnotations.NODE_AFFINITY.key(), affinity))
            .build());
    pool.setSpec(spec);
    return new PoolUnderTest(fleet, admin, admin.resource(pool).create());
  }

  /** Waits until its status has had this reason, with these words in the message. */
  PoolUnderTest reports(PoolReason reason, String... words) {
    OperatedFleet.eventually(() ->
        assertThat(fleet.history().conditionsOf(uid))
            .anySatisfy(condition -> {
              assertThat(condition.type()).isEqualTo(reason.condition().type());
              assertThat(condition.status()).isEqualTo(reason.status().word());
              assertThat(condition.reason()).isEqualTo(reason.word());
              assertThat(condition.message()).contains(words);
            }));
    fleet.reach(reason);
    return this;
  }

  /**
   * Asserts that the pool has one Event of this reason, which has had these words. It is emitted
   * before the status that it announces, so it exists once that status was observed; another
   * message may have followed since.
   */
  PoolUnderTest emitted(EventReason reason, String... words) {
    assertThat(events(reason))
        .singleElement()
        .satisfies(event -> assertThat(event.getType()).isEqualTo(reason.type().word()));
    OperatedFleet.eventually(() ->
        assertThat(fleet.history().messagesOf(uid, reason))
            .anySatisfy(message -> assertThat(message).contains(words)));
    once.add(reason);
    return this;
  }

  /** Asserts that the pool has no Event of this reason. */
  PoolUnderTest neverEmitted(EventReason reason) {
    assertThat(events(reason)).isEmpty();
    return this;
  }

  /** Events of this reason about the pool of this UID. */
  List<Event> events(EventReason reason) {
    return fleet.events(about -> uid.equals(about.getUid()), reason);
  }

  /** The total count of its Events of this reason. */
  int count(EventReason reason) {
    return events(reason).stream().mapToInt(Event::getCount).sum();
  }

  /** Changes the pool as a client does. */
  PoolUnderTest change(Consumer<NodePool> change) {
    ClientEdit.edited(admin.resources(NodePool.class).withName(name), change);
    return this;
  }

  /** Adds annotations to the pool in one write. */
  PoolUnderTest annotate(Map<PoolAnnotations, String> added) {
    return change(pool -> {
      Map<String, String> annotations = new TreeMap<>();
      Optional.ofNullable(pool.getMetadata().getAnnotations()).ifPresent(annotations::putAll);
      added.forEach((annotation, value) -> annotations.put(annotation.key(), value));
      pool.getMetadata().setAnnotations(annotations);
    });
  }

  PoolUnderTest target(int nodes) {
    return change(pool -> pool.getSpec().targetNodes = nodes);
  }

  PoolUnderTest strategy(NodePoolSpec.ScaleDownStrategy strategy) {
    return change(pool -> pool.getSpec().lifecycle.scaleDownStrategy = strategy);
  }

  PoolUnderTest affinity(String selector) {
    return change(pool ->
        pool.getMetadata().getAnnotations().put(PoolAnnotations.NODE_AFFINITY.key(), selector));
  }

  PoolUnderTest withoutAffinity() {
    return change(
        pool -> pool.getMetadata().getAnnotations().remove(PoolAnnotations.NODE_AFFINITY.key()));
  }

  /** Waits until it reports this target as met, and has these Nodes only. */
  PoolUnderTest hasMet(int nodes) {
    OperatedFleet.eventually(() -> {
      NodePool stored = admin.resources(NodePool.class).withName(name).require();
      assertThat(stored.getStatus().currentNodes).isEqualTo(nodes);
      assertThat(stored.getStatus().conditions)
          .extracting(each -> each.type + "=" + each.status + " " + each.reason)
          .contains(text(AtTargetReason.TARGET_MET));
      assertThat(nodes()).hasSize(nodes);
    });
    return this;
  }

  /** Waits until all its conditions are good, and asserts that no Event was emitted twice. */
  PoolUnderTest isWell() {
    OperatedFleet.eventually(() -> {
      NodePool stored = admin.resources(NodePool.class).withName(name).require();
      NodePoolStatus status = stored.getStatus();
      assertThat(status).isNotNull();
      assertThat(status.currentNodes).isEqualTo(stored.getSpec().targetNodes);
      assertThat(status.observedGeneration).isEqualTo(stored.getMetadata().getGeneration());
      assertThat(status.conditions)
          .extracting(each -> each.type + "=" + each.status + " " + each.reason)
          .containsAll(WELL.stream().map(PoolUnderTest::text).toList());
    });
    WELL.forEach(fleet::reach);
    assertThat(once).allSatisfy(reason -> assertThat(events(reason)).hasSize(1));
    return this;
  }

  private static String text(PoolReason reason) {
    return "%s=%s %s".formatted(reason.condition().type(), reason.status().word(), reason.word());
  }

  /** Requests its deletion; returns at once. */
  PoolUnderTest delete() {
    admin.resources(NodePool.class).withName(name).delete();
    return this;
  }

  /** Removes its finalizers, as runbooks do. */
  PoolUnderTest stripFinalizers() {
    admin
        .resources(NodePool.class)
        .withName(name)
        .patch(
            PatchContext.of(PatchType.JSON),
            """
            [{"op": "remove", "path": "/metadata/finalizers"}]
            """);
    return this;
  }

  /** Waits until it is deleted. */
  void isGone() {
    OperatedFleet.eventually(
        () -> assertThat(admin.resources(NodePool.class).withName(name).get()).isNull());
  }

  /** Names of its Nodes. */
  Stream<String> nodes() {
    return admin.nodes().withLabel(NodeLabels.NODE_POOL.key(), name).list().getItems().stream()
        .map(ObjectFacts::name);
  }
}

package io.nodepool.plugin.request;

import com.fasterxml.jackson.databind.JsonNode;
import io.nodepool.cli.view.DisruptionView;
import io.nodepool.kubernetes.convert.ObjectFacts;
import io.nodepool.model.node.Disruption;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.condition.ConditionStatus;
import io.nodepool.vocabulary.condition.NodeCondition;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.vocabulary.metadata.NodeTaints;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * What a Node says about itself; a text that it does not say is empty.
 *
 * @param json the Node as the API server sent it
 */
public record NodeReading(JsonNode json) {
  private static final String READY = "Ready";
  private static final String REFUSED = EventReason.NODE_DRAINING_PDB_VIOLATION.word();

  /** The name. */
  public String name() {
    return json.at("/metadata/name").asText("");
  }

  /** The version of the object. */
  public String version() {
    return json.at("/metadata/resourceVersion").asText("");
  }

  /** When it was created. */
  public String created() {
    return json.at("/metadata/creationTimestamp").asText("");
  }

  /** The value of a label. */
  public String label(NodeLabels label) {
    return json.at("/metadata/labels").path(label.key()).asText("");
  }

  /** The value of an annotation. */
  public String annotation(NodeAnnotations annotation) {
    return json.at("/metadata/annotations").path(annotation.key()).asText("");
  }

  /** The id of its boot. */
  public String bootId() {
    return json.at("/status/nodeInfo/bootID").asText("");
  }

  /** Whether it takes no new Pods. */
  public boolean isCordoned() {
    return json.at("/spec/unschedulable").asBoolean(false);
  }

  /** The taints, or a missing value if it has none. */
  public JsonNode taints() {
    return json.at("/spec/taints");
  }

  /** The conditions, or a missing value if the Node has none. */
  public JsonNode conditions() {
    return json.at("/status/conditions");
  }

  /** The status of the kubelet's condition Ready. */
  public String ready() {
    return indexOf(READY)
        .map(place -> conditions().get(place).path("status").asText(""))
        .orElse("");
  }

  /** The same in a word: Unknown without the condition. */
  public String readyWord() {
    return ready().isEmpty() ? ConditionStatus.UNKNOWN.word() : ready();
  }

  /** Whether the kubelet reports that it is ready. */
  public boolean isReady() {
    return ready().equals(ConditionStatus.TRUE.word());
  }

  /** The condition of a type; a client may have added several: the one that is True counts. */
  public Optional<JsonNode> condition(NodeCondition type) {
    return indexOf(type.type()).map(conditions()::get);
  }

  /** The place of the condition of a type. */
  public Optional<Integer> indexOf(NodeCondition type) {
    return indexOf(type.type());
  }

  private Optional<Integer> indexOf(String type) {
    return IntStream.range(0, conditions().size())
        .filter(i -> conditions().get(i).path("type").asText("").equals(type))
        .boxed()
        .min(Comparator.comparing(i -> !isTrue(conditions().get(i))));
  }

  /** Whether a condition has the status True. */
  public static boolean isTrue(JsonNode condition) {
    return condition.path("status").asText("").equals(ConditionStatus.TRUE.word());
  }

  /** Whether tenant work runs on the Node; empty if nothing reports it. */
  public Optional<Boolean> isActive() {
    return condition(NodeCondition.ACTIVE)
        .map(condition -> condition.path("status").asText(""))
        .filter(status -> !status.equals(ConditionStatus.UNKNOWN.word()))
        .map(status -> status.equals(ConditionStatus.TRUE.word()));
  }

  /** The workloads that block a pending reboot, in the words of CWActive. */
  public String blockers() {
    return condition(NodeCondition.ACTIVE)
        .map(condition -> condition.path("message").asText(""))
        .orElse("");
  }

  /** The state that is requested and has not begun, by the condition of the request. */
  public Optional<String> pendingState() {
    return condition(NodeCondition.PENDING_PHASE_STATE)
        .filter(NodeReading::isTrue)
        .map(condition -> condition.path("reason").asText(""));
  }

  /** The disruption of the Node that is carried out and not taken back any more. */
  public Optional<Disruption.Committed> committed() {
    return active().flatMap(Disruption::commitment);
  }

  /**
   * The disruption of the Node under way; empty without one, and if this version cannot read it.
   */
  public Optional<Disruption.Active> active() {
    return DisruptionView.recorded(annotation(NodeAnnotations.REMOVAL));
  }

  /** What is done with the Node; empty if it is not disrupted. */
  public Optional<DisruptionView> disruption() {
    return active()
        .map(active ->
            DisruptionView.of(
                active,
                new DisruptionView.Facts(
                    label(NodeLabels.STATE),
                    condition(NodeCondition.NODE_REMOVAL)
                        .filter(NodeReading::isTrue)
                        .map(condition -> condition.path("reason").asText(""))
                        .orElse(""),
                    annotation(NodeAnnotations.REBOOT_FAILED),
                    json.at("/metadata").has("deletionTimestamp"))));
  }

  /**
   * The last refusal of a PodDisruptionBudget since the drain of the Node began, in a sentence;
   * empty without one.
   *
   * @param events the Events about the Node
   */
  public Optional<String> refusal(List<JsonNode> events) {
    return committed()
        .map(committed -> ObjectFacts.seconds(committed.at()))
        .flatMap(began ->
            events.stream()
                .filter(event -> event.path("reason").asText("").equals(REFUSED))
                .filter(event -> EventReading.lastSeen(event).compareTo(began) >= 0)
                .max(Comparator.comparing(EventReading::lastSeen)))
        .map(event ->
            "Last at %s: %s"
                .formatted(EventReading.lastSeen(event), event.path("message").asText("")));
  }

  /** Whether the Node is held, so that it takes no tenant work. */
  public boolean isReserved() {
    return taints()
        .valueStream()
        .anyMatch(taint ->
            taint.path("key").asText("").equals(NodeTaints.RESERVED.key())
                && taint.path("effect").asText("").equals(NodeTaints.RESERVED.effect().word()));
  }
}

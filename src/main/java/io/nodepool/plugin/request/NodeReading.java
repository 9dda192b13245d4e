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
 * The fields of a Node; a text that is missing is empty.
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

  /** The status of Ready; Unknown without the condition. */
  public String readyWord() {
    return ready().isEmpty() ? ConditionStatus.UNKNOWN.word() : ready();
  }

  /** Whether the kubelet reports that it is ready. */
  public boolean isReady() {
    return ready().equals(ConditionStatus.TRUE.word());
  }

  /** The condition of a type; if clients added several, a condition that is True counts. */
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

  /** The requested state that has not begun, from the condition of the request. */
  public Optional<String> pendingState() {
    return condition(NodeCondition.PENDING_PHASE_STATE)
        .filter(NodeReading::isTrue)
        .map(condition -> condition.path("reason").asText(""));
  }

  /** The committed disruption of the Node. */
  public Optional<Disruption.Committed> committed() {
    return active().flatMap(Disruption::commitment);
  }

  /** The disruption under way; empty if there is none, or this version cannot read it. */
  public Optional<Disruption.Active> active() {
    return DisruptionView.recorded(annotation(NodeAnnotations.REMOVAL));
  }

  /** The disruption in words; empty if the Node is not disrupted. */
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
   * empty if there is none.
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

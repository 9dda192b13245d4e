package io.nodepool.plugin.request;

import com.fasterxml.jackson.databind.JsonNode;
import io.nodepool.kubernetes.convert.CommandAnnotations;
import io.nodepool.model.pool.ConfigurationCommands;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.model.pool.RolloutState;
import io.nodepool.model.repair.SuspectedAlert;
import io.nodepool.vocabulary.condition.ConditionStatus;
import io.nodepool.vocabulary.condition.NodeReconfigurationReason;
import io.nodepool.vocabulary.condition.PoolCondition;
import io.nodepool.vocabulary.metadata.PoolAnnotations;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The fields of a NodePool about its Nodes and their configurations; a text that is missing is
 * empty.
 *
 * @param json the NodePool as the API server sent it
 */
public record PoolReading(JsonNode json) {
  /**
   * A configuration that is or was active, or is pending.
   *
   * @param activatedAt when it last became the active one
   * @param nodes the number of Nodes that are booted into it
   * @param disabled whether no machine boots it any more
   */
  public record Revision(
      String profile,
      String createdAt,
      String activatedAt,
      int nodes,
      boolean disabled,
      List<String> summary) {
    private static Revision of(JsonNode json) {
      String createdAt = json.path("createdAt").asText("");
      return new Revision(
          json.path("nodeProfile").asText(""),
          createdAt,
          json.path("activatedAt").asText(createdAt),
          json.path("activeNodes").asInt(0),
          json.path("disabled").asBoolean(false),
          json.path("summary").valueStream().map(JsonNode::asText).toList());
    }
  }

  /** The name. */
  public String name() {
    return json.at("/metadata/name").asText("");
  }

  /** The version of the object. */
  public String version() {
    return json.at("/metadata/resourceVersion").asText("");
  }

  /** All annotations. */
  public Map<String, String> annotations() {
    Map<String, String> all = new TreeMap<>();
    json.at("/metadata/annotations")
        .properties()
        .forEach(each -> all.put(each.getKey(), each.getValue().asText("")));
    return all;
  }

  /** Whether a user has paused it. */
  public boolean isPaused() {
    return PoolSpec.Pause.NONE
        .withText(annotations().getOrDefault(PoolAnnotations.PAUSED.key(), ""))
        .isSet();
  }

  /** The strategy of its configurations. */
  public String strategy() {
    return json.at("/spec/nodeConfigurationUpdateStrategy/type").asText("");
  }

  /** Whether busy Nodes are removed, too, when the target falls. */
  public boolean endsWorkToShrink() {
    return json.at("/spec/lifecycle/scaleDownStrategy").asText("").equals("PreferIdle");
  }

  /** The number of Nodes. */
  public int currentNodes() {
    return json.at("/status/currentNodes").asInt(0);
  }

  /** The instance type. */
  public String instanceType() {
    return json.at("/spec/instanceType").asText("");
  }

  /** The compute class; {@code default} if none is set. */
  public String computeClass() {
    return json.at("/spec/computeClass").asText("default");
  }

  /** The target in Nodes; of a pool that is sized in racks, once the operator observed it. */
  public int target() {
    return json.at("/spec/targetNodes").asInt(json.at("/status/targetNodes").asInt(0));
  }

  /** When it was created. */
  public String created() {
    return json.at("/metadata/creationTimestamp").asText("");
  }

  /** The number of its machines whose Nodes have not registered yet. */
  public int inProgress() {
    return json.at("/status/inProgress").asInt(0);
  }

  /** The number of its Nodes that wait for a machine. */
  public int queued() {
    return json.at("/status/queuedNodes").asInt(0);
  }

  /** The number of its Nodes in a state of {@code status.nodeStates}, such as notReady. */
  public int count(String state) {
    return json.at("/status/nodeStates").path(state).path("count").asInt(0);
  }

  /** The number of its Nodes that are booted into the active configuration. */
  public int upToDate() {
    return revision(active()).map(Revision::nodes).orElse(0);
  }

  /**
   * The number of up-to-date Nodes as text. If all Nodes that stay are up to date, the rest are
   * counted apart.
   */
  public String upToDateText() {
    int others = currentNodes() - upToDate();
    return isUpToDate() && others > 0
        ? "%1$d of %1$d Nodes (%2$d more on the way out)".formatted(upToDate(), others)
        : "%d of %d Nodes".formatted(upToDate(), currentNodes());
  }

  /** The profile of the active configuration. */
  public String active() {
    return json.at("/status/nodeProfile").asText("");
  }

  /** Whether no machine boots the active configuration any more. */
  public boolean isDisabled() {
    return revision(active()).filter(Revision::disabled).isPresent();
  }

  /** The configuration that may be promoted. */
  public Optional<Revision> pending() {
    return Optional.of(json.at("/status/pendingNodeConfiguration"))
        .filter(JsonNode::isObject)
        .map(Revision::of);
  }

  /** The present and earlier active configurations, by creation. */
  public List<Revision> revisions() {
    return json.at("/status/nodeConfigurationRevisions").valueStream().map(Revision::of).toList();
  }

  /** The revision with this profile. */
  public Optional<Revision> revision(String profile) {
    return revisions().stream().filter(each -> each.profile().equals(profile)).findFirst();
  }

  /** The revision that was active before the present one. */
  public Optional<Revision> before() {
    return revisions().stream()
        .filter(each -> !each.profile().equals(active()))
        .max(Comparator.comparing(Revision::activatedAt));
  }

  /** The revisions in one line. */
  public String revisionsText() {
    return revisions().stream()
        .map(each ->
            each.profile()
                + (each.profile().equals(active()) ? " (active)" : "")
                + (each.disabled() ? " (disabled)" : ""))
        .collect(Collectors.joining(", "));
  }

  /** A condition. */
  public Optional<JsonNode> condition(PoolCondition type) {
    return json.at("/status/conditions")
        .valueStream()
        .filter(condition -> condition.path("type").asText("").equals(type.type()))
        .findFirst();
  }

  /** The most important fact about it, in a word, such as {@code OverQuota}. */
  public String standing() {
    return json.at("/status/summary/reason").asText(ConditionStatus.UNKNOWN.word());
  }

  /** The sentence for {@link #standing}; empty text before the pool's first plan. */
  public String standingText() {
    return json.at("/status/summary/message").asText("");
  }

  /** How far its Nodes are from the active configuration: a text, empty until that is known. */
  public String progress() {
    return ofConfiguration("message");
  }

  /**
   * Whether all Nodes are up to date. Only the condition is reliable: Nodes may boot another
   * configuration after a rollout was complete.
   */
  public boolean isUpToDate() {
    return ofConfiguration("reason").equals(NodeReconfigurationReason.ALL_NODES_UP_TO_DATE.word());
  }

  private String ofConfiguration(String field) {
    return condition(PoolCondition.NODE_RECONFIGURATION_REQUIRED)
        .map(condition -> condition.path(field).asText(""))
        .orElse("");
  }

  /** Whether the status was computed from the present spec, and all commands are carried out. */
  public boolean isCurrent() {
    return isCarriedOut()
        && json.at("/metadata/generation").asLong(0)
            == json.at("/status/observedGeneration").asLong(-1);
  }

  /**
   * Whether all commands are carried out. A command is accepted in one write that removes its
   * annotation and records its number; the status has the number of the last one that was carried
   * out.
   */
  public boolean isCarriedOut() {
    ConfigurationCommands commands = commands();
    return !commands.isWaiting()
        && commands.open(configuration().path("command").asInt(0)).isEmpty();
  }

  /** The commands of users. */
  public ConfigurationCommands commands() {
    return CommandAnnotations.read(annotations(), json.at("/metadata/uid").asText(""));
  }

  /** Until when a change of the active configuration waits at most for Nodes in delivery. */
  public String waitingUntil() {
    return configuration().path("waitingUntil").asText("");
  }

  /** The number of the last rollout; 0 if none was started. */
  public int rolloutNumber() {
    return configuration().at("/rollout/number").asInt(0);
  }

  /** The phase of the last rollout; empty text if it is complete, or none was started. */
  public String rolloutPhase() {
    return configuration().at("/rollout/phase").asText("");
  }

  /** Since when the last rollout is in its phase; empty text if that is not recorded. */
  public String rolloutSince() {
    return configuration().at("/rollout/since").asText("");
  }

  /** Since when Nodes with failed reboots wait for a person; empty text if none does. */
  public String failedRebootsHeldSince() {
    return json.at("/status/failedReboots/heldSince").asText("");
  }

  /** How many Nodes wait for removal, since their reboots failed. */
  public int failedRebootsWaiting() {
    return json.at("/status/failedReboots/waiting").asInt(0);
  }

  /** How many Nodes wait for the repair of their machines. */
  public int repairsWaiting() {
    return json.at("/status/repairs/waiting").asInt(0);
  }

  /** What holds the first repair: a sentence. */
  public String repairsHeldBy() {
    return json.at("/status/repairs/message").asText("");
  }

  /** The alerts in doubt: they are active on too many Nodes, and not repaired. */
  public List<String> suspects() {
    List<String> suspects = new ArrayList<>();
    for (JsonNode each : json.at("/status/repairs/suspects")) {
      if (!each.path("verdict").asText().equals(SuspectedAlert.Verdict.GENUINE.word())) {
        suspects.add(each.path("alert").asText());
      }
    }
    return suspects;
  }

  /** The alerts about its racks: sentences, by the rack. */
  public Map<String, List<String>> rackAlerts() {
    Map<String, List<String>> alerts = new TreeMap<>();
    for (JsonNode each : json.at("/status/repairs/racks")) {
      String rack = each.path("rack").asText("");
      alerts
          .computeIfAbsent(rack, _ -> new ArrayList<>())
          .add(
              "NodePool %s: rack %s has the alert %s since %s; a person has to act."
                  .formatted(
                      name(), rack, each.path("alert").asText(""), each.path("since").asText("")));
    }
    return alerts;
  }

  /** Whether the last rollout evicts work on busy Nodes. */
  public boolean rolloutEvicts() {
    return configuration().at("/rollout/evicts").asBoolean(false);
  }

  /**
   * Whether a rollout that evicts takes on the next active configuration; a rollout that paused by
   * itself then goes on.
   */
  public boolean rolloutWouldEvict() {
    return rolloutEvicts()
        && Stream.of(RolloutState.Phase.RUNNING, RolloutState.Phase.PAUSED)
            .anyMatch(phase -> phase.word().equals(rolloutPhase()));
  }

  /** The first of the Nodes that wait for the repair of their machines. */
  public List<String> repairNodes() {
    return json.at("/status/repairs/nodes").valueStream().map(JsonNode::asText).toList();
  }

  /** Why the rollout paused, or was stopped, without a command. */
  public String rolloutReason() {
    return configuration().at("/rollout/reason").asText("");
  }

  /** The fields that are not documented. */
  private JsonNode configuration() {
    return json.at("/status/configuration");
  }
}

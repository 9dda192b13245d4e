package io.nodepool.health.catalogue;

import io.nodepool.vocabulary.condition.NodeCondition;
import io.nodepool.vocabulary.metadata.KeyWriter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Checks that the alerts of a catalogue agree: their names, the conditions, and the symptoms. */
final class AlertReferences {
  private static final Set<String> OPERATORS =
      Arrays.stream(NodeCondition.values())
          .filter(condition -> condition.writers().contains(KeyWriter.OPERATOR))
          .map(NodeCondition::type)
          .collect(Collectors.toUnmodifiableSet());

  private final SortedMap<String, Alert> alerts;

  AlertReferences(SortedMap<String, Alert> alerts) {
    this.alerts = alerts;
  }

  /**
   * Checks what an entry of a document refers to.
   *
   * @throws IllegalArgumentException if it contradicts another entry
   */
  void check(AlertEntry entry) {
    Alert alert = Objects.requireNonNull(alerts.get(entry.name()));
    entry.refuse(
        "",
        owner(entry.name())
            .map(owner ->
                "%s is a condition of Nodes that belongs to %s, so it cannot be the name of an alert; choose another name."
                    .formatted(entry.name(), owner)));
    alert.aliases().forEach(alias -> checkAlias(entry, alias));
    alert.nodeConditions().forEach(type -> checkCondition(entry, type));
    entry.refuse(
        "",
        other(entry, other -> other.nodeConditions().contains(entry.name()))
            .map(other ->
                "%s is a condition of Nodes that means %s, so it cannot be the name of another alert."
                    .formatted(entry.name(), other.name())));
    alert.symptomOf().forEach(cause -> checkCause(entry, cause));
    checkCycle(entry);
  }

  private Optional<Alert> other(AlertEntry entry, Predicate<Alert> which) {
    return alerts.values().stream()
        .filter(each -> !each.name().equals(entry.name()) && which.test(each))
        .findFirst();
  }

  /** The owner of a condition type that alerts may not use; empty if they may use it. */
  private static Optional<String> owner(String type) {
    return NodeCondition.KUBERNETES.contains(type)
        ? Optional.of("Kubernetes")
        : Optional.of("the operator").filter(_ -> OPERATORS.contains(type));
  }

  private void checkAlias(AlertEntry entry, String alias) {
    if (alerts.containsKey(alias)) {
      throw entry.wrong(
          "aliases",
          "alias %s of %s is the name of an alert; choose another one."
              .formatted(alias, entry.name()));
    }
    entry.refuse(
        "aliases",
        other(entry, other -> other.aliases().contains(alias))
            .map(other ->
                "alias %s of %s is an alias of %s too; an alias belongs to one alert."
                    .formatted(alias, entry.name(), other.name())));
  }

  private void checkCondition(AlertEntry entry, String type) {
    entry.refuse(
        "nodeConditions",
        owner(type)
            .map(owner ->
                "nodeConditions of %s has %s, which is a condition of %s; name one that a monitor writes."
                    .formatted(entry.name(), type, owner)));
    entry.refuse(
        "nodeConditions",
        other(entry, other -> other.name().equals(type) || other.nodeConditions().contains(type))
            .map(other ->
                other.name().equals(type)
                    ? "nodeConditions of %s has %s, which the operator writes while the alert of this name stands; name one that a monitor writes."
                        .formatted(entry.name(), type)
                    : "nodeConditions of %s has %s, which means %s already; a condition means one alert."
                        .formatted(entry.name(), type, other.name())));
  }

  private void checkCause(AlertEntry entry, String cause) {
    if (!alerts.containsKey(cause)) {
      throw entry.wrong(
          "symptomOf",
          other(entry, other -> other.aliases().contains(cause))
              .map(other ->
                  "symptomOf of %s has %s, an alias; write its name, %s."
                      .formatted(entry.name(), cause, other.name()))
              .orElseGet(() ->
                  "symptomOf of %s has %s, which is no alert; write the name of one."
                      .formatted(entry.name(), cause)));
    }
  }

  /** Fails if an alert is a symptom of itself, through any number of other alerts. */
  private void checkCycle(AlertEntry entry) {
    // Maps each cause on the way to its symptom; each alert is followed once.
    Map<String, String> symptoms = new TreeMap<>();
    Deque<String> open = new ArrayDeque<>(List.of(entry.name()));
    while (!open.isEmpty()) {
      String symptom = open.remove();
      for (String cause : Objects.requireNonNull(alerts.get(symptom)).symptomOf()) {
        if (alerts.containsKey(cause) && symptoms.putIfAbsent(cause, symptom) == null) {
          open.add(cause);
        }
      }
    }
    if (symptoms.containsKey(entry.name())) {
      List<String> path = new ArrayList<>(List.of(entry.name()));
      do {
        path.addFirst(Objects.requireNonNull(symptoms.get(path.getFirst())));
      } while (!path.getFirst().equals(entry.name()));
      throw entry.wrong(
          "symptomOf",
          "%s would be a symptom of itself: %s. Take one of these out of symptomOf."
              .formatted(entry.name(), String.join(", of ", path)));
    }
  }
}

package io.nodepool.plan.pool;

import io.nodepool.fleet.FleetOffer;
import io.nodepool.fleet.affinity.Affinity;
import io.nodepool.fleet.affinity.AffinityRequirement;
import io.nodepool.fleet.affinity.AffinityRequirement.Operator;
import io.nodepool.fleet.affinity.PlacementLabel;
import io.nodepool.vocabulary.UserText;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Checks whether any machine could meet an affinity, independently of the machines that exist
 * (decision D14).
 */
final class AffinityFeasibility {
  private AffinityFeasibility() {}

  /** Why no machine of the type in the offer's zone can meet the affinity; empty if one could. */
  static Optional<String> of(Affinity.Selector affinity, String instanceType, FleetOffer offer) {
    for (AffinityRequirement requirement : affinity.requirements()) {
      if (PlacementLabel.of(requirement.key()).isEmpty()) {
        return Optional.of(
            "%s is not fixed by the machine; usable are %s"
                .formatted(
                    UserText.shortened(requirement.key(), UserText.LONGEST_QUOTE),
                    Arrays.stream(PlacementLabel.values())
                        .map(PlacementLabel::key)
                        .collect(Collectors.joining(", "))));
      }
    }
    Map<PlacementLabel, String> fixed =
        Map.of(
            PlacementLabel.INSTANCE_TYPE, instanceType,
            PlacementLabel.ZONE, offer.zone(),
            PlacementLabel.REGION, offer.region());
    Map<String, List<AffinityRequirement>> byKey =
        affinity.requirements().stream()
            .collect(
                Collectors.groupingBy(AffinityRequirement::key, TreeMap::new, Collectors.toList()));
    for (Map.Entry<String, List<AffinityRequirement>> entry : byKey.entrySet()) {
      Optional<String> value =
          PlacementLabel.of(entry.getKey()).flatMap(label -> Optional.ofNullable(fixed.get(label)));
      Optional<String> why =
          value.isPresent()
              ? unlike(entry.getValue(), entry.getKey(), value.get())
              : contradiction(entry.getValue(), entry.getKey());
      if (why.isPresent()) {
        return why;
      }
    }
    return Optional.empty();
  }

  private static Optional<String> unlike(
      List<AffinityRequirement> requirements, String key, String value) {
    return requirements.stream().allMatch(requirement -> requirement.admits(value))
        ? Optional.empty()
        : Optional.of("%s of this pool's machines is %s".formatted(key, value));
  }

  /**
   * Why the requirements on one key contradict each other. If values are listed, one of them must
   * meet all requirements.
   */
  private static Optional<String> contradiction(
      List<AffinityRequirement> requirements, String key) {
    Set<String> candidates = new TreeSet<>();
    for (AffinityRequirement requirement : requirements) {
      candidates.addAll(requirement.operator() == Operator.IN ? requirement.values() : Set.of());
    }
    boolean listed = has(requirements, Operator.IN);
    boolean possible =
        listed
            ? candidates.stream().anyMatch(value -> allAdmit(requirements, value))
            : !(has(requirements, Operator.EXISTS) && has(requirements, Operator.ABSENT));
    return possible
        ? Optional.empty()
        : Optional.of("what it requires of %s contradicts itself".formatted(key));
  }

  private static boolean allAdmit(List<AffinityRequirement> requirements, String value) {
    return requirements.stream().allMatch(requirement -> requirement.admits(value));
  }

  private static boolean has(List<AffinityRequirement> requirements, Operator operator) {
    return requirements.stream().anyMatch(requirement -> requirement.operator() == operator);
  }
}

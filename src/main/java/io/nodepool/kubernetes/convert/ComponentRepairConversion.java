package io.nodepool.kubernetes.convert;

import static io.nodepool.kubernetes.convert.ObjectFacts.orAbsent;
import static io.nodepool.kubernetes.convert.ObjectFacts.orEmpty;

import io.nodepool.fleet.ComponentRepair;
import io.nodepool.kubernetes.api.HostSpec;
import io.nodepool.kubernetes.api.HostStatus;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** Converts the requests to repair components of a machine, and the fleet's answers to them. */
public final class ComponentRepairConversion {
  private static final String SUCCEEDED = "Succeeded";
  private static final String FAILED = "Failed";

  private ComponentRepairConversion() {}

  static List<ComponentRepair> requests(Map<String, HostSpec.ComponentRepairSpec> objects) {
    return new TreeMap<>(objects)
        .entrySet().stream()
            .map(each -> {
              String field = "spec.repairs[%s]".formatted(each.getKey());
              HostSpec.ComponentRepairSpec object = each.getValue();
              return new ComponentRepair(
                  each.getKey(),
                  orEmpty(object.component),
                  HostConversion.attempt(field + ".try", object.attempt),
                  ObjectFacts.time(field + ".requestedAt", object.requestedAt),
                  object.earlier.stream()
                      .map(at -> ObjectFacts.time(field + ".earlier", at))
                      .toList());
            })
            .toList();
  }

  /** A request as recorded in its Host's spec, by the name of its alert. */
  public static HostSpec.ComponentRepairSpec request(ComponentRepair request) {
    HostSpec.ComponentRepairSpec object = new HostSpec.ComponentRepairSpec();
    object.component = orAbsent(request.component());
    object.attempt = request.attempt();
    object.requestedAt = request.at().toString();
    object.earlier = request.earlier().stream().map(Instant::toString).toList();
    return object;
  }

  static List<ComponentRepair.RepairAnswer> answers(
      Map<String, HostStatus.ComponentRepairStatus> objects) {
    return new TreeMap<>(objects)
        .entrySet().stream()
            .map(each -> {
              String field = "status.repairs[%s]".formatted(each.getKey());
              HostStatus.ComponentRepairStatus object = each.getValue();
              if (!object.outcome.equals(SUCCEEDED) && !object.outcome.equals(FAILED)) {
                throw new UnreadableObjectException(
                    "%s.outcome is no word that is known: %s".formatted(field, object.outcome));
              }
              return new ComponentRepair.RepairAnswer(
                  each.getKey(),
                  HostConversion.attempt(field + ".try", object.attempt),
                  object.outcome.equals(SUCCEEDED),
                  ObjectFacts.time(field + ".at", object.at),
                  orEmpty(object.message));
            })
            .toList();
  }

  static SortedMap<String, HostStatus.ComponentRepairStatus> statuses(
      List<ComponentRepair.RepairAnswer> answers) {
    SortedMap<String, HostStatus.ComponentRepairStatus> objects = new TreeMap<>();
    for (ComponentRepair.RepairAnswer answer : answers) {
      HostStatus.ComponentRepairStatus object = new HostStatus.ComponentRepairStatus();
      object.attempt = answer.attempt();
      object.outcome = answer.succeeded() ? SUCCEEDED : FAILED;
      object.at = answer.at().toString();
      object.message = orAbsent(answer.message());
      objects.put(answer.alert(), object);
    }
    return objects;
  }
}

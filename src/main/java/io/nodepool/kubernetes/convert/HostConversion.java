package io.nodepool.kubernetes.convert;

import static io.nodepool.kubernetes.convert.ObjectFacts.orAbsent;
import static io.nodepool.kubernetes.convert.ObjectFacts.orEmpty;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.BootRequest;
import io.nodepool.fleet.DeliveryHistory;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.Machine;
import io.nodepool.fleet.PastRepair;
import io.nodepool.fleet.PoolId;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.api.HostSpec;
import io.nodepool.kubernetes.api.HostStatus;
import io.nodepool.model.Observation;
import io.nodepool.vocabulary.BootKind;
import io.nodepool.vocabulary.Word;
import io.nodepool.vocabulary.metadata.HostAnnotations;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Converts Hosts of the API to records of the fleet port, and their specs back. */
public final class HostConversion {
  private static final ObjectMapper JSON = new ObjectMapper();

  private HostConversion() {}

  /**
   * A Host as a record; empty while its status has no phase, since nothing can be decided about it
   * then.
   *
   * @throws UnreadableObjectException if the Host cannot be read
   */
  public static Optional<Host> host(HostResource object) {
    HostSpec spec = object.getSpec();
    HostStatus status = object.getStatus();
    ObjectFacts.requireKnownWords("spec", spec);
    ObjectFacts.requireKnownWords("status", status);
    if (spec == null || status == null || status.phase == null) {
      if (spec != null && spec.assignment != null) {
        throw new UnreadableObjectException("status.phase is missing although it is assigned");
      }
      return Optional.empty();
    }
    return Optional.of(
        new Host(
            id(object),
            ObjectFacts.version(object),
            machine(spec.machine),
            new Host.Occupancy(
                tenancy("spec.tenancy", spec.tenancy),
                Optional.ofNullable(spec.assignment).map(HostConversion::assignment),
                orEmpty(spec.configuration),
                spec.power == HostSpec.Power.OFF ? Host.Power.OFF : Host.Power.ON,
                Optional.ofNullable(spec.boot).map(HostConversion::boot),
                ComponentRepairConversion.requests(spec.repairs),
                spec.pastRepairs.stream().map(HostConversion::past).toList(),
                Optional.ofNullable(spec.fenced).map(HostConversion::fenced)),
            deliveries(spec, released(object)),
            HostReportConversion.report(status, status.phase)));
  }

  /** A Host that exists and cannot be read, with the pool that holds it. */
  public static Observation.HostUnreadable unreadable(
      HostResource object, UnreadableObjectException why) {
    HostSpec spec = object.getSpec();
    return new Observation.HostUnreadable(
        id(object),
        ObjectFacts.version(object),
        String.valueOf(why.getMessage()),
        spec == null || spec.assignment == null ? "" : orEmpty(spec.assignment.poolUid));
  }

  /** A Host's identity. */
  public static HostId id(HostResource object) {
    return new HostId(ObjectFacts.name(object), ObjectFacts.uid(object));
  }

  /** When a person put the Host back into service; empty if there is no readable record. */
  private static Optional<Instant> released(HostResource object) {
    Map<String, String> annotations = object.getMetadata().getAnnotations();
    String record =
        annotations == null
            ? ""
            : annotations.getOrDefault(HostAnnotations.SET_ASIDE_ENDED.key(), "");
    try {
      return ObjectFacts.readableTime(JSON.readTree(record).path("at").asText(""));
    } catch (JsonProcessingException e) {
      return Optional.empty();
    }
  }

  private static DeliveryHistory deliveries(HostSpec spec, Optional<Instant> released) {
    HostSpec.DeliveryFailures failures = spec.deliveryFailures;
    Optional<DeliveryHistory.Failure> failure =
        failures == null || failures.count == 0
            ? Optional.empty()
            : Optional.of(
                new DeliveryHistory.Failure(
                    failures.count,
                    ObjectFacts.timeOrLongAgo("spec.deliveryFailures.lastAt", failures.lastAt),
                    orEmpty(failures.cause),
                    ObjectFacts.timeOrLongAgo(
                        "spec.deliveryFailures.notBefore", failures.notBefore),
                    failures.poolUid == null || failures.configuration == null
                        ? Optional.empty()
                        : Optional.of(
                            new DeliveryHistory.Suspect(
                                failures.poolUid, failures.configuration))));
    return new DeliveryHistory(failure, orEmpty(spec.setAside), released);
  }

  /** Failed deliveries as recorded in a Host's spec. */
  public static HostSpec.DeliveryFailures failures(DeliveryHistory.Failure failure) {
    HostSpec.DeliveryFailures object = new HostSpec.DeliveryFailures();
    object.count = failure.count();
    object.lastAt = failure.at().toString();
    object.cause = orAbsent(failure.cause());
    object.notBefore = failure.notBefore().toString();
    failure
        .suspect()
        .ifPresent(suspect -> {
          object.poolUid = suspect.poolUid();
          object.configuration = suspect.configuration();
        });
    return object;
  }

  static int attempt(String field, int attempt) {
    if (attempt < 1) {
      throw new UnreadableObjectException(field + " is less than 1: " + attempt);
    }
    return attempt;
  }

  private static BootRequest boot(HostSpec.BootSpec boot) {
    return new BootRequest(
        orEmpty(boot.from),
        attempt("spec.boot.try", boot.attempt),
        known(BootKind.class, "spec.boot.kind", boot.kind),
        orEmpty(boot.operation),
        ObjectFacts.timeOrLongAgo("spec.boot.requestedAt", boot.requestedAt),
        orEmpty(boot.configuration),
        boot.history.stream()
            .map(each ->
                new BootRequest.PastAttempt(
                    orEmpty(each.from),
                    each.attempt,
                    known(BootKind.class, "spec.boot.history[].kind", each.kind),
                    ObjectFacts.timeOrLongAgo("spec.boot.history[].requestedAt", each.requestedAt),
                    orEmpty(each.configuration),
                    known(BootRequest.Outcome.class, "spec.boot.history[].outcome", each.outcome),
                    orEmpty(each.alert)))
            .toList(),
        orEmpty(boot.alert));
  }

  private static Host.Fenced fenced(HostSpec.FencedSpec object) {
    return new Host.Fenced(
        tenancy("spec.fenced.tenancy", object.tenancy),
        ObjectFacts.timeOrLongAgo("spec.fenced.since", object.since),
        ObjectFacts.timeOrLongAgo("spec.fenced.at", object.at));
  }

  /** A person's statement about a machine, as recorded in its Host's spec. */
  public static HostSpec.FencedSpec fenced(Host.Fenced fenced) {
    HostSpec.FencedSpec object = new HostSpec.FencedSpec();
    object.tenancy = fenced.tenancy();
    object.since = fenced.since().equals(Instant.EPOCH) ? null : fenced.since().toString();
    object.at = fenced.at().toString();
    return object;
  }

  static <W extends Enum<W> & Word> W known(Class<W> words, String field, String word) {
    return Word.of(words, word)
        .orElseThrow(
            () -> new UnreadableObjectException(field + " is no word that is known: " + word));
  }

  /** A request to boot a machine anew, as recorded in its Host's spec. */
  public static HostSpec.BootSpec boot(BootRequest request) {
    HostSpec.BootSpec object = new HostSpec.BootSpec();
    object.from = orAbsent(request.from());
    object.attempt = request.attempt();
    object.kind = request.kind().word();
    object.operation = orAbsent(request.operation());
    object.requestedAt = request.at().toString();
    object.configuration = orAbsent(request.configuration());
    object.alert = orAbsent(request.alert());
    for (BootRequest.PastAttempt past : request.history()) {
      HostSpec.PastBootSpec each = new HostSpec.PastBootSpec();
      each.from = orAbsent(past.from());
      each.attempt = past.attempt();
      each.kind = past.kind().word();
      each.requestedAt = past.at().toString();
      each.configuration = orAbsent(past.configuration());
      each.outcome = past.outcome().word();
      each.alert = orAbsent(past.alert());
      object.history.add(each);
    }
    return object;
  }

  private static PastRepair past(HostSpec.PastRepairSpec object) {
    return new PastRepair(
        object.alert,
        object.poolUid,
        ObjectFacts.time("spec.pastRepairs[].at", object.at),
        object.out,
        object.proved,
        object.endedWork,
        object.probe,
        ObjectFacts.orEmpty(object.rack));
  }

  /** The past repairs of a machine, as recorded in its Host's spec. */
  public static List<HostSpec.PastRepairSpec> past(List<PastRepair> repairs) {
    return repairs.stream()
        .map(each -> {
          HostSpec.PastRepairSpec object = new HostSpec.PastRepairSpec();
          object.alert = each.alert();
          object.poolUid = each.poolUid();
          object.at = each.at().toString();
          object.out = each.out();
          object.proved = each.proved();
          object.endedWork = each.endedWork();
          object.probe = each.probe();
          object.rack = orAbsent(each.rack());
          return object;
        })
        .toList();
  }

  static int tenancy(String field, long tenancy) {
    if (tenancy < 0 || tenancy > Integer.MAX_VALUE) {
      throw new UnreadableObjectException(field + " is out of range: " + tenancy);
    }
    return (int) tenancy;
  }

  private static Machine machine(HostSpec.MachineSpec machine) {
    return new Machine(
        machine.instanceType,
        new Machine.Location(
            machine.zone,
            orEmpty(machine.region),
            orEmpty(machine.rack),
            orEmpty(machine.rackName),
            slot(machine.slot)),
        new Machine.Interconnect(
            orEmpty(machine.nvlinkDomain),
            orEmpty(machine.fabric),
            new Machine.LeafGroup(
                orEmpty(machine.leafgroup),
                orEmpty(machine.leafgroupName),
                orEmpty(machine.leafPort)),
            orEmpty(machine.superpod)));
  }

  /**
   * The number of a slot, which orders the machines of a rack; 0 for a slot that is missing or not
   * a number.
   */
  private static int slot(@Nullable String slot) {
    return slot != null && slot.matches("[0-9]{1,9}") ? Integer.parseInt(slot) : 0;
  }

  /** The facts of a machine as recorded in its Host's spec. */
  public static HostSpec.MachineSpec machine(Machine machine) {
    HostSpec.MachineSpec object = new HostSpec.MachineSpec();
    object.instanceType = machine.instanceType();
    object.zone = machine.location().zone();
    object.region = orAbsent(machine.location().region());
    object.rack = orAbsent(machine.rack());
    object.rackName = orAbsent(machine.location().rackName());
    object.slot = Integer.toString(machine.slot());
    object.nvlinkDomain = orAbsent(machine.interconnect().nvlinkDomain());
    object.fabric = orAbsent(machine.interconnect().fabric());
    object.leafgroup = orAbsent(machine.interconnect().leafgroup().id());
    object.leafgroupName = orAbsent(machine.interconnect().leafgroup().name());
    object.leafPort = orAbsent(machine.interconnect().leafgroup().port());
    object.superpod = orAbsent(machine.interconnect().superpod());
    return object;
  }

  /** Reads an assignment. Without a time, it counts as made long ago. */
  private static Assignment assignment(HostSpec.AssignmentSpec object) {
    return new Assignment(
        new PoolId(object.pool, object.poolUid),
        object.computeClass == null ? "default" : object.computeClass,
        orEmpty(object.operation),
        ObjectFacts.timeOrLongAgo("spec.assignment.assignedAt", object.assignedAt),
        NodeTemplates.template(object.node),
        Optional.ofNullable(object.preserved).map(HostConversion::preserved));
  }

  private static Assignment.Preserved preserved(HostSpec.PreservedSpec object) {
    return new Assignment.Preserved(
        orEmpty(object.alert),
        ObjectFacts.timeOrLongAgo("spec.assignment.preserved.until", object.until));
  }

  /** The record in a Host's spec that its machine is kept for inspection. */
  public static HostSpec.PreservedSpec preserved(Assignment.Preserved preserved) {
    HostSpec.PreservedSpec object = new HostSpec.PreservedSpec();
    object.alert = orAbsent(preserved.alert());
    object.until = preserved.until().toString();
    return object;
  }

  /** An assignment as recorded in a Host's spec. */
  public static HostSpec.AssignmentSpec assignment(Assignment assignment) {
    HostSpec.AssignmentSpec object = new HostSpec.AssignmentSpec();
    object.pool = assignment.pool().name();
    object.poolUid = assignment.pool().uid();
    object.computeClass = assignment.computeClass();
    object.operation = orAbsent(assignment.operation());
    object.assignedAt = assignment.at().toString();
    object.node = NodeTemplates.metadata(assignment.node());
    object.preserved = assignment.preserved().map(HostConversion::preserved).orElse(null);
    return object;
  }
}

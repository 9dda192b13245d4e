package io.nodepool.kubernetes.fleet;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.nodepool.fleet.Answer;
import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.ComponentRepair;
import io.nodepool.fleet.DeliveryHistory;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.HostPhase;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.client.ApiPaths;
import io.nodepool.kubernetes.client.ApiRequests;
import io.nodepool.kubernetes.client.JsonPatch;
import io.nodepool.kubernetes.client.Reply;
import io.nodepool.kubernetes.convert.ComponentRepairConversion;
import io.nodepool.kubernetes.convert.HostConversion;
import io.nodepool.kubernetes.convert.UnreadableObjectException;
import java.util.List;
import java.util.Optional;

/**
 * Sends operations on Hosts as JSON patches that test the state they were decided on. After a
 * refusal the Host is read live: if it already shows the effect, the operation was carried out
 * before.
 */
record HostRequests(ApiRequests requests) {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String ASSIGNMENT = "/spec/assignment";
  private static final String HOLDER = "/spec/assignment/poolUid";
  private static final String PRESERVED = "/spec/assignment/preserved";
  private static final String TENANCY = "/spec/tenancy";
  private static final String POWER = "/spec/power";
  private static final String CONFIGURATION = "/spec/configuration";
  private static final String BOOT_ID = "/status/bootId";
  private static final String FAILURES = "/spec/deliveryFailures";
  private static final String SET_ASIDE = "/spec/setAside";
  private static final String REPAIRS = "/spec/repairs";

  /** Carries out an operation; blocks until it is answered. */
  Answer<Host> perform(HostOperation operation) {
    Reply reply =
        requests.patch(
            ApiPaths.host(operation.host().name()),
            ApiRequests.PatchType.JSON,
            patch(operation).json());
    if (reply instanceof Reply.Ok ok) {
      return converted(ok);
    }
    return reply.isConflict() ? ifDoneBefore(operation, reply) : reply.failure();
  }

  /** The patch as which an operation is sent. */
  static JsonPatch patch(HostOperation operation) {
    JsonPatch patch = new JsonPatch().test("/metadata/uid", operation.host().uid());
    fill(patch, operation);
    failed(operation).ifPresent(failed -> hold(failed, patch));
    return patch;
  }

  private static Optional<DeliveryHistory> failed(HostOperation operation) {
    return switch (operation) {
      case HostOperation.Cancel cancel -> cancel.failed();
      case HostOperation.Stop stop -> stop.failed();
      case HostOperation.Preserve preserve -> preserve.failed();
      case HostOperation.Assign _,
          HostOperation.Release _,
          HostOperation.Delivered _,
          HostOperation.Excuse _,
          HostOperation.Boot _,
          HostOperation.DropBoot _,
          HostOperation.RepairComponent _,
          HostOperation.Stage _ ->
          Optional.empty();
    };
  }

  private static void hold(DeliveryHistory deliveries, JsonPatch patch) {
    deliveries
        .failure()
        .ifPresent(
            failure -> patch.set(FAILURES, JSON.valueToTree(HostConversion.failures(failure))));
    if (deliveries.isSetAside()) {
      patch.set(SET_ASIDE, deliveries.setAside());
    }
  }

  private static void fill(JsonPatch patch, HostOperation operation) {
    switch (operation) {
      case HostOperation.Assign assign -> {
        patch
            .test(TENANCY, assign.tenancyBefore())
            .testAbsent(ASSIGNMENT)
            .set(TENANCY, assign.tenancyBefore() + 1L)
            .set(ASSIGNMENT, assignment(assign.assignment()))
            .set(CONFIGURATION, assign.configuration())
            .set(POWER, "On");
        if (assign.configuration().isEmpty()) {
          // Only what exists can be removed.
          patch.remove(CONFIGURATION);
        }
      }
      case HostOperation.Cancel cancel ->
          patch
              .test(TENANCY, cancel.tenancy())
              .test(HOLDER, cancel.pool().uid())
              .test("/status/phase", HostPhase.FREE.word())
              .remove(ASSIGNMENT);
      case HostOperation.Stop stop ->
          patch.test(TENANCY, stop.tenancy()).test(HOLDER, stop.pool().uid()).set(POWER, "Off");
      case HostOperation.Preserve preserve ->
          patch
              .test(TENANCY, preserve.tenancy())
              .test(HOLDER, preserve.pool().uid())
              .test(POWER, "On")
              .testAbsent(PRESERVED)
              .set(PRESERVED, JSON.valueToTree(HostConversion.preserved(preserve.preserved())));
      case HostOperation.Delivered delivered ->
          patch
              .test(TENANCY, delivered.tenancy())
              .test(HOLDER, delivered.pool().uid())
              .remove(FAILURES);
      case HostOperation.Excuse excuse -> fill(patch, excuse);
      case HostOperation.Boot boot -> fill(patch, boot);
      case HostOperation.DropBoot drop ->
          patch
              .test(TENANCY, drop.tenancy())
              .test(HOLDER, drop.pool().uid())
              .test("/spec/boot/operation", drop.request().operation())
              .test("/spec/boot/try", drop.request().attempt())
              .testAbsent("/status/boot")
              .remove("/spec/boot");
      case HostOperation.Stage stage -> fill(patch, stage);
      case HostOperation.RepairComponent repair -> fill(patch, repair);
      case HostOperation.Release release ->
          patch
              .test(TENANCY, release.tenancy())
              .test(HOLDER, release.pool().uid())
              .test(POWER, "Off")
              .remove(ASSIGNMENT)
              .set(POWER, "On");
    }
  }

  private static void fill(JsonPatch patch, HostOperation.Excuse excuse) {
    patch
        .test(TENANCY, excuse.tenancy())
        .testAbsent(ASSIGNMENT)
        .test(FAILURES + "/poolUid", excuse.pool().uid())
        .test(FAILURES + "/configuration", excuse.configuration());
    if (excuse.setAside().isEmpty()) {
      patch.testAbsent(SET_ASIDE);
    } else {
      patch.test(SET_ASIDE, excuse.setAside()).remove(SET_ASIDE);
    }
    patch.remove(FAILURES);
  }

  private static void fill(JsonPatch patch, HostOperation.Boot boot) {
    patch.test(TENANCY, boot.tenancy()).test(HOLDER, boot.pool().uid()).test(POWER, "On");
    String from = boot.request().from();
    if (from.isEmpty()) {
      patch.testAbsent(BOOT_ID);
    } else {
      patch.test(BOOT_ID, from);
    }
    patch.set("/spec/boot", JSON.valueToTree(HostConversion.boot(boot.request())));
  }

  private static void fill(JsonPatch patch, HostOperation.Stage stage) {
    patch.test(TENANCY, stage.tenancy()).test(HOLDER, stage.pool().uid());
    if (stage.before().isEmpty()) {
      patch.testAbsent(CONFIGURATION);
    } else {
      patch.test(CONFIGURATION, stage.before());
    }
    patch.set(CONFIGURATION, stage.configuration());
  }

  private static void fill(JsonPatch patch, HostOperation.RepairComponent repair) {
    patch.test(TENANCY, repair.tenancy()).test(HOLDER, repair.pool().uid()).test(POWER, "On");
    ComponentRepair request = repair.request();
    JsonNode value = JSON.valueToTree(ComponentRepairConversion.request(request));
    if (repair.before().isEmpty()) {
      patch.testAbsent(REPAIRS).set(REPAIRS, JSON.createObjectNode().set(request.alert(), value));
      return;
    }
    List<ComponentRepair> kept = request.amid(repair.before());
    repair.before().stream()
        .filter(each -> ComponentRepair.find(kept, each.alert()).isEmpty())
        .forEach(each -> patch.remove(repairPath(each)));
    repair
        .last()
        .ifPresentOrElse(
            last -> patch.test(repairPath(last) + "/try", last.attempt()),
            () -> patch.testAbsent(repairPath(request)));
    patch.set(repairPath(request), value);
  }

  private static String repairPath(ComponentRepair request) {
    return REPAIRS + "/" + JsonPatch.pointer(request.alert());
  }

  private static JsonNode assignment(Assignment assignment) {
    return JSON.valueToTree(HostConversion.assignment(assignment));
  }

  private Answer<Host> ifDoneBefore(HostOperation operation, Reply refused) {
    if (!(read(operation.host()) instanceof Answer.Done<Host>(Host host))) {
      return notAsSeen(refused);
    }
    if (shows(host, operation)) {
      return new Answer.Done<>(host);
    }
    return isAssignable(host, operation) ? refused.failure() : notAsSeen(refused);
  }

  /**
   * Whether a Host could still be assigned, so that not its state is refused but the assignment: by
   * an admission policy, for instance.
   */
  private static boolean isAssignable(Host host, HostOperation operation) {
    return operation instanceof HostOperation.Assign assign
        && host.assignment().isEmpty()
        && host.report().phase() == HostPhase.FREE
        && host.tenancy() == assign.tenancyBefore();
  }

  /**
   * The answer to a refusal. A violated rule of the Host is a conflict: the state that was decided
   * on has changed.
   */
  private static Answer<Host> notAsSeen(Reply refused) {
    Answer<Host> answer = refused.failure();
    return answer instanceof Answer.Denied<Host>(String why, boolean _)
        ? new Answer.Refused<>(why)
        : answer;
  }

  private static boolean shows(Host host, HostOperation operation) {
    return switch (operation) {
      case HostOperation.Assign assign ->
          host.assignment().map(Assignment::operation).equals(Optional.of(assign.id()));
      case HostOperation.Cancel cancel ->
          host.assignment().isEmpty() && host.tenancy() == cancel.tenancy();
      case HostOperation.Stop stop ->
          host.power() == Host.Power.OFF
              && host.tenancy() == stop.tenancy()
              && host.isHeldBy(stop.pool().uid());
      case HostOperation.Preserve preserve ->
          host.preserved().isPresent()
              && host.tenancy() == preserve.tenancy()
              && host.isHeldBy(preserve.pool().uid());
      case HostOperation.Release release ->
          host.assignment().isEmpty() && host.tenancy() == release.tenancy();
      case HostOperation.Delivered delivered ->
          host.deliveries().failure().isEmpty() && host.tenancy() == delivered.tenancy();
      case HostOperation.Excuse excuse ->
          host.deliveries().failure().isEmpty() && host.tenancy() == excuse.tenancy();
      case HostOperation.Boot boot ->
          host.tenancy() == boot.tenancy() && host.boot().equals(Optional.of(boot.request()));
      case HostOperation.DropBoot drop -> host.tenancy() == drop.tenancy() && host.boot().isEmpty();
      case HostOperation.Stage stage ->
          host.tenancy() == stage.tenancy()
              && host.isHeldBy(stage.pool().uid())
              && host.configuration().equals(stage.configuration());
      case HostOperation.RepairComponent repair ->
          host.tenancy() == repair.tenancy()
              && host.occupancy().repairs().contains(repair.request());
    };
  }

  /**
   * Reads a Host live; {@link Answer.Missing} if another one has its name. One that vanished with
   * the definition of Hosts is not known to be missing: its Node would be removed.
   */
  Answer<Host> read(HostId host) {
    Reply reply = requests.get(ApiPaths.host(host.name()));
    if (!(reply instanceof Reply.Ok ok)) {
      return reply.isNotFound() ? missing() : reply.failure();
    }
    Answer<Host> answer = converted(ok);
    return answer instanceof Answer.Done<Host>(Host found) && !found.id().equals(host)
        ? new Answer.Missing<>()
        : answer;
  }

  private Answer<Host> missing() {
    return switch (HostsDefinition.read(requests)) {
      case EXISTS -> new Answer.Missing<>();
      case MISSING -> new Answer.Unavailable<>(HostsDefinition.MISSING);
      case UNKNOWN ->
          new Answer.Unavailable<>("it is not known whether the definition of Hosts exists");
    };
  }

  private Answer<Host> converted(Reply.Ok reply) {
    try {
      return HostConversion.host(requests.parse(reply, HostResource.class))
          .<Answer<Host>>map(Answer.Done::new)
          .orElseGet(() -> new Answer.Refused<>("its fleet does not say in which phase it is"));
    } catch (UnreadableObjectException e) {
      return new Answer.Refused<>("it cannot be read: " + e.getMessage());
    }
  }
}

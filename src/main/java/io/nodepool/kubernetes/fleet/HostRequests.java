package io.nodepool.kubernetes.fleet;

import io.nodepool.fleet.Answer;
import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.BootRequest;
import io.nodepool.fleet.ComponentRepair;
import io.nodepool.fleet.DeliveryHistory;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.HostOperation;
import io.nodepool.fleet.HostPhase;
import io.nodepool.kubernetes.api.HostResource;
import io.nodepool.kubernetes.api.HostSpec;
import io.nodepool.kubernetes.client.ApiPaths;
import io.nodepool.kubernetes.client.ApiRequests;
import io.nodepool.kubernetes.client.JsonPatch;
import io.nodepool.kubernetes.client.Reply;
import io.nodepool.kubernetes.convert.ComponentRepairConversion;
import io.nodepool.kubernetes.convert.HostConversion;
import io.nodepool.kubernetes.convert.UnreadableObjectException;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Sends operations on Hosts as JSON patches that test the state they were decided on. After a
 * refusal the Host is read live: if it already shows the effect, the operation was carried out
 * before.
 */
record HostRequests(ApiRequests requests) {
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
  private static final String PAST = "/spec/pastRepairs";

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

  /** The patch that carries out an operation. */
  static JsonPatch patch(HostOperation operation) {
    JsonPatch patch = new JsonPatch().test("/metadata/uid", operation.host().uid());
    fill(patch, operation);
    return patch;
  }

  private static void fill(JsonPatch patch, HostOperation operation) {
    switch (operation) {
      case HostOperation.Assign assign -> {
        patch
            .test(TENANCY, assign.tenancy())
            .testAbsent(ASSIGNMENT)
            .set(TENANCY, assign.tenancy() + 1L)
            .set(ASSIGNMENT, HostConversion.assignment(assign.assignment()))
            .set(CONFIGURATION, assign.configuration())
            .set(POWER, "On");
        if (assign.configuration().isEmpty()) {
          // A JSON patch can remove only an existing value.
          patch.remove(CONFIGURATION);
        }
      }
      case HostOperation.Cancel cancel ->
          record(
              cancel.failed(),
              held(patch, cancel).test("/status/phase", cancel.phase().word()).remove(ASSIGNMENT));
      case HostOperation.Stop stop -> record(stop.failed(), held(patch, stop).set(POWER, "Off"));
      case HostOperation.Preserve preserve ->
          record(
              preserve.failed(),
              running(patch, preserve)
                  .testAbsent(PRESERVED)
                  .set(PRESERVED, HostConversion.preserved(preserve.preserved())));
      case HostOperation.Delivered delivered -> held(patch, delivered).remove(FAILURES);
      case HostOperation.ClearFailures clear -> fill(patch, clear);
      case HostOperation.Boot boot -> {
        boot.stage().ifPresent(stage -> staged(patch, stage));
        running(patch, boot)
            .testOrAbsent(BOOT_ID, boot.request().from())
            .set("/spec/boot", HostConversion.boot(boot.request()));
      }
      case HostOperation.DropBoot drop ->
          held(patch, drop)
              .test("/spec/boot/operation", drop.request().operation())
              .test("/spec/boot/try", drop.request().attempt())
              .testAbsent("/status/boot")
              .set("/spec/boot/from", BootRequest.TAKEN_BACK);
      case HostOperation.Stage stage -> staged(held(patch, stage), stage);
      case HostOperation.RepairComponent repair -> fill(patch, repair);
      case HostOperation.Note note -> {
        held(patch, note);
        if (note.before().isEmpty()) {
          patch.testAbsent(PAST);
        } else {
          patch.test(PAST, HostConversion.past(note.before()));
        }
        patch.set(PAST, HostConversion.past(note.next()));
      }
      case HostOperation.Release release ->
          held(patch, release).test(POWER, "Off").remove(ASSIGNMENT).set(POWER, "On");
    }
  }

  /** Sets the delivery history, if the Host is at fault. */
  private static void record(Optional<DeliveryHistory> failed, JsonPatch patch) {
    failed
        .flatMap(DeliveryHistory::failure)
        .ifPresent(failure -> patch.set(FAILURES, HostConversion.failures(failure)));
    failed
        .filter(DeliveryHistory::isSetAside)
        .ifPresent(history -> patch.set(SET_ASIDE, history.setAside()));
  }

  /** The Host is held by the pool of the operation in the same tenancy. */
  private static JsonPatch held(JsonPatch patch, HostOperation operation) {
    return patch.test(TENANCY, operation.tenancy()).test(HOLDER, operation.pool().uid());
  }

  private static void staged(JsonPatch patch, HostOperation.Stage stage) {
    patch.testOrAbsent(CONFIGURATION, stage.before()).set(CONFIGURATION, stage.configuration());
  }

  /** The Host is held and powered on. */
  private static JsonPatch running(JsonPatch patch, HostOperation operation) {
    return held(patch, operation).test(POWER, "On");
  }

  private static void fill(JsonPatch patch, HostOperation.ClearFailures clear) {
    patch
        .test(TENANCY, clear.tenancy())
        .testAbsent(ASSIGNMENT)
        .test(FAILURES + "/poolUid", clear.pool().uid())
        .test(FAILURES + "/configuration", clear.configuration())
        .testOrAbsent(SET_ASIDE, clear.setAside());
    if (!clear.setAside().isEmpty()) {
      patch.remove(SET_ASIDE);
    }
    patch.remove(FAILURES);
  }

  private static void fill(JsonPatch patch, HostOperation.RepairComponent repair) {
    running(patch, repair);
    ComponentRepair request = repair.request();
    HostSpec.ComponentRepairSpec value = ComponentRepairConversion.request(request);
    if (repair.before().isEmpty()) {
      patch.testAbsent(REPAIRS).set(REPAIRS, Map.of(request.alert(), value));
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
   * Whether a Host could still be assigned, so that the refusal is not due to its state: an
   * admission policy may refuse the assignment.
   */
  private static boolean isAssignable(Host host, HostOperation operation) {
    return operation instanceof HostOperation.Assign assign
        && host.assignment().isEmpty()
        && host.report().phase() == HostPhase.FREE
        && host.tenancy() == assign.tenancy();
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
    boolean same = host.tenancy() == operation.tenancy();
    boolean held = same && host.isHeldBy(operation.pool().uid());
    return switch (operation) {
      case HostOperation.Assign assign ->
          host.assignment().map(Assignment::operation).equals(Optional.of(assign.id()));
      case HostOperation.Cancel _, HostOperation.Release _ -> same && host.assignment().isEmpty();
      case HostOperation.Stop _ -> held && host.power() == Host.Power.OFF;
      case HostOperation.Preserve _ -> held && host.preserved().isPresent();
      case HostOperation.Delivered _, HostOperation.ClearFailures _ ->
          same && host.deliveries().failure().isEmpty();
      case HostOperation.Boot boot -> same && host.boot().equals(Optional.of(boot.request()));
      case HostOperation.DropBoot drop ->
          same && host.boot().equals(Optional.of(drop.request().takenBack()));
      case HostOperation.Stage stage -> held && host.configuration().equals(stage.configuration());
      case HostOperation.RepairComponent repair ->
          same && host.occupancy().repairs().contains(repair.request());
      case HostOperation.Note note -> same && host.past().equals(note.next());
    };
  }

  /**
   * Reads a Host live; {@link Answer.Missing} if another Host has its name. A Host that vanished
   * with the definition of Hosts does not count as missing, since its Node would be removed.
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

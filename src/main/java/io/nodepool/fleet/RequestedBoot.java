package io.nodepool.fleet;

import java.util.Optional;

/**
 * The last request to boot a machine anew or to verify it, and what became of it by the report of
 * its fleet.
 */
public record RequestedBoot(Host host, BootRequest request) {
  /** That of this machine; empty if there was none. */
  public static Optional<RequestedBoot> of(Host host) {
    return host.boot().map(request -> new RequestedBoot(host, request));
  }

  /** Whether the machine is to leave its boot, and its fleet does not report another one yet. */
  public boolean isUnderWay() {
    return host.power() == Host.Power.ON && request.kind().boots() && isToLeave();
  }

  /**
   * Whether its last boot is the one that the request names. A request that names none, since none
   * was reported, is one of the assignment in which it was made.
   */
  private boolean isToLeave() {
    return request.from().equals(host.report().bootId())
        && (!request.from().isEmpty() || host.isOfAssignment(request.at()));
  }

  /**
   * Whether the machine was rebooted since its delivery, which alone decides otherwise what it is
   * on.
   */
  public boolean isRebooted() {
    return request.kind().boots() && host.isOfAssignment(request.at());
  }

  /** Whether the machine was to be verified without a boot, and did not pass, or not yet. */
  public boolean isVerifiedInVain() {
    return !request.kind().boots()
        && host.report()
            .boot()
            .verification()
            .filter(each -> each.passed() && each.answers(host.report().bootId(), request))
            .isEmpty();
  }

  /** Whether the machine was asked to boot a configuration, and booted into another one. */
  public boolean isAstray() {
    String asked = request.configuration();
    return host.is(HostPhase.RUNNING)
        && !isUnderWay()
        && isRebooted()
        && !asked.isEmpty()
        && !asked.equals(host.report().bootedConfiguration());
  }
}

package io.nodepool.plan.disruption.cause;

import io.nodepool.fleet.BootRequest;
import io.nodepool.fleet.FleetOffer;
import io.nodepool.fleet.Host;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Node;
import io.nodepool.plan.Messages;
import io.nodepool.vocabulary.BootKind;
import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.vocabulary.Word;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A client's request that a Node be rebooted or verified: the label {@code
 * node.coreweave.cloud/pending-state} names the state that the Node is to pass through (contract
 * §12, decisions D66 and D145); and the boots that follow from it.
 */
public final class RebootRequest {
  private RebootRequest() {}

  /** The state that is requested on a Node; empty if there is no request, or it cannot be read. */
  public static Optional<LifecycleState> of(Node node) {
    return Word.of(LifecycleState.class, word(node)).filter(LifecycleState::isRequestable);
  }

  /** The value of the label, or empty text. */
  public static String word(Node node) {
    return node.metadata().label(NodeLabels.PENDING_STATE);
  }

  /** The boot that was requested for a committed reboot; empty before that. */
  public static Optional<BootRequest> asked(Host host, Node node, Disruption.Committed reboot) {
    return host.boot().filter(request -> request.isOf(node.operation(reboot)));
  }

  /** The verification of the machine of a Node that is drained to leave; empty before that. */
  public static Optional<BootRequest> askedToLeave(Host host, Node node) {
    return node.commitment()
        .flatMap(removal -> host.boot().filter(request -> request.isOf(toLeave(node, removal))));
  }

  /** The operation of the verification of a machine whose Node is drained to leave. */
  public static String toLeave(Node node, Disruption.Committed removal) {
    return node.operation(removal) + "/leaves";
  }

  /** Whether an operator requested this boot, for a reboot that was recorded on a Node. */
  public static boolean isOfRecord(BootRequest request) {
    return request.operation().startsWith(Node.OF_REBOOT);
  }

  /** The state that a Node is in while these causes are carried out. */
  public static LifecycleState stateOf(List<Disruption.Cause> causes) {
    List<LifecycleState> states =
        causes.stream().flatMap(cause -> cause.what().state().stream()).toList();
    // A verification is part of every reboot, and a reconfiguration is also a power reset.
    return Stream.of(LifecycleState.RECONFIGURE, LifecycleState.POWER_RESET, LifecycleState.REBOOT)
        .filter(states::contains)
        .findFirst()
        .orElse(LifecycleState.VERIFICATION);
  }

  /** Why the request on a Node cannot be met; empty if it can be met, or there is none. */
  public static Optional<String> refusal(Node node, FleetOffer.Capabilities capabilities) {
    String word = word(node);
    if (word.isEmpty()) {
      return Optional.empty();
    }
    Optional<LifecycleState> request = of(node);
    if (request.isEmpty()) {
      return Optional.of(
          "The state %s cannot be requested; these can: %s."
              .formatted(
                  word,
                  Stream.of(LifecycleState.values())
                      .filter(LifecycleState::isRequestable)
                      .map(LifecycleState::word)
                      .collect(Collectors.joining(", "))));
    }
    BootKind kind = kind(request.get());
    return capabilities.offers(kind)
        ? Optional.empty()
        : Optional.of(
            "The fleet does not offer %s, which %s needs; it offers %s."
                .formatted(
                    kind.word(),
                    word,
                    capabilities.boots().stream().noneMatch(capabilities::offers)
                        ? "no boot on request"
                        : capabilities.boots().stream()
                            .filter(capabilities::offers)
                            .map(BootKind::word)
                            .collect(Collectors.joining(", "))));
  }

  /** What happens to the machine of a Node that goes through this state. */
  public static BootKind kind(LifecycleState state) {
    return switch (state) {
      case REBOOT -> BootKind.REBOOT;
      case POWER_RESET, RECONFIGURE -> BootKind.POWER_RESET;
      case VERIFICATION, PRODUCTION, ZAP, TRIAGE -> BootKind.VERIFICATION;
    };
  }

  /**
   * What is reported of a Node that enters the state of its reboot.
   *
   * @param cutOff how many Pods are left on it, which end with its boot
   */
  public static String entered(Node node, Disruption.Committed reboot, int cutOff) {
    String state = stateOf(reboot.causes()).word();
    String how =
        cutOff == 0
            ? "is idle and goes into state " + state
            : "goes into state %s with %s, cut off by the reboot"
                .formatted(state, Messages.count(cutOff, "Pod"));
    return "Node %s %s: %s.".formatted(node.name(), how, reboot.text());
  }
}

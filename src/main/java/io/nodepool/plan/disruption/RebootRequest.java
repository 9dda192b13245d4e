package io.nodepool.plan.disruption;

import io.nodepool.fleet.BootRequest;
import io.nodepool.fleet.FleetOffer;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.DisruptionEnding;
import io.nodepool.model.node.Node;
import io.nodepool.plan.PlanSettings;
import io.nodepool.vocabulary.BootKind;
import io.nodepool.vocabulary.DisruptionCause;
import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A client's request that a Node be rebooted or verified: the label {@code
 * node.coreweave.cloud/pending-state} names the state that the Node is to pass through (contract
 * §12, decisions D66 and D145).
 *
 * @param state the requested state
 * @param immediate whether busy work is interrupted for it
 */
public record RebootRequest(LifecycleState state, boolean immediate) {
  /** How the operations begin that boots for recorded reboots are named by. */
  private static final String OF_RECORD = "reboot/";

  /**
   * The request on a Node, as one that waits for an idle Node; empty if there is none, or none that
   * can be read.
   */
  public static Optional<RebootRequest> of(Node node) {
    return LifecycleState.of(word(node))
        .filter(LifecycleState::isRequestable)
        .map(state -> new RebootRequest(state, false));
  }

  /** This request, which interrupts busy work or does not. */
  RebootRequest withImmediate(boolean next) {
    return new RebootRequest(state, next);
  }

  /** The value of the label, or empty text. */
  public static String word(Node node) {
    return node.metadata().label(NodeLabels.PENDING_STATE);
  }

  /**
   * The request that a recorded cause stands for; empty for other causes. A rollout is carried out
   * as a reconfiguration that a client requests.
   */
  public static Optional<RebootRequest> of(Disruption.Cause cause) {
    if (cause.what().leaves()) {
      return Optional.empty();
    }
    if (cause.what() == DisruptionCause.ROLLOUT) {
      return Optional.of(new RebootRequest(LifecycleState.RECONFIGURE, false));
    }
    int slash = cause.reference().indexOf('/');
    String word = slash < 0 ? cause.reference() : cause.reference().substring(0, slash);
    return LifecycleState.of(word).map(state -> new RebootRequest(state, slash >= 0));
  }

  /**
   * What all attempts of a committed reboot have in common. Its instant distinguishes it also after
   * another client removed the record of earlier ones, whose number is used again then.
   */
  public static String operation(Node node, Disruption.Committed reboot) {
    return "%s%s/%d/%s".formatted(OF_RECORD, node.uid(), reboot.sequence(), reboot.at());
  }

  /** Whether a boot was requested for a reboot that was recorded on a Node: by an operator. */
  public static boolean isOfRecord(BootRequest request) {
    return request.operation().startsWith(OF_RECORD);
  }

  /** The state that a Node is in while these causes are carried out. */
  public static LifecycleState stateOf(List<Disruption.Cause> causes) {
    List<LifecycleState> states =
        causes.stream().flatMap(cause -> of(cause).stream()).map(RebootRequest::state).toList();
    // A verification is part of every reboot, and a reconfiguration is also a power reset.
    return Stream.of(LifecycleState.RECONFIGURE, LifecycleState.POWER_RESET, LifecycleState.REBOOT)
        .filter(states::contains)
        .findFirst()
        .orElse(LifecycleState.VERIFICATION);
  }

  /** Why the request on a Node cannot be met; empty if it can, and without a request. */
  public static Optional<String> refusal(Node node, FleetOffer.Capabilities capabilities) {
    String word = word(node);
    if (word.isEmpty()) {
      return Optional.empty();
    }
    Optional<RebootRequest> request = of(node);
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
    BootKind kind = request.get().kind();
    boolean meets = kind.boots() ? capabilities.boots().contains(kind) : capabilities.verifies();
    return meets
        ? Optional.empty()
        : Optional.of(
            "The fleet does not offer %s, which %s needs; it offers %s."
                .formatted(
                    kind.word(),
                    word,
                    capabilities.boots().isEmpty()
                        ? "no boot on request"
                        : capabilities.boots().stream()
                            .map(BootKind::word)
                            .collect(Collectors.joining(", "))));
  }

  /** What happens to the machine. */
  public BootKind kind() {
    return switch (state) {
      case REBOOT -> BootKind.REBOOT;
      case POWER_RESET, RECONFIGURE -> BootKind.POWER_RESET;
      case VERIFICATION, PRODUCTION -> BootKind.VERIFICATION;
    };
  }

  /** Whether another request is for the same state. */
  boolean isOfState(RebootRequest other) {
    return state == other.state;
  }

  /** The cause that the request is, first recorded at this instant. */
  public Disruption.Cause cause(Instant at) {
    DisruptionCause what =
        switch (state) {
          case REBOOT, POWER_RESET -> DisruptionCause.REBOOT;
          case RECONFIGURE -> DisruptionCause.RECONFIGURATION;
          case VERIFICATION, PRODUCTION -> DisruptionCause.VERIFICATION;
        };
    return new Disruption.Cause(
        what, immediate ? state.word() + "/" + NodeAnnotations.IMMEDIATE : state.word(), at);
  }

  /**
   * What the request demands: a safe one only ever an idle Node; an immediate one interrupts work
   * once its cordon has settled, and boots the machine a minute later whatever is left (D66).
   */
  public Demand demand(Instant at, Instant now, PlanSettings settings) {
    Demand.Window window =
        immediate
            ? new Demand.Window(
                Instant.MIN,
                at,
                at,
                at.plus(settings.removal().settle()).plus(settings.reboot().forced()))
            : Demand.Window.WHEN_IDLE.withForceAt(now.plus(settings.drain().deadline()));
    return Demand.of(cause(at), window, new DisruptionEnding.Reboot(kind()));
  }
}

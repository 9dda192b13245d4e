package io.nodepool.world.check.truth;

import static io.nodepool.world.check.truth.Untruth.Kind.COUNT;
import static io.nodepool.world.check.truth.Untruth.Kind.STATE;

import io.nodepool.vocabulary.condition.NodeReconfigurationReason;
import java.util.List;

/** The texts about which Nodes of a pool have booted its active configuration. */
final class ReconfigurationWordings {
  private ReconfigurationWordings() {}

  private static final String ROLLOUT =
      "[Rollout of {profile}: {done#} of {all#} nodes up to date, {state*}.]";

  private static final String SKEW =
      "[ {named}, which the spec names, is disabled in NodePool {in}.][ {disabled} is not chosen, since it is disabled in NodePool {there}; {instead*}. To boot it nevertheless, name it in spec.image.][ Kubelets are up to {skew*}.][ The version of the API server cannot be read; no other configuration becomes active until it is known.]";

  /** The texts of this reason. */
  static List<Wording> of(NodeReconfigurationReason reason) {
    return switch (reason) {
      case STAGED_NODE_CONFIG -> OUTDATED;
      case ALL_NODES_UP_TO_DATE -> UP_TO_DATE;
      case INTERNAL_ERROR -> NOT_STAGED;
    };
  }

  private static final List<Wording> OUTDATED =
      List.of(
          Wording.ofPool(
              "1 node is not booted into {configuration}: {name}.[ {rest*}]",
              (said, moment) -> {
                isOutdated(said.word("name"), said.word("configuration"), moment);
                rollout(said, moment);
              }),
          Wording.ofPool(
              "{nodes#} nodes are not booted into {configuration}: {names~nodes}.[ {rest*}]",
              (said, moment) -> {
                said.names("names")
                    .forEach(name -> isOutdated(name, said.word("configuration"), moment));
                rollout(said, moment);
              }));

  private static void isOutdated(String name, String configuration, Moment moment) {
    moment.require(
        STATE,
        moment.host(name, host -> !host.report().bootedConfiguration().equals(configuration)),
        "the machine has not booted it",
        name);
  }

  private static final List<Wording> UP_TO_DATE =
      List.of(
          Wording.ofPool(
              "All nodes are on the current configuration.[ {rest*}]",
              ReconfigurationWordings::rollout));

  private static final List<Wording> NOT_STAGED =
      List.of(
          Wording.ofPool(
              "Staging failed on {nodes#node}: {why*}",
              (said, moment) ->
                  moment.require(
                      COUNT,
                      moment.held().most() >= said.number("nodes"),
                      "it holds so many machines")));

  /** What follows is how far a rollout is, and how far kubelets are behind. */
  private static void rollout(TextForm.Statement said, Moment moment) {
    if (!said.has("rest")) {
      return;
    }
    String rest = said.word("rest");
    TextForm.of(ROLLOUT + SKEW)
        .read(rest.startsWith("Rollout") ? rest : " " + rest)
        .ifPresentOrElse(
            part -> check(part, moment),
            () -> moment.require(Untruth.Kind.FORM, false, "the text has a registered form", rest));
  }

  private static void check(TextForm.Statement part, Moment moment) {
    if (part.has("done")) {
      int done = part.number("done");
      moment.require(COUNT, done <= part.number("all"), "the numbers add up");
      moment.require(COUNT, moment.held().most() >= done, "it holds so many machines");
    }
  }
}

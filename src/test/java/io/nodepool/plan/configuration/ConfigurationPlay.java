package io.nodepool.plan.configuration;

import io.nodepool.fleet.Assignment;
import io.nodepool.fleet.DeliveryHistory;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostId;
import io.nodepool.fleet.HostPhase;
import io.nodepool.fleet.catalogue.InstanceCatalogue;
import io.nodepool.fleet.configuration.ConfigurationRequest;
import io.nodepool.fleet.configuration.FleetRelease;
import io.nodepool.model.Fixtures;
import io.nodepool.model.node.Member;
import io.nodepool.model.node.Workload;
import io.nodepool.model.pool.ConfigurationCommands;
import io.nodepool.model.pool.ConfigurationSpec;
import io.nodepool.model.pool.ConfigurationState;
import io.nodepool.model.pool.PoolStatus;
import io.nodepool.plan.Action;
import io.nodepool.plan.EventDraft;
import io.nodepool.plan.PlanSettings;
import io.nodepool.plan.PlannedAction;
import io.nodepool.plan.PoolFixture;
import io.nodepool.plan.PoolPlan;
import io.nodepool.plan.pool.PoolPlanner;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.UpdateStrategy;
import io.nodepool.vocabulary.condition.PoolCondition;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Plays the planner of a pool through inputs in words: {@code gpu 570}, {@code release}, {@code
 * promote}. After each, it plans and publishes until nothing changes, a second apart.
 */
final class ConfigurationPlay {
  private static final PoolPlanner PLANNER =
      new PoolPlanner(InstanceCatalogue.bundled(), PlanSettings.DEFAULTS);

  private static final List<String> OTHER_EVENTS =
      List.of(
          "CWNodePoolCreated", "CWNodeRequestQueued", "CWNodeAssigned", "CWInsufficientCapacity");

  private final PoolFixture pool = new PoolFixture().target(2).quota(10);
  private final List<FleetRelease> releases = new ArrayList<>();
  private final List<Member> members = new ArrayList<>();
  private ConfigurationSpec spec = ConfigurationSpec.DEFAULT;
  private ConfigurationState state = ConfigurationState.NONE;
  private ConfigurationState saved = ConfigurationState.NONE;
  private Instant now = PoolFixture.NOW;
  private List<String> events = new ArrayList<>();
  private List<EventDraft> drafts = new ArrayList<>();
  private String validated = "";
  private String atTarget = "";

  ConfigurationPlay(UpdateStrategy strategy) {
    spec = spec.withStrategy(strategy);
    publishRelease();
  }

  /** The n-th release: an image of each train, two drivers, and a version of Kubernetes. */
  private void publishRelease() {
    int n = releases.size() + 1;
    releases.add(
        new FleetRelease.Parts(
            "r" + n,
            List.of(
                new FleetRelease.Image("i" + n, "stable", List.of("k" + n)),
                new FleetRelease.Image("l" + n, "latest", List.of("k" + n, "k" + n + "x"))),
            n == 3 ? List.of("580." + n, "590." + n) : List.of("570." + n, "580." + n),
            "v1.34." + n));
  }

  /**
   * Plays inputs, separated by semicolons, or by {@code +} if they are made at once; the Events of
   * the last one are kept.
   */
  ConfigurationPlay play(String inputs) {
    for (String input : inputs.split("; *", -1)) {
      events = new ArrayList<>();
      drafts = new ArrayList<>();
      for (String part : input.split(" \\+ ", -1)) {
        input(part.strip());
      }
      toRest();
    }
    return this;
  }

  private void input(String input) {
    String[] words = input.split(" ", 2);
    String rest = words.length > 1 ? words[1] : "";
    ConfigurationCommands.Asked asked = spec.commands().asked();
    switch (words[0]) {
      case "create", "wait" -> {}
      case "gpu" -> spec = spec.withRequest(spec.request().withGpuVersion(rest));
      case "image" -> spec = spec.withRequest(spec.request().withImage(Optional.of(image(rest))));
      case "release" -> publishRelease();
      case "strategy" ->
          spec =
              spec.withStrategy(
                  Stream.of(UpdateStrategy.values())
                      .filter(each -> each.word().equals(rest))
                      .findFirst()
                      .orElseThrow());
      case "promote" ->
          ask(Optional.of(rest.isEmpty() ? "true" : rest), asked.rollback(), asked.rollout());
      case "rollback" ->
          ask(asked.promote(), Optional.of(rest.isEmpty() ? "" : profile(rest)), asked.rollout());
      case "both" -> ask(Optional.of("true"), Optional.of(""), asked.rollout());
      case "rollout" -> ask(asked.promote(), asked.rollback(), Optional.of(rest));
      case "deliver" -> members.add(member(rest, HostPhase.FREE));
      case "delivered" ->
          members.replaceAll(member ->
              member.host().id().name().equals(rest) ? member(rest, HostPhase.RUNNING) : member);
      case "garbled" ->
          members.replaceAll(
              member -> member.host().id().name().equals(rest) ? unreadable(member) : member);
      case "later" -> now = now.plus(Duration.parse(rest));
      case "api" -> pool.apiServer(rest);
      case "lose" -> lose(rest);
      case "save" -> saved = state;
      case "restore" -> {
        state = saved;
        pool.published(pool.seen().pool().status().withConfiguration(state));
      }
      case "copy" -> {
        state = state.withHandled(state.handled().withPoolUid("another-uid"));
        pool.published(pool.seen().pool().status().withConfiguration(state));
      }
      case "damage" ->
          spec =
              spec.withCommands(
                  new ConfigurationCommands(
                      ConfigurationCommands.Asked.NOTHING,
                      Optional.empty(),
                      Optional.of("It is damaged.")));
      case "earlier" -> {
        publishRelease();
        state = ConfigurationState.NONE.withProfile(state.profile());
        pool.published(pool.seen().pool().status().withConfiguration(state));
      }
      default -> throw new IllegalArgumentException(input);
    }
  }

  private void ask(Optional<String> promote, Optional<String> rollback, Optional<String> rollout) {
    spec =
        spec.withCommands(
            spec.commands().withAsked(new ConfigurationCommands.Asked(promote, rollback, rollout)));
  }

  /** Another client removes half of the record of the configurations, or both. */
  private void lose(String what) {
    if (!what.equals("status")) {
      spec = spec.withCommands(ConfigurationCommands.NONE);
    }
    if (!what.equals("annotation")) {
      state = ConfigurationState.NONE;
      pool.published(PoolStatus.NONE);
    }
  }

  private static ConfigurationRequest.ImageRequest image(String text) {
    return switch (text) {
      case "latest", "stable" -> new ConfigurationRequest.ImageRequest("", text, "");
      default ->
          text.startsWith("kernel ")
              ? new ConfigurationRequest.ImageRequest(
                  "", "latest", text.substring("kernel ".length()))
              : new ConfigurationRequest.ImageRequest(text, "stable", "");
    };
  }

  private Member member(String name, HostPhase phase) {
    HostId id = new HostId(name, "uid-" + name);
    Host host =
        new Host(
            id,
            1,
            Fixtures.machine("gd-8xh100ib-i128", "1", 0),
            new Host.Occupancy(
                1,
                Optional.of(
                    new Assignment(
                        pool.seen().pool().id(),
                        "default",
                        "assign",
                        now,
                        Fixtures.spec(1).node())),
                state.profile(),
                Host.Power.ON),
            DeliveryHistory.CLEAN,
            phase == HostPhase.FREE
                ? new Host.Report(HostPhase.FREE, 0, "", "", now)
                : new Host.Report(phase, 1, "boot-" + name, state.profile(), now));
    return Fixtures.member(
        host,
        phase == HostPhase.FREE
            ? Optional.empty()
            : Optional.of(Fixtures.node(id, "node-" + name, 1)),
        Workload.NONE,
        Optional.empty(),
        Optional.empty(),
        Member.Findings.NONE);
  }

  /** A machine whose Node cannot be read, for an operator that has not read it before. */
  private static Member unreadable(Member member) {
    return Fixtures.member(
        member.host(),
        Optional.empty(),
        Workload.NONE,
        Optional.empty(),
        Optional.empty(),
        Fixtures.findings(
            Optional.empty(),
            Optional.of("a field has an unknown value"),
            Optional.empty(),
            Optional.empty()));
  }

  private void toRest() {
    for (int plans = 0; plans < 10; plans++) {
      PoolPlan plan =
          PLANNER.plan(pool.offering(releases).configured(_ -> spec).held(members).seen(), now);
      Optional<Action.AcceptCommand> accept = accept(plan);
      boolean same = plan.status().equals(pool.seen().pool().status());
      if (same && accept.isEmpty()) {
        return;
      }
      if (!same) {
        emit(plan.eventDrafts());
        state = plan.status().configuration();
        pool.published(plan.status());
        validated = plan.status().condition(PoolCondition.VALIDATED).orElseThrow().message();
        atTarget = plan.status().condition(PoolCondition.AT_TARGET).orElseThrow().message();
      }
      accept.ifPresent(action -> {
        spec = spec.withCommands(ConfigurationCommands.NONE.afterAccepting(action.accepted()));
      });
      now = now.plusSeconds(1);
    }
    throw new AssertionError("the plans do not come to rest");
  }

  private Optional<Action.AcceptCommand> accept(PoolPlan plan) {
    for (PlannedAction planned : plan.plannedActions()) {
      if (planned.action() instanceof Action.AcceptCommand command) {
        emit(planned.eventDrafts());
        return Optional.of(command);
      }
    }
    return Optional.empty();
  }

  private void emit(List<EventDraft> emitted) {
    for (EventDraft draft : emitted) {
      if (!OTHER_EVENTS.contains(draft.reason().word())) {
        events.add(draft.reason().word());
        drafts.add(draft);
      }
    }
  }

  /** The identifier of what {@code i1/580.1} stands for. */
  static String profile(String shortly) {
    String[] parts = shortly.split("/", -1);
    String number = parts[0].substring(1);
    return "%s_k%s_%s_v1.34.%s".formatted(parts[0], number, parts[1], number);
  }

  /** A configuration shortly: image and driver; empty text for none. */
  static String shortly(String profile) {
    String[] parts = profile.split("_", -1);
    return parts.length < 4 ? profile : parts[0] + "/" + parts[2];
  }

  ConfigurationState state() {
    return state;
  }

  String active() {
    return shortly(state.profile());
  }

  String pending() {
    return state.pending().map(each -> shortly(each.configuration().profile())).orElse("");
  }

  /** What names the last Event with this reason. */
  String occasion(EventReason reason) {
    return drafts.stream()
        .filter(draft -> draft.reason() == reason)
        .map(EventDraft::occasion)
        .reduce((_, last) -> last)
        .orElse("");
  }

  List<String> events() {
    return List.copyOf(events);
  }

  /** The message of the last Event with this reason. */
  String message(EventReason reason) {
    return drafts.stream()
        .filter(draft -> draft.reason() == reason)
        .map(EventDraft::message)
        .reduce((_, last) -> last)
        .orElse("");
  }

  String validated() {
    return validated;
  }

  String atTarget() {
    return atTarget;
  }
}

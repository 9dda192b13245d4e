package io.nodepool.world;

import io.nodepool.plan.Action;
import io.nodepool.world.operator.Faults;
import io.nodepool.world.operator.OperatorOverrides;
import io.nodepool.world.operator.Request;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The kinds of writes of a run without faults, each with the number of its last one: an Event by
 * its reason, a status by the reasons of its conditions, any other write by its purpose. A crash at
 * one of several writes of a kind is as that at another, which concerns another object of the same
 * plan.
 */
final class WriteKinds implements RunObserver {
  private final World world;
  private final Map<String, Integer> last = new HashMap<>();
  private Optional<Request.Piece> sent = Optional.empty();
  private int writes;

  private WriteKinds(World world) {
    this.world = world;
  }

  /** The kinds in the run of the scenario with this seed. */
  static Map<String, Integer> of(Scenario scenario, long seed) {
    Drill drill = Drill.with(seed, scenario.dataCentre(), Faults.NONE, OperatorOverrides.AS_BUILT);
    WriteKinds kinds = new WriteKinds(drill.world);
    drill.world.observe(kinds);
    scenario.play().accept(drill);
    drill.toRest();
    return kinds.last;
  }

  /** The last write of each kind, except for the kinds of another scenario. */
  static Set<Integer> lastOfEach(Scenario scenario, long seed, Set<String> others) {
    return of(scenario, seed).entrySet().stream()
        .filter(kind -> !others.contains(kind.getKey()))
        .map(Map.Entry::getValue)
        .collect(Collectors.toSet());
  }

  @Override
  public void sent(Request request, Request.Piece piece) {
    sent = Optional.of(piece);
  }

  @Override
  public void stepped() {
    if (world.writes() > writes) {
      writes = world.writes();
      sent.ifPresent(piece -> last.put(kind(piece), writes));
    }
  }

  private static String kind(Request.Piece piece) {
    return switch (piece) {
      case Request.Piece.Emit(var event) ->
          "Event %s on %s".formatted(event.reason(), event.regarding().kind());
      case Request.Piece.Act(Action.WriteNode write) -> "Node: " + write.purpose();
      case Request.Piece.Act(Action.OnHost(var operation)) ->
          "Host: " + operation.getClass().getSimpleName();
      case Request.Piece.Act(Action.PublishStatus publish) ->
          publish.status().conditions().values().stream()
              .map(condition -> condition.reason().word())
              .collect(Collectors.joining(" ", "status: ", ""));
      case Request.Piece.Act(Action action) -> action.getClass().getSimpleName();
      case Request.Piece.SetFinalizer(var _, boolean guarded) -> "finalizer " + guarded;
      case Request.Piece.Read _ -> "read";
    };
  }
}

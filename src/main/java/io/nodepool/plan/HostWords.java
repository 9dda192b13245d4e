package io.nodepool.plan;

import io.nodepool.fleet.HostOperation;
import java.util.Map;

/** The parts that an operation on a Host sets, and its texts for messages. */
final class HostWords {
  private HostWords() {}

  /** The kind of an operation. Operations of one kind fail for the same cause. */
  static Object kind(HostOperation operation) {
    return Map.entry(operation.getClass(), operation.pool().uid());
  }

  static ActionTraits traits(HostOperation operation) {
    String host = operation.host().name();
    ActionTraits traits =
        switch (operation) {
          case HostOperation.Assign _ ->
              last(
                  "assign Host",
                  operation,
                  "the assignment to NodePool " + operation.pool().name());
          case HostOperation.Cancel _ ->
              last("cancel Host", operation, "the cancellation of its assignment");
          case HostOperation.Stop _ ->
              last("stop Host", operation, "power Off")
                  .deciding("loses its machine")
                  .removing("stopping " + host);
          case HostOperation.Preserve _ ->
              last("preserve Host", operation, "that it is kept for inspection")
                  .deciding("is kept for inspection");
          case HostOperation.Release _ ->
              last("release Host", operation, "the release").removing("releasing " + host);
          case HostOperation.Delivered _ ->
              last("forget failures", operation, "the end of its delivery failures");
          case HostOperation.ClearFailures _ ->
              last(
                      "clear failures of Host",
                      operation,
                      "the end of the failures in a disabled configuration")
                  .deciding("is not blamed any more");
          case HostOperation.Boot _ ->
              last("boot Host", operation, "the boot").deciding("is rebooted");
          case HostOperation.DropBoot _ ->
              last("take back the boot of Host", operation, "the end of the request to boot")
                  .deciding("is not rebooted");
          case HostOperation.RepairComponent repair ->
              ActionTraits.of("repair component of Host", "a repair of a component", repair.id())
                  .undoing("the request to repair a component")
                  .deciding("has a component repaired for " + repair.request().alert());
          case HostOperation.Note note ->
              ActionTraits.of(
                      "note repair on Host", "the record of what is done for alerts", note.entry())
                  .undoing("the record of what is done for alerts")
                  .removing("recording a repair of machine " + host);
          case HostOperation.Stage stage ->
              ActionTraits.of("stage Host", "the wanted configuration", stage.configuration())
                  .deciding("is to boot " + stage.configuration());
        };
    return traits.about(EventDraft.Regarding.of(operation.pool()));
  }

  private static ActionTraits last(String word, HostOperation operation, String undone) {
    return ActionTraits.of(word, "the last operation", kind(operation)).undoing(undone);
  }
}

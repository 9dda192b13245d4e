package io.nodepool.plan.report;

import io.nodepool.fleet.Host;
import io.nodepool.model.members.Members;
import io.nodepool.model.pool.EventLedger;
import io.nodepool.model.snapshot.FreeHosts;
import io.nodepool.plan.Finding;
import io.nodepool.plan.Messages;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Names the machines on which nothing begins, because their owner works on them or their fleet does
 * not know their power, and the failed machines that may still run.
 */
public final class HeldMachines {
  private HeldMachines() {}

  /** The free Hosts that are not assigned for that reason, as text to append; else empty text. */
  public static String free(FreeHosts free) {
    SortedMap<Host.Hold, List<String>> names = new TreeMap<>();
    free.held()
        .forEach((name, hold) -> names.computeIfAbsent(hold, _ -> new ArrayList<>()).add(name));
    return names.entrySet().stream()
        .map(each ->
            " Not given out: %s, since %s."
                .formatted(
                    Messages.named("free Host", each.getValue(), EventLedger.NAMED),
                    each.getKey().text()))
        .collect(Collectors.joining());
  }

  /**
   * This finding, with the machines that must be off and may still run. Their Nodes stay until the
   * fleet reports that they are off, or a person confirms that they cannot run.
   */
  public static Finding beside(Finding finding, Members members) {
    List<String> names =
        members
            .having(Members.Trait.TO_BE_FENCED)
            .map(member -> member.host().id().name())
            .sorted()
            .toList();
    return names.isEmpty()
        ? finding
        : new Finding(
            finding.reason(),
            "%s Failed and perhaps running: %s; kept until the fleet reports them off, or a person made sure (kubectl nodepool host fenced)."
                .formatted(finding.message(), Messages.named("machine", names, EventLedger.NAMED)));
  }
}

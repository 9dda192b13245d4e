package io.nodepool.plan;

import java.util.List;

/**
 * What becomes of a Node that a rollout of its pool chooses, alone and beside another cause, as
 * literal cells. They are the only source of {@code docs/reference/disruptions.md}, and each is
 * played through the real planners.
 */
public final class RolloutPairs {
  /** A rollout, and one that evicts. */
  public static final List<String> ROLLOUTS = List.of("rollout", "evicting rollout");

  private static final String MEETING_CELLS =
      """
      rollout                                | none, client's request                                                    | requested                                         | busy   | either     | either  | in production          | none                     | none
      rollout                                | none, client's request                                                    | requested, admitted, committed, booting, verified | idle   | either     | either  | in production          | PowerReset               | first
      rollout                                | safe reboot, immediate reboot                                             | requested                                         | idle   | either     | machine | in production          | Reboot                   | second
      rollout                                | safe reboot, power reset, reconfiguration, immediate reboot, verification | requested                                         | idle   | either     | pool    | in production          | PowerReset               | both
      rollout                                | safe reboot, power reset, verification                                    | requested                                         | busy   | either     | either  | waits                  | none                     | none
      rollout                                | safe reboot, power reset, reconfiguration, immediate reboot, verification | admitted                                          | idle   | either     | either  | in production          | PowerReset               | both
      rollout                                | safe reboot, immediate reboot                                             | committed, booting, verified                      | idle   | either     | either  | in production          | PowerReset, Reboot       | second
      rollout, evicting rollout              | power reset, reconfiguration                                              | requested                                         | idle   | either     | machine | in production          | PowerReset               | second
      rollout                                | power reset, reconfiguration                                              | committed, booting, verified                      | idle   | either     | either  | in production          | PowerReset, PowerReset   | second
      rollout                                | reconfiguration                                                           | requested                                         | busy   | either     | either  | waits, cordoned        | none                     | none
      rollout                                | immediate reboot                                                          | requested                                         | busy   | either     | either  | in production          | Reboot                   | second
      rollout, evicting rollout              | verification                                                              | requested                                         | idle   | either     | machine | in production          | Verification, PowerReset | first
      rollout                                | verification                                                              | committed, booting, verified                      | idle   | either     | either  | in production          | PowerReset, Verification | second
      rollout                                | scale-down, pool deletion                                                 | requested                                         | busy   | IdleOnly   | either  | in production          | none                     | none
      rollout                                | scale-down, pool deletion                                                 | requested                                         | busy   | PreferIdle | either  | leaves, second + 0:05  | none                     | second
      rollout, evicting rollout              | scale-down                                                                | requested                                         | idle   | either     | either  | leaves, second + 0:05  | none                     | second
      rollout, evicting rollout              | scale-down                                                                | admitted                                          | idle   | either     | either  | leaves, second + 0:05  | none                     | both
      rollout, evicting rollout              | scale-down, pool deletion                                                 | committed                                         | idle   | either     | machine | leaves, second + 0:00  | PowerReset               | both
      rollout, evicting rollout              | scale-down, pool deletion                                                 | committed                                         | idle   | either     | pool    | leaves, second + 0:00  | none                     | both
      rollout                                | scale-down, pool deletion                                                 | booting                                           | idle   | either     | either  | leaves, second + 0:00  | PowerReset               | both
      rollout                                | scale-down, pool deletion                                                 | verified                                          | idle   | either     | machine | leaves, second + 0:05  | PowerReset               | second
      rollout                                | scale-down, pool deletion                                                 | verified                                          | idle   | either     | pool    | leaves, second + 0:00  | PowerReset               | both
      rollout, evicting rollout              | pool deletion                                                             | requested, admitted                               | idle   | either     | either  | leaves, second + 0:05  | none                     | second
      rollout, evicting rollout              | preemption                                                                | requested                                         | either | either     | either  | leaves, second + 2:00  | none                     | second
      rollout                                | preemption                                                                | admitted                                          | idle   | either     | either  | leaves, second + 2:00  | none                     | both
      rollout                                | preemption                                                                | committed, booting, verified                      | idle   | either     | either  | leaves, second + 2:00  | PowerReset               | both
      evicting rollout                       | none, client's request                                                    | requested, admitted, committed, booting, verified | either | either     | either  | in production          | PowerReset               | first
      evicting rollout                       | safe reboot                                                               | requested                                         | idle   | either     | machine | in production          | Reboot                   | second
      evicting rollout                       | safe reboot                                                               | requested, admitted                               | busy   | either     | either  | in production          | PowerReset, Reboot       | second
      evicting rollout                       | safe reboot, power reset, verification                                    | requested                                         | idle   | either     | pool    | in production          | PowerReset               | both
      evicting rollout                       | safe reboot, power reset, verification                                    | admitted                                          | idle   | either     | either  | in production          | PowerReset               | both
      evicting rollout                       | safe reboot, immediate reboot                                             | committed, booting, verified                      | either | either     | either  | in production          | PowerReset, Reboot       | second
      evicting rollout                       | power reset                                                               | requested, admitted                               | busy   | either     | either  | in production          | PowerReset, PowerReset   | second
      evicting rollout                       | power reset, reconfiguration                                              | committed, booting, verified                      | either | either     | either  | in production          | PowerReset, PowerReset   | second
      evicting rollout                       | reconfiguration                                                           | requested                                         | busy   | either     | machine | waits, cordoned        | none                     | none
      evicting rollout                       | reconfiguration, immediate reboot                                         | requested                                         | either | either     | pool    | in production          | PowerReset               | both
      evicting rollout                       | reconfiguration, immediate reboot                                         | admitted                                          | either | either     | either  | in production          | PowerReset               | both
      evicting rollout                       | immediate reboot                                                          | requested                                         | either | either     | machine | in production          | Reboot                   | second
      evicting rollout                       | verification                                                              | requested, admitted                               | busy   | either     | either  | in production          | PowerReset, Verification | second
      evicting rollout                       | verification                                                              | committed, booting, verified                      | either | either     | either  | in production          | PowerReset, Verification | second
      evicting rollout                       | scale-down                                                                | requested                                         | busy   | PreferIdle | either  | leaves, second + 0:05  | none                     | second
      evicting rollout                       | scale-down                                                                | requested, admitted                               | busy   | IdleOnly   | either  | leaves, second + 30:35 | PowerReset               | both
      evicting rollout                       | scale-down                                                                | admitted                                          | busy   | PreferIdle | either  | leaves, second + 0:05  | none                     | both
      evicting rollout                       | scale-down, pool deletion                                                 | committed                                         | busy   | IdleOnly   | either  | leaves, second + 30:30 | PowerReset               | both
      evicting rollout                       | scale-down, pool deletion                                                 | committed                                         | busy   | PreferIdle | either  | leaves, second + 30:30 | none                     | both
      evicting rollout                       | scale-down, pool deletion                                                 | booting                                           | either | either     | either  | leaves, second + 0:00  | PowerReset               | both
      evicting rollout                       | scale-down, pool deletion                                                 | verified                                          | either | either     | machine | leaves, second + 0:05  | PowerReset               | second
      evicting rollout                       | scale-down, pool deletion                                                 | verified                                          | either | either     | pool    | leaves, second + 0:00  | PowerReset               | both
      evicting rollout                       | pool deletion                                                             | requested, admitted                               | busy   | IdleOnly   | either  | in production          | none                     | none
      evicting rollout                       | pool deletion                                                             | requested, admitted                               | busy   | PreferIdle | either  | leaves, second + 0:05  | none                     | second
      evicting rollout                       | preemption                                                                | admitted                                          | either | either     | either  | leaves, second + 2:00  | none                     | both
      evicting rollout                       | preemption                                                                | committed                                         | busy   | either     | either  | leaves, second + 2:00  | none                     | both
      evicting rollout                       | preemption                                                                | committed                                         | idle   | either     | either  | leaves, second + 2:00  | PowerReset               | both
      evicting rollout                       | preemption                                                                | booting, verified                                 | either | either     | either  | leaves, second + 2:00  | PowerReset               | both
      safe reboot                            | rollout, evicting rollout                                                 | requested                                         | idle   | either     | machine | in production          | Reboot                   | first
      safe reboot, power reset, verification | rollout                                                                   | requested                                         | busy   | either     | either  | waits                  | none                     | none
      safe reboot, power reset, verification | rollout, evicting rollout                                                 | requested                                         | idle   | either     | pool    | in production          | PowerReset               | both
      safe reboot                            | rollout, evicting rollout                                                 | admitted                                          | idle   | either     | either  | in production          | Reboot                   | first
      safe reboot                            | rollout, evicting rollout                                                 | committed, booting, verified                      | idle   | either     | either  | in production          | Reboot, PowerReset       | second
      safe reboot                            | evicting rollout                                                          | requested                                         | busy   | either     | either  | in production          | PowerReset, Reboot       | first
      power reset, reconfiguration           | rollout, evicting rollout                                                 | requested                                         | idle   | either     | machine | in production          | PowerReset               | first
      power reset                            | rollout, evicting rollout                                                 | admitted                                          | idle   | either     | either  | in production          | PowerReset               | first
      power reset                            | rollout, evicting rollout                                                 | committed, booting, verified                      | idle   | either     | either  | in production          | PowerReset, PowerReset   | second
      power reset                            | evicting rollout                                                          | requested                                         | busy   | either     | either  | in production          | PowerReset, PowerReset   | first
      reconfiguration                        | rollout                                                                   | requested, admitted                               | busy   | either     | either  | waits, cordoned        | none                     | none
      reconfiguration, immediate reboot      | rollout                                                                   | requested                                         | idle   | either     | pool    | in production          | PowerReset               | both
      reconfiguration                        | rollout, evicting rollout                                                 | admitted, committed                               | idle   | either     | either  | in production          | PowerReset               | first
      reconfiguration                        | rollout, evicting rollout                                                 | booting, verified                                 | idle   | either     | either  | in production          | PowerReset, PowerReset   | second
      reconfiguration                        | evicting rollout                                                          | requested                                         | busy   | either     | machine | waits, cordoned        | none                     | none
      reconfiguration, immediate reboot      | evicting rollout                                                          | requested                                         | either | either     | pool    | in production          | PowerReset               | both
      reconfiguration                        | evicting rollout                                                          | admitted                                          | busy   | either     | either  | waits, cordoned        | none                     | none
      immediate reboot                       | rollout                                                                   | requested                                         | busy   | either     | either  | in production          | Reboot                   | first
      immediate reboot                       | rollout                                                                   | requested                                         | idle   | either     | machine | in production          | Reboot                   | first
      immediate reboot                       | rollout, evicting rollout                                                 | admitted                                          | either | either     | either  | in production          | Reboot                   | first
      immediate reboot                       | rollout, evicting rollout                                                 | committed, booting, verified                      | either | either     | either  | in production          | Reboot, PowerReset       | second
      immediate reboot                       | evicting rollout                                                          | requested                                         | either | either     | machine | in production          | Reboot                   | first
      verification                           | rollout, evicting rollout                                                 | requested                                         | idle   | either     | machine | in production          | Verification, PowerReset | second
      verification                           | rollout, evicting rollout                                                 | admitted, committed, booting, verified            | idle   | either     | either  | in production          | Verification, PowerReset | second
      verification                           | evicting rollout                                                          | requested                                         | busy   | either     | either  | in production          | PowerReset, Verification | first
      scale-down                             | rollout                                                                   | requested                                         | busy   | IdleOnly   | either  | in production          | none                     | none
      scale-down, pool deletion              | rollout, evicting rollout                                                 | requested, admitted                               | busy   | PreferIdle | either  | leaves, second + 0:05  | none                     | first
      scale-down, pool deletion              | rollout, evicting rollout                                                 | requested, admitted                               | idle   | either     | either  | leaves, second + 0:05  | none                     | first
      scale-down, pool deletion              | rollout, evicting rollout                                                 | committed                                         | busy   | PreferIdle | either  | leaves, second + 0:00  | none                     | first
      scale-down, pool deletion              | rollout, evicting rollout                                                 | committed                                         | idle   | either     | either  | leaves, second + 0:00  | none                     | first
      scale-down                             | evicting rollout                                                          | requested                                         | busy   | IdleOnly   | either  | leaves, second + 30:35 | PowerReset               | both
      pool deletion                          | rollout, evicting rollout                                                 | requested                                         | busy   | IdleOnly   | either  | in production          | none                     | none
      client's request                       | rollout                                                                   | requested                                         | busy   | either     | either  | in production          | none                     | none
      client's request                       | rollout                                                                   | requested                                         | idle   | either     | either  | in production          | PowerReset               | second
      client's request                       | evicting rollout                                                          | requested                                         | either | either     | either  | in production          | PowerReset               | second
      preemption                             | rollout, evicting rollout                                                 | requested, admitted                               | either | either     | either  | leaves, second + 2:00  | none                     | first
      preemption                             | rollout, evicting rollout                                                 | committed                                         | either | either     | either  | leaves, second + 0:00  | none                     | first
      """;

  private static final String STOP_CELLS =
      """
      rollout                   | none, client's request                                                    | admitted  | idle   | either     | either | first, cordoned                      | none, not cordoned
      rollout                   | none, client's request                                                    | committed | idle   | either     | either | first committed, cordoned            | first committed, cordoned
      rollout                   | safe reboot, power reset, reconfiguration, immediate reboot, verification | admitted  | idle   | either     | either | both, requested, cordoned            | second, requested, cordoned
      rollout                   | safe reboot, power reset, reconfiguration, immediate reboot, verification | committed | idle   | either     | either | first committed, requested, cordoned | first committed, requested, cordoned
      rollout                   | scale-down, preemption                                                    | admitted  | idle   | either     | either | both, cordoned                       | second, cordoned
      rollout, evicting rollout | scale-down, pool deletion                                                 | committed | idle   | either     | either | left                                 | left
      rollout, evicting rollout | pool deletion                                                             | admitted  | idle   | either     | either | second, cordoned                     | second, cordoned
      rollout                   | preemption                                                                | committed | idle   | either     | either | both committed, cordoned             | both committed, cordoned
      evicting rollout          | none, client's request                                                    | admitted  | either | either     | either | first, cordoned                      | none, not cordoned
      evicting rollout          | none, client's request                                                    | committed | idle   | either     | either | first committed, cordoned            | first committed, cordoned
      evicting rollout          | none, client's request                                                    | committed | busy   | either     | either | first committed, cordoned            | none, passed over for 2 min, not cordoned
      evicting rollout          | safe reboot, power reset, verification                                    | admitted  | busy   | either     | either | first, requested, cordoned           | none, requested, not cordoned
      evicting rollout          | safe reboot, power reset, verification                                    | admitted  | idle   | either     | either | both, requested, cordoned            | second, requested, cordoned
      evicting rollout          | safe reboot, power reset, reconfiguration, immediate reboot, verification | committed | idle   | either     | either | first committed, requested, cordoned | first committed, requested, cordoned
      evicting rollout          | safe reboot, power reset, reconfiguration, immediate reboot, verification | committed | busy   | either     | either | first committed, requested, cordoned | none, passed over for 2 min, requested, not cordoned
      evicting rollout          | reconfiguration, immediate reboot                                         | admitted  | either | either     | either | both, requested, cordoned            | second, requested, cordoned
      evicting rollout          | scale-down                                                                | admitted  | busy   | IdleOnly   | either | first, cordoned                      | none, not cordoned
      evicting rollout          | scale-down                                                                | admitted  | busy   | PreferIdle | either | both, cordoned                       | second, cordoned
      evicting rollout          | scale-down                                                                | admitted  | idle   | either     | either | both, cordoned                       | second, cordoned
      evicting rollout          | scale-down, pool deletion                                                 | committed | busy   | IdleOnly   | either | first committed, cordoned            | none, passed over for 2 min, not cordoned
      evicting rollout          | scale-down, pool deletion                                                 | committed | busy   | PreferIdle | either | both committed, cordoned             | both committed, cordoned
      evicting rollout          | pool deletion                                                             | admitted  | busy   | IdleOnly   | either | none, not cordoned                   | none, not cordoned
      evicting rollout          | pool deletion                                                             | admitted  | busy   | PreferIdle | either | second, cordoned                     | second, cordoned
      evicting rollout          | preemption                                                                | admitted  | either | either     | either | both, cordoned                       | second, cordoned
      evicting rollout          | preemption                                                                | committed | either | either     | either | both committed, cordoned             | both committed, cordoned
      """;

  private static final String UNCORDONING_CELLS =
      """
      rollout                   | none, client's request                                                    | admitted  | idle   | either     | either | first, cordoned                      | none, passed over for 10 min, not cordoned
      rollout                   | none, client's request                                                    | committed | idle   | either     | either | first committed, cordoned            | first committed, cordoned
      rollout                   | safe reboot, power reset, reconfiguration, immediate reboot, verification | admitted  | idle   | either     | either | both, requested, cordoned            | none, passed over for 10 min, not cordoned
      rollout                   | safe reboot, power reset, reconfiguration, immediate reboot, verification | committed | idle   | either     | either | first committed, requested, cordoned | first committed, requested, cordoned
      rollout, evicting rollout | scale-down                                                                | admitted  | idle   | either     | either | both, cordoned                       | none, passed over for 10 min, not cordoned
      rollout, evicting rollout | scale-down, pool deletion                                                 | committed | idle   | either     | either | left                                 | left
      rollout, evicting rollout | pool deletion                                                             | admitted  | idle   | either     | either | second, cordoned                     | none, passed over for 10 min, not cordoned
      rollout                   | preemption                                                                | admitted  | idle   | either     | either | both, cordoned                       | second, cordoned
      rollout                   | preemption                                                                | committed | idle   | either     | either | both committed, cordoned             | both committed, cordoned
      evicting rollout          | none, client's request                                                    | admitted  | either | either     | either | first, cordoned                      | none, passed over for 10 min, not cordoned
      evicting rollout          | none, client's request                                                    | committed | either | either     | either | first committed, cordoned            | first committed, cordoned
      evicting rollout          | safe reboot, power reset, verification                                    | admitted  | busy   | either     | either | first, requested, cordoned           | none, passed over for 10 min, requested, not cordoned
      evicting rollout          | safe reboot, power reset, verification                                    | admitted  | idle   | either     | either | both, requested, cordoned            | none, passed over for 10 min, not cordoned
      evicting rollout          | safe reboot, power reset, reconfiguration, immediate reboot, verification | committed | either | either     | either | first committed, requested, cordoned | first committed, requested, cordoned
      evicting rollout          | reconfiguration, immediate reboot                                         | admitted  | either | either     | either | both, requested, cordoned            | none, passed over for 10 min, not cordoned
      evicting rollout          | scale-down                                                                | admitted  | busy   | IdleOnly   | either | first, cordoned                      | none, passed over for 10 min, not cordoned
      evicting rollout          | scale-down                                                                | admitted  | busy   | PreferIdle | either | both, cordoned                       | none, passed over for 10 min, not cordoned
      evicting rollout          | scale-down, pool deletion                                                 | committed | busy   | IdleOnly   | either | first committed, cordoned            | first committed, cordoned
      evicting rollout          | scale-down, pool deletion                                                 | committed | busy   | PreferIdle | either | both committed, cordoned             | both committed, cordoned
      evicting rollout          | pool deletion                                                             | admitted  | busy   | IdleOnly   | either | none, not cordoned                   | none, not cordoned
      evicting rollout          | pool deletion                                                             | admitted  | busy   | PreferIdle | either | second, cordoned                     | none, passed over for 10 min, not cordoned
      evicting rollout          | preemption                                                                | admitted  | either | either     | either | both, cordoned                       | second, cordoned
      evicting rollout          | preemption                                                                | committed | either | either     | either | both committed, cordoned             | both committed, cordoned
      """;

  /** Two causes that meet, at each stage of the first. */
  public static final List<RebootPairs.Row<RebootPairs.Outcome>> MEETINGS =
      RebootPairs.rows(
          MEETING_CELLS,
          cells -> new RebootPairs.Outcome(cells.get(0), cells.get(1), cells.get(2)));

  /** Rollouts that are stopped. */
  public static final List<RebootPairs.Row<RebootPairs.Uncordoning>> STOPS =
      RebootPairs.rows(
          STOP_CELLS, cells -> new RebootPairs.Uncordoning(cells.get(0), cells.get(1)));

  /** Nodes that a person uncordons. */
  public static final List<RebootPairs.Row<RebootPairs.Uncordoning>> UNCORDONINGS =
      RebootPairs.rows(
          UNCORDONING_CELLS, cells -> new RebootPairs.Uncordoning(cells.get(0), cells.get(1)));

  private RolloutPairs() {}
}

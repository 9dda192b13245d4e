package io.nodepool.plan;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * What becomes of a Node whose reboot or verification is requested, alone and beside another cause,
 * as literal cells. They are the only source of {@code docs/reference/disruptions.md}, and each is
 * played through the real planners. A row is about all combinations of what its first columns list.
 */
public final class RebootPairs {
  /** The requests of clients, with the reference of the cause that each is. */
  static final Map<String, String> REFERENCES =
      Map.of(
          "safe reboot", "production-reboot",
          "power reset", "production-powerreset",
          "reconfiguration", "production-reconfigure-powercycle-test",
          "immediate reboot", "production-reboot/Immediate",
          "verification", "production-verification");

  /** Each request is there before anything is written. */
  static final String REQUESTED = "requested";

  /** The Node is cordoned. */
  static final String ADMITTED = "admitted";

  /** The disruption is committed. */
  static final String COMMITTED = "committed";

  /** The machine was asked to boot, or to be verified. */
  static final String BOOTING = "booting";

  /** The machine is verified, and the Node is not yet back. */
  static final String VERIFIED = "verified";

  /** There is no second cause. */
  static final String NONE = "none";

  /** The requests, in their order. */
  public static final List<String> REQUESTS =
      List.of("safe reboot", "power reset", "reconfiguration", "immediate reboot", "verification");

  /** The stages of a request, in their order. */
  static final List<String> STAGES = List.of(REQUESTED, ADMITTED, COMMITTED, BOOTING, VERIFIED);

  private static final String ANY_REQUEST = "any request";
  private static final String ANY_STAGE = "any";
  private static final String EITHER = "either";

  private static final String MEETING_CELLS =
      """
      safe reboot                                                  | safe reboot                                              | any                          | idle   | either     | either  | in production         | Reboot                   | one
      safe reboot, power reset, verification                       | safe reboot, power reset, verification, client's request | requested                    | busy   | either     | either  | waits                 | none                     | none
      safe reboot, immediate reboot, verification                  | power reset, reconfiguration                             | requested, admitted          | idle   | either     | either  | in production         | PowerReset               | second
      safe reboot                                                  | power reset, reconfiguration                             | committed, booting, verified | idle   | either     | either  | in production         | Reboot, PowerReset       | second
      safe reboot, power reset, verification, client's request     | reconfiguration                                          | requested                    | busy   | either     | either  | waits, cordoned       | none                     | none
      safe reboot, power reset, verification, client's request     | immediate reboot                                         | requested                    | either | either     | either  | in production         | Reboot                   | second
      safe reboot, power reset, verification                       | immediate reboot                                         | admitted                     | idle   | either     | either  | in production         | Reboot                   | second
      safe reboot                                                  | immediate reboot                                         | committed, booting, verified | idle   | either     | either  | in production         | Reboot                   | first
      safe reboot, power reset, reconfiguration, immediate reboot  | verification                                             | requested, admitted          | idle   | either     | either  | in production         | Verification             | second
      safe reboot                                                  | verification                                             | committed, booting, verified | idle   | either     | either  | in production         | Reboot, Verification     | second
      any request                                                  | scale-down, pool deletion                                | requested, admitted          | idle   | either     | either  | leaves, second + 0:05 | none                     | both
      safe reboot, power reset, verification                       | scale-down, pool deletion                                | requested                    | busy   | IdleOnly   | either  | waits                 | none                     | none
      safe reboot, power reset, verification                       | scale-down, pool deletion                                | requested                    | busy   | PreferIdle | either  | leaves, second + 0:05 | none                     | second
      any request                                                  | scale-down, pool deletion                                | committed                    | idle   | either     | pool    | leaves, second + 0:00 | none                     | both
      safe reboot, immediate reboot                                | scale-down, pool deletion                                | committed                    | idle   | either     | machine | leaves, second + 0:00 | Reboot                   | both
      safe reboot                                                  | scale-down, pool deletion                                | booting                      | idle   | either     | either  | leaves, second + 0:00 | Reboot                   | both
      safe reboot                                                  | scale-down, pool deletion                                | verified                     | idle   | either     | pool    | leaves, second + 0:00 | Reboot                   | both
      safe reboot                                                  | scale-down, pool deletion                                | verified                     | idle   | either     | machine | leaves, second + 0:05 | Reboot                   | second
      safe reboot                                                  | client's request                                         | any                          | idle   | either     | either  | in production         | Reboot                   | first
      safe reboot, power reset, verification                       | preemption                                               | requested, admitted          | idle   | either     | either  | leaves, second + 2:00 | none                     | both
      safe reboot, power reset, verification                       | preemption                                               | requested                    | busy   | either     | either  | leaves, second + 2:00 | none                     | second
      safe reboot                                                  | preemption                                               | committed, booting, verified | idle   | either     | either  | leaves, second + 2:00 | Reboot                   | both
      power reset, reconfiguration, immediate reboot, verification | safe reboot                                              | requested, admitted          | idle   | either     | either  | in production         | Reboot                   | second
      power reset, reconfiguration                                 | safe reboot, immediate reboot                            | committed, booting, verified | idle   | either     | either  | in production         | PowerReset, Reboot       | second
      power reset                                                  | power reset                                              | any                          | idle   | either     | either  | in production         | PowerReset               | one
      power reset                                                  | reconfiguration                                          | requested, admitted          | idle   | either     | either  | in production         | PowerReset               | second
      power reset                                                  | reconfiguration                                          | committed, booting, verified | idle   | either     | either  | in production         | PowerReset, PowerReset   | second
      power reset, reconfiguration                                 | verification                                             | committed, booting, verified | idle   | either     | either  | in production         | PowerReset, Verification | second
      power reset, reconfiguration                                 | scale-down, pool deletion                                | committed                    | idle   | either     | machine | leaves, second + 0:00 | PowerReset               | both
      power reset, reconfiguration                                 | scale-down, pool deletion                                | booting                      | idle   | either     | either  | leaves, second + 0:00 | PowerReset               | both
      power reset, reconfiguration                                 | scale-down, pool deletion                                | verified                     | idle   | either     | pool    | leaves, second + 0:00 | PowerReset               | both
      power reset, reconfiguration                                 | scale-down, pool deletion                                | verified                     | idle   | either     | machine | leaves, second + 0:05 | PowerReset               | second
      power reset, reconfiguration                                 | client's request                                         | any                          | idle   | either     | either  | in production         | PowerReset               | first
      power reset, reconfiguration                                 | preemption                                               | committed, booting, verified | idle   | either     | either  | leaves, second + 2:00 | PowerReset               | both
      reconfiguration, immediate reboot                            | safe reboot, power reset, verification                   | requested, admitted          | busy   | either     | either  | waits                 | none                     | none
      reconfiguration                                              | power reset                                              | requested, admitted          | idle   | either     | either  | in production         | PowerReset               | second
      reconfiguration                                              | power reset                                              | committed, booting, verified | idle   | either     | either  | in production         | PowerReset, PowerReset   | second
      reconfiguration                                              | reconfiguration                                          | any                          | idle   | either     | either  | in production         | PowerReset               | one
      reconfiguration                                              | reconfiguration, client's request                        | requested, admitted          | busy   | either     | either  | waits, cordoned       | none                     | none
      reconfiguration                                              | immediate reboot                                         | requested, admitted          | either | either     | either  | in production         | Reboot                   | second
      reconfiguration                                              | scale-down, pool deletion                                | requested, admitted          | busy   | IdleOnly   | either  | waits, cordoned       | none                     | none
      reconfiguration, immediate reboot                            | scale-down, pool deletion                                | requested, admitted          | busy   | PreferIdle | either  | leaves, second + 0:05 | none                     | both
      reconfiguration, immediate reboot                            | preemption                                               | requested, admitted          | either | either     | either  | leaves, second + 2:00 | none                     | both
      immediate reboot                                             | safe reboot                                              | committed, booting, verified | either | either     | either  | in production         | Reboot                   | first
      immediate reboot                                             | power reset, reconfiguration                             | committed, booting, verified | either | either     | either  | in production         | Reboot, PowerReset       | second
      immediate reboot                                             | reconfiguration                                          | requested, admitted          | busy   | either     | either  | waits, cordoned       | none                     | none
      immediate reboot                                             | immediate reboot                                         | any                          | either | either     | either  | in production         | Reboot                   | one
      immediate reboot                                             | verification                                             | committed, booting, verified | either | either     | either  | in production         | Reboot, Verification     | second
      immediate reboot                                             | scale-down, pool deletion                                | requested, admitted          | busy   | IdleOnly   | either  | leaves, second + 0:35 | Reboot                   | both
      immediate reboot                                             | scale-down, pool deletion                                | committed                    | busy   | IdleOnly   | either  | leaves, second + 0:30 | Reboot                   | both
      immediate reboot                                             | scale-down, pool deletion                                | committed                    | busy   | PreferIdle | either  | leaves, second + 0:30 | none                     | both
      immediate reboot                                             | scale-down, pool deletion                                | booting                      | either | either     | either  | leaves, second + 0:00 | Reboot                   | both
      immediate reboot                                             | scale-down, pool deletion                                | verified                     | either | either     | pool    | leaves, second + 0:00 | Reboot                   | both
      immediate reboot                                             | scale-down, pool deletion                                | verified                     | either | either     | machine | leaves, second + 0:05 | Reboot                   | second
      immediate reboot                                             | client's request                                         | any                          | either | either     | either  | in production         | Reboot                   | first
      immediate reboot                                             | preemption                                               | committed, booting, verified | either | either     | either  | leaves, second + 2:00 | Reboot                   | both
      verification                                                 | safe reboot, immediate reboot                            | committed, booting, verified | idle   | either     | either  | in production         | Verification, Reboot     | second
      verification                                                 | power reset, reconfiguration                             | committed, booting, verified | idle   | either     | either  | in production         | Verification, PowerReset | second
      verification                                                 | verification                                             | any                          | idle   | either     | either  | in production         | Verification             | one
      verification                                                 | scale-down, pool deletion                                | committed                    | idle   | either     | machine | leaves, second + 0:00 | Verification             | both
      verification                                                 | scale-down, pool deletion                                | booting                      | idle   | either     | either  | leaves, second + 0:00 | Verification             | both
      verification                                                 | scale-down, pool deletion                                | verified                     | idle   | either     | pool    | leaves, second + 0:00 | Verification             | both
      verification                                                 | scale-down, pool deletion                                | verified                     | idle   | either     | machine | leaves, second + 0:05 | Verification             | second
      verification                                                 | client's request                                         | any                          | idle   | either     | either  | in production         | Verification             | first
      verification                                                 | preemption                                               | committed, booting, verified | idle   | either     | either  | leaves, second + 2:00 | Verification             | both
      scale-down, pool deletion                                    | any request                                              | requested, admitted          | idle   | either     | either  | leaves, second + 0:05 | none                     | both
      scale-down, pool deletion                                    | safe reboot, power reset, verification                   | requested                    | busy   | IdleOnly   | either  | waits                 | none                     | none
      scale-down, pool deletion                                    | safe reboot, power reset, verification                   | requested, admitted          | busy   | PreferIdle | either  | leaves, second + 0:05 | none                     | first
      scale-down, pool deletion                                    | any request                                              | committed                    | idle   | either     | either  | leaves, second + 0:00 | none                     | first
      scale-down, pool deletion                                    | any request                                              | committed                    | busy   | PreferIdle | either  | leaves, second + 0:00 | none                     | first
      scale-down, pool deletion                                    | reconfiguration                                          | requested                    | busy   | IdleOnly   | either  | waits, cordoned       | none                     | none
      scale-down, pool deletion                                    | reconfiguration, immediate reboot                        | requested, admitted          | busy   | PreferIdle | either  | leaves, second + 0:05 | none                     | both
      scale-down, pool deletion                                    | immediate reboot                                         | requested                    | busy   | IdleOnly   | either  | leaves, second + 0:35 | Reboot                   | both
      client's request                                             | safe reboot                                              | requested                    | idle   | either     | either  | in production         | Reboot                   | second
      client's request                                             | safe reboot, power reset, verification                   | requested                    | busy   | either     | either  | waits                 | none                     | none
      client's request                                             | power reset, reconfiguration                             | requested                    | idle   | either     | either  | in production         | PowerReset               | second
      client's request                                             | verification                                             | requested                    | idle   | either     | either  | in production         | Verification             | second
      preemption                                                   | safe reboot, power reset, verification                   | requested, admitted          | idle   | either     | either  | leaves, second + 2:00 | none                     | both
      preemption                                                   | safe reboot, power reset, verification                   | requested, admitted          | busy   | either     | either  | leaves, second + 2:00 | none                     | first
      preemption                                                   | any request                                              | committed                    | either | either     | either  | leaves, second + 0:00 | none                     | first
      preemption                                                   | reconfiguration, immediate reboot                        | requested, admitted          | either | either     | either  | leaves, second + 2:00 | none                     | both
      """;

  private static final String WITHDRAWAL_CELLS =
      """
      safe reboot, power reset, verification                  | scale-down, preemption                 | admitted | idle   | either     | either | both, requested, cordoned            | first  | second, cordoned                     | second | none, not cordoned
      safe reboot, power reset, verification                  | scale-down, preemption                 | admitted | idle   | either     | either | both, requested, cordoned            | second | first, requested, cordoned           | first  | none, not cordoned
      any request                                             | pool deletion                          | admitted | idle   | either     | either | both, requested, cordoned            | first  | second, cordoned                     |        |
      safe reboot, power reset, verification                  | client's request                       | admitted | idle   | either     | either | first, requested, cordoned           | first  | none, not cordoned                   | second | none, not cordoned
      safe reboot, power reset, verification                  | client's request                       | admitted | idle   | either     | either | first, requested, cordoned           | second | first, requested, cordoned           | first  | none, not cordoned
      safe reboot, power reset, reconfiguration, verification | client's request                       | booting  | idle   | either     | either | first committed, requested, cordoned | first  | first committed, cordoned            | second | first committed, cordoned
      safe reboot, power reset, reconfiguration, verification | client's request                       | booting  | idle   | either     | either | first committed, requested, cordoned | second | first committed, requested, cordoned | first  | first committed, cordoned
      safe reboot, power reset, reconfiguration, verification | preemption                             | booting  | idle   | either     | either | both committed, requested, cordoned  | first  | both committed, cordoned             | second | first committed, cordoned
      safe reboot, power reset, reconfiguration, verification | preemption                             | booting  | idle   | either     | either | both committed, requested, cordoned  | second | first committed, requested, cordoned | first  | first committed, cordoned
      safe reboot, power reset, verification                  | none                                   | admitted | idle   | either     | either | first, requested, cordoned           | first  | none, not cordoned                   |        |
      safe reboot, power reset, reconfiguration, verification | none                                   | booting  | idle   | either     | either | first committed, requested, cordoned | first  | first committed, cordoned            |        |
      reconfiguration, immediate reboot                       | scale-down                             | admitted | idle   | either     | either | both, requested, cordoned            | first  | second, cordoned                     | second | none, not cordoned
      reconfiguration, immediate reboot                       | scale-down                             | admitted | busy   | IdleOnly   | either | first, requested, cordoned           | first  | none, not cordoned                   | second | none, not cordoned
      reconfiguration, immediate reboot                       | scale-down                             | admitted | busy   | PreferIdle | either | both, requested, cordoned            | first  | second, cordoned                     | second | none, not cordoned
      reconfiguration, immediate reboot                       | scale-down                             | admitted | idle   | either     | either | both, requested, cordoned            | second | first, requested, cordoned           | first  | none, not cordoned
      reconfiguration, immediate reboot                       | scale-down                             | admitted | busy   | IdleOnly   | either | first, requested, cordoned           | second | first, requested, cordoned           | first  | none, not cordoned
      reconfiguration, immediate reboot                       | scale-down                             | admitted | busy   | PreferIdle | either | both, requested, cordoned            | second | first, requested, cordoned           | first  | none, not cordoned
      reconfiguration, immediate reboot                       | pool deletion                          | admitted | busy   | IdleOnly   | either | first, requested, cordoned           | first  | none, not cordoned                   |        |
      reconfiguration, immediate reboot                       | pool deletion                          | admitted | busy   | PreferIdle | either | both, requested, cordoned            | first  | second, cordoned                     |        |
      reconfiguration, immediate reboot                       | client's request                       | admitted | either | either     | either | first, requested, cordoned           | first  | none, not cordoned                   | second | none, not cordoned
      reconfiguration, immediate reboot                       | client's request                       | admitted | either | either     | either | first, requested, cordoned           | second | first, requested, cordoned           | first  | none, not cordoned
      reconfiguration, immediate reboot                       | preemption                             | admitted | either | either     | either | both, requested, cordoned            | first  | second, cordoned                     | second | none, not cordoned
      reconfiguration, immediate reboot                       | preemption                             | admitted | either | either     | either | both, requested, cordoned            | second | first, requested, cordoned           | first  | none, not cordoned
      reconfiguration, immediate reboot                       | none                                   | admitted | either | either     | either | first, requested, cordoned           | first  | none, not cordoned                   |        |
      immediate reboot                                        | client's request                       | booting  | either | either     | either | first committed, requested, cordoned | first  | first committed, cordoned            | second | first committed, cordoned
      immediate reboot                                        | client's request                       | booting  | either | either     | either | first committed, requested, cordoned | second | first committed, requested, cordoned | first  | first committed, cordoned
      immediate reboot                                        | preemption                             | booting  | either | either     | either | both committed, requested, cordoned  | first  | both committed, cordoned             | second | first committed, cordoned
      immediate reboot                                        | preemption                             | booting  | either | either     | either | both committed, requested, cordoned  | second | first committed, requested, cordoned | first  | first committed, cordoned
      immediate reboot                                        | none                                   | booting  | either | either     | either | first committed, requested, cordoned | first  | first committed, cordoned            |        |
      scale-down                                              | any request                            | admitted | idle   | either     | either | both, requested, cordoned            | first  | second, requested, cordoned          | second | none, not cordoned
      scale-down                                              | safe reboot, power reset, verification | admitted | busy   | PreferIdle | either | first, requested, cordoned           | first  | none, requested, not cordoned        | second | none, not cordoned
      scale-down                                              | any request                            | admitted | idle   | either     | either | both, requested, cordoned            | second | first, cordoned                      | first  | none, not cordoned
      scale-down                                              | safe reboot, power reset, verification | admitted | busy   | PreferIdle | either | first, requested, cordoned           | second | first, cordoned                      | first  | none, not cordoned
      scale-down                                              | reconfiguration, immediate reboot      | admitted | busy   | PreferIdle | either | both, requested, cordoned            | first  | second, requested, cordoned          | second | none, not cordoned
      scale-down                                              | reconfiguration, immediate reboot      | admitted | busy   | PreferIdle | either | both, requested, cordoned            | second | first, cordoned                      | first  | none, not cordoned
      pool deletion                                           | any request                            | admitted | idle   | either     | either | both, requested, cordoned            | second | first, cordoned                      |        |
      pool deletion                                           | safe reboot, power reset, verification | admitted | busy   | PreferIdle | either | first, requested, cordoned           | second | first, cordoned                      |        |
      pool deletion                                           | reconfiguration, immediate reboot      | admitted | busy   | PreferIdle | either | both, requested, cordoned            | second | first, cordoned                      |        |
      preemption                                              | safe reboot, power reset, verification | admitted | idle   | either     | either | both, requested, cordoned            | first  | second, requested, cordoned          | second | none, not cordoned
      preemption                                              | safe reboot, power reset, verification | admitted | busy   | either     | either | first, requested, cordoned           | first  | none, requested, not cordoned        | second | none, not cordoned
      preemption                                              | safe reboot, power reset, verification | admitted | idle   | either     | either | both, requested, cordoned            | second | first, cordoned                      | first  | none, not cordoned
      preemption                                              | safe reboot, power reset, verification | admitted | busy   | either     | either | first, requested, cordoned           | second | first, cordoned                      | first  | none, not cordoned
      preemption                                              | reconfiguration, immediate reboot      | admitted | either | either     | either | both, requested, cordoned            | first  | second, requested, cordoned          | second | none, not cordoned
      preemption                                              | reconfiguration, immediate reboot      | admitted | either | either     | either | both, requested, cordoned            | second | first, cordoned                      | first  | none, not cordoned
      """;

  private static final String UNCORDONING_CELLS =
      """
      any request                                             | scale-down, pool deletion              | admitted | idle   | either     | either | both, requested, cordoned            | none, passed over for 10 min, not cordoned
      safe reboot, power reset, verification                  | preemption                             | admitted | idle   | either     | either | both, requested, cordoned            | second, cordoned
      safe reboot, power reset, reconfiguration, verification | preemption                             | booting  | idle   | either     | either | both committed, requested, cordoned  | both committed, requested, cordoned
      safe reboot, power reset, verification                  | none                                   | admitted | idle   | either     | either | first, requested, cordoned           | none, passed over for 10 min, not cordoned
      safe reboot, power reset, reconfiguration, verification | none                                   | booting  | idle   | either     | either | first committed, requested, cordoned | first committed, requested, cordoned
      reconfiguration, immediate reboot                       | scale-down, pool deletion              | admitted | busy   | IdleOnly   | either | first, requested, cordoned           | none, passed over for 10 min, not cordoned
      reconfiguration, immediate reboot                       | scale-down, pool deletion              | admitted | busy   | PreferIdle | either | both, requested, cordoned            | none, passed over for 10 min, not cordoned
      reconfiguration, immediate reboot                       | preemption                             | admitted | either | either     | either | both, requested, cordoned            | second, cordoned
      reconfiguration, immediate reboot                       | none                                   | admitted | either | either     | either | first, requested, cordoned           | none, passed over for 10 min, not cordoned
      immediate reboot                                        | preemption                             | booting  | either | either     | either | both committed, requested, cordoned  | both committed, requested, cordoned
      immediate reboot                                        | none                                   | booting  | either | either     | either | first committed, requested, cordoned | first committed, requested, cordoned
      scale-down, pool deletion                               | any request                            | admitted | idle   | either     | either | both, requested, cordoned            | none, passed over for 10 min, not cordoned
      scale-down, pool deletion                               | safe reboot, power reset, verification | admitted | busy   | PreferIdle | either | first, requested, cordoned           | none, passed over for 10 min, requested, not cordoned
      scale-down, pool deletion                               | reconfiguration, immediate reboot      | admitted | busy   | PreferIdle | either | both, requested, cordoned            | none, passed over for 10 min, not cordoned
      preemption                                              | safe reboot, power reset, verification | admitted | idle   | either     | either | both, requested, cordoned            | first, cordoned
      preemption                                              | safe reboot, power reset, verification | admitted | busy   | either     | either | first, requested, cordoned           | first, requested, cordoned
      preemption                                              | reconfiguration, immediate reboot      | admitted | either | either     | either | both, requested, cordoned            | first, cordoned
      """;

  private static final String ABSENCE_CELLS =
      """
      safe reboot                            | none                                  | requested, admitted, booting | idle   | either     | either  | 3:00, 60:00 | in production          | Reboot       | first
      safe reboot, power reset, verification | none                                  | requested                    | busy   | either     | either  | 3:00, 60:00 | waits                  | none         | none
      any request                            | scale-down, pool deletion             | requested, admitted          | idle   | either     | either  | 3:00        | leaves, second + 3:05  | none         | both
      safe reboot, power reset, verification | scale-down, pool deletion             | requested                    | busy   | IdleOnly   | either  | 3:00, 60:00 | waits                  | none         | none
      safe reboot, power reset, verification | scale-down, pool deletion             | requested                    | busy   | PreferIdle | either  | 3:00        | leaves, second + 3:05  | none         | second
      any request                            | scale-down, pool deletion             | requested, admitted          | idle   | either     | either  | 60:00       | leaves, second + 60:05 | none         | both
      safe reboot, power reset, verification | scale-down, pool deletion             | requested                    | busy   | PreferIdle | either  | 60:00       | leaves, second + 60:05 | none         | second
      safe reboot                            | scale-down, pool deletion, preemption | booting                      | idle   | either     | either  | 3:00        | leaves, second + 3:00  | Reboot       | both
      safe reboot, immediate reboot          | scale-down, pool deletion             | booting                      | idle   | either     | pool    | 60:00       | leaves, second + 60:00 | Reboot       | both
      safe reboot, immediate reboot          | scale-down, pool deletion             | booting                      | idle   | either     | machine | 60:00       | leaves, second + 60:05 | Reboot       | second
      safe reboot, power reset, verification | preemption                            | requested, admitted          | idle   | either     | either  | 3:00        | leaves, second + 3:00  | none         | both
      safe reboot, power reset, verification | preemption                            | requested                    | busy   | either     | either  | 3:00        | leaves, second + 3:00  | none         | second
      safe reboot, power reset, verification | preemption                            | requested, admitted          | idle   | either     | either  | 60:00       | leaves, second + 60:00 | none         | both
      safe reboot, power reset, verification | preemption                            | requested                    | busy   | either     | either  | 60:00       | leaves, second + 60:00 | none         | second
      safe reboot                            | preemption                            | booting                      | idle   | either     | either  | 60:00       | leaves, second + 60:00 | Reboot       | both
      power reset, reconfiguration           | none                                  | requested, admitted, booting | idle   | either     | either  | 3:00, 60:00 | in production          | PowerReset   | first
      power reset, reconfiguration           | scale-down, pool deletion, preemption | booting                      | idle   | either     | either  | 3:00        | leaves, second + 3:00  | PowerReset   | both
      power reset, reconfiguration           | scale-down, pool deletion             | booting                      | idle   | either     | pool    | 60:00       | leaves, second + 60:00 | PowerReset   | both
      power reset, reconfiguration           | scale-down, pool deletion             | booting                      | idle   | either     | machine | 60:00       | leaves, second + 60:05 | PowerReset   | second
      power reset, reconfiguration           | preemption                            | booting                      | idle   | either     | either  | 60:00       | leaves, second + 60:00 | PowerReset   | both
      reconfiguration                        | none                                  | requested, admitted          | busy   | either     | either  | 3:00, 60:00 | waits, cordoned        | none         | none
      reconfiguration                        | scale-down, pool deletion             | requested, admitted          | busy   | IdleOnly   | either  | 3:00, 60:00 | waits, cordoned        | none         | none
      reconfiguration, immediate reboot      | scale-down, pool deletion             | requested, admitted          | busy   | PreferIdle | either  | 3:00        | leaves, second + 3:05  | none         | both
      reconfiguration, immediate reboot      | scale-down, pool deletion             | requested, admitted          | busy   | PreferIdle | either  | 60:00       | leaves, second + 60:05 | none         | both
      reconfiguration                        | preemption                            | requested, admitted          | either | either     | either  | 3:00        | leaves, second + 3:00  | none         | both
      immediate reboot                       | preemption                            | admitted                     | either | either     | either  | 3:00        | leaves, second + 3:00  | none         | both
      immediate reboot                       | preemption                            | requested                    | either | either     | either  | 3:00        | leaves, second + 3:00  | none         | second
      reconfiguration                        | preemption                            | requested, admitted          | either | either     | either  | 60:00       | leaves, second + 60:00 | none         | both
      immediate reboot                       | preemption                            | admitted                     | either | either     | either  | 60:00       | leaves, second + 60:00 | none         | both
      immediate reboot                       | preemption                            | requested                    | either | either     | either  | 60:00       | leaves, second + 60:00 | none         | second
      immediate reboot                       | none                                  | requested, admitted, booting | either | either     | either  | 3:00, 60:00 | in production          | Reboot       | first
      immediate reboot                       | scale-down, pool deletion             | requested, admitted          | busy   | IdleOnly   | either  | 3:00        | leaves, second + 3:35  | Reboot       | both
      immediate reboot                       | scale-down, pool deletion             | requested, admitted          | busy   | IdleOnly   | either  | 60:00       | leaves, second + 60:35 | Reboot       | both
      immediate reboot                       | scale-down, pool deletion, preemption | booting                      | either | either     | either  | 3:00        | leaves, second + 3:00  | Reboot       | both
      immediate reboot                       | scale-down, pool deletion             | booting                      | busy   | IdleOnly   | either  | 60:00       | leaves, second + 60:05 | Reboot       | second
      immediate reboot                       | scale-down, pool deletion             | booting                      | busy   | PreferIdle | pool    | 60:00       | leaves, second + 60:00 | Reboot       | both
      immediate reboot                       | scale-down, pool deletion             | booting                      | busy   | PreferIdle | machine | 60:00       | leaves, second + 60:05 | Reboot       | second
      immediate reboot                       | preemption                            | booting                      | either | either     | either  | 60:00       | leaves, second + 60:00 | Reboot       | both
      verification                           | none                                  | requested, admitted, booting | idle   | either     | either  | 3:00, 60:00 | in production          | Verification | first
      verification                           | scale-down, pool deletion, preemption | booting                      | idle   | either     | either  | 3:00        | leaves, second + 3:00  | Verification | both
      verification                           | scale-down, pool deletion             | booting                      | idle   | either     | pool    | 60:00       | leaves, second + 60:00 | Verification | both
      verification                           | scale-down, pool deletion             | booting                      | idle   | either     | machine | 60:00       | leaves, second + 60:05 | Verification | second
      verification                           | preemption                            | booting                      | idle   | either     | either  | 60:00       | leaves, second + 60:00 | Verification | both
      """;

  /** Two causes that meet, at each stage of the first. */
  public static final List<Row<Outcome>> MEETINGS =
      rows(MEETING_CELLS, cells -> new Outcome(cells.get(0), cells.get(1), cells.get(2)));

  /** Causes that are withdrawn, one after the other. */
  public static final List<Row<Withdrawal>> WITHDRAWALS =
      rows(
          WITHDRAWAL_CELLS,
          cells ->
              new Withdrawal(
                  cells.get(0),
                  new DisruptionPairs.Step(cells.get(1), cells.get(2)),
                  new DisruptionPairs.Step(cells.get(3), cells.get(4))));

  /** Nodes that a person uncordons. */
  public static final List<Row<Uncordoning>> UNCORDONINGS =
      rows(UNCORDONING_CELLS, cells -> new Uncordoning(cells.get(0), cells.get(1)));

  /** Operators that are away from the moment of the second cause on. */
  public static final List<Row<Absence>> ABSENCES =
      rows(
          ABSENCE_CELLS,
          cells ->
              new Absence(cells.get(0), new Outcome(cells.get(1), cells.get(2), cells.get(3))));

  /**
   * When the second cause comes about, and on what Node.
   *
   * @param busy whether a Pod runs on it that no budget allows to evict
   * @param idleOnly whether its pool removes only idle Nodes
   * @param poolFirst whether the pool's plan is carried out before the machine's
   */
  record Cell(
      String first,
      String second,
      String stage,
      boolean busy,
      boolean idleOnly,
      boolean poolFirst) {}

  /** What becomes of a Node of a pool with PreferIdle whose first cause waits. */
  public static Optional<Outcome> requested(
      List<Row<Outcome>> rows, String first, String second, boolean busy) {
    Cell cell = new Cell(first, second, REQUESTED, busy, false, true);
    return rows.stream()
        .filter(row -> row.cells().anyMatch(cell::equals))
        .map(Row::outcome)
        .findFirst();
  }

  /**
   * Cells that have one outcome.
   *
   * @param on the columns that the cells are made of, as they are written
   */
  public record Row<T>(List<String> on, T outcome) {
    /** All combinations of the columns. */
    Stream<Cell> cells() {
      return split(0)
          .flatMap(first ->
              split(1).flatMap(second -> split(2).flatMap(stage -> nodes(first, second, stage))));
    }

    private Stream<Cell> nodes(String first, String second, String stage) {
      return flags(3, "busy")
          .flatMap(busy ->
              flags(4, "IdleOnly")
                  .flatMap(idleOnly ->
                      flags(5, "pool")
                          .map(poolFirst ->
                              new Cell(first, second, stage, busy, idleOnly, poolFirst))));
    }

    private Stream<String> split(int column) {
      return Arrays.stream(on.get(column).split(", ", -1))
          .flatMap(each ->
              switch (each) {
                case ANY_REQUEST -> REQUESTS.stream();
                case ANY_STAGE -> STAGES.stream();
                default -> Stream.of(each);
              });
    }

    private Stream<Boolean> flags(int column, String yes) {
      return on.get(column).equals(EITHER)
          ? Stream.of(true, false)
          : Stream.of(on.get(column).equals(yes));
    }
  }

  /**
   * The end.
   *
   * @param ending where the Node is
   * @param boots what its machine was asked for, in order
   * @param causes which of the two are on record when it is committed for the last time
   */
  public record Outcome(String ending, String boots, String causes) {}

  /** Causes that are withdrawn one after the other, from this record. */
  public record Withdrawal(
      String record, DisruptionPairs.Step first, DisruptionPairs.Step second) {}

  /** A Node with this record that a person uncordons, and the record that this leaves. */
  public record Uncordoning(String record, String left) {}

  /**
   * An operator that is away.
   *
   * @param away how long, in minutes and seconds; several have the same outcome
   */
  public record Absence(String away, Outcome outcome) {}

  interface Reading<T> {
    T of(List<String> cells);
  }

  private RebootPairs() {}

  static <T> List<Row<T>> rows(String text, Reading<T> outcome) {
    return text.lines()
        .map(line -> Arrays.stream(line.split("\\|", -1)).map(String::trim).toList())
        .map(cells -> new Row<>(cells.subList(0, 6), outcome.of(cells.subList(6, cells.size()))))
        .toList();
  }
}

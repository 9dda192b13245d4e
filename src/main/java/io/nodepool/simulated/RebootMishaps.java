package io.nodepool.simulated;

import io.nodepool.vocabulary.Word;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;

/**
 * The reboots of machines that go wrong, for tests and exercises.
 *
 * @param script the mishaps of certain machines
 * @param hangPercent the percentage of reboots that never end, chosen by the seed
 * @param failPercent the percentage of reboots after which the machine has failed, chosen by the
 *     seed
 * @param verificationFailurePercent the percentage of verifications that fail, chosen by the seed
 * @param puntedRoutesPercent the percentage of resets of the host alone after which its DPU punts
 *     routes, chosen by the seed
 */
@RecordBuilder
public record RebootMishaps(
    List<Scripted> script,
    int hangPercent,
    int failPercent,
    int verificationFailurePercent,
    int puntedRoutesPercent)
    implements RebootMishapsCopy.With {
  /** No failures. */
  public static final RebootMishaps NONE = new RebootMishaps(List.of(), 0, 0, 0, 0);

  /** What goes wrong with a reboot. */
  public enum Kind implements Word {
    /** The reboot never ends; another try begins anew. */
    HANG,
    /** The machine has failed afterwards; for a broken configuration, until it was released. */
    FAIL,
    /** The machine runs afterwards, and its Node does not become Ready. */
    NOT_READY,
    /** The verification afterwards fails. */
    VERIFICATION_FAILURE
  }

  /**
   * What goes wrong with reboots of a machine.
   *
   * @param host name of its Host
   * @param reboot the number of the reboot, as the Host counts them, from 1; 0 for all of them
   */
  public record Scripted(String host, int reboot, Kind kind) {}

  public RebootMishaps {
    script = List.copyOf(script);
  }

  /** Whether the script has this mishap for the reboot with this number. */
  boolean scripts(Kind kind, String host, int reboot) {
    return script.stream()
        .anyMatch(each ->
            each.kind() == kind
                && each.host().equals(host)
                && (each.reboot() == 0 || each.reboot() == reboot));
  }
}

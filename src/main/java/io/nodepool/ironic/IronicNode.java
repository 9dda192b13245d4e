package io.nodepool.ironic;

import io.nodepool.fleet.FleetOffer;
import io.nodepool.fleet.Host;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;

/**
 * A node of Ironic as last read. Empty text stands for what is absent.
 *
 * @param instance its {@code instance_uuid}
 * @param note what the fleet wrote on it: {@code extra.nodepool}
 * @param extra the other texts of {@code extra}
 * @param seenAt when the request was sent that read it, by the fleet's clock
 */
public record IronicNode(
    String uuid,
    String name,
    Kind kind,
    ProvisionState state,
    Power power,
    Obstacles obstacles,
    String instance,
    String lastError,
    Note note,
    Map<String, String> extra,
    Instant seenAt) {
  /** What a conductor says that starts, of a node that it finds in the middle of its work. */
  private static final String INTERRUPTED = "can't be resumed by conductor";

  /**
   * What its owner says of its hardware.
   *
   * @param traits such as {@code CUSTOM_TURIN_GP}
   */
  public record Kind(String resourceClass, SortedSet<String> traits) {
    private static final String CUSTOM = "CUSTOM_";

    public Kind {
      traits = Collections.unmodifiableSortedSet(new TreeSet<>(traits));
    }

    /**
     * The instance type of the offer that it is: its resource class, else the only one whose name
     * is that of a trait; empty if it is none.
     */
    public Optional<String> instanceType(FleetOffer offer) {
      if (offer.instanceTypes().contains(resourceClass)) {
        return Optional.of(resourceClass);
      }
      List<String> named =
          offer.instanceTypes().stream().filter(type -> traits.contains(trait(type))).toList();
      return named.size() == 1 ? Optional.of(named.getFirst()) : Optional.empty();
    }

    /** The trait of an instance type: capital letters, digits and underscores. */
    private static String trait(String type) {
      return CUSTOM + type.toUpperCase(Locale.ROOT).replaceAll("[^A-Z0-9]", "_");
    }
  }

  /**
   * The power of a node in Ironic's database.
   *
   * @param state {@code power on}, {@code power off}, {@code error} or empty text
   * @param target the power that Ironic is bringing about
   * @param lastAction when Ironic last began to change it, in Ironic's words
   */
  public record Power(String state, String target, String lastAction) {}

  /**
   * What keeps the fleet, or Ironic, from working with a node.
   *
   * @param fault {@code power failure}, {@code clean failure} or another one
   * @param reason of the maintenance
   * @param locked whether a conductor holds its lock
   * @param conducted whether a conductor that lives is responsible for it
   */
  public record Obstacles(
      boolean maintenance,
      String fault,
      String reason,
      boolean retired,
      boolean locked,
      boolean conducted) {}

  /**
   * What the fleet records on a node in the same request as its {@code instance_uuid}: for that
   * instance it says what was asked for, and for people what the node is. Alone it proves nothing.
   *
   * @param configuration the configuration whose image is in {@code instance_info}
   * @param boot the boot that was asked for last: the one that is left, and the try
   * @param before the node's last power action when that boot was asked for; empty text if the
   *     machine is installed anew instead
   */
  public record Note(String host, int tenancy, String configuration, String boot, String before) {
    /** Nothing was written. */
    public static final Note NONE = new Note("", 0, "", "", "");

    /** What {@code before} is while the fleet has the node cleaned once more. */
    private static final String CLEANED_AGAIN = "cleaned again";

    /** The note that the node is to be cleaned once more, or that this is over. */
    Note cleanedAgain(boolean is) {
      return new Note(host, tenancy, configuration, boot, is ? CLEANED_AGAIN : "");
    }

    boolean isCleanedAgain() {
      return before.equals(CLEANED_AGAIN);
    }
  }

  /** Copies the texts. */
  public IronicNode {
    extra = Map.copyOf(new TreeMap<>(extra));
  }

  /** The node with another last error. */
  public IronicNode withLastError(String error) {
    return new IronicNode(
        uuid, name, kind, state, power, obstacles, instance, error, note, extra, seenAt);
  }

  /** The {@code instance_uuid} of a tenancy of a Host: the same one whenever it is computed. */
  public static String instanceOf(Host host) {
    String name = host.id().uid() + "/" + host.tenancy();
    return UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8)).toString();
  }

  /** Whether the node is claimed for the present tenancy of the Host, or its last one. */
  public boolean isOf(Host host) {
    return instance.equals(instanceOf(host));
  }

  /** Whether someone else claimed the node. */
  public boolean isForeignTo(Host host) {
    return !instance.isEmpty() && !isOf(host);
  }

  /** Whether Ironic lost the BMC: it then knows nothing of the power. */
  public boolean hasLostBmc() {
    return obstacles.fault().equals("power failure");
  }

  /** Whether Ironic reads the power from the machine from time to time, and can. */
  public boolean isPowerRead() {
    return !obstacles.maintenance() && obstacles.conducted() && (isOn() || isOff());
  }

  /** Whether the machine was on when Ironic last looked. */
  public boolean isOn() {
    return power.state().equals("power on");
  }

  /** Whether the machine was off when Ironic last looked. */
  public boolean isOff() {
    return power.state().equals("power off");
  }

  /** Whether Ironic works on it, so that it takes no request. */
  public boolean isBusy() {
    return obstacles.locked() || !power.target().isEmpty();
  }

  /** Whether its owner works on it. */
  public boolean isWithItsOwner() {
    return obstacles.retired()
        || (state.actsNext() == ProvisionState.ActsNext.OWNER && !isToBeCleaned())
        || (obstacles.maintenance() && obstacles.fault().isEmpty());
  }

  /** Whether its deployment failed for nothing but that its conductor ended, as in an upgrade. */
  public boolean isInterrupted() {
    return state == ProvisionState.DEPLOY_FAILED && lastError.contains(INTERRUPTED);
  }

  /** Whether its cleaning failed for nothing but that its conductor ended. */
  public boolean isCleaningInterrupted() {
    return state == ProvisionState.CLEAN_FAILED
        && lastError.contains(INTERRUPTED)
        && obstacles.fault().isEmpty()
        && !obstacles.maintenance();
  }

  /** Whether the fleet took it out of a cleaning that failed, to have it cleaned once more. */
  public boolean isToBeCleaned() {
    return state == ProvisionState.MANAGEABLE && note.isCleanedAgain();
  }

  /** Whether another tenancy may have the machine. */
  public boolean isClean() {
    return state == ProvisionState.AVAILABLE
        && instance.isEmpty()
        && isOff()
        && !isBusy()
        && obstacles.conducted()
        && !obstacles.maintenance()
        && !obstacles.retired()
        && obstacles.fault().isEmpty();
  }
}

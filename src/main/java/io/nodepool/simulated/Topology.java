package io.nodepool.simulated;

import io.nodepool.fleet.Machine;
import io.nodepool.fleet.catalogue.InstanceType;
import io.nodepool.fleet.catalogue.Network;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The places of a data centre's machines in its networks: the one source of all names in them
 * (contract §9 and §20, decision D111). All names follow from the number of a rack, so later racks
 * change none of them.
 *
 * @param seed determines the names of machines and the identifiers of leaf groups
 */
record Topology(DataCentre.Site site, long seed) {
  private static final String HALL = "DH1";

  /** The leaf switches of this number of racks are in the rack with the next multiple as number. */
  private static final int RACKS_OF_A_LEAF_GROUP = 10;

  /** The leaf groups of this number of racks form a superpod. */
  private static final int RACKS_OF_A_SUPERPOD = 50;

  private static final int PORTS_OF_A_RACK = 100;

  private static final Pattern NUMBER_AT_THE_END = Pattern.compile("[0-9]{1,4}$");
  private static final int LETTERS_AND_DIGITS = 36;

  /** The machine in a slot of a rack. */
  Machine machine(DataCentre.Rack rack, InstanceType type, int slot) {
    return new Machine(
        type.name(),
        new Machine.Location(site.zone(), site.region(), rack.name(), rackName(rack), slot),
        interconnect(rack, type, slot));
  }

  /**
   * The name of a machine: {@code s} and seven letters or digits in NVL72 racks, elsewhere {@code
   * g} and six hexadecimal digits (contract §9 and §20).
   *
   * @param attempt how many names were in use
   */
  String host(DataCentre.Rack rack, InstanceType type, int slot, int attempt) {
    long hash = Seeds.mix(seed, "name/" + rack.name() + "/" + slot + "/" + attempt);
    return type.isRack() ? "s" + lettersAndDigits(hash, 7) : "g%06x".formatted(hash & 0xffffff);
  }

  private static String lettersAndDigits(long hash, int count) {
    StringBuilder text = new StringBuilder();
    for (long rest = hash >>> 1; text.length() < count; rest /= LETTERS_AND_DIGITS) {
      text.append(Character.forDigit((int) (rest % LETTERS_AND_DIGITS), LETTERS_AND_DIGITS));
    }
    return text.toString();
  }

  private String rackName(DataCentre.Rack rack) {
    return "%s-r%s-%s"
        .formatted(
            HALL.toLowerCase(Locale.ROOT), rack.name(), site.zone().toLowerCase(Locale.ROOT));
  }

  private Machine.Interconnect interconnect(DataCentre.Rack rack, InstanceType type, int slot) {
    String domain =
        type.isRack() ? "%s-%s-%s".formatted(HALL, inThreeDigits(rack.name()), site.zone()) : "";
    int fabric = fabric(type.network());
    if (fabric == 0) {
      return new Machine.Interconnect(domain, "", Machine.LeafGroup.NONE, "");
    }
    int leafRack = leafRack(number(rack));
    String group = "%d.%d-%s".formatted(leafRack, fabric, HALL);
    return new Machine.Interconnect(
        domain,
        "%s-FAB%d".formatted(site.zone(), fabric),
        new Machine.LeafGroup(identifier(group), group, port(rack, slot)),
        Integer.toString((leafRack - 1) / RACKS_OF_A_SUPERPOD + 1));
  }

  /** The number of a network's fabric in the zone; 0 if it has none. */
  private static int fabric(Network network) {
    return switch (network) {
      case INFINIBAND -> 1;
      case ROCE -> 2;
      case ETHERNET -> 0;
    };
  }

  private static int leafRack(int rack) {
    return (rack / RACKS_OF_A_LEAF_GROUP + 1) * RACKS_OF_A_LEAF_GROUP;
  }

  /** The port of a machine; it differs within a leaf group. */
  private static String port(DataCentre.Rack rack, int slot) {
    return Integer.toString(number(rack) % RACKS_OF_A_LEAF_GROUP * PORTS_OF_A_RACK + slot + 1);
  }

  /** A number of twelve digits. */
  private String identifier(String group) {
    long hash = Seeds.mix(seed, "leafgroup/" + site.zone() + "/" + group);
    return Long.toString(100_000_000_000L + Long.remainderUnsigned(hash, 900_000_000_000L));
  }

  private static int number(DataCentre.Rack rack) {
    Matcher number = NUMBER_AT_THE_END.matcher(rack.name());
    return number.find() ? Integer.parseInt(number.group()) : 1;
  }

  /** Pads a number to three digits, as in NVLink domains; returns other names unchanged. */
  private static String inThreeDigits(String rack) {
    return rack.matches("[0-9]{1,2}") ? "0".repeat(3 - rack.length()) + rack : rack;
  }
}

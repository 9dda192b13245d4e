package io.nodepool.fleet.catalogue;

import io.nodepool.vocabulary.Word;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Parses instance types from comma-separated lines. Fields contain no commas, so there is no
 * quoting.
 */
final class InstanceTypeRows {
  static final String HEADER =
      "name,gpus,gpuModel,gpuMemoryGb,vcpus,memoryKi,ephemeralStorageKi,architecture,cpuFamily,maxPods,rackSize,superchip,network,rdmaIb,zones";

  private static final List<String> COLUMNS = List.of(HEADER.split(",", -1));
  private static final Set<String> ARCHITECTURES = Set.of("amd64", "arm64");

  private final String source;

  InstanceTypeRows(String source) {
    this.source = source;
  }

  /** The types of a text, in its order. Fails on the first invalid line and on a duplicate name. */
  List<InstanceType> read(String text) {
    List<InstanceType> types = new ArrayList<>();
    Set<String> names = new TreeSet<>();
    boolean headed = false;
    int number = 0;
    for (String line : text.lines().toList()) {
      number++;
      if (line.isBlank() || line.startsWith("#")) {
        continue;
      }
      if (!headed) {
        require(line.equals(HEADER), number, "the header has to be '" + HEADER + "'");
        headed = true;
        continue;
      }
      InstanceType type = new Row(number, line).type();
      require(names.add(type.name()), number, "the type '" + type.name() + "' is defined twice");
      types.add(type);
    }
    return types;
  }

  private void require(boolean holds, int line, String message) {
    if (!holds) {
      throw new IllegalArgumentException(source + " line " + line + ": " + message);
    }
  }

  /** One line, split into its fields. */
  private final class Row {
    private final int number;
    private final List<String> fields;

    Row(int number, String line) {
      this.number = number;
      this.fields = Arrays.stream(line.split(",", -1)).map(String::strip).toList();
      require(
          fields.size() == COLUMNS.size(),
          number,
          "it has " + fields.size() + " fields, but a type has " + COLUMNS.size());
    }

    InstanceType type() {
      String name = text("name");
      require(!name.isEmpty(), number, "name is empty");
      int gpus = (int) count("gpus", 0, 64);
      String model = text("gpuModel");
      require(
          gpus > 0 != model.isEmpty(),
          number,
          "gpuModel has to be given exactly when there are gpus");
      return new InstanceType(
          name,
          new InstanceType.Gpus(
              gpus,
              Optional.of(model).filter(m -> !m.isEmpty()),
              (int) count("gpuMemoryGb", gpus > 0 ? 1 : 0, gpus > 0 ? 100_000 : 0)),
          new InstanceType.Resources(
              new InstanceType.Processor(
                  (int) count("vcpus", 1, 100_000), architecture(), text("cpuFamily")),
              count("memoryKi", 1, Long.MAX_VALUE),
              count("ephemeralStorageKi", 1, Long.MAX_VALUE),
              (int) count("maxPods", 1, 100_000),
              (int) count("rdmaIb", 0, 100_000)),
          (int) count("rackSize", 0, 1_000),
          superchip(),
          network(),
          zones());
    }

    private String text(String column) {
      return fields.get(COLUMNS.indexOf(column));
    }

    private long count(String column, long least, long most) {
      String field = text(column);
      boolean digits = field.matches("\\d{1,18}");
      long value = digits ? Long.parseLong(field) : -1;
      require(
          digits && value >= least && value <= most,
          number,
          column
              + " is '"
              + field
              + "', but has to be a whole number from "
              + least
              + " to "
              + most);
      return value;
    }

    private String architecture() {
      String architecture = text("architecture");
      require(
          ARCHITECTURES.contains(architecture),
          number,
          "architecture is '" + architecture + "', but has to be amd64 or arm64");
      return architecture;
    }

    private boolean superchip() {
      String superchip = text("superchip");
      require(
          superchip.equals("true") || superchip.equals("false"),
          number,
          "superchip is '" + superchip + "', but has to be true or false");
      return superchip.equals("true");
    }

    private Network network() {
      String word = text("network");
      Optional<Network> network = Word.of(Network.class, word);
      require(
          network.isPresent(),
          number,
          "network is '" + word + "', but has to be infiniband, roce or ethernet");
      return network.orElseThrow();
    }

    private List<String> zones() {
      String zones = text("zones");
      return zones.isEmpty() ? List.of() : Arrays.stream(zones.split(" +")).sorted().toList();
    }
  }
}

package io.nodepool.plugin.text;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The list of a command, as a table, as documents or by name.
 *
 * @param kind the word before a name, such as {@code node}
 * @param nameColumn the index of the column with the names
 * @param header the titles of the columns
 * @param rows the cells of each row, one for each column; see {@link Columns}
 * @param objects the objects of the rows as the API server sent them; empty if rows are no objects
 * @param now when ages end
 */
public record PrintedList(
    String kind,
    int nameColumn,
    List<String> header,
    List<List<Object>> rows,
    Optional<List<JsonNode>> objects,
    Instant now) {
  private static final ObjectMapper JSON = new ObjectMapper();

  public PrintedList {
    header = List.copyOf(header);
    rows = List.copyOf(rows);
    objects = objects.map(List::copyOf);
  }

  /**
   * Prints all of it.
   *
   * @param headers whether a table begins with the titles of its columns
   */
  public void print(PrintWriter out, OutputFormat format, boolean headers) {
    switch (format) {
      case WIDE -> table(rows).printLast(out, rows.size() + (headers ? 1 : 0));
      case JSON, YAML -> out.println(JsonOutput.text(document(), format));
      case NAME -> rows.forEach(row -> out.println(kind + "/" + text(row.get(nameColumn))));
    }
  }

  private TextTable table(List<List<Object>> shown) {
    TextTable table = new TextTable("", 3).row(header);
    shown.forEach(row -> table.row(row.stream().map(this::text).toList()));
    return table;
  }

  private String text(Object cell) {
    return switch (cell) {
      case Optional<?> some -> some.map(this::text).orElse(TextTable.orNone(""));
      case Instant begin -> Age.of(Duration.between(begin, now));
      case Collection<?> texts ->
          TextTable.orNone(texts.stream().map(this::text).collect(Collectors.joining(", ")));
      case Map<?, ?> numbers ->
          text(
              numbers.entrySet().stream()
                  .map(each -> "%s (%s)".formatted(each.getKey(), each.getValue()))
                  .toList());
      default -> String.valueOf(cell);
    };
  }

  /**
   * Prints the rows that differ from an earlier list, and its rows that are gone, in its widths.
   * Ages do not count.
   */
  public void printChanges(PrintedList earlier, PrintWriter out, boolean headers) {
    List<List<String>> seen = earlier.rows.stream().map(this::withoutAges).toList();
    List<List<String>> here = rows.stream().map(this::withoutAges).toList();
    Set<String> names = Set.copyOf(here.stream().map(row -> row.get(nameColumn)).toList());
    List<List<Object>> changed = new ArrayList<>();
    IntStream.range(0, rows.size())
        .filter(place -> !seen.contains(here.get(place)))
        .forEach(place -> changed.add(rows.get(place)));
    earlier.rows.stream()
        .filter(row -> !names.contains(TextTable.plain(text(row.get(nameColumn)))))
        .forEach(changed::add);
    TextTable table = table(earlier.rows);
    changed.forEach(row -> table.row(row.stream().map(this::text).toList()));
    boolean isFirst = headers && earlier.rows.isEmpty() && !changed.isEmpty();
    table.printLast(out, changed.size() + (isFirst ? 1 : 0));
  }

  /** The texts of a row without ages. */
  private List<String> withoutAges(List<Object> row) {
    return row.stream().map(cell -> isAge(cell) ? "" : TextTable.plain(text(cell))).toList();
  }

  private static boolean isAge(Object cell) {
    return cell instanceof Instant
        || (cell instanceof Optional<?> some && some.filter(PrintedList::isAge).isPresent());
  }

  /** Objects as a list of kubectl; else an array of rows, with the cells by column. */
  private JsonNode document() {
    return objects.<JsonNode>map(PrintedList::list).orElseGet(this::facts);
  }

  private ArrayNode facts() {
    ArrayNode facts = JsonNodeFactory.instance.arrayNode();
    for (List<Object> row : rows) {
      ObjectNode each = facts.addObject();
      IntStream.range(0, row.size())
          .forEach(place -> put(each, key(header.get(place)), row.get(place)));
    }
    return facts;
  }

  private static void put(ObjectNode facts, String key, Object cell) {
    switch (cell) {
      case Optional<?> some -> some.ifPresent(there -> put(facts, key, there));
      case Instant at -> facts.put(key, at.toString());
      default -> facts.set(key, JSON.valueToTree(cell));
    }
  }

  /** The title of a column as the name of a field. */
  private static String key(String title) {
    if (title.equals("AGE")) {
      return "createdAt";
    }
    StringBuilder key = new StringBuilder();
    for (String word : title.toLowerCase(Locale.ROOT).split("[ -]", -1)) {
      key.append(key.isEmpty() ? word : Character.toUpperCase(word.charAt(0)) + word.substring(1));
    }
    return key.toString();
  }

  /** A List without managed fields. */
  private static ObjectNode list(List<JsonNode> objects) {
    ObjectNode list = JsonNodeFactory.instance.objectNode().put("apiVersion", "v1");
    ArrayNode items = list.putArray("items");
    for (JsonNode object : objects) {
      ObjectNode item = items.addObject();
      item.setAll((ObjectNode) object);
      item.withObject("metadata").remove("managedFields");
    }
    list.put("kind", "List").putObject("metadata").put("resourceVersion", "");
    return list;
  }
}

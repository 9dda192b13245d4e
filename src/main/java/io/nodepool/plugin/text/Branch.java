package io.nodepool.plugin.text;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.List;

/**
 * A tree for output: a thing, its status and its parts. Texts may be empty.
 *
 * @param since an instant, as the API server writes it
 */
public record Branch(
    String name,
    String status,
    String reason,
    String since,
    String message,
    List<Branch> children) {
  public Branch {
    children = List.copyOf(children);
  }

  /** A branch without parts. */
  public static Branch leaf(
      String name, String status, String reason, String since, String message) {
    return new Branch(name, status, reason, since, message, List.of());
  }

  /** A branch that only groups its parts. */
  public static Branch group(String name, String message, List<Branch> parts) {
    return new Branch(name, "", "", "", message, parts);
  }

  /** Prints it with all its parts. */
  public void print(PrintWriter out, Instant now) {
    TextTable table = new TextTable("", 2).row("NAME", "STATUS", "REASON", "SINCE", "MESSAGE");
    add(table, "", "", now);
    table.print(out);
  }

  /**
   * Adds its row and its parts' rows.
   *
   * @param own the text before its name
   * @param below the text before the names of its parts
   */
  private void add(TextTable table, String own, String below, Instant now) {
    table.row(own + name, status, reason, since.isEmpty() ? "" : Age.since(since, now), message);
    for (int place = 0; place < children.size(); place++) {
      boolean isLast = place == children.size() - 1;
      children
          .get(place)
          .add(table, below + (isLast ? "└─" : "├─"), below + (isLast ? "  " : "│ "), now);
    }
  }

  /** The tree as JSON, without empty texts. */
  public ObjectNode json() {
    ObjectNode object = JsonNodeFactory.instance.objectNode();
    put(object, "name", name);
    put(object, "status", status);
    put(object, "reason", reason);
    put(object, "since", since);
    put(object, "message", message);
    if (!children.isEmpty()) {
      ArrayNode parts = object.putArray("children");
      children.forEach(child -> parts.add(child.json()));
    }
    return object;
  }

  private static void put(ObjectNode object, String key, String text) {
    if (!text.isEmpty()) {
      object.put(key, text);
    }
  }
}

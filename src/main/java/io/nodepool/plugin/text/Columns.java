package io.nodepool.plugin.text;

import com.fasterxml.jackson.databind.JsonNode;
import io.nodepool.kubernetes.convert.ObjectFacts;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * The columns of a list: each has a title, and a cell for each thing that is listed. A cell is a
 * text, a number, a truth value, an instant, a list of texts or a map of numbers, or an Optional of
 * one of these: a table prints it as text, a document keeps its type.
 *
 * @param <T> what is listed
 */
public final class Columns<T> {
  private record Column<T>(String title, Function<T, ?> cell) {}

  private final Instant now;
  private final List<Column<T>> columns = new ArrayList<>();
  private int nameColumn;

  /** No columns yet; ages end now. */
  public Columns(Instant now) {
    this.now = now;
  }

  /** Adds the column that has the names. */
  public Columns<T> name(String title, Function<T, String> cell) {
    nameColumn = columns.size();
    return addIfAny(title, cell);
  }

  /** Adds a column. */
  public Columns<T> add(String title, Function<T, ?> cell) {
    columns.add(new Column<>(title, cell));
    return this;
  }

  /** Adds a column of texts; some may be missing. */
  public Columns<T> addIfAny(String title, Function<T, String> cell) {
    return add(title, cell.andThen(text -> Optional.of(text).filter(each -> !each.isEmpty())));
  }

  /** Adds a column of instants, as the API server writes them: ages in a table. */
  public Columns<T> age(String title, Function<T, String> cell) {
    return add(title, cell.andThen(ObjectFacts::readableTime));
  }

  /** A list of these things, which are no objects of the API server. */
  public PrintedList list(String kind, List<T> things) {
    return list(kind, things, Optional.empty());
  }

  /** A list of these things, each of which is an object of the API server. */
  public PrintedList list(String kind, List<T> things, Function<T, JsonNode> object) {
    return list(kind, things, Optional.of(things.stream().map(object).toList()));
  }

  private PrintedList list(String kind, List<T> things, Optional<List<JsonNode>> objects) {
    return new PrintedList(
        kind,
        nameColumn,
        columns.stream().map(Column::title).toList(),
        things.stream().map(this::row).toList(),
        objects,
        now);
  }

  private List<Object> row(T thing) {
    return columns.stream().<Object>map(column -> column.cell().apply(thing)).toList();
  }
}

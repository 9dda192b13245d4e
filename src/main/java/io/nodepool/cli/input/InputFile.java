package io.nodepool.cli.input;

import io.nodepool.cli.command.CommandFailure;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/** Files that users pass to a command. */
public final class InputFile {
  private InputFile() {}

  /**
   * Reads the text of a file.
   *
   * @throws CommandFailure if it cannot be read as text
   */
  public static String text(Path file) {
    if (Files.isDirectory(file)) {
      throw CommandFailure.wrongInput("%s is a directory; name a file.".formatted(file));
    }
    try {
      return Files.readString(file);
    } catch (NoSuchFileException e) {
      throw CommandFailure.wrongInput("%s does not exist.".formatted(file), e);
    } catch (AccessDeniedException e) {
      throw CommandFailure.wrongInput("%s cannot be read: permission denied.".formatted(file), e);
    } catch (CharacterCodingException e) {
      throw CommandFailure.wrongInput("%s is not UTF-8 text.".formatted(file), e);
    } catch (IOException e) {
      throw CommandFailure.wrongInput("%s cannot be read: %s.".formatted(file, reason(e)), e);
    }
  }

  /** Reads files. */
  @FunctionalInterface
  interface Reading<T> {
    /** Reads a path. */
    T of(Path path) throws IOException;
  }

  /**
   * Reads the path that an option names.
   *
   * @throws CommandFailure if it cannot be used, with the message of {@code reading}
   */
  static <T> T read(String option, Path path, Reading<T> reading) {
    try {
      return reading.of(path);
    } catch (NoSuchFileException e) {
      throw CommandFailure.wrongInput(
          "%s: %s does not exist.".formatted(option, e.getMessage()), e);
    } catch (IOException e) {
      throw CommandFailure.wrongInput("%s: %s.".formatted(option, e.getMessage()), e);
    }
  }

  /** The reason of a failure, without the file's name. */
  private static String reason(IOException failure) {
    return failure instanceof FileSystemException known && known.getReason() != null
        ? known.getReason()
        : String.valueOf(failure.getMessage());
  }

  /**
   * The reason why a file cannot be created, in words.
   *
   * @param file the file, which must not exist
   */
  public static Optional<String> obstacleTo(Path file) {
    Path folder = file.toAbsolutePath().getParent();
    if (Files.exists(file)) {
      return Optional.of("%s exists; it is not overwritten.".formatted(file));
    }
    if (folder == null || !Files.isDirectory(folder)) {
      return Optional.of(
          "%s cannot be created: directory %s does not exist.".formatted(file, folder));
    }
    return Files.isWritable(folder)
        ? Optional.empty()
        : Optional.of("%s cannot be created: %s is not writable.".formatted(file, folder));
  }
}

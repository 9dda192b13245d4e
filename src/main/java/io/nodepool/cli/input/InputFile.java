package io.nodepool.cli.input;

import io.nodepool.cli.CommandFailure;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/** Files that users name. */
public final class InputFile {
  private InputFile() {}

  /**
   * The text of a file.
   *
   * @throws CommandFailure if there is none
   */
  static String text(Path file) {
    if (Files.isDirectory(file)) {
      throw CommandFailure.wrongInput("%s is a directory; name a file.".formatted(file));
    }
    try {
      return Files.readString(file);
    } catch (NoSuchFileException e) {
      throw CommandFailure.wrongInput("%s does not exist.".formatted(file), e);
    } catch (AccessDeniedException e) {
      throw CommandFailure.wrongInput("%s may not be read by this user.".formatted(file), e);
    } catch (CharacterCodingException e) {
      throw CommandFailure.wrongInput("%s is no text in UTF-8.".formatted(file), e);
    } catch (IOException e) {
      throw CommandFailure.wrongInput("%s cannot be read: %s.".formatted(file, reason(e)), e);
    }
  }

  /** The bare reason, where there is one: a message repeats the file's name. */
  private static String reason(IOException failure) {
    return failure instanceof FileSystemException known && known.getReason() != null
        ? known.getReason()
        : String.valueOf(failure.getMessage());
  }

  /**
   * What stands in the way of a file that is to be made, in words.
   *
   * @param file it, which must not exist yet, for it would be somebody's
   */
  public static Optional<String> obstacleTo(Path file) {
    Path folder = file.toAbsolutePath().getParent();
    if (Files.exists(file)) {
      return Optional.of("%s exists; it is not overwritten.".formatted(file));
    }
    if (folder == null || !Files.isDirectory(folder)) {
      return Optional.of("%s cannot be made: there is no directory %s.".formatted(file, folder));
    }
    return Files.isWritable(folder)
        ? Optional.empty()
        : Optional.of("%s cannot be made: %s may not be written to.".formatted(file, folder));
  }
}

package io.sluice.config;

import java.io.IOException;
import java.io.Reader;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;

/** Reads a properties file, such as one of Kafka client properties. */
public final class PropertiesFile {
  private PropertiesFile() {}

  /**
   * Returns the entries of a file in UTF-8.
   *
   * @throws IOException if it cannot be read, or is not a properties file; the message says why,
   *     without the file's name
   */
  public static Map<String, String> read(Path file) throws IOException {
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
      properties.load(reader);
    } catch (NoSuchFileException e) {
      throw new IOException("there is no such file", e);
    } catch (AccessDeniedException e) {
      throw new IOException("this user may not read it", e);
    } catch (CharacterCodingException e) {
      throw new IOException("it is not text in UTF-8", e);
    } catch (IllegalArgumentException e) {
      throw new IOException("not a properties file: " + e.getMessage(), e);
    }
    Map<String, String> entries = new HashMap<>();
    properties
        .stringPropertyNames()
        .forEach(name -> entries.put(name, properties.getProperty(name)));
    return entries;
  }
}

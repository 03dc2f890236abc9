package io.sluice.services;

/** Where production images enter the JVM. */
public final class Main {
  private Main() {}

  public static void main(String[] arguments) {
    System.exit(new Commands(ServiceCommands.all()).execute(arguments));
  }
}

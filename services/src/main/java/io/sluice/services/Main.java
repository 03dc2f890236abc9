package io.sluice.services;

/** The entry point of production images. */
public final class Main {
  private Main() {}

  public static void main(String[] arguments) {
    System.exit(new Commands(ServiceCommands.all()).execute(arguments));
  }
}

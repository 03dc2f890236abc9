package io.sluice.services;

/** What a command is to its user, which decides where its log goes. */
public enum CommandKind {
  /** Ends by itself and prints its result: the log shows errors only, on standard error. */
  CLIENT,
  /** Runs until it is stopped, usually under a supervisor: the log is its standard output. */
  SERVICE,
  /** The whole pool in one process, with a screen of its own: the log is a file. */
  STACK
}

package io.sluice.services;

/** The kind of a command, which determines where its log goes. */
public enum CommandKind {
  /** Ends by itself and prints its result: the log contains errors only, on standard error. */
  CLIENT,
  /** Runs until it is stopped, usually by a supervisor: the log goes to standard output. */
  SERVICE,
  /** The whole pool in one process, with its own screen output: the log goes to a file. */
  STACK
}

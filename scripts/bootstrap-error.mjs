/** A command cannot run. The message is a sentence for the person who typed the command. */
export class BootstrapError extends Error {
  name = 'BootstrapError';

  /** @param exitCode with which the command ends */
  constructor(message, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

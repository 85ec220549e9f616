/** A command cannot run. The message is a sentence for the person who typed the command. */
export class BootstrapError extends Error {
  name = 'BootstrapError';
}

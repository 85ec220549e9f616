/** What keeps a command from running, as a sentence for the person who typed it. */
export class BootstrapError extends Error {
  name = 'BootstrapError';
}

/** Says who runs a command of `npm run admin`. */
import { hostname, userInfo } from 'node:os';

/** The user and the machine, for the audit log. */
export function whoRuns(): string {
  try {
    return `${userInfo().username}@${hostname()}`;
  } catch {
    // In a container, the user of the process may have no name.
    return `user ${process.getuid?.() ?? '?'}@${hostname()}`;
  }
}

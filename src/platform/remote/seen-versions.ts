/** Which version of each file was seen last, so that no other one is moved away or removed: nobody would have read it. */
import { RemoteFailure } from './remote-folder.js';

export class SeenVersions {
  readonly #versions = new Map<string, string>();

  note(name: string, version: string): void {
    this.#versions.set(name, version);
  }

  forget(name: string): void {
    this.#versions.delete(name);
  }

  /** The version that was seen; undefined: the file was not looked at. */
  of(name: string): string | undefined {
    return this.#versions.get(name);
  }

  /** @throws RemoteFailure CHANGED_WHILE_READ */
  requireSame(name: string, version: string): void {
    const seen = this.of(name);
    if (seen === undefined || seen === version) return;
    const message = `${name} was replaced since it was read: the new file stays where it is, and the next run takes it`;
    throw new RemoteFailure('CHANGED_WHILE_READ', message);
  }
}

/** The folder of a local file store, and the paths of files in it. */
import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { resolve, sep } from 'node:path';
import { codeOf } from '../error-code.js';
import { FileMissing } from '../file-store.js';
import { StoreCalls } from '../store-calls.js';
import { hideFromOthers, makeRoot, requireRoot } from './folders.js';

export class StoreFolder {
  readonly #calls: StoreCalls;
  readonly #prepared: Promise<void>;

  constructor(
    readonly root: string,
    limitMs?: number,
  ) {
    this.#calls = new StoreCalls(limitMs);
    this.#prepared = this.#prepare();
  }

  /** The calls of the store, as soon as its folder has been created. */
  async calls(): Promise<StoreCalls> {
    await this.#prepared;
    return this.#calls;
  }

  readonly pathOf = (key: string): string => {
    const path = resolve(this.root, key);
    if (!path.startsWith(this.root + sep)) throw new Error(`a file key may not leave the store: ${key}`);
    return path;
  };

  /** @throws FileMissing */
  async stat(key: string): Promise<Stats> {
    const calls = await this.calls();
    return calls.run('looking at a file', () => stat(this.pathOf(key))).catch((error) => this.throwMissing(key, error));
  }

  /** Translates the error of a file that could not be found. @throws FileMissing if the store itself is there */
  async throwMissing(key: string, error: unknown): Promise<never> {
    if (codeOf(error) !== 'ENOENT' && codeOf(error) !== 'ENOTDIR') throw error;
    await requireRoot(this.#calls, this.root);
    throw new FileMissing(key);
  }

  async #prepare(): Promise<void> {
    try {
      await makeRoot(this.#calls, this.root);
      await hideFromOthers(this.#calls, this.root);
    } catch {
      // Each use of the store says so.
    }
  }
}

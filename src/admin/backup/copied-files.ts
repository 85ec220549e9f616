/** Copies the files of the store into a backup. */
import { mkdir, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { FileMissing, type FileStore } from '../../platform/file-store.js';
import { Digest, type FileEntry, type Manifest, pathsOf } from './format.js';
import { FOLDER_MODE, writeTo } from './private-files.js';

const FILES_AT_ONCE = 4;

export interface NamedFile {
  readonly key: string;
  /** Whether work that has not ended, or a client, needs it. */
  readonly required: boolean;
}

/** The files of the store that are in the backup already. A file never changes under its key. */
export class CopiedFiles {
  readonly #store: FileStore;
  readonly #folder: string;
  readonly #copied = new Map<string, FileEntry>();

  constructor(store: FileStore, folder: string) {
    this.#store = store;
    this.#folder = folder;
  }

  /** Copies those that are not there yet. @returns the keys of required files that the store does not have */
  async copy(named: readonly NamedFile[]): Promise<string[]> {
    const gone: string[] = [];
    const left = named.filter(({ key }) => !this.#copied.has(key));
    const copyNext = async () => {
      for (let next = left.pop(); next !== undefined; next = left.pop()) {
        if (!(await this.#copyOne(next.key)) && next.required) gone.push(next.key);
      }
    };
    await Promise.all(Array.from({ length: FILES_AT_ONCE }, copyNext));
    return gone.sort();
  }

  /** Removes from the backup what was deleted before its snapshot. */
  async keepOnly(named: readonly NamedFile[]): Promise<void> {
    const keys = new Set(named.map(({ key }) => key));
    for (const key of this.#copied.keys()) {
      if (keys.has(key)) continue;
      this.#copied.delete(key);
      await rm(pathsOf(this.#folder).file(key), { force: true });
    }
  }

  async writeList(): Promise<Manifest['files']> {
    const entries = [...this.#copied.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
    const list = new Digest();
    const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`);
    await pipeline(lines, list, writeTo(pathsOf(this.#folder).fileList));
    const ofAll = entries.reduce((sum, { bytes }) => sum + bytes, 0);
    return { count: entries.length, ofAll, ...list.result() };
  }

  /** @returns whether the store has the file */
  async #copyOne(key: string): Promise<boolean> {
    const path = pathsOf(this.#folder).file(key);
    try {
      const stream = await this.#store.read(key);
      await mkdir(dirname(path), { recursive: true, mode: FOLDER_MODE });
      const digest = new Digest();
      await pipeline(stream, digest, writeTo(path));
      this.#copied.set(key, { key, ...digest.result() });
      return true;
    } catch (error) {
      if (!(error instanceof FileMissing)) throw error;
      await rm(path, { force: true });
      return false;
    }
  }
}

/** What is noted of an import while it runs, so that the same command goes on with it when it was interrupted. */
import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Access, configFolder } from '../access.js';
import type { ImportInput } from '../import-input.js';

/** Keys are remembered by the API for a day. */
const KEY_VALID_MS = 23 * 3_600_000;

/**
 * The idempotency key of an import, written down before anything is sent and removed when the outcome is known: the
 * same file, imported in the same way, goes on with the same job.
 */
export class Attempt {
  isAnnounced: boolean;

  private constructor(
    private readonly key: string,
    readonly isResumed: boolean,
    readonly path: string,
    private errorFile: string | undefined,
  ) {
    this.isAnnounced = isResumed;
  }

  /** @param how what else must be the same, for the earlier import to be this one */
  static of({ path: file, identity }: ImportInput, access: Access, how: object): Attempt {
    const { baseUrl, account, stage, channel } = access;
    const what = JSON.stringify([baseUrl, account, stage, channel, ...identity, how]);
    const name = createHash('sha256').update(what).digest('hex').slice(0, 32);
    const path = join(configFolder(), 'imports', `${name}.json`);
    const known = noteIn(path);
    if (known !== undefined) return new Attempt(known.key, true, path, known.errorFile);
    const key = randomUUID();
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, JSON.stringify({ key, begunAt: Date.now(), file } satisfies Note), { mode: 0o600 });
    return new Attempt(key, false, path, undefined);
  }

  /** The options of a call that goes on where an earlier one was interrupted. */
  get call(): { readonly idempotencyKey: string; readonly resume: boolean } {
    return { idempotencyKey: this.key, resume: this.isResumed };
  }

  /** The name of the error file, noted before it is written: called again, the command writes no second one. */
  nameErrorFile(choose: () => string): string {
    if (this.errorFile !== undefined) return this.errorFile;
    this.errorFile = choose();
    const known = noteIn(this.path);
    const changed = `${this.path}.part`;
    writeFileSync(changed, JSON.stringify({ ...known, errorFile: this.errorFile }), { mode: 0o600 });
    renameSync(changed, this.path);
    return this.errorFile;
  }

  forget(): void {
    rmSync(this.path, { force: true });
  }
}

interface Note {
  readonly key: string;
  readonly begunAt: number;
  readonly file: string;
  readonly errorFile?: string;
}

function noteIn(path: string): Note | undefined {
  try {
    const found = JSON.parse(readFileSync(path, 'utf8')) as Note;
    return Date.now() - found.begunAt < KEY_VALID_MS ? found : undefined;
  } catch {
    return undefined;
  }
}

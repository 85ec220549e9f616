/** Whether the database still allows the release of this process, as far as is known. */
import type { Db } from '../../db/connection.js';
import { findTooOld } from '../../db/oldest-release.js';
import { VERSION } from '../platform/version.js';
import { type Finding, releaseIsOld } from './readiness/findings.js';

export class AllowedRelease {
  readonly #db: Db;
  #found: Finding | null = null;

  constructor(db: Db) {
    this.#db = db;
  }

  /** Why requests have to be refused, as the last check has found; null: they need not be. */
  get refusal(): Finding | null {
    return this.#found;
  }

  /** Asks the database. @throws its error, and the last finding remains */
  async check(): Promise<Finding | null> {
    const tooOld = await findTooOld(this.#db, VERSION);
    this.#found = tooOld === null ? null : releaseIsOld(tooOld);
    return this.#found;
  }
}

/** A piece of work of a hot path, and what it may cost. */
import type { Knex } from 'knex';
import type { FileStore } from '../../../src/platform/file-store.js';
import { type Laid, laidId } from '../../support/worlds/plans/laid-ids.js';

/** Done in a transaction, by the very code that does it otherwise. */
export interface HotWork {
  readonly does: string;
  /** Buffers that each of its statements touches at most, in whatever state the tables are. */
  readonly within: number;
  /** The same on tables full of dead rows, where it reads from the head of an index: there they lie. */
  readonly withinDead?: number;
  readonly run: (trx: Knex.Transaction, laid: Laid, fileStore: FileStore) => Promise<unknown>;
}

/** Has all that waits, runs and is exported. */
export const BUSY_SITE = 1;
/** Its events very many want. */
export const LISTENED_SITE = 2;
/** Its events 25 want; nothing of it waits. */
export const EMITTING_SITE = 3;
/** No item is in it, and nothing waits. */
export function emptySite({ sites }: Laid): number {
  return sites - 2;
}

export function accountOf(laid: Laid, site: number): string {
  return laidId(laid, 'account', site);
}

/** As the files of jobs are named that are being applied: ten rows, as long as their chunks are. */
export const FILE = 'items';
export const FILE_ROWS = Array.from({ length: 10 }, (_, n) => `new 0${n},Disk,t\n`).join('');

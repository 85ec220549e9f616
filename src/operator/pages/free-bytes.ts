/** How much room the file store has left. */
import { within } from '../../platform/concurrency/within.js';
import type { FileStore } from '../../platform/file-store.js';

/** What the page does not wait longer for. */
const PATIENCE_MS = 2_000;

/** Null: the store does not answer in time, or does not know. */
export async function freeBytesOf(fileStore: FileStore): Promise<number | null> {
  const free = fileStore.freeBytes().catch(() => null);
  const known = (await within(free, PATIENCE_MS)) ? await free : null;
  return known !== null && Number.isFinite(known) ? known : null;
}

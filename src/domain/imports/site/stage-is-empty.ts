/** Whether a stage is empty, so that an archive is written into it without an approval. */
import type { Db } from '../../../../db/connection.js';
import { hasDefaultSettings } from '../../settings/site-settings.js';

/** What a stage may have. */
const TABLES = ['item', 'attribute', 'category', 'import_profile', 'webhook_definition'] as const;

export async function stageIsEmpty(db: Db, siteId: number): Promise<boolean> {
  for (const table of TABLES) {
    const { rows } = await db.raw<{ rows: { found: boolean }[] }>(
      'SELECT EXISTS (SELECT FROM ?? WHERE site_id = ?) AS found',
      [table, siteId],
    );
    if (rows[0]?.found !== false) return false;
  }
  // A revert gives a stage the default settings again, as a version of its own.
  return hasDefaultSettings(db, siteId);
}

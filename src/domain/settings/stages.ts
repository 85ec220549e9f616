/** The stages of an account, and which of them are live. */
import type { Db } from '../../../db/connection.js';

interface StageView {
  readonly name: string;
  /** Whether what is changed here is seen by customers. */
  readonly live: boolean;
  /** Null: nothing was written to it yet. */
  readonly createdAt: Date | null;
}

const LIVE_BY_DEFAULT = 'production';
const MAX_LISTED = 1_000;

/** Whether a stage is live: as its settings say, and otherwise if it is production. */
export function isLive(stage: string, setting: boolean | null): boolean {
  return setting ?? stage === LIVE_BY_DEFAULT;
}

/** Those that are live first, then by name; at most 1,000. Production is among them before anything was written to it. */
export async function listStages(db: Db, accountId: string): Promise<StageView[]> {
  const { rows } = await db.raw<{ rows: { name: string; live: boolean | null; created_at: Date }[] }>(
    `SELECT site.stage AS name, newest.live, site.created_at FROM site
     LEFT JOIN LATERAL (
       SELECT (settings ->> 'live')::boolean AS live FROM site_settings
       WHERE site_id = site.id ORDER BY version DESC LIMIT 1) AS newest ON true
     WHERE site.account_id = ?
     ORDER BY coalesce(newest.live, site.stage = ?) DESC, site.stage COLLATE "C" LIMIT ?`,
    [accountId, LIVE_BY_DEFAULT, MAX_LISTED],
  );
  const stages = rows.map(({ name, live, created_at }) => ({ name, live: isLive(name, live), createdAt: created_at }));
  if (rows.length === MAX_LISTED || stages.some(({ name }) => name === LIVE_BY_DEFAULT)) return stages;
  return [{ name: LIVE_BY_DEFAULT, live: true, createdAt: null }, ...stages];
}

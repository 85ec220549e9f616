/** Definitions by the thousand, put straight into the database: making them one by one is not what is tested. */
import type { Db } from '../../db/connection.js';

interface Many {
  readonly siteId: number;
  readonly account: string;
  readonly count: number;
  readonly source?: string;
  readonly events?: readonly string[];
  readonly channel?: number | null;
}

export async function insertDefinitions(
  db: Db,
  { siteId, account, count, source = 'OMS', events = ['ORDER_CREATED'], channel = null }: Many,
): Promise<void> {
  await db.raw(
    `INSERT INTO webhook_definition (id, account_id, site_id, channel, target, target_digest, protocol, source, events, secret)
     SELECT substr(md5(random()::text || n), 1, 24), :account, :siteId, :channel::integer, 'http://127.0.0.1:9/' || n,
            sha256(convert_to(:source || n || random(), 'UTF8')), 'HTTP', :source, :events::text[], ''
     FROM generate_series(1, :count::integer) AS n`,
    { account, siteId, channel, source, events: [...events], count },
  );
}

/** Definitions by the thousand, put straight into the database: making them one by one is not what is tested. */
import type { Db } from '../../../db/connection.js';
import { newSigningSecret } from '../../../src/domain/access/signing-secret.js';
import { newId } from '../../../src/domain/kernel/identifier.js';
import { sealSigningSecret } from '../../../src/domain/webhooks/definitions/signing-secrets.js';

interface Many {
  readonly siteId: number;
  readonly account: string;
  readonly count: number;
  readonly source?: string;
  readonly events?: readonly string[];
  readonly channel?: number | null;
  /** Each has a path of its own below it. Default: one where nobody listens. */
  readonly target?: string;
  /** Where something is to be delivered: what signs it is sealed with them. */
  readonly secretsKeys?: readonly string[];
}

/** @returns their ids, in order */
export async function insertDefinitions(
  db: Db,
  { siteId, account, count, source = 'OMS', events = ['ORDER_CREATED'], channel = null, ...rest }: Many,
): Promise<string[]> {
  const { target = 'http://127.0.0.1:9', secretsKeys } = rest;
  const ids = Array.from({ length: count }, newId).sort();
  const secrets =
    secretsKeys === undefined ? null : ids.map((id) => sealSigningSecret(secretsKeys, id, newSigningSecret()));
  await db.raw(
    `INSERT INTO webhook_definition (id, account_id, site_id, channel, target, target_digest, protocol, source, events, secret)
     SELECT id, :account, :siteId, :channel::integer, :target || '/' || n,
            sha256(convert_to(:source || n || random(), 'UTF8')), 'HTTP', :source, :events::text[], coalesce(secret, '')
     FROM unnest(:ids::text[], :secrets::text[]) WITH ORDINALITY AS given (id, secret, n)`,
    { account, siteId, channel, source, events: [...events], target, ids, secrets },
  );
  return ids;
}

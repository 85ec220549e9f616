/** Creates deleted webhook definitions again. */
import type { Knex } from 'knex';
import { EndpointHealth } from '../../../../db/models/endpoint-health.js';
import type { WebhookDefinition } from '../../../../db/models/webhook-definition.js';
import type { Image } from '../../changes/model/definition-image.js';
import type { SealedSecrets } from '../../changes/model/surrounding-image.js';
import { refusingDuplicates } from './refuse-duplicates.js';

/** Members of an image that are no columns. */
const DERIVED: readonly string[] = ['hasHeaders', 'hasApiKey'];

/**
 * Creates a deleted definition again, with its id and its secrets. What was to be delivered to it was cancelled, and its endpoint
 * begins without failures. @throws DomainError conflict WEBHOOK_EXISTS
 */
export async function restoreDefinition(
  trx: Knex.Transaction,
  siteId: number,
  image: Image,
  sealed: SealedSecrets,
): Promise<void> {
  const row = { ...image, ...sealed, collects_until: null, releases_until: null };
  const columns = Object.keys(row).filter((name) => !DERIVED.includes(name));
  const names = columns.map(() => '??').join(', ');
  const { id, account_id, channel, protocol, source, api_version } = image as unknown as WebhookDefinition;
  const { target_digest: digest } = image as { readonly target_digest: string };
  const rule = { account_id, protocol, source, api_version, target_digest: Buffer.from(digest.slice(2), 'hex') };
  await refusingDuplicates(trx, { siteId, channel }, rule, (savepoint) =>
    savepoint.raw(
      `INSERT INTO webhook_definition (${names})
       SELECT ${names} FROM jsonb_populate_record(NULL::webhook_definition, ?::jsonb) WHERE site_id = ?`,
      [...columns, ...columns, JSON.stringify(row), siteId],
    ),
  );
  await EndpointHealth.query(trx).insert({ definition_id: id });
}

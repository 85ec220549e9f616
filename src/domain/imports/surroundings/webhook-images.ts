/** Reads webhook definitions as whole rows, with their secrets still sealed. */
import type { Knex } from 'knex';
import type { Image } from '../../changes/model/definition-image.js';
import { SEALED_PLACES, type SealedSecrets } from '../../changes/model/surrounding-image.js';

/** A definition without its secrets, and these. */
interface WebhookImage {
  readonly key: string;
  readonly image: Image;
  readonly sealed: SealedSecrets;
}

const SEALED = Object.keys(SEALED_PLACES);

/** @param locks whether others wait with changes of them until the transaction ends */
export async function imagesOfWebhooks(
  trx: Knex.Transaction,
  siteId: number,
  ids: readonly string[],
  locks: boolean,
): Promise<WebhookImage[]> {
  const { rows } = await trx.raw<{ rows: WebhookImage[] }>(
    `SELECT r.id AS key,
       to_jsonb(r) - :sealed::text[]
         || jsonb_build_object('hasHeaders', r.headers IS NOT NULL, 'hasApiKey', r.target_api_key IS NOT NULL) AS image,
       jsonb_build_object(${SEALED.map((name) => `'${name}', r.${name}`).join(', ')}) AS sealed
     FROM webhook_definition AS r WHERE r.site_id = :siteId AND r.id = ANY (:ids) ORDER BY r.id${locks ? ' FOR UPDATE' : ''}`,
    { sealed: SEALED, siteId, ids: [...ids] },
  );
  return rows;
}

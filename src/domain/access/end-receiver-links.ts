/** Ends the links of receivers with the webhook definition that they are about. */
import type { Knex } from 'knex';

/** Revokes all links of a definition, which is deleted in this transaction. */
export async function endReceiverLinks(trx: Knex.Transaction, webhookId: string): Promise<void> {
  await trx('access_token').where({ webhook_id: webhookId, revoked_at: null }).update({ revoked_at: trx.fn.now() });
}

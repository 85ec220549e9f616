/** Refuses a definition that is identical to another one of its account, which a unique index prevents even between concurrent requests. */
import type { Knex } from 'knex';
import type { WebhookDefinition } from '../../../../db/models/webhook-definition.js';
import type { SiteContext } from '../../access/site-context.js';
import { DomainError } from '../../kernel/errors.js';

const DUPLICATE_RULE = 'webhook_definition_target_uq';
const UNIQUE_VIOLATION = '23505';

/** The columns of the rule; definitions without a version have an empty one. */
type Rule = Pick<WebhookDefinition, 'account_id'> &
  Partial<Pick<WebhookDefinition, 'target_digest' | 'protocol' | 'source' | 'api_version'>>;

/**
 * Executes the statement that writes a definition, behind a savepoint, so that the transaction can be used after it.
 * @param site of the request @param written what the row is to contain
 * @throws DomainError conflict when it would be identical to another; it says where that one is if a list does not show it
 */
export async function refusingDuplicates<T>(
  trx: Knex.Transaction,
  site: Pick<SiteContext, 'siteId' | 'channel'>,
  written: Rule,
  write: (savepoint: Knex.Transaction) => PromiseLike<T>,
): Promise<T> {
  try {
    return await trx.transaction(async (savepoint) => write(savepoint));
  } catch (error) {
    if (!breaksDuplicateRule(error)) throw error;
    throw new DomainError(
      'conflict',
      'WEBHOOK_EXISTS',
      `Webhook Definition with target, tenantId, protocol, source, apiVersion already exists!${await placeOf(trx, site, written)}`,
    );
  }
}

function breaksDuplicateRule(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('nativeError' in error) return breaksDuplicateRule(error.nativeError);
  return (
    'code' in error && error.code === UNIQUE_VIOLATION && 'constraint' in error && error.constraint === DUPLICATE_RULE
  );
}

/** Where the other definition is, as a sentence; empty if it is among those that a request to this site can list. */
async function placeOf(
  trx: Knex.Transaction,
  { siteId, channel }: Pick<SiteContext, 'siteId' | 'channel'>,
  { account_id, target_digest, protocol, source, api_version = '' }: Rule,
): Promise<string> {
  const other: { site_id: number; stage: string; channel: number | null } | undefined = await trx(
    'webhook_definition AS definition',
  )
    .join('site', 'site.id', 'definition.site_id')
    .where({ 'definition.account_id': account_id, target_digest, protocol, source, api_version })
    .first('definition.site_id', 'site.stage', 'definition.channel');
  if (other === undefined) return '';
  const ofChannel = other.channel === null ? '' : ` of the channel ${other.channel}`;
  if (other.site_id !== siteId) return ` It is in the stage "${other.stage}"${ofChannel && `,${ofChannel}`}.`;
  const isListed = channel === null || other.channel === null || other.channel === channel;
  return isListed ? '' : ` It is${ofChannel}.`;
}

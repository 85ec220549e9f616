/** What a token needs that takes back what jobs have changed of settings and webhook definitions: what it needs to change them. */
import type { Knex } from 'knex';
import type { Principal } from '../../../domain/access/principals.js';
import type { AccountScope } from '../../../domain/access/scopes.js';
import type { SurroundingKind } from '../../../domain/changes/model/surrounding-image.js';
import { surroundingKindsOf } from '../../../domain/changes/surrounding-changes.js';
import { requireScopes } from '../../authorize.js';

/** Besides those that every revert needs. */
const NEEDED: Readonly<Record<SurroundingKind, readonly AccountScope[]>> = {
  profile: [],
  settings: ['catalog:admin'],
  webhook: ['webhooks:write'],
};

/** @throws DomainError forbidden */
export async function requireSurroundingScopes(
  trx: Knex.Transaction,
  { principal, site: { siteId } }: { readonly principal: Principal; readonly site: { readonly siteId: number } },
  jobIds: readonly string[],
): Promise<void> {
  const kinds = await surroundingKindsOf(trx, siteId, jobIds);
  requireScopes(
    principal,
    kinds.flatMap((kind) => NEEDED[kind]),
  );
}

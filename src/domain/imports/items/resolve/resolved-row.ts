/** A row whose decision is known, and the rows of a chunk that are to be written. */
import type { Knex } from 'knex';
import type { ItemDraft } from '../read/item-draft.js';
import type { ItemDecision } from './item-decision.js';

export interface ResolvedRow {
  readonly draft: ItemDraft;
  readonly decision: ItemDecision | { readonly kind: 'deferred' };
}

export interface Resolution {
  /** The rows, in the order of the drafts. */
  readonly rows: readonly ResolvedRow[];
  /** Writes what belongs to the rows besides their items: unique-value reservations, components of bundles, memberships. */
  readonly storeBesides?: (trx: Knex.Transaction) => Promise<void>;
}

export const DEFERRED = { kind: 'deferred' } as const;

/** What is to become of the rows of a chunk: settled before anything of it is written. */
import type { Knex } from 'knex';
import type { ItemDraft } from '../read/item-draft.js';
import type { ItemDecision } from './decide-item.js';

export interface Settled {
  readonly draft: ItemDraft;
  readonly decision: ItemDecision | { readonly kind: 'later' };
}

export interface Settlement {
  /** In the order of the drafts. */
  readonly rows: readonly Settled[];
  /** Writes what belongs to the rows besides their items: claims, what bundles hold. */
  storeBesides(trx: Knex.Transaction): Promise<void>;
}

export const LATER = { kind: 'later' } as const;

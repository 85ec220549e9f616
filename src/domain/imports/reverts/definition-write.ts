/** What the writers of reverted definitions have in common. */
import type { Knex } from 'knex';
import type { OutboxEntry } from '../../../queues/outbox.js';
import type { SiteContext } from '../../access/site-context.js';
import type { Image } from '../../changes/model/definition-image.js';
import { DomainError } from '../../kernel/errors.js';
import { ROW_CODES, type RowProblem } from '../../kernel/row-problem.js';
import type { DefinitionRow } from './definition-row.js';

/** A definition that is as the jobs have left it, and is to get back what it was. */
export interface DueDefinition {
  readonly definition: DefinitionRow;
  /** What it is now; undefined: it is not there. */
  readonly present: Image | undefined;
}

export interface DefinitionSite extends Pick<SiteContext, 'siteId' | 'accountId' | 'channel'> {
  /** The jobs that are taken back, and the one that does it. */
  readonly ownJobs: readonly string[];
  /** Whether events are emitted: not of what is undone. */
  readonly emits: boolean;
  /** The job that takes the others back, and who has asked for it. */
  readonly jobId: string;
  readonly actor: string | null;
}

/** What came of definitions that were written: why some of them were not. */
interface Written {
  readonly problems: ReadonlyMap<DueDefinition, readonly RowProblem[]>;
  readonly outboxEntries?: readonly OutboxEntry[];
}

export type WriteDefinitions = (
  trx: Knex.Transaction,
  site: DefinitionSite,
  due: readonly DueDefinition[],
) => Promise<Written>;

/** Refusals of requests whose code no row has. */
const CODE_OF: Readonly<Record<string, RowProblem['code']>> = {
  CATEGORY_NOT_EMPTY: 'CATEGORY_IN_USE',
  SITE_HOLDS_ITEMS: 'FIELD_INVALID',
  MAPPING_NOT_POSSIBLE: 'FIELD_INVALID',
  NODE_OF_OTHER_TREE: 'FIELD_INVALID',
  CATEGORY_CYCLE: 'FIELD_INVALID',
  NODE_IS_ROOT: 'FIELD_INVALID',
  PROFILE_EXISTS: 'NAME_EXISTS',
  WEBHOOK_EXISTS: 'NAME_EXISTS',
  PROFILE_LIMIT: 'FIELD_INVALID',
  PROFILE_NOT_FOUND: 'FIELD_INVALID',
  REQUEST_INVALID: 'FIELD_INVALID',
  CHANGES_GONE: 'FIELD_INVALID',
};

/** The problem of a row that a request would have been refused with. @throws the error, if it is none */
export function asRowProblem(error: unknown): RowProblem {
  if (!(error instanceof DomainError)) throw error;
  const code = CODE_OF[error.code] ?? ROW_CODES.find((one) => one === error.code);
  if (code === undefined) throw error;
  return { code, column: null, message: error.message.replace(/\.$/, '') };
}

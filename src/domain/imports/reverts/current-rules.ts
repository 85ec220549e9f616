/** The rules of items while a revert changes definitions between its rows of items. */
import type { Knex } from 'knex';
import type { SiteContext } from '../../access/site-context.js';
import { snapshotDefinitions } from '../../catalog/definition-snapshot.js';
import { bumpDefinitions } from '../../catalog/definitions-version.js';
import { noteChanger } from '../../changes/definition-changes.js';
import { recordOptions } from '../../jobs/job-steps.js';
import type { ItemRules } from '../items/item-rules.js';
import { rulesWithin } from '../items/load-rules.js';
import type { AppliedRows } from '../rows/row-applier.js';
import { applyDefinitions, type DefinitionJudge, type ReadDefinition } from './apply-definitions.js';

export interface RevertingJob extends Pick<SiteContext, 'siteId' | 'accountId' | 'channel'> {
  readonly jobId: string;
  readonly actor: string | null;
  /** The jobs that are taken back. */
  readonly revertOf: readonly string[];
  /** A dry run is one transaction, which is undone. */
  readonly isDryRun: boolean;
  /** Judges rows of definitions that are not made of the change log. */
  readonly judgeDefinitions?: DefinitionJudge | undefined;
}

export class CurrentRules {
  /** The transaction that has come to rows of definitions last. */
  #changing: Knex.Transaction | undefined;
  /** The rules as it has left them. */
  #loaded: ItemRules;

  constructor(
    readonly job: RevertingJob,
    private readonly begun: ItemRules,
  ) {
    this.#loaded = begun;
  }

  /**
   * Writes definitions. Rows of items after them are judged by what the job has made of the definitions: with the commit of
   * the chunk it uses these.
   */
  async afterDefinitions(
    trx: Knex.Transaction,
    rows: readonly ReadDefinition[],
    isLast: boolean,
  ): Promise<AppliedRows> {
    const { jobId, actor, siteId, revertOf, isDryRun, judgeDefinitions: judge } = this.job;
    await noteChanger(trx, { jobId, actor });
    const site = { ...this.job, ownJobs: [...revertOf, jobId], emits: !isDryRun };
    const result = await applyDefinitions(trx, site, rows, { judge, isLast });
    const version = await snapshotDefinitions(trx, siteId);
    this.#startAnew(trx);
    if (!isDryRun) await recordOptions(trx, jobId, { definitionsVersion: version });
    return result;
  }

  /** Gives the definitions another version, before rows of items that wait for others which change them. */
  async bump(trx: Knex.Transaction): Promise<void> {
    await bumpDefinitions(trx, this.job.siteId);
    this.#startAnew(trx);
  }

  /** Rules that were loaded before may be of definitions which were undone, and whose version others have got. */
  #startAnew(trx: Knex.Transaction): void {
    this.#changing = trx;
    this.#loaded = this.begun;
  }

  /** The rules as they are in the transaction if it has changed definitions; else those that the job began its chunk with. */
  async rules(trx: Knex.Transaction): Promise<ItemRules> {
    if (this.#changing !== trx) return this.begun;
    const { siteId } = this.job;
    // A part of it may have been undone, and begun anew.
    const version = await snapshotDefinitions(trx, siteId);
    if (version === this.#loaded.definitions.version) return this.#loaded;
    this.#loaded = await rulesWithin(trx, siteId, version);
    await this.#loaded.filled.refresh(trx, siteId);
    return this.#loaded;
  }
}

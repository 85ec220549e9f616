/** What became of a SKU: the items that have it, and the errors of its rows in the newest jobs of their accounts. */
import type { Knex } from 'knex';
import { writtenForms } from '../../domain/kernel/contains-text.js';
import { isAccountName, type Owner, rowsOf } from './reading.js';

/** Stages that are asked whether they have the SKU; of those that have it, and of their jobs, so many are searched. */
const MOST_ASKED = 20_000;
const MOST_SITES = 10;
const JOBS_OF_SITE = 25;
/** Without an account, the newest jobs of all accounts are searched as well: a row that failed has made no item. */
const NEWEST_JOBS = 200;
/** Errors of one job that are compared with the SKU. */
const ERRORS_OF_JOB = 20_000;
const MOST_ERRORS = 100;

interface ItemOfSku extends Owner {
  readonly siteId: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

interface ErrorOfSku extends Owner {
  readonly jobId: string;
  readonly row: number;
  readonly column: string | null;
  readonly code: string;
  readonly message: string;
}

export interface FoundSku {
  readonly items: readonly ItemOfSku[];
  readonly errors: readonly ErrorOfSku[];
}

/** @param account the id or the whole name of the account; undefined: of any that has such an item */
export async function findSku(trx: Knex, sku: string, account: string | undefined): Promise<FoundSku> {
  const bindings = { sku: sku.normalize('NFC'), account: account ?? null, asked: MOST_ASKED, sites: MOST_SITES };
  const items = await rowsOf<ItemOfSku>(
    trx,
    `SELECT asked.id AS "siteId", item.created_at AS "createdAt", item.updated_at AS "updatedAt", asked.stage,
       asked."accountId", asked."accountName"
     FROM (
       SELECT site.id, site.stage, account.id AS "accountId", account.name AS "accountName"
       FROM site JOIN account ON account.id = site.account_id
       WHERE :account::text IS NULL OR account.id = :account OR ${isAccountName('account.name')}
       ORDER BY site.id LIMIT :asked) AS asked
     CROSS JOIN LATERAL (
       SELECT created_at, updated_at FROM item WHERE site_id = asked.id AND sku = :sku COLLATE "C" LIMIT 1) AS item
     LIMIT :sites`,
    bindings,
  );
  const errors = await rowsOf<ErrorOfSku>(
    trx,
    `WITH asked AS MATERIALIZED (
       SELECT id FROM unnest(:siteIds::integer[]) AS known (id)
       UNION
       (SELECT site.id FROM site JOIN account ON account.id = site.account_id
        WHERE account.id = :account OR ${isAccountName('account.name')} ORDER BY site.id LIMIT :sites)
     )
     SELECT job.id AS "jobId", error.row_no AS row, error.col AS column, error.code, error.message, site.stage,
       account.id AS "accountId", account.name AS "accountName"
     FROM (
       SELECT job.* FROM asked CROSS JOIN LATERAL (
         SELECT id, site_id, error_count FROM job WHERE site_id = asked.id
         ORDER BY created_at DESC, id DESC LIMIT :jobs) AS job
       UNION
       (SELECT id, site_id, error_count FROM job WHERE :account::text IS NULL ORDER BY id DESC LIMIT :newest)
     ) AS job
     CROSS JOIN LATERAL (
       SELECT * FROM (
         SELECT row_no, seq, key, col, code, message FROM job_error WHERE job_id = job.id
         ORDER BY row_no, seq LIMIT :ofJob) AS read
       WHERE read.key = ANY (:written::text[])) AS error
     JOIN site ON site.id = job.site_id JOIN account ON account.id = site.account_id
     WHERE job.error_count > 0
     ORDER BY job.id DESC, error.row_no, error.seq LIMIT :most`,
    {
      ...bindings,
      // Of a row that failed, as it was written.
      written: writtenForms(sku),
      ...{ siteIds: items.map(({ siteId }) => siteId), jobs: JOBS_OF_SITE, newest: NEWEST_JOBS },
      ...{ ofJob: ERRORS_OF_JOB, most: MOST_ERRORS },
    },
  );
  return { items, errors };
}

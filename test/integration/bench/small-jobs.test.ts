/** What the benchmarks of small jobs take for granted: that a laid backlog is a real one, and that a loss would be seen. */
import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import pg from 'pg';
import { type ApiClient, openClient } from '../../../bench/world/api-client.js';
import { emptyCatalogAndJobs } from '../../../bench/world/empty-tables.js';
import { jobsEnd } from '../../../bench/world/job-rate.js';
import { layBacklog } from '../../../bench/world/lay-backlog.js';
import { MIXTURE_SITES, mixtureOf } from '../../../bench/world/mixture.js';
import { Inexact, requireExact } from '../../../bench/world/require-exact.js';
import { openShopSites, type ShopSite } from '../../../bench/world/shop-sites.js';
import { createSmallJobLoad } from '../../../bench/world/small-job-load.js';
import { insertOf, type SmallRequest, upsertOf } from '../../../bench/world/small-jobs.js';
import { IMPORT_JOBS } from '../../../src/domain/imports/model/import-jobs.js';
import { acceptJob } from '../../../src/domain/jobs/accept-job.js';
import { newId } from '../../../src/domain/kernel/identifier.js';
import { until } from '../../support/until.js';
import { BULK_ONLY, startWorld, type World } from '../../support/worlds/world.js';

const WITHIN_MS = 20_000;
/** The first of the jobs. */
const ONE = 'id = (SELECT min(id) FROM job)';

describe('small jobs of the benchmarks', function () {
  this.timeout(60_000);

  let world: World;
  let db: pg.Client;
  let client: ApiClient;
  let sites: ShopSite[];
  before(async () => {
    world = await startWorld();
    const { url, account, token } = world.api;
    db = new pg.Client({ connectionString: world.services.config.databaseUrl });
    await db.connect();
    client = openClient({ baseUrl: url, account, token });
    await world.startWorkers({}, BULK_ONLY);
    sites = await openShopSites({ db }, client, { prefix: 'test', count: MIXTURE_SITES });
  });
  after(async () => {
    await client.destroy();
    await db.end();
    await world.stop();
  });
  beforeEach(() => emptyCatalogAndJobs(db));

  for (const [type, requestOf, upsertEvery] of [
    ['an ordered upsert', upsertOf, 1],
    ['an insert', insertOf, 2],
  ] as const) {
    it(`are laid as ${type} is left that must wait`, async () => {
      const [sent, laid] = [siteAt(0), siteAt(1)];
      await acceptUnseen(sent);
      const { jobId } = await post(requestOf(sent.client, 1));
      await layBacklog(db, { account: client.account, siteIds: [laid.id], jobs: 1, upsertEvery });
      const found = await rowsOf('job.site_id = $1', laid.id);
      const left = () => rowsOf('job.id = $1', jobId);
      await until('the job waits', async () => isDeepStrictEqual(await left(), found), WITHIN_MS).catch(
        () => undefined,
      );
      assert.deepEqual(await left(), found);
    });
  }

  it('are carried out once each when they were laid, whatever their sites', async () => {
    await someJobs();
    await requireExact(db, 33);
  });

  it('go to every site of the mixture', async () => {
    const load = createSmallJobLoad({ db }, { requestsFrom, connections: 8, endWithinMs: WITHIN_MS });
    const { allEnded, ended } = await load.run(30);
    assert.deepEqual({ allEnded, ended: ended.ended }, { allEnded: true, ended: 30 });
    const { rows } = await db.query('SELECT count(*)::integer AS jobs FROM job GROUP BY site_id ORDER BY jobs DESC');
    assert.deepEqual(
      rows.map(({ jobs }) => jobs),
      [10, 10, ...Array.from({ length: 10 }, () => 1)],
    );
  });

  for (const [what, statement, says] of [
    ['an item that is gone', 'DELETE FROM item WHERE sku = (SELECT min(sku) FROM item)', /its jobs created/],
    ['a job that is gone', `DELETE FROM job WHERE ${ONE}`, /32 jobs are there of 33/],
    ['a job that has not ended', `UPDATE job SET completed_at = NULL WHERE ${ONE}`, /1 jobs have not ended/],
    ['a job that failed', `UPDATE job SET status = 'FAILED' WHERE ${ONE}`, /is FAILED/],
    [
      'an insert that was carried out twice',
      `UPDATE job SET status = 'COMPLETED_PARTIALLY', created_count = 0, error_count = 10 WHERE ${ONE}`,
      /is COMPLETED_PARTIALLY with 0 \+ 0 \+ 0 \+ 10 of 10/,
    ],
    [
      'an upsert that was carried out twice',
      `UPDATE job SET created_count = 0, unchanged_count = 10 WHERE ${ONE}`,
      /is COMPLETED with 0 \+ 0 \+ 10 \+ 0 of 10/,
    ],
    ['rows that no chunk has', 'UPDATE job_chunk SET created_count = 9', /^job /],
  ] as const) {
    it(`are not exact with ${what}`, async () => {
      await someJobs();
      await db.query('BEGIN');
      await db.query(statement);
      await assert.rejects(requireExact(db, 33), (error) => error instanceof Inexact && says.test(error.message));
      await db.query('ROLLBACK');
    });
  }

  /** 30 laid on three sites, and one sent to each. */
  async function someJobs(): Promise<void> {
    const three = sites.slice(0, 3);
    const siteIds = three.map(({ id }) => id);
    await layBacklog(db, { account: client.account, siteIds, jobs: 30, upsertEvery: 4 });
    for (const [number, site] of three.entries()) await post(insertOf(site.client, number));
    assert.ok(await jobsEnd(db, performance.now() + WITHIN_MS), 'not all jobs have ended');
  }

  /** A job that the queue never hears of: what comes after it must wait. */
  async function acceptUnseen({ id: siteId }: ShopSite): Promise<void> {
    const options = { mode: 'upsert', onError: 'skip', validateOnly: false } as const;
    const job = { id: newId(), siteId, accountId: client.account, channel: null, requestId: 'unseen', options };
    const lines = Buffer.from('{"sku":"unseen"}');
    await world.db.transaction((trx) =>
      acceptJob(
        trx,
        { ...job, jobType: IMPORT_JOBS.item, type: 'ITEM_BULK_UPSERT' },
        { kind: 'rows', lines, rowCount: 1 },
      ),
    );
  }

  function post({ client: to, path, body }: SmallRequest): Promise<{ jobId: string }> {
    return to.postText(path, body);
  }

  /** A job and its chunk, but for what differs from job to job. */
  async function rowsOf(condition: string, value: unknown): Promise<unknown> {
    const { rows } = await db.query(
      `SELECT to_jsonb(job) - '{id,site_id,line_no,request_id,actor,created_at,updated_at}'::text[] AS job,
         to_jsonb(job_chunk) - '{job_id,input}'::text[] AS chunk, job.created_at <= job.updated_at AS in_order,
         ARRAY(SELECT jsonb_object_keys(line::jsonb) FROM string_to_table(input, E'\\n') AS line) AS keys
       FROM job JOIN job_chunk ON job_chunk.job_id = job.id WHERE ${condition}`,
      [value],
    );
    return rows;
  }

  function siteAt(index: number): ShopSite {
    const site = sites[index];
    assert.ok(site);
    return site;
  }

  function requestsFrom(first: number, count: number): SmallRequest[] {
    return mixtureOf(
      sites.map((site) => site.client),
      count,
      first,
    );
  }
});

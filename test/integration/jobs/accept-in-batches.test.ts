/** Jobs of concurrent requests, accepted together: in the order of arrival, as if each were accepted by itself. */

import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ADVISORY_LOCKS } from '../../../db/advisory-locks.js';
import { connectDb } from '../../../db/connection.js';
import { createJobAcceptor } from '../../../src/api/accept-in-batches.js';
import { resolveSite } from '../../../src/domain/access/resolve-site.js';
import { IMPORT_JOBS } from '../../../src/domain/imports/model/import-jobs.js';
import type { WriteMode } from '../../../src/domain/imports/model/import-options.js';
import { acceptJobs, recordedJob } from '../../../src/domain/jobs/accept-job.js';
import { releaseDue } from '../../../src/domain/jobs/release-jobs.js';
import { newId } from '../../../src/domain/kernel/identifier.js';
import { until } from '../../support/until.js';
import { OWN_LOCKS } from '../../support/worlds/own-sessions.js';
import { NOBODY_LISTENS } from '../../support/worlds/reserved-port.js';
import type { World } from '../../support/worlds/world.js';
import { startWorld } from '../../support/worlds/world.js';

const LARGE = 70 * 1024;

describe('jobs that are accepted together', function () {
  this.timeout(60_000);
  let world: World;
  let sites: number[];
  before(async () => {
    world = await startWorld();
  });
  after(() => world.stop());
  beforeEach(async () => {
    await world.db('job').delete();
    await world.db('job_order').delete();
    sites = [];
    for (const stage of ['a', 'b', 'c', 'd']) sites.push(await resolveSite(world.db, world.api.account, stage));
  });

  const siteAt = (index: number) => sites[index % sites.length] ?? 0;

  function jobOf(siteId: number, mode: WriteMode = 'insert') {
    const owner = { siteId, accountId: world.api.account, channel: null, requestId: 'test' };
    const options = { mode, onError: 'skip', validateOnly: false } as const;
    return { id: newId(), ...owner, jobType: IMPORT_JOBS.item, type: 'ITEM_BULK_UPSERT', options } as const;
  }

  const rowsOf = (text: string, rowCount = 1) => ({
    kind: 'rows' as const,
    lines: Buffer.from(JSON.stringify({ sku: text })),
    rowCount,
  });

  /** Accepts a job with a row that names it. @returns its id, at once, and when it is accepted */
  function accept(siteId: number, text: string) {
    const job = jobOf(siteId);
    return { id: job.id, accepted: world.api.services.acceptJob(job, rowsOf(text)) };
  }

  async function ordered(siteId: number): Promise<{ id: string; input: string }[]> {
    return world
      .db('job_order')
      .join('job', 'job.line_no', 'job_order.position')
      .join('job_chunk', 'job_chunk.job_id', 'job.id')
      .where('job_order.site_id', siteId)
      .whereRaw('job_order.job_id = job.id AND job.site_id = job_order.site_id')
      .orderBy('position')
      .select('job.id', 'job_chunk.input');
  }

  it('get positions in the order in which they arrived, each with its own rows', async () => {
    const texts = Array.from({ length: 150 }, (_, index) => (index === 70 ? 'é'.repeat(LARGE) : `ü ${index}`));
    const jobs = texts.map((text, index) => accept(siteAt(index), text));
    await Promise.all(jobs.map(({ accepted }) => accepted));
    for (const [at, siteId] of sites.entries()) {
      const expected = jobs.flatMap(({ id }, index) =>
        siteAt(index) === siteId && index !== 70 ? [{ id, input: JSON.stringify({ sku: texts[index] }) }] : [],
      );
      // The large one is accepted by itself, and may come before or after the others.
      const found = (await ordered(siteId)).filter(({ input }) => input.length < LARGE);
      assert.deepEqual(found, expected, `site ${at}`);
    }
    const large = await world.db('job_chunk').where({ job_id: jobs[70]?.id }).first('input');
    assert.equal(large.input, JSON.stringify({ sku: texts[70] }));
    const { rows } = await world.db.raw('SELECT count(DISTINCT xmin::text)::integer AS commits FROM job');
    assert.ok(rows[0].commits <= 5, `${rows[0].commits} commits`);
  });

  it('are accepted over HTTP, and each is enqueued or held', async () => {
    const post = (index: number) =>
      world.api.fetch('/api-product/v1/product/bulk/insert', {
        method: 'POST',
        headers: { ...world.api.headers({ stage: 'abcd'.charAt(index % 4) }), 'content-type': 'application/json' },
        body: JSON.stringify([{ sku: `s${index}`, nodeName: 'Disk' }]),
      });
    const responses = await Promise.all(Array.from({ length: 40 }, (_, index) => post(index)));
    const refused = responses.filter(({ status }) => status !== 202);
    assert.deepEqual(await Promise.all(refused.map((response) => response.text())), []);
    for (const siteId of sites) {
      const rows = await world.db('job_order').where({ site_id: siteId }).orderBy('position').select('state');
      assert.equal(rows.map(({ state }) => state).join(''), 'qhhhhhhhhh');
    }
  });

  it('have the states that they would have if they were accepted one after another', async () => {
    const job = fc.record({ site: fc.nat(1), isSmall: fc.boolean(), mode: fc.constantFrom('insert', 'upsert') });
    const before = fc.array(
      fc.record({ state: fc.constantFrom('q', 'q', 'h', 'h', 'r', 'e'), batchable: fc.boolean() }),
      {
        maxLength: 10,
      },
    );
    const batches = fc.array(fc.array(job, { minLength: 1, maxLength: 14 }), { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(fc.tuple(before, before), batches, async (waiting, jobs) => {
        await world.db('job').delete();
        await world.db('job_order').delete();
        for (const [index, siteId] of sites.entries()) {
          for (const { state, batchable } of waiting[index % 2] ?? []) await lay(siteId, state, batchable);
        }
        for (const batch of jobs) {
          const prepared = (offset: number) =>
            batch.map(({ site, isSmall, mode }) =>
              recordedJob(jobOf(siteAt(site + offset), mode), rowsOf('x', isSmall ? 1 : 101)),
            );
          const expected: number[] = [];
          for (const one of prepared(0)) expected.push((await acceptJobs(world.db, [one]))[0]?.length ?? -1);
          const entries = await acceptJobs(world.db, prepared(2));
          assert.deepEqual(
            entries.map(({ length }) => length),
            expected,
          );
        }
        for (const index of [0, 1]) assert.deepEqual(await linesOf(siteAt(index + 2)), await linesOf(siteAt(index)));
      }),
      { numRuns: 30 },
    );
  });

  it('fail one by one: a job that the database refuses fails its own request', async () => {
    const jobs = [0, 1, 2].map((index) => accept(siteAt(index), `before ${index}`));
    const bad = accept(2_000_000_000, 'of no site');
    jobs.push(...[0, 1, 2].map((index) => accept(siteAt(index), `after ${index}`)));
    await assert.rejects(bad.accepted, /violates foreign key/);
    await Promise.all(jobs.map(({ accepted }) => accepted));
    assert.equal((await world.db('job')).length, 6);
    assert.equal((await world.db('job_order')).length, 6);
  });

  it('do not wait for a site whose positions are locked', async () => {
    const [locked = 0, free = 0] = sites;
    const holder = await world.db.transaction();
    try {
      await holder.raw('SELECT pg_advisory_xact_lock(?, ?)', [ADVISORY_LOCKS.position, locked]);
      const late = accept(locked, 'late');
      await accept(free, 'in one batch with it').accepted;
      await Promise.all([accept(free, 'behind it').accepted, accept(free, 'behind it').accepted]);
      assert.deepEqual(await ordered(locked), []);
      assert.equal((await ordered(free)).length, 3);
      await holder.commit();
      await late.accepted;
      assert.equal((await ordered(locked)).length, 1);
    } finally {
      if (!holder.isCompleted()) await holder.rollback();
    }
  });

  it('are released when those ahead of them ended while they were accepted', async () => {
    const [siteId = 0] = sites;
    await accept(siteId, 'ahead').accepted;
    const holder = await world.db.transaction();
    await holder.raw('SELECT pg_advisory_xact_lock(?, ?)', [ADVISORY_LOCKS.position, siteId]);
    const next = accept(siteId, 'next');
    await until(
      'the statement has begun',
      async () => {
        const { rows } = await world.db.raw(`SELECT FROM ${OWN_LOCKS} WHERE locktype = 'advisory' AND NOT granted`);
        return rows.length > 0;
      },
      10_000,
    );
    await world.db('job_order').where({ site_id: siteId }).update({ state: 'e' });
    await holder.commit();
    await next.accepted;
    const row = await world.db('job_order').where({ job_id: next.id }).first('state', 'dispatch');
    assert.deepEqual(row, { state: 'q', dispatch: 2 });
  });

  it('are released on every site that has some', async () => {
    for (const siteId of sites) for (const state of ['e', 'h']) await lay(siteId, state, false);
    const [first = 0, second = 0, third = 0] = sites;
    await lay(second, 'r', false, false);
    const released = await releaseDue(world.db, [first, second, third]);
    assert.equal(released.length, 2);
    assert.equal(await linesOf(first), 'eq');
    assert.equal(await linesOf(second), 'ehr');
    assert.equal(await linesOf(third), 'eq');
    assert.equal(await linesOf(siteAt(3)), 'eh');
  });

  it('all fail at once when the database cannot be reached', async () => {
    const { logger } = world.services;
    const enqueue = () => Promise.reject(new Error('nothing was accepted'));
    const db = connectDb({ url: `postgres://x@127.0.0.1:${NOBODY_LISTENS}/x`, poolMax: 2, name: 'nowhere' });
    const acceptJob = createJobAcceptor({ db, enqueue, logger });
    const jobs = Array.from({ length: 200 }, (_, index) => acceptJob(jobOf(siteAt(index)), rowsOf(`${index}`)));
    const ends = await Promise.allSettled(jobs);
    assert.ok(ends.every(({ status }) => status === 'rejected'));
    await db.destroy();
  });

  async function lay(siteId: number, state: string, batchable: boolean, concurrent = true): Promise<void> {
    await world.db('job_order').insert({
      site_id: siteId,
      position: world.db.raw("nextval('job_line_no_seq')"),
      job_id: newId(),
      state,
      concurrent,
      batchable,
      dispatch: 1,
      dispatched_at: new Date(),
    });
  }

  async function linesOf(siteId: number): Promise<string> {
    const rows = await world.db('job_order').where({ site_id: siteId }).orderBy('position').select('state');
    return rows.map(({ state }) => state).join('');
  }
});

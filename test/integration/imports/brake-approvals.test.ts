/** A brake that leaves the removals to somebody: the rows are applied, and what would go waits for an approval. */
import assert from 'node:assert/strict';
import type { Knex } from 'knex';
import { approveJob } from '../../../src/domain/jobs/approvals.js';
import { expireJobs } from '../../../src/domain/jobs/reconcile/expire-jobs.js';
import { forEachBackend } from '../../support/for-each-backend.js';
import type { Shop } from '../../support/http/shop.js';
import { until } from '../../support/until.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const ASKS = { scope: 'stage', missing: 'delete', onBrake: 'approve' };

forEachBackend((backend) => {
  describe('removals that wait for an approval because the brake holds', function () {
    this.timeout(60_000);
    let world: World;
    let shop: Shop;
    before(async () => {
      world = await startWorld({ workers: true, redisUrl: backend.redisUrl });
    });
    after(() => world.stop());
    beforeEach(async () => {
      shop = await (await world.newShop()).define({
        attributes: ['Title'],
        categories: { A: ['Title'], B: ['Title'] },
      });
      await shop.ask('PATCH', '/site-settings', { body: { approval: { allowOwn: true } } });
      await shop.importFile('x.csv', csv(['a,A,1', 'b,A,2', 'c,A,3', 'd,B,4']));
    });

    const csv = (rows: readonly string[]) => `${['SKU,Category Node,Title', ...rows].join('\n')}\n`;
    const read = (id: string) => shop.ask('GET', `/jobs/${id}`);
    const waits = async (id: string) => {
      await until('it waits', async () => (await read(id)).status === 'AWAITING_APPROVAL', 30_000);
      return read(id);
    };
    const sent = async (rows: readonly string[], snapshot: object = {}) =>
      waits(await shop.upload('x.csv', csv(rows), { snapshot: { ...ASKS, ...snapshot } }));
    const decide = async (id: string, how: 'approve' | 'reject', note?: string) => {
      const { status, text } = await shop.call('POST', `/jobs/${id}/actions/${how}`, { body: note ? { note } : {} });
      assert.ok(status < 300, text);
      return shop.outcome(id);
    };
    const skus = async () => (await shop.items()).map(({ sku }) => sku);
    const changes = async (id: string): Promise<string[]> =>
      (await shop.ask('GET', `/jobs/${id}/changes?limit=100`)).data.map(
        ({ sku, operation }: { sku: string; operation: string }) => `${operation} ${sku}`,
      );
    const leftOf = async (id: string) =>
      (await world.db('snapshot_sku').where({ job_id: id })).length +
      (await world.db('preview_row').where({ job_id: id })).length;

    /** Waits until a transaction waits for a lock of the one with this pid. @returns its pid */
    const blockedBy = async (pid: number): Promise<number> => {
      let blocked: number | undefined;
      const others = async () => {
        const { rows } = await world.db.raw(
          'SELECT pid FROM pg_stat_activity WHERE ? = ANY (pg_blocking_pids(pid)) AND datname = current_database()',
          [pid],
        );
        blocked = rows[0]?.pid;
        return blocked !== undefined;
      };
      await until('another transaction waits for it', others, 20_000);
      return blocked ?? 0;
    };
    const pidOf = async (trx: Knex.Transaction): Promise<number> =>
      (await trx.raw('SELECT pg_backend_pid() AS pid')).rows[0].pid;

    it('applies the rows, shows exactly what would go, and removes it when it was approved', async () => {
      const job = await sent(['a,A,new', 'b,A,2', 'n,A,5', 'x,Nowhere,1']);
      assert.match(
        job.statusMessage,
        /2 of 5 items in the scope would go, .*the rows were applied, and the removal of 2 items waits/,
      );
      assert.deepEqual(job.removal, { inScope: 5, missing: 2, removed: 2, kept: 0, stopped: true, waits: true });
      const { createdCount, updatedCount, unchangedCount, errorCount } = job.progressTracker;
      assert.deepEqual([createdCount, updatedCount, unchangedCount, errorCount], [1, 1, 1, 1]);
      assert.equal(job.options.requireApproval, undefined, 'nobody has asked for one');
      assert.deepEqual(await changes(job.id), ['DELETED c', 'DELETED d'], 'what an approval is about');
      assert.deepEqual(await skus(), ['a', 'b', 'c', 'd', 'n'], 'the rows were applied');
      assert.equal((await shop.importFile('y.csv', csv(['z,B,1']))).status, 'COMPLETED', 'later jobs pass it');

      const done = await decide(job.id, 'approve', 'it is so');
      assert.deepEqual([done.status, done.reason, done.failed], ['COMPLETED_PARTIALLY', null, 1]);
      assert.match(done.message, /2 items that the file lacks were deleted; 1 item that it lacks stays/);
      assert.deepEqual(await skus(), ['a', 'b', 'n', 'z'], 'what came since stays');
      const after = await read(job.id);
      assert.deepEqual(after.progressTracker.createdCount, 1);
      assert.deepEqual([after.removal.removed, after.errorFiles.length], [2, 1]);
      assert.deepEqual([after.decision.approved, after.decision.note], [true, 'it is so']);
      assert.deepEqual((await changes(job.id)).sort(), ['CREATED n', 'DELETED c', 'DELETED d', 'UPDATED a']);
      assert.equal(await leftOf(job.id), 0);
      assert.equal((await world.db('file').where({ job_id: job.id, type: 'ERROR_FILE' })).length, 1);
      const { status } = await shop.call('POST', `/jobs/${job.id}/actions/approve`, { body: {} });
      assert.equal(status, 409, 'it is approved once');
    });

    it('keeps what was changed, moved out of the scope, or is gone when it was approved', async () => {
      const job = await sent(['a,A,1'], { scope: { category: 'A' } });
      assert.deepEqual(await changes(job.id), ['DELETED b', 'DELETED c']);
      await shop.bulk('update', [{ sku: 'b', nodeName: 'B' }]);
      await shop.bulk('upsert', [{ sku: 'c', attributes: { Title: 'mine' } }]);
      const done = await decide(job.id, 'approve');
      assert.match(done.message, /1 item that it lacks stays \(they were changed, or came into the scope/);
      assert.deepEqual([done.status, await skus()], ['COMPLETED_PARTIALLY', ['a', 'b', 'c', 'd']]);
    });

    it('sets values of what was shown', async () => {
      const job = await sent(['a,A,1'], { missing: { set: { attribute: 'Title', value: 'gone' } } });
      await shop.bulk('upsert', [{ sku: 'b', attributes: { Title: 'changed' } }]);
      await decide(job.id, 'approve');
      assert.deepEqual(await shop.values('Title'), { a: '1', b: 'changed', c: 'gone', d: 'gone' });
    });

    it('ends with the reason of the brake when it was rejected', async () => {
      const job = await sent(['a,A,new']);
      const done = await decide(job.id, 'reject', 'the file is cut');
      assert.deepEqual([done.status, done.reason, done.updated], ['COMPLETED_PARTIALLY', 'SNAPSHOT_BRAKE', 1]);
      assert.match(done.message, /not approved: the file is cut; nothing was removed, and the rows were applied/);
      assert.deepEqual([await changes(job.id), await skus()], [['UPDATED a'], ['a', 'b', 'c', 'd']]);
      const { removal, decision } = await read(job.id);
      assert.deepEqual(removal, { inScope: 4, missing: 3, removed: 0, kept: 0, stopped: true });
      assert.equal(decision.approved, false);
      assert.equal(await leftOf(job.id), 0);
    });

    it('ends so as well when nobody has decided in time, or it was cancelled', async () => {
      const late = await sent(['a,A,new']);
      await world
        .db('job')
        .where({ id: late.id })
        .update({ updated_at: world.db.raw("now() - interval '61 minutes'") });
      // Less than maintenance goes by, which might come first.
      assert.deepEqual(await expireJobs(world.db, 'approval', 1), [late.id]);
      const expired = await read(late.id);
      assert.deepEqual([expired.status, expired.reason], ['COMPLETED_PARTIALLY', 'SNAPSHOT_BRAKE']);
      assert.match(
        expired.statusMessage,
        /nobody has approved it within 1 hours; nothing was removed, and the rows were applied/,
      );
      assert.deepEqual([await changes(late.id), expired.removal.removed, await leftOf(late.id)], [['UPDATED a'], 0, 0]);

      const job = await sent(['a,A,newer']);
      await shop.ask('POST', `/jobs/${job.id}/actions/cancel`);
      const cancelled = await read(job.id);
      assert.deepEqual([cancelled.status, cancelled.removal.removed], ['CANCELLED', 0]);
      assert.match(cancelled.statusMessage, /nothing was removed, and the rows were applied/);
      assert.deepEqual([await changes(job.id), await leftOf(job.id)], [['UPDATED a'], 0]);
    });

    it('still says what was decided when it is cancelled after its approval, before and while it removes', async () => {
      const decided = { inScope: 4, missing: 3, removed: 0, kept: 0, stopped: true };
      const isCancelled = async (id: string) => {
        await shop.outcome(id);
        const { status, removal, decision } = await read(id);
        assert.deepEqual([status, removal, decision.approved], ['CANCELLED', decided, true]);
        assert.deepEqual(await skus(), ['a', 'b', 'c', 'd']);
      };
      const cancel = (id: string) => shop.post(`/jobs/${id}/actions/cancel`, {});
      const early = await sent(['a,A,new']);
      const [asked] = await world.db.transaction(async (trx) => {
        await approveJob(trx, { siteId: shop.siteId, jobId: early.id, actor: 'token:another', hours: 72 }, true);
        const asking = cancel(early.id);
        await blockedBy(await pidOf(trx));
        return [asking] as const;
      });
      await asked;
      await isCancelled(early.id);

      const late = await sent(['a,A,newer']);
      const [done] = await world.db.transaction(async (trx) => {
        await trx('item').where({ site_id: shop.siteId, sku: 'b' }).forUpdate();
        await shop.post(`/jobs/${late.id}/actions/approve`, {});
        await blockedBy(await pidOf(trx));
        const asking = cancel(late.id);
        await until('it is being cancelled', async () => /CANCEL/.test((await read(late.id)).status), 20_000);
        return [asking] as const;
      });
      await done;
      await isCancelled(late.id);
    });

    it('does the same for a request, in its transaction', async () => {
      const query = new URLSearchParams({ snapshot: JSON.stringify(ASKS) });
      const rows = [
        { sku: 'a', nodeName: 'A', attributes: { Title: 'new' } },
        { sku: 'x', nodeName: 'Nowhere' },
      ];
      const answer = await shop.bulk('upsert', rows, { query: String(query) });
      assert.deepEqual([answer.status, answer.body.status], [202, 'AWAITING_APPROVAL'], answer.text);
      const job = await read(answer.body.jobId);
      assert.match(job.statusMessage, /the rows were applied, and the removal of 3 items waits/);
      assert.deepEqual(await changes(job.id), ['DELETED b', 'DELETED c', 'DELETED d']);
      await shop.bulk('upsert', [{ sku: 'b', attributes: { Title: 'mine' } }]);
      const done = await decide(job.id, 'approve');
      assert.deepEqual([done.status, done.reason, done.updated, done.failed], ['COMPLETED_PARTIALLY', null, 1, 1]);
      assert.deepEqual(await skus(), ['a', 'b']);
      assert.deepEqual((await changes(job.id)).sort(), ['DELETED c', 'DELETED d', 'UPDATED a']);
      assert.equal(await leftOf(job.id), 0);
    });

    it('is refused beside onError abort, and needs nobody when the brake does not hold', async () => {
      const options = { onError: 'abort', snapshot: ASKS };
      const refused = await shop.call('POST', '/files/product', {
        body: { fileName: 'x.csv', fileType: 'ITEM_IMPORT', options },
      });
      assert.equal(refused.status, 400);
      assert.match(refused.text, /onBrake/);
      const done = await shop.importFile('x.csv', csv(['a,A,1', 'b,A,2', 'c,A,3']), {
        snapshot: { ...ASKS, maxMissingPercent: 25 },
      });
      assert.deepEqual([done.status, await skus()], ['COMPLETED', ['a', 'b', 'c']]);
    });

    it('leaves to a feed what its newer file names, when an older one is approved', async () => {
      for (const name of ['ERP', 'Supplier']) {
        const connection = { kind: 'https', url: 'https://example.com/items.csv' };
        await shop.ask('POST', '/feeds', { body: { name, connection, fileType: 'ITEM_IMPORT' } });
      }
      const complete = (feed: string, rows: readonly string[]) =>
        shop.importFile('x.csv', csv(rows), {
          snapshot: { scope: { feed }, missing: 'delete', maxMissingPercent: 100 },
        });
      await complete('ERP', ['k,A,1', 'l,A,2', 'm,A,3']);
      await complete('Supplier', ['m,A,3']);
      const old = await sent(['k,A,1'], { scope: { feed: 'ERP' } });
      assert.deepEqual(await changes(old.id), ['DELETED l']);
      // Its own removals are stopped: else they would supersede those of the older file.
      const newer = await shop.importFile('x.csv', csv(['k,A,1', 'm,A,3']), {
        snapshot: { scope: { feed: 'ERP' }, missing: 'delete' },
      });
      assert.equal(newer.reason, 'SNAPSHOT_BRAKE');
      await decide(old.id, 'approve');
      await complete('Supplier', ['n,A,4']);
      assert.ok((await skus()).includes('m'), 'the newest file of the other feed has it');
    });

    const WHOLE = { scope: 'stage', missing: 'delete', maxMissingPercent: 100 };
    const isSuperseded = async (old: string, by: string) => {
      const job = await read(old);
      assert.deepEqual([job.status, job.reason], ['COMPLETED_PARTIALLY', 'SNAPSHOT_BRAKE']);
      assert.match(job.statusMessage, new RegExp(`superseded by job ${by}, .*nothing was removed, and the rows were`));
      assert.equal(await leftOf(old), 0);
      assert.deepEqual((await read(by)).removal.supersedes, [old]);
      const entry = await world.db('job_order').where({ job_id: old }).whereNot({ state: 'e' });
      assert.deepEqual(entry, [], 'it has no place in the order');
      return job;
    };

    it('ends when a newer file of its scope was applied as a whole, and only then', async () => {
      const old = await sent(['a,A,new', 'b,A,2']);
      const others = [
        { ...WHOLE, maxMissingPercent: 5 },
        { ...WHOLE, scope: { category: 'B' } },
        { ...WHOLE, missing: { clear: ['Title'] }, maxMissing: 0 },
      ];
      for (const snapshot of others) await shop.importFile('x.csv', csv(['a,A,new', 'b,A,2', 'd,B,4']), { snapshot });
      await shop.importFile('x.csv', csv(['a,A,new', 'b,A,2']), { snapshot: WHOLE, validateOnly: true });
      await shop.importFile('x.csv', csv(['a,A,newer']));
      assert.equal((await read(old.id)).status, 'AWAITING_APPROVAL');

      const newer = await shop.importFile('x.csv', csv(['a,A,newest', 'c,A,3', 'd,B,4']), { snapshot: WHOLE });
      assert.deepEqual([newer.status, newer.reason, await skus()], ['COMPLETED', null, ['a', 'c', 'd']]);
      const job = await isSuperseded(old.id, newer.id);
      const removal = { inScope: 4, missing: 2, removed: 0, kept: 0, stopped: true, supersededBy: newer.id };
      assert.deepEqual([job.removal, await changes(old.id)], [removal, ['UPDATED a']]);
      for (const how of ['approve', 'reject', 'cancel']) {
        const { status, text } = await shop.call('POST', `/jobs/${old.id}/actions/${how}`, { body: {} });
        assert.equal(status, 409, text);
        if (how !== 'cancel') assert.match(text, new RegExp(`superseded by job ${newer.id}`));
      }
      assert.deepEqual(await skus(), ['a', 'c', 'd'], 'what the newer file names stays');
    });

    it('ends when a newer file names its scope in another way, and not for another scope of the same name', async () => {
      await shop.bulkAttributes([{ name: 'Size', type: 'DECIMAL' }]);
      await shop.bulkCategories([{ path: 'A', itemAttributes: [{ name: 'Title' }, { name: 'Size' }] }]);
      const category = await world.db('category').where({ site_id: shop.siteId, name: 'A' }).first('id', 'node_id');
      const whole = (rows: readonly string[], scope: object) =>
        shop.importFile('x.csv', csv(rows), { snapshot: { ...WHOLE, scope } });
      const sized = ['a', 'b', 'c'].map((sku) => ({ sku, attributes: { Size: 1.5 } }));
      const ways: readonly [object, object][] = [
        [{ category: 'A' }, { category: String(category.node_id) }],
        [{ category: category.id }, { category: 'a' }],
        [
          { attribute: 'Size', value: 1.5 },
          { attribute: 'size', value: '1.50' },
        ],
      ];
      for (const [older, newer] of ways) {
        await shop.bulk('upsert', sized);
        const old = await sent(['a,A,1'], { scope: older });
        await isSuperseded(old.id, (await whole(['a,A,1', 'b,A,2', 'c,A,3'], newer)).id);
      }
      const old = await sent(['a,A,1'], { scope: { category: 'A' } });
      const { node_id: b } = await world.db('category').where({ site_id: shop.siteId, name: 'B' }).first('node_id');
      const rename = (nodeId: number, name: string) =>
        shop.ask('PUT', '/api-category/v1/category', { body: { nodeId, name } });
      await rename(category.node_id, 'Former');
      await rename(b, 'A');
      const other = await shop.importFile('x.csv', csv(['d,A,4']), {
        snapshot: { ...WHOLE, scope: { category: 'A' } },
      });
      assert.deepEqual([other.status, (await read(old.id)).status], ['COMPLETED', 'AWAITING_APPROVAL']);
      await isSuperseded(old.id, (await whole(['a,Former,1', 'b,Former,2', 'c,Former,3'], { category: 'Former' })).id);
    });

    it('ends so as a request, and when the removals of the newer one were approved', async () => {
      const query = (snapshot: object) => ({
        query: String(new URLSearchParams({ snapshot: JSON.stringify(snapshot) })),
      });
      const row = (sku: string) => ({ sku, nodeName: 'A', attributes: { Title: 'new' } });
      const old = (await shop.bulk('upsert', [row('a')], query(ASKS))).body.jobId;
      const newer = (await shop.bulk('upsert', [row('b')], query(ASKS))).body.jobId;
      assert.equal((await read(old)).status, 'AWAITING_APPROVAL', 'the newer one waits as well');
      const done = await decide(newer, 'approve');
      assert.deepEqual([done.status, await skus()], ['COMPLETED', ['b']]);
      await isSuperseded(old, newer);
    });

    it('does not end for an older one whose removals are approved', async () => {
      const old = await sent(['a,A,new']);
      const newer = await sent(['a,A,newer', 'b,A,2']);
      await decide(old.id, 'approve');
      assert.equal((await read(newer.id)).status, 'AWAITING_APPROVAL');
    });

    it('is superseded also if it was approved while the newer file was applied', async () => {
      const old = await sent(['a,A,new']);
      const newer = await world.db.transaction(async (trx) => {
        await trx('job').where({ id: old.id }).forNoKeyUpdate();
        const id = await shop.upload('x.csv', csv(['a,A,1', 'b,A,2']), { snapshot: WHOLE });
        await blockedBy(await pidOf(trx));
        const approval = { siteId: shop.siteId, jobId: old.id, actor: 'token:another', hours: 72 };
        await approveJob(trx, approval, true);
        return id;
      });
      assert.equal((await shop.outcome(newer)).status, 'COMPLETED');
      const { removal } = await isSuperseded(old.id, newer);
      assert.deepEqual([removal.missing, removal.removed, removal.supersededBy], [3, 0, newer]);
      assert.deepEqual(await skus(), ['a', 'b']);
    });

    it('refuses an approval that comes while the end of the newer one is written', async () => {
      const old = await sent(['a,A,new']);
      const [newer, answer] = await world.db.transaction(async (trx) => {
        // The newer job deletes it when it has locked the older one.
        await trx('preview_row').where({ job_id: old.id }).forUpdate();
        const id = await shop.upload('x.csv', csv(['a,A,1', 'b,A,2']), { snapshot: WHOLE });
        const ending = await blockedBy(await pidOf(trx));
        const approving = shop.call('POST', `/jobs/${old.id}/actions/approve`, { body: {} });
        await blockedBy(ending);
        return [id, approving] as const;
      });
      const { status, text } = await answer;
      assert.equal(status, 409, text);
      assert.match(text, new RegExp(`does not wait for an approval: superseded by job ${newer}`));
      await isSuperseded(old.id, newer);
      assert.deepEqual(await skus(), ['a', 'b']);
    });

    it('is approved by another token than the one that has sent it', async () => {
      await shop.ask('PATCH', '/site-settings', { body: { approval: { allowOwn: false } } });
      const job = await sent(['a,A,1']);
      const { status, text } = await shop.call('POST', `/jobs/${job.id}/actions/approve`, { body: {} });
      assert.equal(status, 403);
      assert.match(text, /the token that has created a job may not approve it/);
      await shop.ask('PATCH', '/site-settings', { body: { approval: { allowOwn: true } } });
      const allowed = await shop.call('POST', `/jobs/${job.id}/actions/approve`, { body: {} });
      assert.equal(allowed.status, 202, `the answer says that the setting helps: ${allowed.text}`);
    });
  });
});

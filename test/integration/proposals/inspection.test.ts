/** The inspection of an uploaded file: a job that the first question starts, and whose result is kept with the file. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { newId } from '../../../src/domain/kernel/identifier.js';
import { housekeep } from '../../../src/workers/maintenance/housekeep.js';
import { reconcile } from '../../../src/workers/maintenance/reconcile.js';
import { runDoomed, untilDoomedIsGone } from '../../support/faults/doomed-worker.js';
import { holdStore } from '../../support/faults/held-store.js';
import { onOneBackend } from '../../support/for-each-backend.js';
import type { Shop } from '../../support/http/shop.js';
import { untilEnded } from '../../support/http/until-ended.js';
import { until } from '../../support/until.js';
import { startWorld, type Workers, type World } from '../../support/worlds/world.js';

const CSV =
  'Artikelnummer;Preis;Aktiv;Seit\nA-1;1.950,27;ja;31.12.2026\nA-2;12,50;nein;01.01.2026\nA-3;7,00;ja;15.06.2026\n';
const WAIT = { prefer: 'wait=25' };

interface Announced {
  readonly id: string;
  readonly jobId: string;
  readonly location: string;
}

describe('the inspection of a file', function () {
  this.timeout(90_000);

  onOneBackend((backend) => {
    let world: World;
    let shop: Shop;
    let workers: Workers | undefined;
    before(async () => {
      world = await startWorld({ redisUrl: backend.redisUrl });
    });
    after(() => world.stop());
    beforeEach(async () => {
      shop = await world.newShop();
    });
    afterEach(async () => {
      await workers?.stop();
      workers = undefined;
    });

    const start = async (over = {}) => {
      workers = await world.startWorkers(over, ['export', 'bulk']);
    };
    const uploaded = (content: string | Buffer = CSV, over: object = {}) => shop.hold(content, over);
    const ask = ({ id }: Pick<Announced, 'id'>, headers: Record<string, string> = {}) =>
      shop.call('GET', `/files/product/${id}/inspection`, { headers });
    const jobs = async () => (await shop.ask('GET', '/jobs/product?type=FILE_INSPECTION')).data;
    const names = (body: { inspection: { columns: { name: string }[] } }) =>
      body.inspection.columns.map(({ name }) => name);

    it('is started once by the first calls, and is ready for all', async () => {
      const file = await uploaded();
      const answers = await Promise.all([1, 2, 3].map(() => ask(file)));
      const [first] = answers;
      assert.equal(first?.status, 202, first?.text);
      assert.equal(new Set(answers.map(({ body }) => body.jobId)).size, 1);
      assert.equal(first?.headers.get('location'), `/jobs/${first?.body.jobId}`);
      assert.equal(first?.headers.get('retry-after'), '1');
      await start();
      const ready = await ask(file, WAIT);
      assert.equal(ready.status, 200, ready.text);
      assert.deepEqual(names(ready.body), ['Artikelnummer', 'Preis', 'Aktiv', 'Seit']);
      assert.equal(ready.body.inspection.rows, 3);
      assert.equal(ready.body.inspection.format.delimiter.value, ';');
      assert.deepEqual((await ask(file)).body, ready.body);
      const [job, ...others] = await jobs();
      assert.deepEqual(others, []);
      assert.deepEqual(
        [job.id, job.type, job.status, job.progressTracker.processedCount, job.progressTracker.totalCount],
        [first?.body.jobId, 'FILE_INSPECTION', 'COMPLETED', 3, 3],
      );
      assert.deepEqual([job.inputFileName, job.inputFileId], ['shop.csv', null]);
      assert.equal((await shop.ask('GET', `/jobs/${file.jobId}`)).status, 'AWAITING_PROFILE', 'the file still waits');
    });

    for (const fixture of ['libreoffice-formulas.xlsx', 'openpyxl-formulas.xlsx', 'xlsxwriter-formulas.xlsx']) {
      it(`shows what the cells of ${fixture} show, also the errors of formulas`, async () => {
        await start();
        const file = await uploaded(await readFile(`test/fixtures/${fixture}`), { fileName: fixture });
        const { status, body, text } = await ask(file, WAIT);
        assert.equal(status, 200, text);
        assert.ok(body.inspection.rows > 0);
        assert.doesNotMatch(text, /\\u0000|\ufffd/);
        if (fixture.startsWith('libre')) assert.match(text, /#[A-Z/0!?]+/);
      });
    }

    it('keeps what no database stores as it can be shown', async () => {
      await start();
      const ready = await ask(await uploaded('SKU,Title\na,one\u0000two\nb,three\n'), WAIT);
      assert.equal(ready.status, 200, ready.text);
      assert.doesNotMatch(ready.text, /\\u0000/);
    });

    it('writes nothing to the catalog, and needs no scope to write', async () => {
      await start();
      const file = await uploaded();
      const state = async () => {
        const site = await world.db('site').where({ id: shop.siteId }).first('definitions_version');
        const rows = await Promise.all(
          ['attribute', 'category', 'item', 'attribute_mapping'].map((table) =>
            world.db(table).where({ site_id: shop.siteId }).count(),
          ),
        );
        return { site, rows };
      };
      const before = await state();
      assert.equal((await ask(file, WAIT)).status, 200);
      assert.deepEqual(await state(), before);
    });

    it('is possible for files of each format, before and after their import', async () => {
      await start();
      const packed = await uploaded(gzipSync(CSV), { fileName: 'shop.csv.gz' });
      assert.deepEqual(names((await ask(packed, WAIT)).body), ['Artikelnummer', 'Preis', 'Aktiv', 'Seit']);
      const imported = await uploaded(CSV, { hold: false });
      await shop.outcome(imported.jobId);
      assert.equal((await ask(imported, WAIT)).status, 200);
    });

    for (const [what, content, reason] of [
      ['is empty', '', /EMPTY|empty/],
      ['is an image', Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\x01\0', 'latin1'), /image|PNG|not|no /],
      ['is a damaged workbook', Buffer.from('PK\x03\x04nothing'), /./],
    ] as const) {
      it(`says why there is none of a file that ${what}, without trying again`, async () => {
        await start();
        const file = await uploaded(content, what.includes('workbook') ? { fileName: 'shop.xlsx' } : {});
        const refused = await ask(file, WAIT);
        assert.equal(refused.status, 422, refused.text);
        assert.match(`${refused.body.type} ${refused.body.message}`, reason);
        const again = await ask(file);
        assert.deepEqual([again.status, again.body], [422, refused.body]);
        assert.equal((await jobs()).length, 1);
      });
    }

    it('is refused for files that are not there', async () => {
      const open = await shop.ask('POST', '/files/product', { body: { fileName: 'x.csv', fileType: 'ITEM_IMPORT' } });
      assert.equal((await ask(open)).status, 409);
      assert.equal((await ask({ id: newId() })).status, 404);
      const other = await world.newShop();
      const file = await uploaded();
      assert.equal((await other.call('GET', `/files/product/${file.id}/inspection`)).status, 404);
      await start();
      assert.equal((await ask(file, WAIT)).status, 200);
      await shop.ask('POST', `/jobs/${file.jobId}/actions/cancel`);
      await housekeep(world.services);
      assert.equal((await ask(file)).status, 410);
      assert.equal((await world.db('file_inspection').where({ file_id: file.id })).length, 0, 'removed with the bytes');
      assert.deepEqual(
        (await jobs()).map(({ status }: { status: string }) => status),
        ['COMPLETED'],
      );
    });

    it('stops when it is cancelled, and the next question starts it anew', async () => {
      const held = holdStore(world.services.fileStore, 'read');
      const file = await uploaded();
      const { body } = await ask(file);
      await start({ fileStore: held.fileStore });
      await held.reached;
      const cancelled = await shop.ask('POST', `/jobs/${body.jobId}/actions/cancel`);
      assert.equal(cancelled.status, 'CANCELLED');
      const again = await Promise.all([ask(file), ask(file)]);
      assert.deepEqual(
        again.map(({ status }) => status),
        [202, 202],
      );
      assert.notEqual(again[0]?.body.jobId, body.jobId);
      assert.equal(again[0]?.body.jobId, again[1]?.body.jobId);
      held.release();
      assert.equal((await ask(file, WAIT)).status, 200);
    });

    it('tells a client that waits when it was cancelled', async () => {
      const file = await uploaded();
      const { body } = await ask(file);
      const waits = ask(file, WAIT);
      await shop.ask('POST', `/jobs/${body.jobId}/actions/cancel`);
      const answer = await waits;
      // Whether it waited before the cancellation or asked after it.
      if (answer.status === 202) assert.notEqual(answer.body.jobId, body.jobId);
      else assert.deepEqual([answer.status, /cancelled/.test(answer.body.message)], [409, true], answer.text);
    });

    it('has a window for each site, so that those of others are inspected meanwhile', async () => {
      const held = holdStore(world.services.fileStore, 'read');
      const files = await Promise.all([1, 2, 3].map(() => uploaded()));
      const asked = await Promise.all(files.map((file) => ask(file)));
      await start({ fileStore: held.fileStore });
      await held.reached;
      const ids = asked.map(({ body }) => body.jobId);
      const running = async () =>
        (await world.db('job').whereIn('id', ids).whereNotNull('started_at').count())[0]?.count;
      await until('two of them run', async () => Number(await running()) === 2, 20_000);
      held.release();
      for (const id of ids) await untilEnded(shop, id);
      for (const file of files) assert.equal((await ask(file)).status, 200);
    });

    it('is done by another worker when the first is killed at any message, and is kept once', async () => {
      const undisturbed = await uploaded();
      const { messages } = await runDoomed(world.services, await entries(undisturbed), {
        at: Number.MAX_SAFE_INTEGER,
        lose: 'unsent',
      });
      const expected = (await ask(undisturbed)).body;
      assert.ok(messages > 5 && expected.inspection !== undefined, `${messages} messages`);
      for (const lose of ['unsent', 'unanswered'] as const) {
        // Until it is through: one that takes longer says more often how far it is.
        let cut = true;
        for (let at = 1; cut; at++) {
          const file = await uploaded();
          ({ cut } = await runDoomed(world.services, await entries(file), { at, lose }));
          assert.ok(cut || at > 5, `message ${at} was never sent`);
          await untilDoomedIsGone(world.db);
          await start();
          const config = { ...world.services.config, reconcileGraceMs: 0 };
          await reconcile({ ...world.services, config });
          const answer = await ask(file, WAIT);
          assert.equal(answer.status, 200, `killed at message ${at} of ${messages}: ${answer.text}`);
          assert.deepEqual(answer.body, expected);
          assert.equal((await world.db('file_inspection').where({ file_id: file.id })).length, 1);
          await workers?.stop();
        }
      }
    });

    /** The outbox entries of an inspection that is started now, which the queue does not have. */
    async function entries(file: Announced) {
      const { body } = await ask(file);
      await world.services.producer
        .queues()
        .find(({ name }) => name === 'inspect-file')
        ?.obliterate({ force: true });
      return [{ queue: 'inspect', payload: { jobId: body.jobId as string, dispatch: 1 } }] as const;
    }
  });
});

/** A destination whose worker is killed while the server is asked to write: the file that was exported is sent again. */
import assert from 'node:assert/strict';
import { type SftpCall, startHostileSftp } from '../../support/faults/hostile-sftp.js';
import { forEachBackend } from '../../support/for-each-backend.js';
import type { Shop } from '../../support/http/shop.js';
import { until } from '../../support/until.js';
import { ShopFolder } from '../../support/worlds/feed-folder.js';
import { startWorkerProcess } from '../../support/worlds/worker-process.js';
import { startWorld, type World } from '../../support/worlds/world.js';

/** When the worker is killed; which it is matters little to the engine. */
const KILLED_AT = { postgres: 'WRITE', redis: 'RENAME' } as const satisfies Record<string, SftpCall>;

describe('a destination whose worker is killed beside a server', function () {
  this.timeout(120_000);

  forEachBackend((backend) => {
    let environment: Record<string, string>;
    let world: World;
    let shop: Shop;
    let folder: ShopFolder;
    let number: number;
    before(async () => {
      environment = {
        ...{ WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' },
        ...{ RECONCILE_MS: '250', WORKER_LOCK_MS: '1000', WORKER_STALLED_MS: '500' },
      };
      world = await startWorld({ redisUrl: backend.redisUrl, files: 'in a folder', environment });
      await world.startWorkers({}, ['bulk']);
    });
    after(() => world.stop());
    beforeEach(async () => {
      shop = await world.newShop();
      await shop.define({ attributes: ['Title'], categories: { Shelf: ['Title'] }, mapping: { title: 'Title' } });
      folder = new ShopFolder(shop, '');
      number = 0;
      await put();
    });
    afterEach(() => world.db('feed').delete());

    const put = () => shop.bulk('upsert', [{ sku: `S${number++}`, nodeName: 'Shelf', attributes: { Title: 'x' } }]);
    const started = async (id: string) => {
      const { status, body, text } = await shop.call('POST', `/feeds/${id}/actions/run`);
      assert.equal(status, 202, text);
      return body.jobId as string;
    };
    const untilOver = (jobId: string, what: string) =>
      until(
        what,
        async () => (await world.db('job').where({ id: jobId }).whereNotNull('completed_at')).length === 1,
        30_000,
      );

    const silentAt = KILLED_AT[backend.name];
    it(`sends the same file again when that happens at the ${silentAt} of the server`, async () => {
      const hostility: { silentAt?: SftpCall } = { silentAt };
      const server = await startHostileSftp(hostility);
      const connection = { kind: 'sftp', host: '127.0.0.1', port: server.port, user: server.user, path: '/in' };
      const { id } = await folder.makeDestination({ content: 'DELTA', connection, secret: 'x' });
      const first = await startWorkerProcess(world, environment, ['export']);
      let second: typeof first | undefined;
      try {
        const jobId = await started(id);
        await until('the server is asked for it', () => server.seen.includes(silentAt), 30_000);
        await first.stop('SIGKILL');
        delete hostility.silentAt;
        await put();
        second = await startWorkerProcess(world, environment, ['export']);
        await untilOver(jobId, 'the run ends');
      } finally {
        await first.stop('SIGKILL');
        await second?.stop('SIGKILL');
        await server.close();
      }
      assert.deepEqual([...server.files.keys()], ['items-000001.csv'], 'one file, and no piece of one');
      assert.match(server.files.get('items-000001.csv')?.bytes.toString() ?? '', /,S0,.*\n$/);
      assert.doesNotMatch(
        server.files.get('items-000001.csv')?.bytes.toString() ?? '',
        /S1/,
        'it was not exported anew',
      );
      assert.equal((await folder.runs(id)).length, 1);
    });
  });
});

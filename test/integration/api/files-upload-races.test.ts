import assert from 'node:assert/strict';
import { JOB_TYPES } from '../../../src/domain/job-types.js';
import { cancelJob } from '../../../src/domain/jobs/cancel-job.js';
import { openRaw } from '../../support/http/raw-http.js';
import { until } from '../../support/until.js';
import { assertRefused, type FileWorld, startFileWorld, uploadHead } from '../../support/worlds/file-world.js';

const CSV = 'SKU,Title\r\nA,"Ä\nB"\r\n';

describe('an upload', () => {
  let world: FileWorld;
  before(async () => {
    world = await startFileWorld({}, 'in a folder');
  });
  after(() => world.api.stop());
  beforeEach(() => world.empty());

  it('twice at once is won by one; the other is told 409 and its bytes are discarded', async () => {
    const file = await world.announce();
    const open = ['SKU\nA\n', 'SKU\nB\n'].map((body) => ({
      body,
      connection: openRaw(file.location, uploadHead(file, 'Content-Length: 6') + body.slice(0, -1)),
    }));
    await until('both are under way', async () => (await world.stored()).length === 2, 20_000);
    for (const { connection } of open) connection.socket.write('\n');
    const answers = await Promise.all(open.map(({ connection }) => connection.received(/\}$/)));
    const statuses = answers.map((answer) => answer.slice(9, 12));
    assert.deepEqual([...statuses].sort(), ['200', '409']);
    const { storage_key } = await world.file(file.id);
    const stored = await world.api.services.fileStore.readRange(storage_key ?? '', 0, 100);
    assert.equal(stored.toString(), open[statuses.indexOf('200')]?.body);
    assert.deepEqual(
      (await world.stored()).map((name) => `uploads/${name}`),
      [storage_key],
    );
    for (const { connection } of open) connection.socket.destroy();
  });

  it('twice at once, one of them cut short, leaves the other its time', async () => {
    const file = await world.announce();
    const first = openRaw(file.location, `${uploadHead(file, 'Content-Length: 6')}SKU`);
    await world.underWay(file);
    const second = openRaw(file.location, `${uploadHead(file, 'Content-Length: 6')}SKU`);
    await until('both are under way', async () => (await world.stored()).length === 2, 20_000);
    second.socket.resetAndDestroy();
    await until('one is left', async () => (await world.stored()).length === 1, 20_000);
    await world.underWay(file);
    first.socket.write('\nA\n');
    assert.match(await first.received(/\}$/), /HTTP\/1.1 200/);
    first.socket.destroy();
  });

  it('for a job that was cancelled is refused, before or after the bytes', async () => {
    const file = await world.announce();
    const { site_id } = await world.file(file.id);
    const connection = openRaw(file.location, `${uploadHead(file, 'Content-Length: 6')}SKU`);
    await world.underWay(file);
    await cancelJob(world.api.db, JOB_TYPES, site_id, file.jobId);
    connection.socket.write('\nA\n');
    assert.match(await connection.received(/\}$/), /^HTTP\/1.1 409[\s\S]*was cancelled; announce the file again/);
    connection.socket.destroy();
    await assertRefused(await world.put(file.location, CSV), 409, 'CONFLICT', /was cancelled/);
    assert.deepEqual(await world.stored(), []);
    assert.equal((await world.job(file.jobId)).status, 'CANCELLED');
  });
});

import assert from 'node:assert/strict';
import { openRaw } from '../../support/http/raw-http.js';
import { assertRefused, type FileWorld, startFileWorld, uploadHead } from '../../support/worlds/file-world.js';

const CSV = 'SKU,Title\r\nA,"Ä\nB"\r\n';

describe('uploading a file', () => {
  let world: FileWorld;
  before(async () => {
    world = await startFileWorld();
  });
  after(() => world.api.stop());
  beforeEach(() => world.empty());

  it('stores its bytes, puts its job in line and enqueues it', async () => {
    const file = await world.announce();
    const response = await world.put(file.location, CSV, { 'content-type': 'image/png' });
    const bytes = Buffer.byteLength(CSV);
    assert.deepEqual(await response.json(), {
      id: file.id,
      name: 'items.csv',
      bytes,
      jobId: file.jobId,
      status: 'UPLOADED',
    });
    assert.equal(response.status, 200);

    const row = await world.file(file.id);
    assert.deepEqual([row.status, row.bytes, row.content_type, row.expires_at], ['UPLOADED', bytes, 'text/csv', null]);
    assert.ok(row.uploaded_at instanceof Date);
    assert.match(row.storage_key ?? '', new RegExp(`^uploads/${file.id}-[0-9a-f]{16}$`));
    const stored = await world.api.services.fileStore.readRange(row.storage_key ?? '', 0, bytes);
    assert.equal(stored.toString(), CSV);
    const job = await world.job(file.jobId);
    assert.deepEqual([job.status, job.step], ['SCHEDULED', 'plan']);
    const place = { site_id: job.site_id, position: job.line_no };
    const entry = await world.api.db('job_order').where(place).first('job_id', 'state', 'dispatch');
    assert.deepEqual(entry, { job_id: file.jobId, state: 'q', dispatch: 1 });
    assert.equal(await world.isEnqueued(file.jobId), true);
  });

  it('takes an empty body as a file', async () => {
    const file = await world.announce();
    const response = await world.put(file.location, '');
    assert.equal(((await response.json()) as { bytes: number }).bytes, 0);
    assert.equal((await world.job(file.jobId)).status, 'SCHEDULED');
    assert.equal((await world.file(file.id)).bytes, 0);
  });

  it('takes a body in chunks, without a length', async () => {
    const file = await world.announce();
    const connection = openRaw(
      file.location,
      `${uploadHead(file, 'Transfer-Encoding: chunked')}4\r\nSKU\n\r\n2\r\nA\n\r\n0\r\n\r\n`,
    );
    assert.match(await connection.received(/\}$/), /^HTTP\/1.1 200[\s\S]*"bytes":6/);
    connection.socket.destroy();
  });

  it('is done once: again is 409, and changes nothing', async () => {
    const file = await world.uploaded(CSV);
    const before = await world.file(file.id);
    await assertRefused(
      await world.put(file.location, 'SKU\nB\n'),
      409,
      'CONFLICT',
      new RegExp(`already.*${file.jobId}`),
    );
    assert.deepEqual(await world.file(file.id), before);
    assert.equal((await world.stored()).length, 1);
  });

  it('keeps the file from expiring while it is under way', async () => {
    const file = await world.announce();
    const connection = openRaw(
      file.location,
      `${uploadHead(file, `Content-Length: ${CSV.length + 1}`, 'Expect: 100-continue')}`,
    );
    await connection.received(/^HTTP\/1.1 100/);
    await world.underWay(file);
    connection.socket.write(CSV);
    assert.match(await connection.received(/\}$/), /HTTP\/1.1 200/);
    connection.socket.destroy();
    assert.equal((await world.file(file.id)).expires_at, null);
  });

  it('ignores tokens and other credentials', async () => {
    const file = await world.announce();
    assert.equal((await world.put(file.location, CSV, { authorization: 'Bearer nonsense' })).status, 200);
  });
});

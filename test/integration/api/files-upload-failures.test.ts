import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { beginUpload } from '../../../src/domain/files/begin-upload.js';
import { completeUpload } from '../../../src/domain/files/complete-upload.js';
import { openRaw } from '../../support/http/raw-http.js';
import { until } from '../../support/until.js';
import type { FilesError } from '../../support/worlds/file-world.js';
import { type FileWorld, startFileWorld, uploadHead } from '../../support/worlds/file-world.js';

const CSV = 'SKU,Title\r\nA,"Ä\nB"\r\n';

describe('an upload', () => {
  let world: FileWorld;
  before(async () => {
    world = await startFileWorld();
  });
  after(() => world.api.stop());
  beforeEach(() => world.empty());

  for (const [what, headers, sent] of [
    ['before the end of its Content-Length', ['Content-Length: 1000'], 'SKU\nA\n'],
    ['in the middle of a chunk', ['Transfer-Encoding: chunked'], 'ff\r\nSKU\nA\n'],
    ['before the last chunk', ['Transfer-Encoding: chunked'], '6\r\nSKU\nA\n\r\n'],
  ] as const) {
    for (const [how, cut] of [
      ['by a reset', (connection: ReturnType<typeof openRaw>) => connection.socket.resetAndDestroy()],
      ['by an end of sending', (connection: ReturnType<typeof openRaw>) => connection.socket.end()],
    ] as const) {
      it(`that is cut short ${what} ${how} imports nothing, and the URL can be used again`, async () => {
        const file = await world.announce();
        const connection = openRaw(file.location, uploadHead(file, ...headers) + sent);
        await world.underWay(file);
        cut(connection);
        assert.doesNotMatch(await connection.ended, /HTTP\/1.1 200/);
        await until('nothing is left', async () => (await world.stored()).length === 0, 20_000);
        await until(
          'it expires as before',
          async () => (await world.file(file.id)).expires_at?.toISOString() === file.expiresAt,
          20_000,
        );
        await world.untouched(file);
        assert.equal((await world.put(file.location, CSV)).status, 200);
      });
    }
  }

  for (const [how, status, failure] of [
    ['raises an error', 500, "RAISE EXCEPTION 'no'"],
    ['loses its connection', 503, 'PERFORM pg_terminate_backend(pg_backend_pid())'],
  ] as const) {
    it(`keeps no bytes when the database ${how}, and can be tried again`, async () => {
      const { db } = world.api;
      const file = await world.announce();
      await db.raw(
        `CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${failure}; RETURN NEW; END $$`,
      );
      await db.raw('CREATE TRIGGER fail BEFORE UPDATE OF storage_key ON file FOR EACH ROW EXECUTE FUNCTION fail()');
      try {
        const response = await world.put(file.location, CSV);
        assert.equal(response.status, status);
        assert.equal(((await response.json()) as FilesError).type, 'SERVER_ERROR');
      } finally {
        await db.raw('DROP FUNCTION fail CASCADE');
      }
      await world.untouched(file);
      assert.equal((await world.put(file.location, CSV)).status, 200);
      assert.equal(await world.isEnqueued(file.jobId), true);
    });
  }

  it('counts as done when its commit came through and only the answer was lost', async () => {
    const { services, db } = world.api;
    const file = await world.announce();
    const upload = await beginUpload(db, file.id);
    assert.equal((await world.put(file.location, CSV)).status, 200);
    const key = (await world.file(file.id)).storage_key ?? '';
    assert.deepEqual(await completeUpload(services, upload, { key, bytes: CSV.length }), []);
    assert.deepEqual(await world.stored(), [basename(key)]);
  });
});

describe('an upload that falls silent', () => {
  let world: FileWorld;
  before(async () => {
    world = await startFileWorld({ UPLOAD_IDLE_SECONDS: '1' });
  });
  after(() => world.api.stop());

  it('is answered 408, leaves nothing, and the URL can be used again', async () => {
    const file = await world.announce();
    const connection = openRaw(file.location, `${uploadHead(file, 'Content-Length: 10')}SKU`);
    const text = await connection.received(/\}$/);
    assert.match(text, /^HTTP\/1.1 408[\s\S]*no bytes arrived for 1 seconds; nothing was kept/);
    assert.match(text, /connection: close/i);
    connection.socket.destroy();
    assert.deepEqual(await world.stored(), []);
    assert.equal((await world.file(file.id)).expires_at?.toISOString(), file.expiresAt);
    assert.equal((await world.put(file.location, CSV)).status, 200);
  });
});

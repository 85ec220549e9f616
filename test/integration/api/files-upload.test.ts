import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { beginUpload } from '../../../src/domain/files/begin-upload.js';
import { completeUpload } from '../../../src/domain/files/complete-upload.js';
import { signFile } from '../../../src/domain/files/signed-url.js';
import { cancelJob } from '../../../src/domain/jobs/cancel-job.js';
import { type Announced, type FilesError, type FileWorld, startFileWorld } from '../../support/file-world.js';
import { openRaw } from '../../support/raw-http.js';
import { until } from '../../support/until.js';

const CSV = 'SKU,Title\r\nA,"Ä\nB"\r\n';
const DAY_MS = 86_400_000;
const OLD_KEY = 'the-key-from-before-the-rotation-of-keys';
const NEW_KEY = 'the-key-that-signs-since-the-rotation-of';

describe('uploading a file', () => {
  let world: FileWorld;
  before(async () => {
    world = await startFileWorld({ UPLOAD_MAX_MB: '1', SECRETS_KEY: `${NEW_KEY},${OLD_KEY}` });
  });
  after(() => world.api.stop());
  beforeEach(async () => {
    for (const name of await world.stored()) await world.api.services.fileStore.remove(`uploads/${name}`);
  });

  const refusal = async (response: Response, status: number, type: string, message: RegExp) => {
    const error = (await response.json()) as FilesError;
    assert.equal(response.status, status, error.message);
    assert.equal(error.type, type);
    assert.match(error.message, message);
  };
  const untouched = async ({ id, jobId, expiresAt }: Announced) => {
    const { status, storage_key, bytes, expires_at } = await world.file(id);
    assert.deepEqual([status, storage_key, bytes], ['AWAITING_UPLOAD', null, null]);
    assert.equal(expires_at?.toISOString(), expiresAt);
    assert.equal((await world.job(jobId)).status, 'AWAITING_UPLOAD');
    assert.equal(await world.isEnqueued(jobId), false);
    assert.deepEqual(await world.stored(), []);
  };
  const head = ({ location }: Announced, ...headers: string[]) => {
    const { pathname, search } = new URL(location);
    return `PUT ${pathname}${search} HTTP/1.1\r\nHost: x\r\n${headers.map((line) => `${line}\r\n`).join('')}\r\n`;
  };
  const underWay = (file: Announced) =>
    until(
      'the upload is under way',
      async () => {
        const expires = (await world.file(file.id)).expires_at?.getTime() ?? 0;
        return expires > Date.now() + DAY_MS - 60_000 && (await world.stored()).length > 0;
      },
      5_000,
    );

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
    assert.deepEqual([job.status, job.step, job.dispatch], ['SCHEDULED', 'plan', 1]);
    assert.ok(job.line_no !== null);
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
      `${head(file, 'Transfer-Encoding: chunked')}4\r\nSKU\n\r\n2\r\nA\n\r\n0\r\n\r\n`,
    );
    assert.match(await connection.received(/\}$/), /^HTTP\/1.1 200[\s\S]*"bytes":6/);
    connection.socket.destroy();
  });

  it('is done once: again is 409, and changes nothing', async () => {
    const file = await world.uploaded(CSV);
    const before = await world.file(file.id);
    await refusal(await world.put(file.location, 'SKU\nB\n'), 409, 'CONFLICT', new RegExp(`already.*${file.jobId}`));
    assert.deepEqual(await world.file(file.id), before);
    assert.equal((await world.stored()).length, 1);
  });

  it('is refused under an altered URL', async () => {
    const [file, other] = [await world.announce(), await world.announce()];
    const { search } = new URL(other.location);
    for (const location of [
      file.location.slice(0, -1),
      file.location.replace(/expires=(\d+)/, (_, seconds) => `expires=${Number(seconds) + 1}`),
      file.location.replace(/\?.*/, search),
      file.location.replace(/\?.*/, ''),
      `${file.location}&signature=x`,
      file.location.replace('/uploads/', '/uploads/x'),
    ]) {
      await refusal(await world.put(location, CSV), 403, 'REQUEST_DENIED', /altered/);
    }
    await untouched(file);
  });

  const signedWith = (key: string, { id, location }: Announced, expiresAt: Date) => {
    const { expires, signature } = signFile([key], 'upload', id, expiresAt);
    return location.replace(/\?.*/, `?expires=${expires}&signature=${signature}`);
  };

  it('is refused under an expired URL', async () => {
    const file = await world.announce();
    const location = signedWith(NEW_KEY, file, new Date(Date.now() - 1_000));
    await refusal(await world.put(location, CSV), 403, 'REQUEST_DENIED', /expired/);
    await untouched(file);
  });

  it('is let in by any of the keys, and by no other', async () => {
    const [file, later] = [await world.announce(), new Date(Date.now() + 60_000)];
    assert.ok(file.location.endsWith(signFile([NEW_KEY], 'upload', file.id, new Date(file.expiresAt)).signature));
    await refusal(await world.put(signedWith('x'.repeat(40), file, later), CSV), 403, 'REQUEST_DENIED', /altered/);
    assert.equal((await world.put(signedWith(OLD_KEY, file, later), CSV)).status, 200);
  });

  it('that is too large by its Content-Length is refused at once, before the body is invited', async () => {
    const file = await world.announce();
    for (const extra of [[], ['Expect: 100-continue']]) {
      const connection = openRaw(file.location, head(file, 'Content-Length: 1048577', ...extra));
      const text = await connection.received(/PAYLOAD_LIMIT_EXCEEDED_ERROR/);
      assert.match(text, /^HTTP\/1.1 413/);
      connection.socket.destroy();
    }
    await untouched(file);
  });

  it('that waits for 100 Continue is refused before it is invited', async () => {
    const file = await world.uploaded(CSV);
    const altered = { ...file, location: file.location.slice(0, -1) };
    for (const [tried, status] of [
      [file, 409],
      [altered, 403],
    ] as const) {
      const connection = openRaw(file.location, head(tried, 'Content-Length: 5', 'Expect: 100-continue'));
      assert.match(await connection.received(/\}$/), new RegExp(`^HTTP/1.1 ${status}`));
      connection.socket.destroy();
    }
  });

  it('that turns out too large is refused, leaves nothing, and may be mended', async () => {
    const file = await world.announce();
    const half = Buffer.alloc(524_289, 0x20);
    const chunk = Buffer.concat([Buffer.from('80001\r\n'), half, Buffer.from('\r\n')]);
    const connection = openRaw(
      file.location,
      Buffer.concat([Buffer.from(head(file, 'Transfer-Encoding: chunked')), chunk, chunk]),
    );
    assert.match(await connection.received(/PAYLOAD_LIMIT_EXCEEDED_ERROR/), /^HTTP\/1.1 413/);
    connection.socket.destroy();
    await untouched(file);
    assert.equal((await world.put(file.location, Buffer.alloc(1_048_576, 0x20))).status, 200);
  });

  for (const [what, headers, sent] of [
    ['short of its Content-Length', ['Content-Length: 1000'], 'SKU\nA\n'],
    ['in the middle of a chunk', ['Transfer-Encoding: chunked'], 'ff\r\nSKU\nA\n'],
    ['before the last chunk', ['Transfer-Encoding: chunked'], '6\r\nSKU\nA\n\r\n'],
  ] as const) {
    for (const [how, cut] of [
      ['by a reset', (connection: ReturnType<typeof openRaw>) => connection.socket.resetAndDestroy()],
      ['by an end of sending', (connection: ReturnType<typeof openRaw>) => connection.socket.end()],
    ] as const) {
      it(`that is cut short ${what} ${how} imports nothing, and the URL can be used again`, async () => {
        const file = await world.announce();
        const connection = openRaw(file.location, head(file, ...headers) + sent);
        await underWay(file);
        cut(connection);
        assert.doesNotMatch(await connection.ended, /HTTP\/1.1 200/);
        await until('nothing is left', async () => (await world.stored()).length === 0, 5_000);
        await until(
          'it expires as before',
          async () => (await world.file(file.id)).expires_at?.toISOString() === file.expiresAt,
          5_000,
        );
        await untouched(file);
        assert.equal((await world.put(file.location, CSV)).status, 200);
      });
    }
  }

  it('that leaves out a part of the file by Content-Range is refused', async () => {
    const file = await world.announce();
    await refusal(
      await world.put(file.location, 'x', { 'content-range': 'bytes 0-0/2' }),
      400,
      'CLIENT_ERROR',
      /whole file/,
    );
    await untouched(file);
  });

  it('keeps the file from expiring while it is under way', async () => {
    const file = await world.announce();
    const connection = openRaw(
      file.location,
      `${head(file, `Content-Length: ${CSV.length + 1}`, 'Expect: 100-continue')}`,
    );
    await connection.received(/^HTTP\/1.1 100/);
    await underWay(file);
    connection.socket.write(CSV);
    assert.match(await connection.received(/\}$/), /HTTP\/1.1 200/);
    connection.socket.destroy();
    assert.equal((await world.file(file.id)).expires_at, null);
  });

  it('twice at once is won by one; the other is told 409 and its bytes are discarded', async () => {
    const file = await world.announce();
    const open = ['SKU\nA\n', 'SKU\nB\n'].map((body) => ({
      body,
      connection: openRaw(file.location, head(file, 'Content-Length: 6') + body.slice(0, -1)),
    }));
    await until('both are under way', async () => (await world.stored()).length === 2, 5_000);
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
    const first = openRaw(file.location, `${head(file, 'Content-Length: 6')}SKU`);
    await underWay(file);
    const second = openRaw(file.location, `${head(file, 'Content-Length: 6')}SKU`);
    await until('both are under way', async () => (await world.stored()).length === 2, 5_000);
    second.socket.resetAndDestroy();
    await until('one is left', async () => (await world.stored()).length === 1, 5_000);
    await underWay(file);
    first.socket.write('\nA\n');
    assert.match(await first.received(/\}$/), /HTTP\/1.1 200/);
    first.socket.destroy();
  });

  it('for a job that was cancelled is refused, before or after the bytes', async () => {
    const file = await world.announce();
    const { site_id } = await world.file(file.id);
    const connection = openRaw(file.location, `${head(file, 'Content-Length: 6')}SKU`);
    await underWay(file);
    await cancelJob(world.api.db, site_id, file.jobId);
    connection.socket.write('\nA\n');
    assert.match(await connection.received(/\}$/), /^HTTP\/1.1 409[\s\S]*was cancelled; announce the file again/);
    connection.socket.destroy();
    await refusal(await world.put(file.location, CSV), 409, 'CONFLICT', /was cancelled/);
    assert.deepEqual(await world.stored(), []);
    assert.equal((await world.job(file.jobId)).status, 'CANCELLED');
  });

  it('of a file that was given up is refused with 410', async () => {
    const file = await world.announce();
    await world.api.db('file').where({ id: file.id }).update({ status: 'EXPIRED' });
    await world.api.db('job').where({ id: file.jobId }).update({ status: 'EXPIRED' });
    await refusal(await world.put(file.location, CSV), 410, 'NOT_FOUND', /not uploaded in time; announce it again/);
    await world.api.db('job').where({ id: file.jobId }).delete();
    await world.api.db('file').where({ id: file.id }).delete();
    await refusal(await world.put(file.location, CSV), 410, 'NOT_FOUND', /announce it again/);
  });

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
      await untouched(file);
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

  it('ignores tokens and other credentials', async () => {
    const file = await world.announce();
    assert.equal((await world.put(file.location, CSV, { authorization: 'Bearer nonsense' })).status, 200);
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
    const { pathname, search } = new URL(file.location);
    const connection = openRaw(
      file.location,
      `PUT ${pathname}${search} HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nSKU`,
    );
    const text = await connection.received(/\}$/);
    assert.match(text, /^HTTP\/1.1 408[\s\S]*nothing came for 1 seconds; nothing was kept/);
    assert.match(text, /connection: close/i);
    connection.socket.destroy();
    assert.deepEqual(await world.stored(), []);
    assert.equal((await world.file(file.id)).expires_at?.toISOString(), file.expiresAt);
    assert.equal((await world.put(file.location, CSV)).status, 200);
  });
});

describe('a large upload', () => {
  const MEBIBYTE = 1_048_576;
  const SIZE = 50 * MEBIBYTE;
  let world: FileWorld;
  before(async () => {
    world = await startFileWorld({ BODY_BUDGET_MB: '2' });
  });
  after(() => world.api.stop());

  it('takes constant memory, whatever the budget for bodies', async () => {
    const file = await world.announce();
    const block = new Uint8Array(Buffer.alloc(MEBIBYTE, 'SKU;Title;Text\n'));
    const digest = createHash('sha256');
    const before = heldBytes();
    let peak = 0;
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (sent === SIZE) return controller.close();
        sent += block.length;
        digest.update(block);
        peak = Math.max(peak, heldBytes() - before);
        controller.enqueue(block);
      },
    });
    const response = await fetch(file.location, { method: 'PUT', body, duplex: 'half' });
    assert.equal(((await response.json()) as { bytes: number }).bytes, SIZE);
    assert.ok(peak < 8 * MEBIBYTE, `held ${Math.round(peak / MEBIBYTE)} MiB`);

    const { location } = (await (await world.get(`/files/product/${file.id}/actions/download`)).json()) as Announced;
    const downloaded = createHash('sha256');
    for await (const chunk of (await fetch(location)).body ?? []) downloaded.update(chunk);
    assert.equal(downloaded.digest('hex'), digest.digest('hex'));
  });
});

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** What cannot be collected, which is what counts: garbage is no memory that an upload needs. */
function heldBytes(): number {
  collectGarbage();
  const { arrayBuffers, heapUsed } = process.memoryUsage();
  return arrayBuffers + heapUsed;
}

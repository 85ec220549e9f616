/** Uploads and downloads by URLs of the S3 store: the bytes do not pass the API, and nothing gets lost all the same. */
import assert from 'node:assert/strict';
import { ListObjectsV2Command } from '@aws-sdk/client-s3';
import { expireJobs } from '../../../src/domain/jobs/reconcile/expire-jobs.js';
import { noticeUploads } from '../../../src/workers/maintenance/notice-uploads.js';
import { until } from '../../support/until.js';
import { type Announced, type FilesError, type FileWorld, startFileWorld } from '../../support/worlds/file-world.js';
import { skipWithoutS3, type TestS3, testS3 } from '../../support/worlds/test-s3.js';

const CSV = 'SKU,Title\nA-1,One\n';

describe('files in S3', () => {
  let s3: TestS3;
  let world: FileWorld;
  let prefix: string;
  before(async function () {
    this.timeout(60_000);
    skipWithoutS3(this);
    s3 = await testS3();
    const place = s3.newPlace();
    prefix = new URL(place).pathname.slice(1);
    world = await startFileWorld({ STORAGE_URL: place, UPLOAD_MAX_MB: '1' });
  });
  after(() => world?.api.stop());

  const act = (id: string, action: string, headers = world.api.headers()) =>
    world.api.fetch(`/files/product/${id}/actions/${action}`, {
      method: action === 'complete' ? 'POST' : 'GET',
      headers,
    });
  const complete = (id: string, headers?: Record<string, string>) => act(id, 'complete', headers);
  const locationOf = async (id: string) =>
    ((await (await act(id, 'download')).json()) as { location: string }).location;
  const contentOf = async ({ id }: Announced) => (await fetch(await locationOf(id))).text();
  const keys = async () => {
    const listed = await s3.client.send(new ListObjectsV2Command({ Bucket: s3.bucket, Prefix: `${prefix}/` }));
    return (listed.Contents ?? []).map(({ Key }) => Key?.slice(prefix.length + 1) ?? '');
  };
  /** All looks are due now. */
  const notice = async () => {
    await world.api
      .db('file')
      .whereNotNull('look_at')
      .update({ look_at: new Date(0) });
    await noticeUploads(world.api.services);
  };
  const expire = ({ id }: Announced) =>
    world.api
      .db('file')
      .where({ id })
      .update({ expires_at: new Date(0) });

  async function put({ location }: Announced, content: string | Buffer<ArrayBuffer>): Promise<void> {
    const response = await fetch(location, { method: 'PUT', body: content });
    assert.equal(response.status, 200, await response.text());
  }

  async function assertRefused(response: Response, status: number, message: RegExp): Promise<void> {
    const error = (await response.json()) as FilesError;
    assert.equal(response.status, status, error.message);
    assert.match(error.message, message);
  }

  it('are uploaded to a URL of the store, and imported at once when the client says so', async () => {
    const file = await world.announce();
    assert.ok(file.location.startsWith(`${s3.endpoint}/${s3.bucket}/${prefix}/temporary/uploads/${file.id}?`));
    assert.ok(Date.parse(file.expiresAt) - Date.now() < 16 * 60_000);
    await assertRefused(await complete(file.id), 409, /nothing was uploaded yet/);
    await put(file, CSV);
    const answer = await complete(file.id);
    const { id, name, jobId } = file;
    assert.deepEqual(
      [answer.status, await answer.json()],
      [200, { id, name, bytes: CSV.length, jobId, status: 'UPLOADED' }],
    );
    assert.equal((await world.job(jobId)).status, 'SCHEDULED');
    assert.ok(await world.isEnqueued(jobId));
    const row = await world.file(id);
    assert.deepEqual([row.status, row.bytes, row.expires_at, row.look_at], ['UPLOADED', CSV.length, null, null]);
    const repeated = await complete(id);
    const { bytes } = (await repeated.json()) as { bytes: number };
    assert.deepEqual([repeated.status, bytes], [200, CSV.length]);
  });

  it('have the bytes that were there first, whatever is put later', async () => {
    const file = await world.announce();
    await put(file, CSV);
    assert.equal((await complete(file.id)).status, 200);
    await put(file, 'SKU\nother\n');
    await notice();
    assert.equal((await complete(file.id)).status, 200);
    assert.equal(await contentOf(file), CSV);
  });

  it('are complete once, although many say so at the same time', async () => {
    const file = await world.announce();
    await put(file, CSV);
    const answers = await Promise.all([1, 2, 3, 4].map(() => complete(file.id)));
    await notice();
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
    assert.equal((await keys()).filter((key) => key.includes(file.id)).length, 1, 'and lie there once');
    assert.equal(await contentOf(file), CSV);
  });

  it('are noticed without a call', async () => {
    const file = await world.announce();
    await notice();
    assert.equal((await world.file(file.id)).status, 'AWAITING_UPLOAD');
    await put(file, CSV);
    await notice();
    assert.equal((await world.file(file.id)).status, 'UPLOADED');
    assert.ok(await world.isEnqueued(file.jobId));
    assert.equal(await contentOf(file), CSV);
  });

  it('are looked for less and less, and only while they are announced', async () => {
    const file = await world.announce();
    const waitOf = async (ageSeconds: number) => {
      const created_at = new Date(Date.now() - ageSeconds * 1000);
      await world.api.db('file').where({ id: file.id }).update({ created_at });
      const startedAt = Date.now();
      await notice();
      return Math.round((((await world.file(file.id)).look_at?.getTime() ?? 0) - startedAt) / 1000);
    };
    assert.deepEqual([await waitOf(0), await waitOf(60), await waitOf(3600)], [2, 15, 120]);
    await put(file, CSV);
    assert.equal((await complete(file.id)).status, 200);
    assert.equal((await world.file(file.id)).look_at, null);
  });

  it('do not expire before the last look, and are imported if they were there in time', async () => {
    const [there, never] = [await world.announce(), await world.announce()];
    await put(there, CSV);
    for (const file of [there, never]) await expire(file);
    assert.deepEqual(await expireJobs(world.api.db, 'upload', 1), [], 'nobody has looked');
    await notice();
    assert.deepEqual(await expireJobs(world.api.db, 'upload', 1), [never.jobId]);
    assert.equal((await world.file(there.id)).status, 'UPLOADED');
    assert.equal((await world.job(never.jobId)).status, 'EXPIRED');
    await put(never, CSV);
    await assertRefused(await complete(never.id), 410, /was not uploaded in time/);
  });

  it('that are too large are not kept, and their jobs are rejected', async () => {
    for (const finish of [(file: Announced) => complete(file.id), notice]) {
      const file = await world.announce();
      await put(file, Buffer.alloc(1024 * 1024 + 1));
      const answer = await finish(file);
      if (answer !== undefined) await assertRefused(answer, 413, /is larger than 1048576 bytes/);
      const { status, reason, status_message } = await world.job(file.jobId);
      assert.deepEqual([status, reason], ['REJECTED', 'TOO_LARGE']);
      assert.match(status_message ?? '', /has 1048577 bytes/);
      assert.equal((await world.file(file.id)).status, 'EXPIRED');
      assert.deepEqual(
        (await keys()).filter((key) => key.includes(file.id)),
        [],
      );
    }
  });

  it('of cancelled jobs and of other accounts are refused', async () => {
    const file = await world.announce();
    await put(file, CSV);
    const stranger = world.api.headers(await world.api.newAccount());
    assert.equal((await complete(file.id, stranger)).status, 404);
    const cancelled = await world.api.fetch(`/jobs/${file.jobId}/actions/cancel`, {
      method: 'POST',
      headers: world.api.headers(),
    });
    assert.equal(cancelled.status, 200);
    await assertRefused(await complete(file.id), 409, /was cancelled/);
    await notice();
    assert.equal((await world.file(file.id)).status, 'EXPIRED');
  });

  it('are not uploaded to a URL that was altered or has expired', async () => {
    const file = await world.announce();
    const altered = file.location.replace(
      file.id,
      file.id.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
    );
    assert.equal((await fetch(altered, { method: 'PUT', body: CSV })).status, 403);
    const direct = world.api.services.fileStore.direct;
    const short = (await direct?.uploadUrl(file.id, new Date(Date.now() + 1_000))) ?? '';
    await until(
      'the URL expires',
      async () => (await fetch(short, { method: 'PUT', body: CSV })).status === 403,
      10_000,
    );
    assert.equal((await fetch(file.location.replace('PutObject', 'GetObject'))).status, 403, 'nor is it read');
  }).timeout(15_000);

  it('are downloaded from the store with their names and types, in whole or in part', async () => {
    const file = await world.announce({ fileName: 'Größen "2".csv' });
    await put(file, CSV);
    await complete(file.id);
    const location = await locationOf(file.id);
    assert.ok(location.startsWith(s3.endpoint));
    const whole = await fetch(location);
    assert.equal(await whole.text(), CSV);
    assert.equal(whole.headers.get('content-type'), 'text/csv');
    assert.match(whole.headers.get('content-disposition') ?? '', /filename\*=UTF-8''Gr%C3%B6%C3%9Fen%20%222%22\.csv/);
    const part = await fetch(location, { headers: { range: 'bytes=4-8' } });
    assert.deepEqual([part.status, await part.text()], [206, 'Title']);
    await world.api.services.fileStore.remove((await world.file(file.id)).storage_key ?? '');
    assert.equal((await act(file.id, 'download')).status, 410);
  });

  it('are uploaded and downloaded by URLs of the API where clients do not reach the store', async () => {
    const behind = await startFileWorld({ STORAGE_URL: `${s3.newPlace()}&direct=false` });
    try {
      const file = await behind.uploaded(CSV);
      assert.ok(file.location.startsWith(behind.api.url));
      const { location } = (await (await behind.get(`/files/product/${file.id}/actions/download`)).json()) as Announced;
      assert.ok(location.startsWith(behind.api.url));
      assert.equal(await (await fetch(location, { headers: { range: 'bytes=4-8' } })).text(), 'Title');
      const headers = behind.api.headers();
      const said = await behind.api.fetch(`/files/product/${file.id}/actions/complete`, { method: 'POST', headers });
      assert.equal(said.status, 200);
    } finally {
      await behind.api.stop();
    }
  }).timeout(20_000);
});

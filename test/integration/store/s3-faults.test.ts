/** S3 behind a proxy that fails: what is repeated, what is an outage, and what errors say. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { factsOf } from '../../../src/api/error-facts.js';
import type { FileStore } from '../../../src/platform/file-store.js';
import { outageOf } from '../../../src/platform/outage.js';
import { type FaultyS3, openFaultyS3 } from '../../support/faults/faulty-s3.js';
import { openPlace } from '../../support/for-each-store.js';
import { skipWithoutS3, type TestS3, testS3 } from '../../support/worlds/test-s3.js';

const MEBIBYTE = 1024 * 1024;
const LIMIT_MS = 2_000;
const BYTES = randomBytes(9 * MEBIBYTE);

describe('a file store in S3', () => {
  let s3: TestS3;
  let faulty: FaultyS3;
  let store: FileStore;
  before(async function () {
    this.timeout(60_000);
    skipWithoutS3(this);
    s3 = await testS3();
    faulty = await openFaultyS3(s3.endpoint);
    store = openPlace(s3.newPlace(faulty.endpoint));
    await write(store, 'large', BYTES);
  });
  afterEach(() => faulty.heal());
  after(() => faulty?.close());

  async function write(into: FileStore, key: string, bytes: Buffer): Promise<void> {
    const pending = await into.create(key);
    await pipeline([bytes], pending.stream);
    await pending.commit();
  }

  const errorOf = (attempt: Promise<unknown>): Promise<Error> =>
    attempt.then(
      () => assert.fail('it has not failed'),
      (error: Error) => error,
    );

  it('repeats what the server refuses for the moment', async () => {
    for (const [method, fault] of [
      ['PUT', 'slow-down'],
      ['GET', 'slow-down'],
      ['HEAD', 'error'],
    ] as const) {
      faulty.fail(method, fault, 1);
    }
    const before = faulty.failed();
    await write(store, 'repeated', Buffer.from('bytes'));
    assert.equal((await store.readRange('repeated', 0, 10)).toString(), 'bytes');
    assert.equal(faulty.failed() - before, 3);
  });

  it('repeats parts of a multipart upload and its end', async () => {
    faulty.fail('PUT', 'slow-down', 1);
    faulty.fail('POST', 'error', 1);
    await write(store, 'parts', BYTES);
    assert.ok(BYTES.equals(await buffer(await store.read('parts'))));
  });

  it('is an outage while the server refuses everything, and is in order again afterwards', async () => {
    for (const method of ['GET', 'PUT', 'HEAD']) faulty.fail(method, 'slow-down');
    for (const attempt of [store.size('large'), store.readRange('large', 0, 5), store.ping()]) {
      const error = await errorOf(attempt);
      assert.equal(outageOf(error), 'file store');
      assert.match(error.message, /^the S3 store has failed at .* in the bucket longshore-tests: .*HTTP status 503/);
    }
    faulty.heal();
    await store.ping();
  }).timeout(20_000);

  it('is an outage when the server is silent, after the time that a call may take', async () => {
    const impatient = openPlace(s3.newPlace(faulty.endpoint), { STORAGE_TIMEOUT_MS: '300' });
    faulty.fail('GET', 'silence');
    faulty.fail('HEAD', 'silence');
    const startedAt = performance.now();
    for (const attempt of [impatient.size('large'), impatient.readRange('large', 0, 5)]) {
      const error = await errorOf(attempt);
      assert.equal(outageOf(error), 'file store');
      assert.match(error.message, /does not answer/);
    }
    assert.ok(performance.now() - startedAt < 10 * LIMIT_MS);
  });

  it('reads again what arrived incompletely, and never takes half of it for all', async () => {
    faulty.fail('GET', 'truncation', 2);
    assert.ok(BYTES.equals(await buffer(await store.read('large'))));
    faulty.fail('GET', 'truncation');
    const error = await errorOf(store.readRange('large', 0, MEBIBYTE));
    assert.equal(outageOf(error), 'file store');
    assert.match(error.message, /sent \d+ of 1048576 bytes/);
    const stream = await errorOf(store.read('large').then((body) => buffer(body)));
    assert.equal(outageOf(stream), 'file store');
  });

  it('does not keep bytes that were changed on their way', async () => {
    faulty.fail('PUT', 'corruption');
    for (const bytes of [Buffer.from('few'), BYTES]) {
      const error = await errorOf(write(store, 'changed', bytes));
      assert.equal(outageOf(error), 'file store');
      assert.match(error.message, /BadDigest|Mismatch/);
      assert.equal(await store.size('changed'), null);
    }
  });

  it('works although the clocks differ', async () => {
    faulty.skew(12 * 60_000);
    const before = faulty.failed();
    const skewed = openPlace(s3.newPlace(faulty.endpoint));
    await write(skewed, 'file', Buffer.from('bytes'));
    assert.equal((await skewed.readRange('file', 0, 10)).toString(), 'bytes');
    assert.ok(faulty.failed() > before, 'the server has refused the wrong time');
  });

  it('says what is wrong with credentials and the bucket, without naming any', async () => {
    const { AWS_SECRET_ACCESS_KEY: secret = '' } = process.env;
    process.env.AWS_SECRET_ACCESS_KEY = `${secret}-wrong`;
    try {
      const stranger = openPlace(s3.newPlace());
      const error = await errorOf(stranger.readRange('large', 0, 1));
      assert.deepEqual([outageOf(error), factsOf(error).status], ['file store', 503]);
      assert.match(error.message, /SignatureDoesNotMatch, HTTP status 403; set AWS_ACCESS_KEY_ID/);
      assert.equal(JSON.stringify({ ...error, message: error.message, stack: error.stack }).includes(secret), false);
      assert.equal(JSON.stringify({ ...error, message: error.message }).includes('test:tester'), false);
    } finally {
      process.env.AWS_SECRET_ACCESS_KEY = secret;
    }
    const error = await errorOf(openPlace(s3.newPlace().replace('s3://', 's3://no-such-')).size('file'));
    assert.deepEqual([outageOf(error), factsOf(error).status], ['file store', 503]);
    assert.match(error.message, /NotFound, HTTP status 404; create the bucket, or correct STORAGE_URL$/);
  });
});

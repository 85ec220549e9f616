import assert from 'node:assert/strict';
import { usedOf } from '../../../src/domain/access/quota-use.js';
import { LEAST_PART_BYTES, PART_BYTES, pruneParts } from '../../../src/domain/files/file-parts.js';
import { signFile } from '../../../src/domain/files/signed-url.js';
import { openRaw } from '../../support/http/raw-http.js';
import { until } from '../../support/until.js';
import {
  type Announced,
  assertRefused,
  type FileWorld,
  startFileWorld,
  uploadHead,
} from '../../support/worlds/file-world.js';

const PART = LEAST_PART_BYTES;
const KEY = 'the-key-that-signs-the-addresses-of-uploads';
const MEBIBYTE = 1024 * 1024;

/** No two parts of it are alike. */
const CONTENT = Buffer.concat([
  Buffer.from('SKU;Title\n'),
  ...[0x61, 0x62, 0x63].map((letter) => Buffer.alloc(PART, letter)),
]);

describe('an upload in parts', function () {
  this.timeout(60_000);
  let world: FileWorld;
  before(async () => {
    world = await startFileWorld({ UPLOAD_MAX_MB: '20', SECRETS_KEY: KEY });
  });
  after(() => world.api.stop());
  beforeEach(async () => {
    await world.api.db('file_part').delete();
    await world.empty();
  });

  const send = (file: Announced, start: number, end: number, content = CONTENT, total = content.length) =>
    world.put(file.location, content.subarray(start, end), { 'content-range': `bytes ${start}-${end - 1}/${total}` });
  const ask = (file: Announced, total = CONTENT.length) =>
    world.put(file.location, '', { 'content-range': `bytes */${total}` });
  const keptOf = async (answer: Response) => {
    assert.equal(answer.status, 202, await answer.clone().text());
    const { bytes, status } = (await answer.json()) as { bytes: number; status: string };
    assert.equal(status, 'AWAITING_UPLOAD');
    return bytes;
  };
  /** The same file, with a URL of this key that has expired. */
  const expired = (file: Announced): Announced => {
    const { expires, signature } = signFile([KEY], 'upload', file.id, new Date(Date.now() - 1_000));
    return { ...file, location: file.location.replace(/\?.*/, `?expires=${expires}&signature=${signature}`) };
  };
  const content = async (file: Announced) => {
    const { storage_key: key, bytes } = await world.file(file.id);
    return world.api.services.fileStore.readRange(key ?? '', 0, (bytes ?? 0) + 1);
  };

  it('makes the file of them, and keeps nothing else', async () => {
    const file = await world.announce();
    assert.equal(file.partBytes, PART_BYTES);
    assert.equal(await keptOf(await ask(file)), 0);
    assert.equal(await keptOf(await send(file, 0, PART)), PART);
    assert.equal(await keptOf(await send(file, PART, 2 * PART)), 2 * PART);
    assert.equal((await world.job(file.jobId)).status, 'AWAITING_UPLOAD');
    const answer = await send(file, 2 * PART, CONTENT.length);
    assert.deepEqual(await answer.json(), {
      id: file.id,
      name: 'items.csv',
      bytes: CONTENT.length,
      jobId: file.jobId,
      status: 'UPLOADED',
    });
    assert.equal(answer.status, 200);
    assert.ok((await content(file)).equals(CONTENT));
    assert.equal((await world.job(file.jobId)).status, 'SCHEDULED');
    assert.equal((await world.stored()).length, 1);
    assert.deepEqual(await world.api.db('file_part'), []);
    assert.equal((await ask(file)).status, 409);
  });

  it('goes on after the last part that is complete when one is cut', async () => {
    const file = await world.announce();
    await send(file, 0, PART);
    const head = uploadHead(
      file,
      `Content-Length: ${PART}`,
      `Content-Range: bytes ${PART}-${2 * PART - 1}/${CONTENT.length}`,
    );
    const connection = openRaw(file.location, Buffer.concat([Buffer.from(head), Buffer.alloc(MEBIBYTE)]));
    const expiry = async () => (await world.file(file.id)).expires_at?.getTime();
    const before = await expiry();
    await until('it is under way', async () => (await expiry()) !== before, 20_000);
    connection.socket.resetAndDestroy();
    await until('it has ended', async () => (await expiry()) === before, 20_000);
    assert.equal((await world.stored()).length, 1);
    assert.equal(await keptOf(await ask(file)), PART);
    await send(file, PART, 2 * PART);
    assert.equal((await send(file, 2 * PART, CONTENT.length)).status, 200);
    assert.ok((await content(file)).equals(CONTENT));
  });

  it('goes on when the URL has expired meanwhile, and does not begin then', async () => {
    const [begun, late] = [await world.announce(), await world.announce()];
    await send(begun, 0, PART);
    const [begunLate, lateLate] = [expired(begun), expired(late)];
    await assertRefused(await send(lateLate, 0, PART), 403, 'REQUEST_DENIED', /expired/);
    await assertRefused(await ask(lateLate), 403, 'REQUEST_DENIED', /expired/);
    await assertRefused(await world.put(begunLate.location, 'SKU\nA\n'), 403, 'REQUEST_DENIED', /expired/);
    const altered = { ...begunLate, location: begunLate.location.slice(0, -1) };
    await assertRefused(await send(altered, PART, 2 * PART), 403, 'REQUEST_DENIED', /altered/);
    assert.equal(await keptOf(await send(begunLate, PART, 2 * PART)), 2 * PART);
  });

  it('refuses a part that is not the next one, and keeps what it has', async () => {
    const file = await world.announce();
    await assertRefused(await send(file, PART, 2 * PART), 409, 'CONFLICT', /0 bytes of this file are kept/);
    await send(file, 0, PART);
    await assertRefused(
      await send(file, 2 * PART, CONTENT.length),
      409,
      'CONFLICT',
      /send the part that begins at 5242880/,
    );
    assert.equal(await keptOf(await ask(file)), PART);
    assert.equal((await world.stored()).length, 1);
  });

  it('begins anew with a part at the beginning', async () => {
    const file = await world.announce();
    await send(file, 0, PART);
    await send(file, PART, 2 * PART);
    const other = Buffer.alloc(2 * PART, 0x7a);
    assert.equal(await keptOf(await send(file, 0, PART, other)), PART);
    assert.equal((await world.stored()).length, 1);
    assert.equal((await send(file, PART, 2 * PART, other)).status, 200);
    assert.ok((await content(file)).equals(other));
  });

  it('takes one of two parts that arrive at once', async () => {
    const file = await world.announce();
    await send(file, 0, PART);
    const answers = await Promise.all([1, 2, 3].map(() => send(file, PART, 2 * PART)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [202, 409, 409]);
    assert.equal((await world.stored()).length, 2);
    assert.equal(await keptOf(await ask(file)), 2 * PART);
  });

  it('refuses ranges that are none, and parts that would make too many', async () => {
    const file = await world.announce();
    for (const range of [
      'bytes 5-4/10',
      'bytes 0-9/5',
      'bytes 0-1/*',
      'items 0-1/2',
      'bytes 0-1/10',
      'bytes 0-0/2',
      'bytes */2',
      `bytes 0-1/${'9'.repeat(16)}`,
    ]) {
      const answer = await world.put(file.location, 'xy', { 'content-range': range });
      await assertRefused(answer, 400, 'CLIENT_ERROR', /Content-|a part/);
    }
    const chunked = openRaw(
      file.location,
      `${uploadHead(file, 'Transfer-Encoding: chunked', 'Content-Range: bytes 0-1/2')}2\r\nxy\r\n0\r\n\r\n`,
    );
    assert.match(await chunked.received(/\}$/), /^HTTP\/1.1 400/);
    chunked.socket.destroy();
    await assertRefused(await ask(file, 20 * MEBIBYTE + 1), 413, 'PAYLOAD_LIMIT_EXCEEDED_ERROR', /20 MiB/);
    await world.untouched(file);
  });

  it('joins what is kept when only the end was interrupted', async () => {
    const file = await world.announce();
    const { fileStore } = world.api.services;
    await send(file, 0, PART);
    await send(file, PART, 2 * PART);
    const size = fileStore.size;
    fileStore.size = () => Promise.reject(new Error('as if the process had died before it joined them'));
    const interrupted = await send(file, 2 * PART, CONTENT.length);
    fileStore.size = size;
    assert.equal(interrupted.status, 500);
    const answer = await ask(file);
    assert.equal(answer.status, 200, await answer.clone().text());
    assert.ok((await content(file)).equals(CONTENT));
  });

  it('does not take a piece of a file for the whole, whatever the question says of its size', async () => {
    const file = await world.announce();
    await send(file, 0, PART);
    await send(file, PART, 2 * PART);
    const answer = await ask(file, PART + 1);
    await assertRefused(answer, 409, 'CONFLICT', /of a file of 15728650 bytes.*one of 5242881/);
    await assertRefused(await send(file, 2 * PART, 3 * PART, CONTENT, 3 * PART), 409, 'CONFLICT', /the same size/);
    assert.equal((await world.job(file.jobId)).status, 'AWAITING_UPLOAD');
    // Of parts that the release before has recorded, the size is not known.
    await world.api.db('file_part').where({ file_id: file.id }).update({ total: null });
    await assertRefused(await ask(file, PART + 1), 409, 'CONFLICT', /10485760 bytes.*a file of 5242881/);
    assert.equal(await keptOf(await ask(file)), 2 * PART);
  });

  it('does not join what another request has begun anew', async () => {
    const file = await world.announce();
    const { fileStore } = world.api.services;
    await send(file, 0, PART);
    await send(file, PART, 2 * PART);
    const held = world.api.services as { fileStore: typeof fileStore };
    const begun = new Promise<void>((resolve) => {
      const freeBytes = fileStore.freeBytes.bind(fileStore);
      held.fileStore.freeBytes = async () => {
        const rows = await world.api.db('file_part').where({ file_id: file.id });
        if (rows.length === 3) {
          held.fileStore.freeBytes = freeBytes;
          await send(file, 0, PART, Buffer.alloc(PART, 0x7a), 2 * PART);
          resolve();
        }
        return freeBytes();
      };
    });
    const last = send(file, 2 * PART, CONTENT.length);
    await begun;
    await assertRefused(await last, 409, 'CONFLICT', /another request has sent.*5242880 bytes/);
    assert.equal(await keptOf(await ask(file, 2 * PART)), PART);
  });

  it('says that it begins anew when the store has lost a part', async () => {
    const file = await world.announce();
    await send(file, 0, PART);
    await send(file, PART, 2 * PART);
    const lost = await world.api.db('file_part').where({ file_id: file.id, start_at: 0 }).first('storage_key');
    await world.api.services.fileStore.remove(lost.storage_key);
    await assertRefused(await send(file, 2 * PART, CONTENT.length), 409, 'CONFLICT', /from its beginning/);
    assert.equal(await keptOf(await ask(file)), 0);
    assert.deepEqual(await world.stored(), []);
  });

  it('counts what is kept towards the quota of stored bytes', async () => {
    const file = await world.announce();
    const account = (await world.file(file.id)).account_id ?? '';
    const used = async () => usedOf(world.api.db, 'bytes', account);
    const before = await used();
    await send(file, 0, PART);
    assert.equal(await used(), before + PART);
    await send(file, PART, 2 * PART);
    await send(file, 2 * PART, CONTENT.length);
    assert.equal(await used(), before + CONTENT.length);
  });

  it('needs room in the quota for the whole file before its first part', async () => {
    const file = await world.announce();
    const account = (await world.file(file.id)).account_id ?? '';
    const used = await usedOf(world.api.db, 'bytes', account);
    const row = world.api.db('account').where({ id: account });
    await row.clone().update({ quotas: JSON.stringify({ bytes: used + 2 * PART }) });
    await assertRefused(await send(file, 0, PART), 429, 'CLIENT_ERROR', /this file needs 15728650/);
    await row.clone().update({ quotas: null });
  });

  it('leaves nothing of a file whose job was cancelled, or that has expired', async () => {
    const [cancelled, expired, open] = [await world.announce(), await world.announce(), await world.announce()];
    for (const file of [cancelled, expired, open]) await send(file, 0, PART);
    await world.api.fetch(`/jobs/${cancelled.jobId}/actions/cancel`, { method: 'POST', headers: world.api.headers() });
    assert.equal((await world.job(cancelled.jobId)).status, 'CANCELLED');
    await world.api.db('file').where({ id: expired.id }).update({ status: 'EXPIRED' });
    await assertRefused(await send(expired, PART, 2 * PART), 410, 'NOT_FOUND', /announce it again/);
    await pruneParts(world.api.services);
    const left = await world.api.db('file_part').pluck('file_id');
    assert.deepEqual(left, [open.id]);
    assert.equal((await world.stored()).length, 1);
  });

  it('keeps the file from expiring for a day after each part', async () => {
    const file = await world.announce();
    await send(file, 0, PART);
    const { expires_at: until } = await world.file(file.id);
    assert.ok((until?.getTime() ?? 0) > Date.now() + 23 * 3_600_000);
    await ask(file);
    assert.deepEqual((await world.file(file.id)).expires_at, until);
  });
});

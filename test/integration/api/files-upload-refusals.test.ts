import assert from 'node:assert/strict';
import { signFile } from '../../../src/domain/files/signed-url.js';
import { openRaw } from '../../support/http/raw-http.js';
import type { Announced } from '../../support/worlds/file-world.js';
import { assertRefused, type FileWorld, startFileWorld, uploadHead } from '../../support/worlds/file-world.js';

const CSV = 'SKU,Title\r\nA,"Ä\nB"\r\n';
const OLD_KEY = 'the-key-from-before-the-rotation-of-keys';
const NEW_KEY = 'the-key-that-signs-since-the-rotation-of';

describe('an upload', () => {
  let world: FileWorld;
  before(async () => {
    world = await startFileWorld({ UPLOAD_MAX_MB: '1', SECRETS_KEY: `${NEW_KEY},${OLD_KEY}` });
  });
  after(() => world.api.stop());
  beforeEach(() => world.empty());

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
      await assertRefused(await world.put(location, CSV), 403, 'REQUEST_DENIED', /altered/);
    }
    await world.untouched(file);
  });

  const signedWith = (key: string, { id, location }: Announced, expiresAt: Date) => {
    const { expires, signature } = signFile([key], 'upload', id, expiresAt);
    return location.replace(/\?.*/, `?expires=${expires}&signature=${signature}`);
  };

  it('is refused under an expired URL', async () => {
    const file = await world.announce();
    const location = signedWith(NEW_KEY, file, new Date(Date.now() - 1_000));
    await assertRefused(await world.put(location, CSV), 403, 'REQUEST_DENIED', /expired/);
    await world.untouched(file);
  });

  it('is let in by any of the keys, and by no other', async () => {
    const [file, later] = [await world.announce(), new Date(Date.now() + 60_000)];
    assert.ok(file.location.endsWith(signFile([NEW_KEY], 'upload', file.id, new Date(file.expiresAt)).signature));
    await assertRefused(
      await world.put(signedWith('x'.repeat(40), file, later), CSV),
      403,
      'REQUEST_DENIED',
      /altered/,
    );
    assert.equal((await world.put(signedWith(OLD_KEY, file, later), CSV)).status, 200);
  });

  it('that is too large by its Content-Length is refused at once, before the body is invited', async () => {
    const file = await world.announce();
    for (const extra of [[], ['Expect: 100-continue']]) {
      const connection = openRaw(file.location, uploadHead(file, 'Content-Length: 1048577', ...extra));
      const text = await connection.received(/PAYLOAD_LIMIT_EXCEEDED_ERROR/);
      assert.match(text, /^HTTP\/1.1 413/);
      connection.socket.destroy();
    }
    await world.untouched(file);
  });

  it('that waits for 100 Continue is refused before it is invited', async () => {
    const file = await world.uploaded(CSV);
    const altered = { ...file, location: file.location.slice(0, -1) };
    for (const [tried, status] of [
      [file, 409],
      [altered, 403],
    ] as const) {
      const connection = openRaw(file.location, uploadHead(tried, 'Content-Length: 5', 'Expect: 100-continue'));
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
      Buffer.concat([Buffer.from(uploadHead(file, 'Transfer-Encoding: chunked')), chunk, chunk]),
    );
    assert.match(await connection.received(/PAYLOAD_LIMIT_EXCEEDED_ERROR/), /^HTTP\/1.1 413/);
    connection.socket.destroy();
    await world.untouched(file);
    assert.equal((await world.put(file.location, Buffer.alloc(1_048_576, 0x20))).status, 200);
  });

  it('that leaves out a part of the file by Content-Range is refused unless it is the next of large parts', async () => {
    const file = await world.announce();
    await assertRefused(
      await world.put(file.location, 'x', { 'content-range': 'bytes 0-0/2' }),
      400,
      'CLIENT_ERROR',
      /at least 5242880 bytes/,
    );
    await world.untouched(file);
  });

  it('of a file that was given up is refused with 410', async () => {
    const file = await world.announce();
    await world.api.db('file').where({ id: file.id }).update({ status: 'EXPIRED' });
    await world.api.db('job').where({ id: file.jobId }).update({ status: 'EXPIRED' });
    await assertRefused(
      await world.put(file.location, CSV),
      410,
      'NOT_FOUND',
      /not uploaded in time; announce it again/,
    );
    await world.api.db('job').where({ id: file.jobId }).delete();
    await world.api.db('file').where({ id: file.id }).delete();
    await assertRefused(await world.put(file.location, CSV), 410, 'NOT_FOUND', /announce it again/);
  });
});

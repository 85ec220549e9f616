import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { signFile } from '../../../src/domain/files/signed-url.js';
import { newId } from '../../../src/domain/kernel/identifier.js';
import { type FilesError, type FileWorld, startFileWorld } from '../../support/worlds/file-world.js';

const CSV = Buffer.from('SKU,Title\r\nA,"Ä\nB"\r\n');

interface Presented {
  readonly id: string;
  readonly expiresAt: string | null;
  readonly location: string;
}

describe('files', () => {
  let world: FileWorld;
  before(async () => {
    world = await startFileWorld();
  });
  after(() => world.api.stop());

  const locationOf = async (fileId: string): Promise<string> => {
    const response = await world.get(`/files/product/${fileId}/actions/download`);
    assert.equal(response.status, 200);
    const { location, expiresAt } = (await response.json()) as { location: string; expiresAt: string };
    const validMs = Date.parse(expiresAt) - Date.now();
    assert.ok(validMs > 295_000 && validMs < 302_000, `${validMs} ms`);
    return location;
  };
  const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer());
  const typeOf = async (response: Response) => ((await response.json()) as FilesError).type;

  it('are read with what is known of them, before and after the upload', async () => {
    const file = await world.announce({ locale: 'de' });
    const { location: _, partBytes: __, ...announced } = file;
    const awaiting = { ...announced, status: 'AWAITING_UPLOAD', bytes: null, contentType: null, uploadedAt: null };
    assert.deepEqual(await (await world.get(`/files/product/${file.id}`)).json(), awaiting);
    await world.put(file.location, CSV);
    const { uploadedAt, ...rest } = (await (await world.get(`/files/product/${file.id}`)).json()) as {
      uploadedAt: string;
    };
    assert.ok(Date.parse(uploadedAt) >= Date.parse(file.createdAt));
    const { uploadedAt: ___, ...expected } = awaiting;
    assert.deepEqual(rest, {
      ...expected,
      status: 'UPLOADED',
      bytes: CSV.length,
      contentType: 'text/csv',
      expiresAt: null,
    });
  });

  it('are listed newest first, by ids, type and status, a page at a time', async () => {
    const { api } = world;
    const other = await api.newAccount();
    const headers = api.headers(other);
    const files = [];
    for (const type of ['ITEM_IMPORT', 'ATTRIBUTE_IMPORT', 'ITEM_IMPORT']) {
      files.unshift(await world.announce({ fileType: type }, headers));
      // The clock of created_at counts milliseconds.
      await delay(2);
    }
    const [third, second, first] = files;
    assert.ok(first && second && third);
    await world.put(second.location, CSV);
    const list = async (query: string) => {
      const response = await world.get(`/files/product${query}`, headers);
      const page = (await response.json()) as { data: { id: string }[]; count: number; offset: number; limit: number };
      assert.equal(response.status, 200);
      return { ...page, data: page.data.map(({ id }) => id) };
    };
    assert.deepEqual(await list(''), { data: [third.id, second.id, first.id], offset: 0, limit: 10, count: 3 });
    assert.deepEqual(await list('?offset=1&limit=1'), { data: [second.id], offset: 1, limit: 1, count: 3 });
    assert.deepEqual((await list(`?ids=${first.id},${third.id},none`)).data, [third.id, first.id]);
    assert.deepEqual((await list('?type=ITEM_IMPORT')).data, [third.id, first.id]);
    assert.deepEqual((await list('?type=ITEM_IMPORT,ATTRIBUTE_IMPORT')).count, 3);
    assert.deepEqual((await list('?status=UPLOADED')).data, [second.id]);
    assert.equal((await world.get('/files/product?status=LOST', headers)).status, 400);
    assert.equal((await world.get('/files/product?limit=101', headers)).status, 400);
    const dated = JSON.stringify({ account: other.account, date: second.createdAt });
    const past = await world.get('/files/product', { ...headers, 'x-site-context': dated });
    assert.equal(((await past.json()) as { count: number }).count, 3, 'a date narrows lists of the catalog only');
  });

  it('of another account or stage are not there', async () => {
    const { api } = world;
    const file = await world.uploaded(CSV);
    const other = await api.newAccount();
    for (const headers of [api.headers(other), api.headers({ stage: 'test' })]) {
      for (const path of [`/files/product/${file.id}`, `/files/product/${file.id}/actions/download`]) {
        const response = await world.get(path, headers);
        assert.equal(response.status, 404);
        assert.equal(await typeOf(response), 'NOT_FOUND');
      }
      const list = await world.get(`/files/product?ids=${file.id}`, headers);
      assert.equal(((await list.json()) as { count: number }).count, 0);
    }
    for (const id of [newId(), 'x', '%20']) assert.equal((await world.get(`/files/product/${id}`)).status, 404);
  });

  it('need the scope catalog:read', async () => {
    const writer = world.api.headers(await world.api.newAccount(['catalog:write']));
    for (const path of ['', `/${newId()}`, `/${newId()}/actions/download`]) {
      assert.equal((await world.get(`/files/product${path}`, writer)).status, 403);
      assert.equal((await world.get(`/files/product${path}`, {})).status, 401);
    }
  });

  it('are downloaded byte for byte, and HEAD says what GET would', async () => {
    const { id } = await world.uploaded(CSV, { fileName: 'Größe "Ä" 50%.csv' });
    const location = await locationOf(id);
    const got = await fetch(location);
    assert.equal(got.status, 200);
    assert.deepEqual(await bytesOf(got), CSV);
    assert.equal(got.headers.get('content-type'), 'text/csv');
    assert.equal(got.headers.get('content-length'), String(CSV.length));
    assert.equal(got.headers.get('x-content-type-options'), 'nosniff');
    assert.equal(
      got.headers.get('content-disposition'),
      `attachment; filename="Gr__e ___ 50_.csv"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20%22%C3%84%22%2050%25.csv`,
    );
    const head = await fetch(location, { method: 'HEAD' });
    assert.equal(head.status, 200);
    assert.equal((await bytesOf(head)).length, 0);
    for (const name of ['content-type', 'content-length', 'content-disposition', 'accept-ranges', 'etag']) {
      assert.equal(head.headers.get(name), got.headers.get(name), name);
    }
  });

  it('that are empty are downloaded as such', async () => {
    const { id } = await world.uploaded('');
    const got = await fetch(await locationOf(id));
    assert.deepEqual([got.status, got.headers.get('content-length'), (await bytesOf(got)).length], [200, '0', 0]);
  });

  const size = CSV.length;
  for (const [range, status, start, end] of [
    ['bytes=0-3', 206, 0, 4],
    ['bytes=4-', 206, 4, size],
    ['bytes=-5', 206, size - 5, size],
    ['bytes=-999', 206, 0, size],
    ['bytes=3-999', 206, 3, size],
    [`bytes=${size - 1}-`, 206, size - 1, size],
    [`bytes=${size}-`, 416, 0, 0],
    ['bytes=-0', 416, 0, 0],
    ['bytes=3-1', 200, 0, size],
    ['bytes=-', 200, 0, size],
    ['bytes=0-1,3-4', 200, 0, size],
    ['rows=0-1', 200, 0, size],
  ] as const) {
    it(`answer the range ${range} with ${status}`, async () => {
      const { id } = await world.uploaded(CSV);
      const got = await fetch(await locationOf(id), { headers: { range } });
      assert.equal(got.status, status);
      const bytes = await bytesOf(got);
      if (status === 416) {
        assert.equal(got.headers.get('content-range'), `bytes */${size}`);
        assert.equal((JSON.parse(bytes.toString()) as FilesError).type, 'CLIENT_ERROR');
        return;
      }
      assert.deepEqual(bytes, CSV.subarray(start, end));
      assert.equal(got.headers.get('content-length'), String(end - start));
      assert.equal(got.headers.get('content-range'), status === 206 ? `bytes ${start}-${end - 1}/${size}` : null);
    });
  }

  it('answer a range only of the file that it was begun with', async () => {
    const { id } = await world.uploaded(CSV);
    const location = await locationOf(id);
    const etag = (await fetch(location, { method: 'HEAD' })).headers.get('etag') ?? '';
    assert.equal((await fetch(location, { headers: { range: 'bytes=4-', 'if-range': etag } })).status, 206);
    assert.equal((await fetch(location, { headers: { range: 'bytes=4-', 'if-range': '"x"' } })).status, 200);
  });

  it('that jobs wrote are downloaded too', async () => {
    const { fileStore } = world.api.services;
    const { id: inputId } = await world.announce();
    const { site_id } = await world.file(inputId);
    const pending = await fileStore.create('errors/one.csv');
    await new Promise<void>((resolve) => pending.stream.end(CSV, resolve));
    await pending.commit();
    const file = { type: 'ERROR_FILE', name: 'errors-items.csv', content_type: 'text/csv; charset=utf-8', bytes: size };
    const id = newId();
    await world.api.db('file').insert({ ...file, id, site_id, status: 'UPLOADED', storage_key: 'errors/one.csv' });
    const got = await fetch(await locationOf(id));
    assert.deepEqual(await bytesOf(got), CSV);
    assert.equal(got.headers.get('content-type'), 'text/csv; charset=utf-8');
    assert.equal(got.headers.get('content-disposition'), 'attachment; filename="errors-items.csv"');
    const list = (await (await world.get('/files/product?type=ERROR_FILE')).json()) as { data: Presented[] };
    assert.deepEqual(
      list.data.map((listed) => listed.id),
      [id],
    );
  });

  it('that were never uploaded cannot be downloaded: 409', async () => {
    const file = await world.announce();
    for (const status of ['AWAITING_UPLOAD', 'EXPIRED']) {
      await world.api.db('file').where({ id: file.id }).update({ status });
      const response = await world.get(`/files/product/${file.id}/actions/download`);
      assert.equal(response.status, 409);
      assert.match(((await response.json()) as FilesError).message, /was not uploaded/);
    }
  });

  it('whose bytes are gone are told so: 410', async () => {
    const { id } = await world.uploaded(CSV);
    const location = await locationOf(id);
    await world.api.services.fileStore.remove((await world.file(id)).storage_key ?? '');
    assert.equal((await fetch(location)).status, 410);
  });

  it('are not downloaded from an altered or expired URL, nor from that of an upload', async () => {
    const file = await world.uploaded(CSV);
    const location = await locationOf(file.id);
    const { secretsKeys } = world.api.services.config;
    const expired = signFile(secretsKeys, 'download', file.id, new Date(Date.now() - 1000));
    for (const bad of [
      location.replace(/signature=./, 'signature=.'),
      location.replace(/expires=\d/, 'expires=9'),
      location.replace(/\?.*/, `?expires=${expired.expires}&signature=${expired.signature}`),
      file.location.replace('/uploads/', '/downloads/'),
    ]) {
      const response = await fetch(bad);
      assert.equal(response.status, 403, bad);
      assert.equal(await typeOf(response), 'REQUEST_DENIED');
    }
  });
});

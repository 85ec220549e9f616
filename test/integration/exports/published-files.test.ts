/** Addresses at which the last export is found, fetched as a marketplace does: without a token. */
import assert from 'node:assert/strict';
import { type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { resealColumns } from '../../../src/domain/access/reseal-secrets.js';
import { createToken } from '../../../src/domain/access/tokens.js';
import { KEYS_OF_ADDRESSES } from '../../../src/domain/exports/published-files.js';
import { publishExport } from '../../../src/domain/exports/run/publish-export.js';
import { housekeep } from '../../../src/workers/maintenance/housekeep.js';
import { askForExport, exportFile } from '../../support/http/exporting.js';
import { Shop } from '../../support/http/shop.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const DAY_MS = 86_400_000;

interface Fetched {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** As they came, packed or not. */
  readonly bytes: Buffer;
}

describe('a published file', function () {
  this.timeout(60_000);
  let world: World;
  let shop: Shop;
  before(async () => {
    world = await startWorld();
    // No maintenance: a test here does what it does, and two at once leave to each other what they have locked.
    await world.startWorkers({}, ['bulk', 'export']);
  });
  after(() => world.stop());
  beforeEach(async () => {
    shop = await (await world.newShop()).define({ attributes: ['Title'], categories: { Disk: ['Title'] } });
    await shop.bulk('insert', [{ sku: 'a', nodeName: 'Disk', attributes: { Title: 'One' } }]);
  });

  const create = (body: object = {}) => shop.call('POST', '/published-files', { body: { name: 'Market', ...body } });
  const publish = (body: object = {}) => exportFile(shop, { body: { publishAs: 'Market', ...body } });
  const add = (sku: string) => shop.bulk('insert', [{ sku, nodeName: 'Disk', attributes: { Title: 'Two' } }]);

  async function fetchAt(url: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Fetched> {
    const address = new URL(new URL(url).pathname, world.api.url);
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const sent = request(address, { method, headers }, resolve).on('error', reject);
      sent.end();
    });
    return { status: answer.statusCode ?? 0, headers: answer.headers, bytes: await buffer(answer) };
  }

  it('has nothing until an export has ended, and then always the last one, whole', async () => {
    const { status, body: made } = await create();
    assert.equal(status, 200, JSON.stringify(made));
    assert.match(made.url, /\/published\/lsf_[\w-]{43}$/);
    assert.deepEqual([made.fileId, made.publishedAt], [null, null]);
    assert.equal((await fetchAt(made.url)).status, 404);
    const first = await publish();
    const fetched = await fetchAt(made.url);
    assert.equal(fetched.status, 200);
    assert.equal(fetched.bytes.toString(), first.text);
    assert.equal(fetched.headers['content-type'], 'text/csv; charset=utf-8');
    assert.match(fetched.headers['content-disposition'] ?? '', /^inline; filename="item-export-.*\.csv"$/);
    await add('b');
    assert.equal((await fetchAt(made.url)).bytes.toString(), first.text, 'an export that is not published');
    const second = await publish();
    assert.notEqual(second.text, first.text);
    assert.equal((await fetchAt(made.url)).bytes.toString(), second.text);
    const read = await shop.ask('GET', `/published-files/${made.id}`);
    assert.deepEqual([read.jobId, read.rowCount, read.bytes], [second.jobId, 2, second.bytes.length]);
    assert.deepEqual((await shop.ask('GET', '/published-files')).data, [read]);
  });

  it('is not sent again to who has it, and in the part that is asked for', async () => {
    const { url } = (await create()).body;
    const { bytes } = await publish();
    const { etag = '' } = (await fetchAt(url)).headers;
    const known = await fetchAt(url, { 'If-None-Match': `"other", ${etag}` });
    assert.deepEqual([known.status, known.bytes.length, known.headers.etag], [304, 0, etag]);
    const head = await fetchAt(url, {}, 'HEAD');
    assert.deepEqual([head.status, head.headers['content-length']], [200, String(bytes.length)]);
    const rest = await fetchAt(url, { Range: 'bytes=5-', 'If-Range': etag });
    assert.deepEqual([rest.status, rest.bytes], [206, bytes.subarray(5)]);
    assert.equal((await fetchAt(url, { Range: 'bytes=99999-' })).status, 416);
    await add('b');
    const next = await publish();
    assert.equal((await fetchAt(url, { 'If-None-Match': etag })).status, 200);
    const renewed = await fetchAt(url, { Range: 'bytes=5-', 'If-Range': etag });
    assert.deepEqual([renewed.status, renewed.bytes], [200, next.bytes], 'the rest of another file');
  });

  it('is sent packed to who accepts it, and unpacked to others', async () => {
    const { url } = (await create()).body;
    const { text } = await publish({ gzip: true });
    const packed = await fetchAt(url, { 'Accept-Encoding': 'br, gzip' });
    assert.equal(packed.headers['content-encoding'], 'gzip');
    assert.equal(gunzipSync(packed.bytes).toString(), text);
    assert.match(packed.headers['content-disposition'] ?? '', /\.csv"$/);
    const plain = await fetchAt(url);
    assert.deepEqual([plain.headers['content-encoding'], plain.bytes.toString()], [undefined, text]);
    assert.notEqual(packed.headers.etag, plain.headers.etag);
    for (const { headers } of [packed, plain]) {
      assert.deepEqual([headers['content-type'], headers.vary], ['text/csv; charset=utf-8', 'Accept-Encoding']);
    }
    const refused = await fetchAt(url, { 'Accept-Encoding': 'gzip;q=0' });
    assert.equal(refused.bytes.toString(), text);
    const again = await fetchAt(url, { 'If-None-Match': plain.headers.etag ?? '' });
    assert.equal(again.status, 304);
    assert.equal((await fetchAt(url, {}, 'HEAD')).bytes.length, 0);
  });

  it('is packed on its way to who accepts it, if it was written without gzip', async () => {
    const { url } = (await create()).body;
    const items = Array.from({ length: 60 }, (_, nth) => ({
      sku: `n${nth}`,
      nodeName: 'Disk',
      attributes: { Title: 'x' },
    }));
    await shop.bulk('insert', items);
    const { text, bytes } = await publish();
    const accepts = { 'Accept-Encoding': 'gzip, deflate' };
    const packed = await fetchAt(url, accepts);
    assert.equal(packed.headers['content-encoding'], 'gzip');
    assert.ok(packed.bytes.length < bytes.length / 2, `${packed.bytes.length} of ${bytes.length} bytes`);
    assert.equal(gunzipSync(packed.bytes).toString(), text);
    const plain = await fetchAt(url, { 'Accept-Encoding': 'br' });
    assert.deepEqual([plain.headers['content-encoding'], plain.bytes], [undefined, bytes]);
    assert.notEqual(packed.headers.etag, plain.headers.etag);
    for (const { headers } of [packed, plain]) assert.equal(headers.vary, 'Accept-Encoding');
    const etag = packed.headers.etag ?? '';
    assert.equal((await fetchAt(url, { ...accepts, 'If-None-Match': etag })).status, 304);
    const head = await fetchAt(url, accepts, 'HEAD');
    assert.deepEqual([head.status, head.headers['content-encoding'], head.headers.etag], [200, 'gzip', etag]);
    const part = await fetchAt(url, { ...accepts, Range: 'bytes=5-' });
    assert.deepEqual([part.status, part.headers['content-encoding'], part.bytes], [206, undefined, bytes.subarray(5)]);
    await publish({ format: 'XLSX' });
    assert.equal((await fetchAt(url, accepts)).headers['content-encoding'], undefined, 'a workbook is packed already');
  });

  it('is found no more when its address was renewed or deleted, in the same words as what never was', async () => {
    const { body: made } = await create();
    const { text } = await publish();
    const renewed = await shop.ask('POST', `/published-files/${made.id}/actions/renew`);
    assert.notEqual(renewed.url, made.url);
    assert.equal((await fetchAt(renewed.url)).bytes.toString(), text);
    const wasThere = await fetchAt(made.url);
    const neverWas = await fetchAt(`${world.api.url}/published/lsf_${'x'.repeat(43)}`);
    assert.equal(wasThere.status, 404);
    const bodies = [wasThere, neverWas].map(({ bytes }) => {
      const { requestId: _, ...body } = JSON.parse(bytes.toString());
      return body;
    });
    assert.deepEqual(bodies[0], bodies[1]);
    await shop.ask('DELETE', `/published-files/${made.id}`);
    assert.equal((await fetchAt(renewed.url)).status, 404);
    assert.equal((await shop.get(`/published-files/${made.id}`)).status, 404);
    const { data } = await shop.ask('GET', '/api/v2/audit?limit=20');
    const acts = (data as { action: string }[]).map(({ action }) => action).filter((one) => one.startsWith('PUBLISH'));
    assert.deepEqual(acts, ['PUBLISHED_FILE_DELETED', 'PUBLISHED_FILE_RENEWED', 'PUBLISHED_FILE_CREATED']);
  });

  it('stays as it is when an export has no rows, if its owner said so', async () => {
    const nothing = { match: { sku: ['no such item'] } };
    const { url, id } = (await create({ whenEmpty: 'SKIP' })).body;
    const { text } = await publish();
    const { job } = await publish(nothing);
    assert.match(job.statusMessage, /it is not published: it has no rows, and the last file stays/);
    assert.equal((await fetchAt(url)).bytes.toString(), text);
    await shop.ask('DELETE', `/published-files/${id}`);
    const other = (await create()).body;
    await publish();
    const empty = await publish(nothing);
    assert.equal((await fetchAt(other.url)).bytes.toString(), empty.text);
  });

  it('is never replaced by an export that has read before it, nor by one of an address that is gone', async () => {
    const { url, id } = (await create()).body;
    const { text, jobId } = await publish();
    const { file_id: fileId, read_at: readAt } = await world.db('published_file').where({ id }).first();
    const late = { publishedFileId: id, fileId: 'older', jobId, rows: 1, readAt: new Date(readAt.getTime() - 1) };
    const said = await world.db.transaction((trx) => publishExport(trx, late));
    assert.equal(said, 'it is not published: a newer export is at the address');
    assert.equal((await world.db('published_file').where({ id }).first()).file_id, fileId);
    assert.equal((await fetchAt(url)).bytes.toString(), text);
    await shop.ask('DELETE', `/published-files/${id}`);
    const gone = await world.db.transaction((trx) => publishExport(trx, { ...late, readAt: new Date() }));
    assert.equal(gone, 'it is not published: the address was deleted meanwhile');
  });

  it('keeps its file beyond the time of retention, until another one is there', async () => {
    const { url } = (await create()).body;
    const first = await publish();
    const old = { completed_at: new Date(Date.now() - 365 * DAY_MS) };
    await world.db('job').where({ id: first.jobId }).update(old);
    await housekeep(world.services);
    assert.equal((await fetchAt(url)).bytes.toString(), first.text);
    const second = await publish();
    await housekeep(world.services);
    assert.equal((await shop.get(`/jobs/${first.jobId}`)).status, 404);
    assert.equal((await fetchAt(url)).bytes.toString(), second.text);
  });

  it('is refused in words that say what to do', async () => {
    assert.equal((await create()).status, 200);
    const same = await create({ name: 'MARKET' });
    assert.deepEqual([same.status, same.body.code], [409, 'PUBLISHED_FILE_EXISTS']);
    for (const body of [{ name: '' }, { name: 'x', whenEmpty: 'never' }, { name: 'a\u0000b' }, { name: 'x', more: 1 }])
      assert.equal((await create(body)).status, 400, JSON.stringify(body));
    const unknown = await askForExport(shop, { body: { publishAs: 'Nowhere' } });
    assert.equal(unknown.status, 404);
    assert.match(unknown.body.message, /no published file with the name "Nowhere" in this stage/);
    const stage = await askForExport(shop, { body: { publishAs: 'Market' }, context: { stage: 'test' } });
    assert.equal(stage.status, 404, 'of another stage');
    const part = await askForExport(shop, { body: { publishAs: 'Market', since: { jobId: 'x' } } });
    assert.equal(part.status, 400);
    assert.match(part.body.message, /publishAs, whose address always has a whole export/);
    const { token } = await createToken(world.db, { accountId: shop.account, name: 'R', scopes: ['catalog:read'] });
    const reader = new Shop(world.api, shop.account, token, shop.siteId);
    const mayNot = await askForExport(reader, { body: { publishAs: 'Market' } });
    assert.equal(mayNot.status, 403);
    assert.match(mayNot.body.message, /feeds:write/);
    for (let n = 1; n < 100; n++) assert.equal((await create({ name: `Market ${n}` })).status, 200);
    const many = await create({ name: 'One more' });
    assert.deepEqual([many.status, many.body.code], [409, 'PUBLISHED_FILE_LIMIT']);
  });

  it('keeps its address when the key of secrets is replaced', async () => {
    const { id, url } = (await create()).body;
    await publish();
    const { secretsKeys } = world.api.services.config;
    const newKey = 'the-key-that-follows-it-of-enough-characters';
    const before = (await world.db('published_file').where({ id }).first()).sealed_key;
    assert.ok((await resealColumns(world.db, [newKey, ...secretsKeys], KEYS_OF_ADDRESSES)).resealed >= 1);
    assert.notEqual((await world.db('published_file').where({ id }).first()).sealed_key, before);
    assert.equal((await fetchAt(url)).status, 200);
    await resealColumns(world.db, [...secretsKeys, newKey], KEYS_OF_ADDRESSES);
    assert.equal((await shop.ask('GET', `/published-files/${id}`)).url, url);
  });

  it('goes on working when the key of secrets is lost, is shown without its address, and gets another one', async () => {
    const { id, url } = (await create()).body;
    await publish();
    const [{ secretsKeys }, lost] = [world.api.services.config, 'a-key-that-is-lost-and-was-long-enough'];
    await resealColumns(world.db, [lost, ...secretsKeys], KEYS_OF_ADDRESSES);
    assert.equal((await shop.ask('GET', `/published-files/${id}`)).url, null);
    const listed = (await shop.ask('GET', '/published-files')).data as { id: string; url: string | null }[];
    assert.equal(listed.find((each) => each.id === id)?.url, null);
    assert.equal((await fetchAt(url)).status, 200);
    const renewed = await shop.ask('POST', `/published-files/${id}/actions/renew`);
    assert.equal((await fetchAt(renewed.url)).status, 200);
    await resealColumns(world.db, [lost, ...secretsKeys], KEYS_OF_ADDRESSES);
    await shop.ask('DELETE', `/published-files/${id}`);
    await resealColumns(world.db, [...secretsKeys, lost], KEYS_OF_ADDRESSES);
  });
});

/** The typed client and a large file: it is sent in parts, and an upload that was interrupted goes on where it was. */
import assert from 'node:assert/strict';
import { createClient, type ImportProgress, type LongshoreClient } from '@longshore/client';
import { PART_BYTES } from '../../../src/domain/files/file-parts.js';
import type { Shop } from '../../support/http/shop.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const SIZE = 2.5 * PART_BYTES;
const FILE = { fileName: 'large.csv', idempotencyKey: 'large' };

describe('the typed client, with a large file', function () {
  this.timeout(60_000);
  let world: World;
  let shop: Shop;
  let sent: string[];
  /** Whether a request to the upload address is cut, by its range. */
  let isCut: (range: string) => boolean;
  let client: LongshoreClient;

  before(async () => {
    world = await startWorld({ files: 'in a folder' });
  });
  after(() => world.stop());
  beforeEach(async () => {
    shop = await world.newShop();
    sent = [];
    isCut = () => false;
    const send: typeof fetch = async (input, init) => {
      const range = new Headers(init?.headers).get('content-range');
      if (init?.method !== 'PUT' || range === null) return fetch(input, init);
      const asked = range.replace(/^bytes |\/\d+$/g, '');
      sent.push(asked);
      if (isCut(asked)) throw new TypeError('the connection was lost');
      return fetch(input, init);
    };
    client = createClient({ baseUrl: world.api.url, token: shop.token, site: { account: shop.account }, fetch: send });
  });

  const contentOf = (letter: string) => new Blob(['SKU;Title\n', letter.repeat(SIZE - 10)]);
  const range = (part: number) => `${part * PART_BYTES}-${Math.min((part + 1) * PART_BYTES, SIZE) - 1}`;
  const stored = async (fileId: string) => {
    const { storage_key: key } = await world.db('file').where({ id: fileId }).first('storage_key');
    return world.api.services.fileStore.readRange(key, 0, SIZE + 1);
  };
  const bytesOf = async (blob: Blob) => Buffer.from(await blob.arrayBuffer());

  it('goes on by itself after the parts that have arrived', async () => {
    const cuts = new Set([range(1), range(2)]);
    isCut = (asked) => cuts.delete(asked);
    const seen: ImportProgress[] = [];
    const content = contentOf('a');
    const held = await client.hold(content, { ...FILE, onProgress: (progress) => seen.push(progress) });
    assert.deepEqual(sent, [range(0), range(1), '*', range(1), range(2), '*', range(2)]);
    assert.ok((await stored(held.file.id)).equals(await bytesOf(content)));
    const kept = [...new Set(seen.flatMap(({ cut }) => (cut === undefined ? [] : [cut.keptBytes])))];
    assert.deepEqual(kept, [PART_BYTES, 2 * PART_BYTES]);
    const bytes = seen.map(({ uploadedBytes }) => uploadedBytes);
    assert.ok(bytes.slice(1).every((count, at) => count >= (bytes[at] ?? 0) - PART_BYTES));
    assert.equal(bytes.at(-1), SIZE);
  });

  it('gives up when no part arrives any more, and goes on with another call', async () => {
    isCut = (asked) => asked === range(1) || (asked === '*' && sent.length > 2);
    const content = contentOf('b');
    await assert.rejects(client.hold(content, FILE), { code: 'NETWORK' });
    assert.deepEqual(sent, [range(0), range(1), '*', '*', '*', '*']);
    isCut = () => false;
    sent = [];
    const held = await client.hold(content, { ...FILE, resume: true });
    assert.deepEqual(sent, ['*', range(1), range(2)]);
    assert.ok((await stored(held.file.id)).equals(await bytesOf(content)));
  });

  it('begins anew unless it is said that the file is the same', async () => {
    const stop = new AbortController();
    const onProgress = ({ uploadedBytes }: ImportProgress) => uploadedBytes > PART_BYTES && stop.abort();
    await assert.rejects(client.hold(contentOf('c'), { ...FILE, signal: stop.signal, onProgress }));
    const content = contentOf('d');
    sent = [];
    const held = await client.hold(content, FILE);
    assert.deepEqual(sent, [range(0), range(1), range(2)]);
    assert.ok((await stored(held.file.id)).equals(await bytesOf(content)));
  });
});

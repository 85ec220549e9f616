/** Prefixes of buckets in S3: Swift's S3 API on loopback, and a proxy in front of it that fails. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import {
  GetObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import type { RemoteFile, RemoteFolder } from '../../../src/platform/remote/remote-folder.js';
import { openS3Folder } from '../../../src/platform/remote/s3-folder.js';
import { type FaultyS3, openFaultyS3 } from '../../support/faults/faulty-s3.js';
import {
  assertFails,
  bytesOf,
  LOOPBACK_GUARD,
  never,
  PATIENT_MS,
  rebindingGuard,
  STRICT_GUARD,
} from '../../support/http/remote-test.js';
import { skipWithoutS3, type TestS3, testS3 } from '../../support/worlds/test-s3.js';

const LIMITS = { maxBytes: 100_000_000 };
const ALL = { pattern: '*', limit: 1_000 };
const CONTENT = Buffer.alloc(2_000_001, 'sku,title\n');
/** A Swift under load may take that long for one answer. */
const SILENT_MS = 1_500;

describe('a prefix of a bucket in S3', function () {
  this.timeout(30_000);
  let s3: TestS3;
  let faulty: FaultyS3;
  let prefix: string;
  const closers: (() => Promise<void>)[] = [];

  before(async function () {
    skipWithoutS3(this);
    s3 = await testS3();
    faulty = await openFaultyS3(s3.endpoint);
  });
  after(async () => {
    await faulty?.close();
  });
  beforeEach(() => {
    faulty.heal();
    prefix = new URL(s3.newPlace()).pathname.slice(1);
  });
  afterEach(async () => {
    for (const close of closers.splice(0)) await close();
  });

  async function open({
    idleMs = PATIENT_MS,
    guard = LOOPBACK_GUARD,
    secret = s3.credentials.AWS_SECRET_ACCESS_KEY ?? '',
    ...changes
  }: {
    idleMs?: number;
    guard?: typeof LOOPBACK_GUARD;
    secret?: string;
    endpoint?: string | null;
    bucket?: string;
    region?: string;
    accessKeyId?: string;
    prefix?: string;
  } = {}): Promise<RemoteFolder> {
    const accessKeyId = s3.credentials.AWS_ACCESS_KEY_ID ?? '';
    const connection = {
      kind: 's3',
      endpoint: faulty.endpoint,
      region: 'us-east-1',
      bucket: s3.bucket,
      prefix,
      accessKeyId,
      ...changes,
    } as const;
    const { folder } = await openS3Folder(connection, { secret }, { guard, idleMs });
    closers.push(() => folder.close());
    return folder;
  }

  const put = async (
    name: string,
    bytes: Buffer | string = CONTENT,
    headers: { ContentEncoding?: string; ContentType?: string } = {},
  ) => s3.client.send(new PutObjectCommand({ Bucket: s3.bucket, Key: `${prefix}/${name}`, Body: bytes, ...headers }));
  const keys = async () => {
    const { Contents: contents = [] } = await s3.client.send(
      new ListObjectsV2Command({ Bucket: s3.bucket, Prefix: `${prefix}/` }),
    );
    return contents.map(({ Key: key = '' }) => key.slice(prefix.length + 1)).sort();
  };
  const first = async (folder: RemoteFolder): Promise<RemoteFile> => {
    const [file] = (await folder.list(ALL, never())).files;
    if (file === undefined) throw new Error('it lists no file');
    return file;
  };
  const run = async (folder: RemoteFolder) => bytesOf(await folder.read(await first(folder), LIMITS, never()));

  it('lists what lies directly below it and matches, by name, and leaves out names that lead elsewhere', async () => {
    for (const name of ['b c+d.csv', 'a.csv', 'deep/c.csv', 'back\\slash.csv', 'note.txt', '']) await put(name, 'x');
    const { files, more, ...rest } = await (await open()).list({ pattern: '*.csv', limit: 10 }, never());
    assert.deepEqual(
      files.map(({ name, bytes }) => [name, bytes]),
      [
        ['a.csv', 1],
        ['b c+d.csv', 1],
      ],
    );
    assert.equal(more, false);
    assert.deepEqual(rest, { leftOut: 1 });
    const one = await (await open()).list({ pattern: '*.csv', limit: 1 }, never());
    assert.deepEqual([one.files.length, one.more], [1, true]);
  });

  it('lists names by their text, however their letters with accents are written', async () => {
    const names = ['Ü1.csv', 'Ü2.csv', 'Ü3.csv'];
    const written = names.flatMap((name) => [name.normalize('NFC'), `X${name}`, `U${name}`]);
    for (const name of [...written, 'U\u03084.csv', 'U5.csv', 'Z.csv']) await put(name, 'x');
    const folder = await open();
    const found = ['U\u03084.csv', ...names];
    for (const pattern of ['Ü*.csv', 'U\u0308*.csv', '?[1-9].csv', 'Ü4.csv']) {
      const { files, more } = await folder.list({ pattern, limit: 10 }, never());
      const expected = pattern.includes('[') ? [] : pattern === 'Ü4.csv' ? ['U\u03084.csv'] : found;
      assert.deepEqual([files.map(({ name }) => name), more], [expected, false], pattern);
    }
    const first = await folder.list({ pattern: 'Ü*.csv', limit: 2 }, never());
    assert.deepEqual([first.files.map(({ name }) => name), first.more], [found.slice(0, 2), true]);
    const file = first.files[0];
    assert.ok(file !== undefined);
    assert.equal((await bytesOf(await folder.read(file, LIMITS, never()))).toString(), 'x');
  });

  it('is a folder, with or without a slash at its end', async () => {
    await put('a.csv', 'x');
    await s3.client.send(new PutObjectCommand({ Bucket: s3.bucket, Key: `${prefix}-b.csv`, Body: 'x' }));
    for (const written of [prefix, `${prefix}/`]) {
      const { files } = await (await open({ prefix: written })).list({ pattern: '*', limit: 10 }, never());
      assert.deepEqual(
        files.map(({ name }) => name),
        ['a.csv'],
      );
    }
  });

  it('reads an object, and an empty one', async () => {
    await put('a.csv');
    assert.ok((await run(await open())).equals(CONTENT));
    await put('a.csv', '');
    assert.equal((await run(await open())).length, 0);
  });

  it('reads no object that is too large or was replaced since it was listed', async () => {
    await put('a.csv');
    const folder = await open();
    const file = await first(folder);
    await assertFails(folder.read(file, { maxBytes: 1_000 }, never()), 'TOO_LARGE');
    await put('a.csv', 'another');
    await assertFails(folder.read(file, LIMITS, never()), 'CHANGED_WHILE_READ');
  });

  it('moves an object, replaces none, and neither moves nor removes one that was replaced', async () => {
    const folder = await open();
    for (const content of ['first', 'second']) {
      await put('a.csv', content);
      await folder.move('a.csv', 'done', never());
    }
    assert.equal((await keys()).length, 2);
    const moved = await s3.client.send(new GetObjectCommand({ Bucket: s3.bucket, Key: `${prefix}/done/a.csv` }));
    assert.equal(await moved.Body?.transformToString(), 'first');
    await put('b.csv', 'read');
    await first(folder);
    await put('b.csv', 'not read');
    await assertFails(folder.remove('b.csv', never()), 'CHANGED_WHILE_READ');
    await assertFails(folder.move('b.csv', 'done', never()), 'CHANGED_WHILE_READ');
    await first(folder);
    await folder.remove('b.csv', never());
    await folder.remove('b.csv', never());
    assert.equal((await keys()).length, 2);
    await assertFails(folder.move('b.csv', 'done', never()), 'NOT_FOUND');
  });

  it('writes small and large objects, and nothing when the source fails', async () => {
    const folder = await open();
    const large = Buffer.alloc(17_000_000, 'large');
    for (const bytes of [Buffer.from('small'), large, Buffer.alloc(0)]) {
      await folder.write('out.csv', Readable.from(bytes.length === 0 ? [] : [bytes]), never());
      const read = await s3.client.send(new GetObjectCommand({ Bucket: s3.bucket, Key: `${prefix}/out.csv` }));
      assert.ok(Buffer.from((await read.Body?.transformToByteArray()) ?? []).equals(bytes));
    }
    async function* failing() {
      yield large;
      throw new Error('the source has failed');
    }
    await assert.rejects(folder.write('half.csv', Readable.from(failing()), never()), /the source has failed/);
    assert.deepEqual(await keys(), ['out.csv']);
    const { Uploads: uploads = [] } = await s3.client.send(
      new ListMultipartUploadsCommand({ Bucket: s3.bucket, Prefix: prefix }),
    );
    assert.deepEqual(uploads, []);
  });

  it('refuses names that lead out of it', async () => {
    const folder = await open();
    for (const name of ['../a', 'a/b', '..', '', 'a\n']) {
      await assertFails(folder.read({ name, bytes: 1, modifiedAt: null, version: '' }, LIMITS, never()), 'NOT_ALLOWED');
      await assertFails(folder.remove(name, never()), 'NOT_ALLOWED');
    }
    await put('a.csv');
    await assertFails(folder.move('a.csv', '../x', never()), 'NOT_ALLOWED');
  });

  it('says what is wrong with the login, the bucket and the address', async () => {
    const list = async (changes: Parameters<typeof open>[0]) => (await open(changes)).list(ALL, never());
    await assertFails(list({ secret: 'wrong' }), 'REFUSED_LOGIN');
    await assertFails(list({ bucket: 'no-such-bucket' }), 'NOT_FOUND');
    for (const bucket of ['a/b', 'x@127.0.0.1', 'UPPER', 'a']) await assertFails(list({ bucket }), 'NOT_ALLOWED');
    await assertFails(list({ region: 'x.evil.example/' }), 'NOT_ALLOWED');
    for (const endpoint of [
      'ftp://x',
      'https://a:b@shop.example',
      'https://shop.example/path',
      'http://shop.example:25',
      'x',
    ]) {
      await assertFails(list({ endpoint }), 'NOT_ALLOWED');
    }
    await assertFails(list({ secret: '' }), 'REFUSED_LOGIN', /no secret key/);
    await assertFails(list({ endpoint: 'http://127.0.0.1:1' }), 'UNREACHABLE');
  });

  for (const endpoint of [
    'http://127.0.0.1:9',
    'http://localhost:9',
    'https://inside.example',
    'https://169.254.169.254',
  ]) {
    it(`does not connect to ${endpoint}, which is inside`, async () => {
      const folder = open({ endpoint, guard: STRICT_GUARD });
      await assertFails(
        folder.then((opened) => opened.list(ALL, never())),
        'NOT_ALLOWED',
      );
    });
  }

  it('is not connected to by a name that leads to another address the second time', async () => {
    const endpoint = faulty.endpoint.replace('127.0.0.1', 'rebinding.example');
    const { guard, lookups } = rebindingGuard(['127.0.0.1']);
    const first = await open({ endpoint, guard });
    assert.deepEqual((await first.list(ALL, never())).files, []);
    const second = await open({ endpoint, guard });
    await assertFails(second.list(ALL, never()), 'NOT_ALLOWED', /127\.0\.0\.2/);
    assert.equal(lookups(), 2);
  });

  it('is read on where it was when an answer was cut off', async () => {
    await put('a.csv');
    const folder = await open();
    const file = await first(folder);
    faulty.fail('GET', 'truncation', 2);
    assert.ok((await bytesOf(await folder.read(file, LIMITS, never()))).equals(CONTENT));
    assert.equal(faulty.failed(), 2);
  });

  it('is left when answers are cut off again and again, and the next run is fine', async () => {
    // Of a single byte, half is nothing: no try gets any further.
    await put('a.csv', 'x');
    const folder = await open();
    const file = await first(folder);
    faulty.fail('GET', 'truncation');
    const failure = await folder
      .read(file, LIMITS, never())
      .then(bytesOf)
      .catch((error: unknown) => error);
    assert.match(String(failure), /RemoteFailure/);
    faulty.heal();
    assert.equal((await run(folder)).toString(), 'x');
  });

  it('is waited for no longer than the limit, at each request', async () => {
    await put('a.csv', 'x');
    const patient = await open();
    const file = await first(patient);
    const folder = await open({ idleMs: SILENT_MS });
    faulty.failAll('silence');
    await assertFails(folder.list(ALL, never()), 'TIMED_OUT', /listing/);
    await assertFails(folder.read(file, LIMITS, never()), 'TIMED_OUT', /reading a\.csv/);
    await assertFails(folder.remove('a.csv', never()), 'TIMED_OUT');
    await assertFails(folder.write('b.csv', Readable.from([Buffer.from('x')]), never()), 'TIMED_OUT');
    faulty.heal();
    assert.deepEqual(await keys(), ['a.csv']);
  });

  it('is waited for no longer than a whole call when it puts a large file together', async () => {
    const xml = (name: string) => `<${name}><UploadId>u</UploadId></${name}>`;
    const asked: string[] = [];
    const silent = createServer((request, response) => {
      const { method, url = '' } = request;
      asked.push(`${method} ${new URL(url, 'http://s3').searchParams.has('partNumber') ? 'part' : ''}`.trim());
      request.resume().once('end', () => {
        if (method === 'POST' && url.includes('uploadId=')) return;
        response.writeHead(method === 'DELETE' ? 204 : 200, { etag: '"part"', 'content-type': 'application/xml' });
        response.end(method === 'POST' ? xml('InitiateMultipartUploadResult') : '');
      });
    });
    silent.listen(0, '127.0.0.1');
    await once(silent, 'listening');
    closers.push(async () => {
      silent.close();
      silent.closeAllConnections();
    });
    const { port } = silent.address() as { port: number };
    const folder = await open({ endpoint: `http://127.0.0.1:${port}`, idleMs: 800 });
    const large = Readable.from([Buffer.alloc(9_000_000), Buffer.alloc(1)]);
    await assertFails(folder.write('b.csv', large, never()), 'TIMED_OUT', /within 8 s: completing/);
    assert.deepEqual(asked, ['POST', 'PUT part', 'PUT part', 'POST', 'DELETE']);
  });

  it('that is overloaded is said to be so, and may be asked again', async () => {
    faulty.fail('GET', 'error');
    const failure = await assertFails((await open()).list(ALL, never()), 'UNREACHABLE', /500/);
    assert.equal(failure.isTransient, true);
  });

  it('is unpacked when it was stored packed by gzip, and refused when it is a page', async () => {
    const { gzipSync } = await import('node:zlib');
    await put('a.csv', gzipSync(CONTENT), { ContentEncoding: 'gzip' });
    assert.ok((await run(await open())).equals(CONTENT));
    await put('a.csv', '<!doctype html><p>Error', { ContentType: 'text/html' });
    await assertFails(run(await open()), 'NOT_A_FILE');
  });

  it('whose listing does not end is left', async () => {
    let pages = 0;
    const endless = createServer((_, response) => {
      pages += 1;
      const objects = Array.from(
        { length: 1_000 },
        (__, index) => `<Contents><Key>${prefix}/x-${pages}-${index}.txt</Key><Size>1</Size></Contents>`,
      );
      response.writeHead(200, { 'content-type': 'application/xml' });
      response.end(
        `<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>t${pages}</NextContinuationToken>${objects.join('')}</ListBucketResult>`,
      );
    });
    endless.listen(0, '127.0.0.1');
    await once(endless, 'listening');
    closers.push(async () => void endless.close());
    const { port } = endless.address() as { port: number };
    const folder = await open({ endpoint: `http://127.0.0.1:${port}` });
    await assertFails(folder.list({ pattern: '*.csv', limit: 10 }, never()), 'TOO_LARGE', /does not end/);
    await folder.close();
    assert.ok(pages <= 102);
  });

  it('that is no store at all is said to be none', async () => {
    const web = createServer((_, response) => void response.end('<!doctype html><p>Hello'));
    web.listen(0, '127.0.0.1');
    await once(web, 'listening');
    closers.push(async () => void web.close());
    const { port } = web.address() as { port: number };
    const folder = await open({ endpoint: `http://127.0.0.1:${port}` });
    await assert.rejects(folder.list(ALL, never()), /RemoteFailure/);
  });
});

/** A server that sends a file in drips: it is given up, so that it does not hold a place for hours. */
import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { sendOutput } from '../../../src/domain/feeds/send-output.js';
import { storeFile } from '../../../src/domain/feeds/take-file.js';
import { createLocalFileStore } from '../../../src/platform/local-file-store.js';
import { openHttpsFile } from '../../../src/platform/remote/https-file.js';
import { openHttpsTarget } from '../../../src/platform/remote/https-target.js';
import { RemoteFailure } from '../../../src/platform/remote/remote-folder.js';
import { AUTHORITY } from '../../support/faults/certificates.js';
import { fileAnswer, type HttpsServer, startHttps } from '../../support/http/https-server.js';
import { LOOPBACK_GUARD } from '../../support/http/remote-test.js';

const IDLE_MS = 30_000;
const PIECE = Buffer.alloc(1_000, 'x');
const PIECES = 100;
const EVERY_MS = 25;

describe('a server that sends 40 KB in a second', function () {
  this.timeout(30_000);
  let server: HttpsServer;
  let directory: string;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'longshore-slow-'));
    server = await startHttps((request, response) => {
      response.writeHead(200, { etag: '"one"', 'content-length': PIECE.length * PIECES });
      if (request.method === 'HEAD') {
        response.end();
        return;
      }
      let sent = 0;
      const timer = setInterval(() => (++sent < PIECES ? response.write(PIECE) : response.end(PIECE)), EVERY_MS);
      response.on('close', () => clearInterval(timer));
    });
  });
  after(async () => {
    await server.close();
    await rm(directory, { recursive: true, force: true });
  });

  async function store(leastBytesPerSecond: number): Promise<number> {
    const signal = AbortSignal.timeout(IDLE_MS);
    const options = { guard: LOOPBACK_GUARD, idleMs: IDLE_MS, authorities: AUTHORITY };
    const url = `${server.origin}/items.csv`;
    const { folder } = await openHttpsFile({ kind: 'https', url }, { secret: null }, options);
    try {
      const { files } = await folder.list({ pattern: '*', limit: 1 }, signal);
      const [file] = files;
      assert.ok(file !== undefined);
      const limits = { maxBytes: 1_000_000, idleMs: IDLE_MS, pace: { leastBytesPerSecond, windowMs: 500 } };
      return (await storeFile(createLocalFileStore(directory), folder, file, limits, signal)).bytes;
    } finally {
      await folder.close();
    }
  }

  it('is given up where more is expected, and nothing of the file is kept', async () => {
    await assert.rejects(store(1_000_000), (error: unknown) => {
      assert.ok(error instanceof RemoteFailure);
      assert.deepEqual([error.code, error.isTransient], ['TOO_SLOW', true]);
      assert.match(
        error.message,
        /sends items.csv at \d+\.\d KB in a second, .*at least 1000.0 are expected.*FEED_LEAST_KB/,
      );
      return true;
    });
    const left = await readdir(directory, { recursive: true, withFileTypes: true });
    assert.deepEqual(
      left.filter((entry) => entry.isFile()),
      [],
    );
  });

  it('is waited for where less is expected, or nothing', async () => {
    for (const least of [1_000, 0]) assert.equal(await store(least), PIECE.length * PIECES);
  });
});

describe('a server that falls silent in the middle of a file', function () {
  this.timeout(120_000);
  /** The first byte of each answer has to come within it as well, also where the machine has much else to do. */
  const SILENT_MS = 3_000;
  const CONTENT = Buffer.alloc(200_000, 'sku,title\n');
  /** What it has sent before. */
  const SENT = 50_000;
  let server: HttpsServer;
  let directory: string;
  /** How many answers stop in their middle. */
  let silences: number;
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'longshore-silent-'));
    const good = fileAnswer(() => ({ bytes: CONTENT }));
    server = await startHttps((request, response) => {
      if (request.method !== 'GET' || silences-- <= 0) {
        good(request, response);
        return;
      }
      const from = Number(/\d+/.exec(request.headers.range ?? '')?.[0] ?? 0);
      const headers = { etag: `"${CONTENT.length}-${CONTENT[0]}"`, 'content-length': CONTENT.length - from };
      if (from === 0) response.writeHead(200, headers);
      else {
        const range = `bytes ${from}-${CONTENT.length - 1}/${CONTENT.length}`;
        response.writeHead(206, { ...headers, 'content-range': range });
      }
      if (from === 0) response.write(CONTENT.subarray(0, SENT));
      else response.flushHeaders();
    });
  });
  after(async () => {
    await server.close();
    await rm(directory, { recursive: true, force: true });
  });
  beforeEach(() => {
    server.requests.length = 0;
  });

  async function stored(): Promise<Buffer> {
    const signal = AbortSignal.timeout(110_000);
    const options = { guard: LOOPBACK_GUARD, idleMs: SILENT_MS, authorities: AUTHORITY };
    const url = `${server.origin}/items.csv`;
    const { folder } = await openHttpsFile({ kind: 'https', url }, { secret: null }, options);
    const fileStore = createLocalFileStore(directory);
    try {
      const [file] = (await folder.list({ pattern: '*', limit: 1 }, signal)).files;
      assert.ok(file !== undefined);
      const pace = { leastBytesPerSecond: 0, windowMs: 60_000 };
      const { key } = await storeFile(fileStore, folder, file, { maxBytes: 1e6, idleMs: SILENT_MS, pace }, signal);
      return await buffer(await fileStore.read(key));
    } finally {
      await folder.close();
    }
  }
  /** All of the file was asked for once, and then so often what comes behind the bytes that were read by then. */
  function areForTheRest(times: number): void {
    const asked = server.requests.filter(({ method }) => method === 'GET').map(({ headers }) => headers.range ?? 'all');
    const [first, ...others] = asked;
    assert.deepEqual([first, others.length], ['all', times], asked.join());
    for (const range of others) {
      const from = Number(/^bytes=(\d+)-$/.exec(range)?.[1]);
      assert.ok(from > 0 && from <= SENT, range);
    }
  }

  it('is asked for the rest', async () => {
    silences = 1;
    assert.ok((await stored()).equals(CONTENT));
    areForTheRest(1);
  });

  it('is left when it stays silent, after it was asked for the rest three times', async () => {
    silences = Number.POSITIVE_INFINITY;
    await assert.rejects(stored(), (error: unknown) => {
      assert.ok(error instanceof RemoteFailure);
      assert.deepEqual([error.code, error.isTransient], ['TIMED_OUT', true]);
      assert.match(error.message, /did not answer within 3 s: the next bytes of items.csv/);
      return true;
    });
    areForTheRest(3);
  });
});

describe('a server that takes 20 MB in a second', function () {
  this.timeout(30_000);
  const KEY = 'exports/large.csv';
  const MEBIBYTE = 1024 * 1024;
  /** More than the buffers of a connection hold. */
  const MEBIBYTES = 24;
  let server: HttpsServer;
  let directory: string;
  /** The sizes of the files that have arrived as a whole. */
  let taken: number[];
  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'longshore-slow-'));
    const file = await createLocalFileStore(directory).create(KEY);
    await pipeline(Readable.from(Array.from({ length: MEBIBYTES }, () => Buffer.alloc(MEBIBYTE, 'x'))), file.stream);
    await file.commit();
    server = await startHttps((request, response) => {
      let rest = 0;
      let bytes = 0;
      request.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        rest += chunk.length;
        if (rest < MEBIBYTE) return;
        rest = 0;
        request.pause();
        setTimeout(() => request.resume(), 50);
      });
      request.on('end', () => {
        taken.push(bytes);
        response.writeHead(201).end();
      });
    });
  });
  after(async () => {
    await server.close();
    await rm(directory, { recursive: true, force: true });
  });
  beforeEach(() => {
    taken = [];
  });

  async function send(leastBytesPerSecond: number): Promise<boolean> {
    const options = { guard: LOOPBACK_GUARD, idleMs: IDLE_MS, authorities: AUTHORITY };
    const url = `${server.origin}/large.csv`;
    const { folder } = await openHttpsTarget({ kind: 'https', url }, { secret: null }, options);
    const fileStore = createLocalFileStore(directory);
    const environment = { pace: { leastBytesPerSecond, windowMs: 200 } };
    try {
      const output = { key: KEY, name: 'large.csv' };
      return await sendOutput({ fileStore, environment }, folder, output, [], AbortSignal.timeout(IDLE_MS));
    } finally {
      await folder.close();
    }
  }

  it('is given up where more is expected', async () => {
    await assert.rejects(send(1_000_000_000), (error: unknown) => {
      assert.ok(error instanceof RemoteFailure, String(error));
      assert.deepEqual([error.code, error.isTransient], ['TOO_SLOW', true]);
      assert.match(error.message, /takes large.csv at \d+\.\d KB in a second, .*FEED_LEAST_KB/);
      return true;
    });
    assert.deepEqual(taken, []);
  });

  it('is waited for where less is expected, or nothing', async () => {
    for (const least of [1_000, 0]) assert.equal(await send(least), true);
    assert.deepEqual(taken, [MEBIBYTES * MEBIBYTE, MEBIBYTES * MEBIBYTE]);
  });
});

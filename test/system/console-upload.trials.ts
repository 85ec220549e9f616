/** Uploads in the console over a line that stalls and is cut, of files of any size. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createToken } from '../../src/domain/access/tokens.js';
import { PART_BYTES } from '../../src/domain/files/file-parts.js';
import { type Proxy as OpenProxy, openProxy } from '../support/faults/proxy.js';
import type { Shop } from '../support/http/shop.js';
import { until } from '../support/until.js';
import { ConsolePerson } from '../support/worlds/console-person.js';
import { tabMemory } from '../support/worlds/tab-memory.js';
import { startTestBrowser, type TestBrowser } from '../support/worlds/test-browser.js';
import { startWorld, type World } from '../support/worlds/world.js';

const MIB = 2 ** 20;
const MOST_BYTES = 300_000_000;
/** What the browser may hold besides its sockets: it counts as sent, and has not left it. */
const IN_BROWSER = 2 * MIB;

export interface UploadWorld {
  readonly world: World;
  readonly shop: Shop;
  readonly line: Line;
  readonly person: ConsolePerson;
  /** A file of so many bytes, which needs no room. */
  readonly path: string;
  readonly bytes: number;
  stop(): Promise<void>;
}

interface Line {
  readonly proxy: OpenProxy;
  /** After how many bytes of a connection the line stalls. */
  readonly stallsAfter: number;
  /** Nothing passes any more. */
  readonly hasStalled: boolean;
  isAway: boolean;
  /** From now on: what a connection that is kept open has carried before does not count. */
  stallAfter(bytes: number): void;
}

/** No workers: what is in the file is not the subject. */
export async function openUploadWorld(bytes: number): Promise<UploadWorld> {
  const world = await startWorld({ files: 'in a folder' });
  const shop = await world.newShop();
  const line = await openLine(world.api.url);
  const browser: TestBrowser = await startTestBrowser(line.proxy.url);
  const { token } = await createToken(world.db, { accountId: shop.account, name: 'Kim' });
  const person = await ConsolePerson.open(browser, '/console/production/imports/new');
  person.page.setDefaultTimeout(60_000);
  await person.logIn(token);
  const path = join(tmpdir(), `longshore-upload-${process.pid}-${bytes}.csv`);
  await writeSparse(path, bytes);
  const stop = async () => {
    await rm(path, { force: true });
    await browser.stop();
    await line.proxy.close();
    await world.stop();
  };
  return { world, shop, line, person, path, bytes, stop };
}

async function openLine(url: string): Promise<Line> {
  const state = { stallsAfter: Number.POSITIVE_INFINITY, hasStalled: false, isAway: false, times: 0 };
  const proxy = await openProxy(url, {
    accepts: () => !state.isAway,
    relay: (client, server) => {
      let passed = 0;
      let { times } = state;
      client.on('data', (packet: Buffer) => {
        if (times !== state.times) passed = 0;
        times = state.times;
        passed += packet.length;
        if (!server.write(packet)) client.pause();
        if (passed <= state.stallsAfter) return;
        client.pause();
        state.hasStalled = true;
      });
      server.on('drain', () => passed <= state.stallsAfter && client.resume());
      server.pipe(client);
    },
  });
  const stallAfter = (bytes: number) => {
    state.stallsAfter = bytes;
    state.hasStalled = false;
    state.times += 1;
  };
  return Object.assign(state, { proxy, stallAfter });
}

async function writeSparse(path: string, bytes: number): Promise<void> {
  const file = await open(path, 'w');
  await file.write('SKU;Title\n');
  await file.truncate(bytes);
  await file.close();
}

async function choose({ person, path }: UploadWorld): Promise<void> {
  await person.page.goto('/console/production/imports/new');
  await person.page.locator('input[type=file]').setInputFiles(path);
}

/** Uploads the file until the line stalls, at this share of it. */
async function stall(upload: UploadWorld, share: number): Promise<void> {
  upload.line.stallAfter(upload.bytes * share);
  await choose(upload);
  await seeStalled(upload);
}

/** What is shown is what was sent: no less, and no more than fits between. @param kept what had arrived before */
async function seeStalled({ person, line, bytes }: UploadWorld, kept = 0): Promise<void> {
  const isTrue = async () => {
    if (!line.hasStalled) return false;
    const sent = (bytes * (await person.page.evaluate<number>(SHOWN))) / 100;
    const carried = kept + line.stallsAfter;
    return sent >= carried - bytes / 50 && sent <= carried + heldBySockets(line.proxy.url) + IN_BROWSER;
  };
  await until('the progress that is shown is that of the line that has stalled', isTrue, 120_000);
}

/**
 * The bytes that have left a client of the line and were not read there: how many sockets may hold is the system's choice, which
 * may be more than 16 MiB. Of the table of Linux: the queues to send of one end, and of what was received at the other.
 */
function heldBySockets(url: string): number {
  const port = Number(new URL(url).port).toString(16).toUpperCase().padStart(4, '0');
  const sockets = readFileSync('/proc/net/tcp', 'utf8').trimEnd().split('\n').slice(1);
  return sockets
    .map((socket) => socket.trim().split(/\s+/))
    .reduce((held, [, local = '', remote = '', , queues = '']) => {
      const [toSend = '', received = ''] = queues.split(':');
      if (remote.endsWith(`:${port}`)) return held + Number.parseInt(toSend, 16);
      return local.endsWith(`:${port}`) ? held + Number.parseInt(received, 16) : held;
    }, 0);
}

/** A browser itself sends once more what was cut on a connection that it has used before. */
async function cutUntil({ person, line }: UploadWorld, text: RegExp): Promise<void> {
  const isSeen = async () => {
    line.proxy.cut();
    return (await person.page.getByText(text).count()) > 0;
  };
  await until(`${text} is shown`, isSeen, 20_000);
}

const SHOWN = `Number(document.querySelector('main [role=progressbar]')?.getAttribute('aria-valuenow') ?? -1)`;

async function jobStates({ world }: UploadWorld): Promise<string[]> {
  // The page that follows has the file inspected, which is a job as well.
  const imports = world.db('job').whereNot({ kind: 'inspection' });
  return (await imports.select('status').orderBy('created_at')).map(({ status }) => status);
}

/** The bytes of the newest file that are kept: all parts that have arrived completely. */
async function keptParts({ world, bytes }: UploadWorld, share: number): Promise<number> {
  let kept = 0;
  const { id } = await world.db('file').orderBy('created_at', 'desc').first('id');
  const areKept = async () => {
    const [sum] = await world.db('file_part').where({ file_id: id }).sum({ bytes: 'bytes' });
    kept = Number(sum?.bytes ?? 0);
    return kept > bytes * share - PART_BYTES;
  };
  await until('all parts that have passed the line are kept', areKept, 60_000);
  return kept;
}

async function arrives({ person, bytes, world }: UploadWorld): Promise<void> {
  await person.page.waitForURL(/\/imports\/new\/\w+$/, { timeout: 90_000 });
  const { id, ...file } = await world.db('file').orderBy('created_at', 'desc').first('id', 'status', 'bytes');
  assert.deepEqual({ ...file, bytes: Number(file.bytes) }, { status: 'UPLOADED', bytes });
  assert.deepEqual(await world.db('file_part').where({ file_id: id }), []);
}

/** A line that is cut: it says so, goes on by itself where it was, and the file has arrived. */
export async function goesOnByItself(upload: UploadWorld): Promise<void> {
  const { page } = upload.person;
  await stall(upload, 0.6);
  const kept = await keptParts(upload, 0.6);
  upload.line.stallAfter(upload.bytes * 0.1);
  await cutUntil(upload, /^The upload was cut at /);
  await page.getByText('The connection was lost.').waitFor();
  await page.getByText(/^What has arrived is kept: it goes on by itself after \d/).waitFor();
  await seeStalled(upload, kept);
  upload.line.stallAfter(Number.POSITIVE_INFINITY);
  upload.line.proxy.cut();
  await arrives(upload);
  // The next page is there: whoever leaves it earlier is brought back to it.
  await page.locator('.upload').waitFor({ state: 'detached' });
  assert.equal((await jobStates(upload)).at(-1), 'AWAITING_PROFILE');
  assert.deepEqual(upload.person.wrong, []);
}

/** An upload that is stopped: nothing of it is left, and the tab has never held the file. */
export async function stops(upload: UploadWorld): Promise<void> {
  await stall(upload, 0.5);
  const used = await tabMemory(upload.person.page);
  process.stdout.write(`      the tab needs ${Math.round(used / 1e6)} MB\n`);
  assert.ok(used < MOST_BYTES, `the tab needs ${used} bytes`);
  await upload.person.button('Stop').click();
  await upload.person.page.getByText('Drop your file here').waitFor();
  assert.equal(await upload.person.page.getByRole('alert').count(), 0);
  await until('the job is cancelled', async () => (await jobStates(upload)).at(-1) === 'CANCELLED', 20_000);
}

/** A line that stays cut: it says so, and one button goes on with the same file where it was. */
export async function goesOnWithOneButton(upload: UploadWorld): Promise<void> {
  const { page } = upload.person;
  await stall(upload, 0.6);
  const kept = await keptParts(upload, 0.6);
  upload.line.isAway = true;
  upload.line.proxy.cut();
  await page.getByText('Longshore does not answer').waitFor();
  await page.getByText(/ are kept for a day\. “Try again” goes on from there/).waitFor();
  upload.line.isAway = false;
  upload.line.stallAfter(upload.bytes * 0.1);
  await upload.person.button('Try again').click();
  await seeStalled(upload, kept);
  upload.line.stallAfter(Number.POSITIVE_INFINITY);
  upload.line.proxy.cut();
  await arrives(upload);
  assert.equal((await jobStates(upload)).at(-1), 'AWAITING_PROFILE');
}

/** A file that was changed while it was uploaded: it is not a matter of the line, and it is said. */
export async function saysThatTheFileHasChanged(upload: UploadWorld): Promise<void> {
  await stall(upload, 0.3);
  await writeFile(upload.path, 'SKU;Title\nA-1;another\n');
  await cutUntil(upload, /has changed or was moved since it was chosen/);
  await upload.person.page.getByText('Drop your file here').waitFor();
}

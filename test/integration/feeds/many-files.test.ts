/** Folders with more files than a run takes at once. */
import assert from 'node:assert/strict';
import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pastOf } from '../../../src/domain/feeds/known-files.js';
import { lookAt, MOST_FILES } from '../../../src/domain/feeds/look.js';
import type { SourceRow } from '../../../src/domain/feeds/model/feed.js';
import { openLocalFolder } from '../../../src/platform/remote/local-folder.js';
import { openSftpFolder } from '../../../src/platform/remote/sftp-folder.js';
import { LOOPBACK_GUARD, never, PATIENT_MS } from '../../support/http/remote-test.js';
import { type FeedFolder, makeFeedFolder, type ShopFolder } from '../../support/worlds/feed-folder.js';
import { skipWithoutSshd, startTestSshd } from '../../support/worlds/test-sshd.js';
import { startWorld, type World } from '../../support/worlds/world.js';

const PICK = { pattern: '*', take: 'all', doneMarker: null, settleSeconds: 0 } as const;

describe('a folder with more than 10,000 files', function () {
  this.timeout(120_000);
  let folders: FeedFolder;
  let world: World;
  let folder: ShopFolder;
  let feedId: string;
  before(async () => {
    folders = await makeFeedFolder();
    world = await startWorld({ files: 'in a folder', environment: { FEED_FOLDERS: folders.allowed } });
    await world.startWorkers({}, ['bulk', 'export']);
    const shop = await world.newShop();
    await shop.define({ attributes: ['Title'], categories: { Shelf: ['Title!'] }, mapping: { title: 'Title' } });
    folder = await folders.of(shop);
    feedId = (await folder.make({ pick: { settleSeconds: 0 } })).id;
    const names = Array.from({ length: MOST_FILES + 1 }, (_, index) => `a${String(index).padStart(5, '0')}.csv`);
    for (let from = 0; from < names.length; from += 500) {
      await Promise.all(names.slice(from, from + 500).map((name) => writeFile(join(folder.path, name), name)));
    }
  });
  after(async () => {
    await world.stop();
    await folders.remove();
  });

  const open = async (path: string) => (await openLocalFolder({ kind: 'folder', path }, [path])).folder;
  const row = (): Promise<SourceRow> => world.db('feed').where({ id: feedId }).first();
  const look = async (pick: Parameters<typeof lookAt>[1]) =>
    lookAt(await open(folder.path), pick, pastOf(world.db, await row()), never(), false);
  const noteAll = async () => {
    const { ready } = await look(PICK);
    for (let from = 0; from < ready.length; from += 1_000) {
      const rows = ready.slice(from, from + 1_000).map(({ name, version, bytes }) => ({
        ...{ feed_id: feedId, name, version, bytes, checksum: '0'.repeat(64), job_id: 'none', run_id: 'none' },
        taken_at: world.db.fn.now(),
      }));
      await world.db('feed_file').insert(rows);
    }
  };

  it('has the newest of all taken, wherever its name stands', async () => {
    await folder.putItem('NEWEST', 'z.csv');
    const later = new Date(Date.now() + 60_000);
    await utimes(join(folder.path, 'z.csv'), later, later);
    const { seen, ready, more } = await look({ ...PICK, take: 'newest' });
    assert.deepEqual([seen, ready.map(({ name }) => name), more], [MOST_FILES + 2, ['z.csv'], false]);
  });

  it('says that there are more new ones, and has those taken that come behind any number of known ones', async () => {
    const first = await look(PICK);
    assert.deepEqual([first.ready.length, first.more, first.known], [MOST_FILES, true, 0]);
    await noteAll();
    const second = await look(PICK);
    assert.deepEqual(
      [second.known, second.more, second.ready.filter((file) => !second.isKnown(file)).map(({ name }) => name)],
      [MOST_FILES, false, ['a10000.csv', 'z.csv']],
    );
    const run = await folder.run(feedId);
    assert.match(run.statusMessage, /^2 new files taken; 10002 files seen; 10000 taken before/);
    const marked = await look({ ...PICK, pattern: 'a*', doneMarker: '.done' });
    assert.deepEqual([marked.known, marked.waiting], [MOST_FILES + 1, []]);
  });

  it('on a server by SFTP is looked at as well', async function () {
    skipWithoutSshd(this);
    const sshd = await startTestSshd();
    try {
      const path = join(sshd.newFolder(), 'many');
      await mkdir(path);
      for (let from = 0; from <= MOST_FILES; from += 500) {
        await Promise.all(Array.from({ length: 500 }, (_, index) => writeFile(join(path, `${from + index}.csv`), 'x')));
      }
      const connection = {
        kind: 'sftp',
        host: '127.0.0.1',
        port: sshd.port,
        user: sshd.user,
        path,
        hostKey: null,
      } as const;
      const options = { guard: LOOPBACK_GUARD, idleMs: PATIENT_MS };
      const { folder: remote } = await openSftpFolder(connection, { secret: sshd.key }, options, never());
      const isKnown = ({ name }: { name: string }) => name !== '9999.csv';
      const { known, ready, more } = await lookAt(
        remote,
        PICK,
        { knownAmong: async () => isKnown, newestAt: null },
        never(),
        false,
      );
      const unknown = ready.filter(({ name }) => !isKnown({ name }));
      assert.deepEqual([known, unknown.map(({ name }) => name), more], [MOST_FILES + 499, ['9999.csv'], false]);
      await remote.close();
    } finally {
      await sshd.stop();
    }
  });
});

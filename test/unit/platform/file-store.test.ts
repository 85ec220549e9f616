import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLocalFileStore } from '../../../src/platform/local-file-store.js';

describe('the files of the store', () => {
  let folder: string;
  let before: number;
  // The widest rights that a process can give shows that the store itself restricts them.
  beforeEach(async () => {
    before = process.umask(0);
    folder = await mkdtemp(join(tmpdir(), 'longshore-store-'));
  });
  afterEach(async () => {
    process.umask(before);
    await rm(folder, { recursive: true, force: true });
  });

  const rights = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

  it('and their folders are for the user of the service alone, while they are written and afterwards', async () => {
    const root = join(folder, 'files');
    const pending = await createLocalFileStore(root).create('site/one/upload.csv');
    const [unfinished = ''] = await readdir(join(root, 'site', 'one'));
    assert.equal(await rights(join(root, 'site', 'one', unfinished)), '600');
    pending.stream.end('SKU\n');
    await once(pending.stream, 'close');
    await pending.commit();
    assert.equal(await rights(join(root, 'site', 'one', 'upload.csv')), '600');
    for (const path of ['', 'site', 'site/one']) assert.equal(await rights(join(root, path)), '700', path);
  });

  it('are hidden from other users where an earlier release has made the folder', async () => {
    const root = join(folder, 'files');
    await mkdir(root);
    await chmod(root, 0o755);
    await createLocalFileStore(root).ping();
    assert.equal(await rights(root), '750');
  });

  it('leave the rights of the folder above alone', async () => {
    await chmod(folder, 0o755);
    await createLocalFileStore(join(folder, 'files')).ping();
    assert.equal(await rights(folder), '755');
  });
});

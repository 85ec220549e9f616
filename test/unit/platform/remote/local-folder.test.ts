import assert from 'node:assert/strict';
import {
  appendFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { isAllowedFolder, openLocalFolder } from '../../../../src/platform/remote/local-folder.js';
import { isSafeFolder, isSafeName, matcherOf } from '../../../../src/platform/remote/names.js';
import { RemoteFailure, type RemoteFile, type RemoteFolder } from '../../../../src/platform/remote/remote-folder.js';

const { signal } = new AbortController();
const LARGE = { maxBytes: 1_000_000 };

describe('a folder of this machine', () => {
  let root: string;
  let folder: RemoteFolder;
  beforeEach(async () => {
    root = await realpath(await mkdtemp(join(tmpdir(), 'longshore-feed-')));
    await mkdir(join(root, 'shop'));
    await mkdir(join(root, 'other'));
    folder = (await openLocalFolder({ kind: 'folder', path: join(root, 'shop') }, [join(root, 'shop')])).folder;
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  const put = (name: string, content = 'x') => writeFile(join(root, 'shop', name), content);
  const list = async (pattern = '*', limit = 100) => folder.list({ pattern, limit }, signal);
  const names = async (pattern = '*') => (await list(pattern)).files.map(({ name }) => name);
  const only = async (pattern = '*') => {
    const [file] = (await list(pattern)).files;
    assert.ok(file !== undefined);
    return file;
  };
  const read = async (file: RemoteFile, limits = LARGE) =>
    (await buffer(await folder.read(file, limits, signal))).toString();
  const failsWith = (code: string, message: RegExp) => (error: unknown) =>
    error instanceof RemoteFailure && error.code === code && message.test(error.message);

  it('lists the files that match by name, and says whether there are more', async () => {
    for (const name of ['b.csv', 'a.csv', 'c.txt', '.hidden.csv']) await put(name);
    await mkdir(join(root, 'shop', 'folder.csv'));
    assert.deepEqual(await names('*.csv'), ['a.csv', 'b.csv']);
    assert.deepEqual(await names('?.txt'), ['c.txt']);
    const first = await list('*', 2);
    assert.deepEqual([first.files.map(({ name }) => name), first.more], [['a.csv', 'b.csv'], true]);
    assert.equal((await list('*', 3)).more, false);
  });

  it('is refused where operators allow no such folder, without saying whether it is there', async () => {
    await symlink(join(root, 'other'), join(root, 'shop', 'way-out'));
    for (const path of [
      '/etc',
      join(root, 'other'),
      `${root}/shop/../other`,
      `${root}/shopping`,
      'shop',
      `${root}/shop/way-out`,
    ]) {
      await assert.rejects(
        openLocalFolder({ kind: 'folder', path }, [join(root, 'shop')]),
        failsWith('NOT_ALLOWED', /FEED_FOLDERS/),
        path,
      );
    }
    assert.equal(isAllowedFolder('/srv/a/b', ['/srv/a/']), true);
    await assert.rejects(
      openLocalFolder({ kind: 'folder', path: join(root, 'shop', 'none') }, [root]),
      failsWith('NOT_FOUND', /not there/),
    );
  });

  it('does not follow links that lead outside, whenever they are put there', async () => {
    await writeFile(join(root, 'other', 'secret.csv'), 'secret');
    await put('a.csv');
    await symlink(join(root, 'other', 'secret.csv'), join(root, 'shop', 'link.csv'));
    await symlink(join(root, 'shop', 'a.csv'), join(root, 'shop', 'inside.csv'));
    assert.deepEqual(await names(), ['a.csv', 'inside.csv']);
    const file = await only('a.csv');
    await rm(join(root, 'shop', 'a.csv'));
    await symlink(join(root, 'other', 'secret.csv'), join(root, 'shop', 'a.csv'));
    await assert.rejects(read(file), failsWith('NOT_ALLOWED', /leads out/));
  });

  it('refuses names that leave it', async () => {
    for (const name of ['../other/secret.csv', '..', '/etc/passwd', 'a/b', 'a\u0000b', '']) {
      await assert.rejects(folder.remove(name, signal), failsWith('NOT_ALLOWED', /no name/), name);
      assert.equal(isSafeName(name), false);
    }
    await put('a.csv');
    for (const to of ['../other', '/tmp', 'x/../..', '']) {
      await assert.rejects(folder.move('a.csv', to, signal), failsWith('NOT_ALLOWED', /no folder/), to);
      assert.equal(isSafeFolder(to), false);
    }
    await symlink(join(root, 'other'), join(root, 'shop', 'out'));
    await assert.rejects(folder.move('a.csv', 'out', signal), failsWith('NOT_ALLOWED', /./));
    assert.deepEqual(await readdir(join(root, 'other')), []);
  });

  it('reads a file as it was listed, and fails when it has changed since or changes meanwhile', async () => {
    await put('a.csv', 'hello');
    const file = await only();
    assert.deepEqual([file.bytes, await read(file)], [5, 'hello']);
    await appendFile(join(root, 'shop', 'a.csv'), ' world');
    await assert.rejects(read(file), failsWith('CHANGED_WHILE_READ', /next run/));
    const grown = await only();
    const stream = await folder.read(grown, LARGE, signal);
    await appendFile(join(root, 'shop', 'a.csv'), '!');
    await assert.rejects(buffer(stream), failsWith('CHANGED_WHILE_READ', /./));
  });

  it('has another version for another content of the same size', async () => {
    await put('a.csv', 'one');
    const before = await only();
    await put('a.csv', 'two');
    await utimes(join(root, 'shop', 'a.csv'), new Date(), new Date(Date.now() + 1_000));
    assert.notEqual((await only()).version, before.version);
  });

  it('refuses a file that is too large, before it is read', async () => {
    await put('a.csv', 'hello');
    await assert.rejects(read(await only(), { maxBytes: 4 }), failsWith('TOO_LARGE', /larger than 4 bytes/));
  });

  it('moves a file to a folder of its own, and replaces none that is there', async () => {
    for (const content of ['one', 'two', 'three']) {
      await put('a.csv', content);
      await folder.move('a.csv', 'done/2026', signal);
    }
    const done = join(root, 'shop', 'done', '2026');
    assert.deepEqual((await readdir(done)).sort(), ['a.1.csv', 'a.2.csv', 'a.csv']);
    assert.equal(await readFile(join(done, 'a.1.csv'), 'utf8'), 'two');
    assert.deepEqual(await names(), []);
  });

  it('removes a file, and does not mind when it is gone', async () => {
    await put('a.csv');
    await folder.remove('a.csv', signal);
    await folder.remove('a.csv', signal);
    assert.deepEqual(await names(), []);
  });

  it('writes a file as a whole or not at all', async () => {
    await folder.write('a.csv', Readable.from(['one,', 'two']), signal);
    assert.equal(await readFile(join(root, 'shop', 'a.csv'), 'utf8'), 'one,two');
    const broken = Readable.from(
      (async function* () {
        yield 'half';
        throw new Error('broken off');
      })(),
    );
    await assert.rejects(folder.write('b.csv', broken, signal));
    assert.deepEqual(await readdir(join(root, 'shop')), ['a.csv']);
  });

  it('matches patterns in a time that no pattern makes long', () => {
    const startedAt = performance.now();
    assert.equal(matcherOf(`${'*a'.repeat(100)}b`)('a'.repeat(250)), false);
    assert.ok(performance.now() - startedAt < 1_000);
    for (const [pattern, name, isMatch] of [
      ['*', '', true],
      ['*', '.a', false],
      ['.*', '.a', true],
      ['a*c', 'abbc', true],
      ['a*c', 'abbd', false],
      ['a.?sv', 'a.csv', true],
      ['a.?sv', 'aXcsv', false],
      ['[a]', 'a', false],
      ['Größe-*.csv', 'Gro\u0308ße-1.csv', true],
      ['Gro\u0308ße-*.csv', 'Größe-1.csv', true],
      ['Gr?ße-1.csv', 'Gro\u0308ße-1.csv', true],
      ['Gr?ße-1.csv', 'Groeße-1.csv', false],
      ['Größe-*.csv', 'Große-1.csv', false],
      ['Große-*.csv', 'Gro\u0308ße-1.csv', false],
      ['a?.csv', 'a\u{1f600}.csv', true],
      ['*', 'Gro\u0308ße-1.csv', true],
    ] as const) {
      assert.equal(matcherOf(pattern)(name), isMatch, `${pattern} ${name}`);
    }
  });
});

/** Folders of SFTP servers: OpenSSH's, on loopback. */
import assert from 'node:assert/strict';
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Secrets } from '../../../src/platform/remote/remote-folder.js';
import { openSftpFolder } from '../../../src/platform/remote/sftp-folder.js';
import { newKeyPair } from '../../support/faults/hostile-sftp.js';
import {
  assertFails,
  bytesOf,
  LOOPBACK_GUARD,
  never,
  PATIENT_MS,
  rebindingGuard,
  STRICT_GUARD,
} from '../../support/http/remote-test.js';
import { skipWithoutSshd, startTestSshd, type TestSshd } from '../../support/worlds/test-sshd.js';

const LIMITS = { maxBytes: 100_000_000 };
const ALL = { pattern: '*', limit: 1_000 };

describe('a folder of an SFTP server', function () {
  this.timeout(30_000);
  let sshd: TestSshd;
  let path: string;
  const closers: (() => Promise<void>)[] = [];

  before(async function () {
    skipWithoutSshd(this);
    sshd = await startTestSshd();
  });
  after(async () => {
    await sshd?.stop();
  });
  beforeEach(() => {
    path = sshd.newFolder();
  });
  afterEach(async () => {
    for (const close of closers.splice(0)) await close();
  });

  const write = (name: string, bytes: string | Buffer = 'sku,title\n1,One\n') => writeFileSync(join(path, name), bytes);

  async function open({
    secrets = { secret: sshd.key },
    guard = LOOPBACK_GUARD,
    ...changes
  }: {
    secrets?: Secrets;
    guard?: typeof LOOPBACK_GUARD;
    host?: string;
    port?: number;
    user?: string;
    path?: string;
    hostKey?: string | null;
  } = {}) {
    const connection = {
      kind: 'sftp',
      host: '127.0.0.1',
      port: sshd.port,
      user: sshd.user,
      path,
      hostKey: null,
      ...changes,
    } as const;
    const opened = await openSftpFolder(connection, secrets, { guard, idleMs: PATIENT_MS }, never());
    closers.push(() => opened.folder.close());
    return opened;
  }
  const openFolder = async () => (await open()).folder;
  const listed = async (pattern = '*', limit = 1_000) => {
    const { files } = await (await openFolder()).list({ pattern, limit }, never());
    return files.map(({ name }) => name);
  };

  describe('is logged in to', () => {
    it('by a private key, and the host key is pinned at the first use', async () => {
      assert.equal((await open()).hostKey, sshd.hostKeys.ed25519);
    });

    it('by a private key that is encrypted, with its passphrase', async () => {
      await open({ secrets: { secret: sshd.lockedKey, passphrase: sshd.passphrase } });
    });

    it('by keys of each kind as OpenSSL writes them, encrypted or not', async () => {
      for (const { key, passphrase } of sshd.opensslKeys) await open({ secrets: { secret: key, passphrase } });
    });

    it('only with the passphrase of the key', async () => {
      const wrong = open({ secrets: { secret: sshd.lockedKey, passphrase: 'wrong' } });
      await assertFails(wrong, 'REFUSED_LOGIN', /passphrase is not that/);
      await assertFails(open({ secrets: { secret: sshd.lockedKey } }), 'REFUSED_LOGIN', /give its passphrase/);
    });

    it('not by a key that it does not know, nor by something that looks like a key', async () => {
      const stranger = newKeyPair().private;
      const failure = await assertFails(open({ secrets: { secret: stranger } }), 'REFUSED_LOGIN');
      assert.equal(failure.isTransient, false);
      const broken = '-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----';
      await assertFails(open({ secrets: { secret: broken } }), 'REFUSED_LOGIN', /format/);
    });

    it('not by a password where it takes keys alone, and not without a secret', async () => {
      await assertFails(open({ secrets: { secret: 'guess' } }), 'REFUSED_LOGIN');
      await assertFails(open({ secrets: { secret: null } }), 'REFUSED_LOGIN', /no password and no private key/);
    });

    it('when it shows the host key that was given, of whatever family', async () => {
      for (const hostKey of Object.values(sshd.hostKeys)) assert.equal((await open({ hostKey })).hostKey, null);
      assert.equal((await open({ hostKey: `${sshd.hostKeys.ecdsa}=` })).hostKey, null);
    });

    it('not when it shows another host key', async () => {
      const failure = await assertFails(open({ hostKey: `SHA256:${'A'.repeat(43)}` }), 'WRONG_HOST_KEY', /SHA256:/);
      assert.ok(failure.message.includes(sshd.hostKeys.ed25519), failure.message);
      assert.equal(failure.isTransient, false);
    });
  });

  describe('is not connected to', () => {
    for (const host of ['127.0.0.1', 'localhost', '0x7f.1', '::1', '[::1]', 'inside.example', 'half-inside.example']) {
      it(`at ${host}, which is inside`, async () => {
        const why = host.startsWith('[') ? /no name of a host/ : /WEBHOOK_ALLOWED_NETWORKS/;
        await assertFails(open({ host, guard: STRICT_GUARD }), 'NOT_ALLOWED', why);
      });
    }

    it('by a name that leads to another address the second time', async () => {
      const { guard, lookups } = rebindingGuard(['127.0.0.1']);
      const { folder } = await open({ host: 'rebinding.example', guard });
      assert.deepEqual((await folder.list(ALL, never())).files, []);
      await assertFails(open({ host: 'rebinding.example', guard }), 'NOT_ALLOWED', /127\.0\.0\.2/);
      assert.equal(lookups(), 2);
    });

    it('by a name that is an address of something else, or at a forbidden port', async () => {
      await assertFails(open({ host: 'user@127.0.0.1' }), 'NOT_ALLOWED');
      await assertFails(open({ host: '127.0.0.1/x' }), 'NOT_ALLOWED');
      for (const port of [0, 25, 70_000, -1]) await assertFails(open({ port }), 'NOT_ALLOWED');
      await assertFails(open({ path: 'a\nb' }), 'NOT_ALLOWED');
    });

    it('where nothing listens, or the name has no address', async () => {
      await assertFails(open({ port: 1 }), 'UNREACHABLE', /nothing listens/);
      await assertFails(open({ host: 'nowhere.example' }), 'UNREACHABLE', /no address/);
    });

    it('by a name whose address is allowed', async () => {
      await open({ host: 'shop.example' });
    });
  });

  describe('lists', () => {
    it('files by name, with their size, time and version, and no folders', async () => {
      write('b.csv', 'four');
      write('a.csv', 'sixsix');
      mkdirSync(join(path, 'done.csv'));
      utimesSync(join(path, 'a.csv'), 1_700_000_000, 1_700_000_000);
      const { files, more } = await (await openFolder()).list({ pattern: '*.csv', limit: 10 }, never());
      assert.equal(more, false);
      assert.deepEqual(
        files.map(({ name, bytes }) => [name, bytes]),
        [
          ['a.csv', 6],
          ['b.csv', 4],
        ],
      );
      assert.equal(files[0]?.modifiedAt?.getTime(), 1_700_000_000_000);
      assert.notEqual(files[0]?.version, files[1]?.version);
    });

    it('what matches the pattern, and hidden files only if it begins with a dot', async () => {
      for (const name of ['a.csv', 'a.csv.part', '.a.csv', 'ab.csv', 'b.txt']) write(name);
      assert.deepEqual(await listed('*.csv'), ['a.csv', 'ab.csv']);
      assert.deepEqual(await listed('?.csv'), ['a.csv']);
      assert.deepEqual(await listed('.*'), ['.a.csv']);
      assert.deepEqual(await listed(`${'*a'.repeat(40)}*b`), []);
    });

    it('leaves out names that cannot be shown or would lead elsewhere, and counts them', async () => {
      for (const name of ['good.csv', 'bad\nline.csv', 'bad\u001b[31m.csv', 'bad\\..\\x.csv']) write(name);
      writeFileSync(Buffer.concat([Buffer.from(`${path}/bad-`), Buffer.from([0xff, 0xfe]), Buffer.from('.csv')]), 'x');
      const listing = await (await openFolder()).list(ALL, never());
      assert.deepEqual(
        listing.files.map(({ name }) => name),
        ['good.csv'],
      );
      assert.equal('leftOut' in listing && listing.leftOut, 4);
    });

    it('links that lead to files in the folder, and none that lead out of it', async () => {
      write('real.csv');
      mkdirSync(join(path, 'deep'));
      symlinkSync('real.csv', join(path, 'latest.csv'));
      symlinkSync('/etc/passwd', join(path, 'passwd.csv'));
      symlinkSync('../../../../etc/hostname', join(path, 'host.csv'));
      symlinkSync('gone.csv', join(path, 'dangling.csv'));
      symlinkSync('deep', join(path, 'folder.csv'));
      assert.deepEqual(await listed('*.csv'), ['latest.csv', 'real.csv']);
    });

    it('the first of 10,000 files, and says that there are more', async () => {
      for (let index = 0; index < 10_000; index++) write(`f-${String(index).padStart(5, '0')}.csv`, '');
      const folder = await openFolder();
      const few = await folder.list({ pattern: '*.csv', limit: 3 }, never());
      assert.deepEqual(
        few.files.map(({ name }) => name),
        ['f-00000.csv', 'f-00001.csv', 'f-00002.csv'],
      );
      assert.equal(few.more, true);
      const all = await folder.list({ pattern: '*.csv', limit: 10_000 }, never());
      assert.equal(all.files.length, 10_000);
      assert.equal(all.more, false);
    });

    it('no folder that is not there, and none that is a file', async () => {
      write('a.csv');
      const gone = await open({ path: join(path, 'gone') });
      await assertFails(gone.folder.list(ALL, never()), 'NOT_FOUND');
      const file = await open({ path: join(path, 'a.csv') });
      await assert.rejects(file.folder.list(ALL, never()));
    });
  });

  describe('reads', () => {
    const first = async () => {
      const folder = await openFolder();
      const [file] = (await folder.list(ALL, never())).files;
      if (file === undefined) throw new Error('there is no file');
      return { folder, file };
    };

    it('all bytes of a file of several megabytes, and an empty one', async () => {
      const bytes = Buffer.alloc(5_000_001, 'abcdefg');
      write('big.csv', bytes);
      const big = await first();
      assert.ok((await bytesOf(await big.folder.read(big.file, LIMITS, never()))).equals(bytes));
      write('a-empty.csv', '');
      const empty = await first();
      assert.equal((await bytesOf(await empty.folder.read(empty.file, LIMITS, never()))).length, 0);
    });

    it('no file that is too large, and says so before it reads', async () => {
      write('big.csv', Buffer.alloc(1_001));
      const { folder, file } = await first();
      await assertFails(folder.read(file, { maxBytes: 1_000 }, never()), 'TOO_LARGE', /1000 bytes/);
    });

    it('no file that was removed, changed or replaced since it was listed', async () => {
      write('a.csv', 'before');
      const { folder, file } = await first();
      appendFileSync(join(path, 'a.csv'), 'more');
      await assertFails(folder.read(file, LIMITS, never()), 'CHANGED_WHILE_READ');
      renameSync(join(path, 'a.csv'), join(path, 'b.csv'));
      await assertFails(folder.read(file, LIMITS, never()), 'NOT_FOUND');
    });

    it('a file that grows meanwhile not to its end, and the next run reads it whole', async () => {
      write('a.csv', Buffer.alloc(3_000_000, 'x'));
      const { folder, file } = await first();
      const stream = await folder.read(file, LIMITS, never());
      appendFileSync(join(path, 'a.csv'), 'y');
      await assertFails(bytesOf(stream), 'CHANGED_WHILE_READ');
      const next = await first();
      assert.equal((await bytesOf(await next.folder.read(next.file, LIMITS, never()))).length, 3_000_001);
    });

    it('a file that is cut short meanwhile not to its end', async () => {
      write('a.csv', Buffer.alloc(3_000_000, 'x'));
      const { folder, file } = await first();
      const stream = await folder.read(file, LIMITS, never());
      writeFileSync(join(path, 'a.csv'), 'short');
      await assertFails(bytesOf(stream), 'CHANGED_WHILE_READ');
    });

    it('a file that another one replaces meanwhile not to its end', async () => {
      write('a.csv', Buffer.alloc(3_000_000, 'x'));
      const { folder, file } = await first();
      const stream = await folder.read(file, LIMITS, never());
      write('.new', 'another');
      renameSync(join(path, '.new'), join(path, 'a.csv'));
      await assertFails(bytesOf(stream), 'CHANGED_WHILE_READ');
    });

    it('nothing outside of the folder', async () => {
      const { folder } = { folder: await openFolder() };
      for (const name of ['../x', '/etc/passwd', 'a/b', '..', '', 'a\u0000b']) {
        const file = { name, bytes: 1, modifiedAt: null, version: '' };
        await assertFails(folder.read(file, LIMITS, never()), 'NOT_ALLOWED');
        await assertFails(folder.remove(name, never()), 'NOT_ALLOWED');
        await assertFails(folder.move(name, 'done', never()), 'NOT_ALLOWED');
        await assertFails(folder.write(name, Readable.from([]), never()), 'NOT_ALLOWED');
      }
    });

    it('until the signal aborts, and the folder can still be used', async () => {
      write('a.csv', Buffer.alloc(3_000_000, 'x'));
      const { folder, file } = await first();
      const aborter = new AbortController();
      const stream = await folder.read(file, LIMITS, aborter.signal);
      stream.once('data', () => aborter.abort());
      await assert.rejects(bytesOf(stream));
      assert.equal((await bytesOf(await folder.read(file, LIMITS, never()))).length, 3_000_000);
    });

    it('a file that the reader leaves after its beginning, or does not begin', async () => {
      write('a.csv', Buffer.alloc(3_000_000, 'x'));
      const { folder, file } = await first();
      (await folder.read(file, LIMITS, never())).destroy();
      for await (const _ of await folder.read(file, LIMITS, never())) break;
      assert.equal((await folder.list(ALL, never())).files.length, 1);
    });
  });

  describe('changes', () => {
    it('moves a file to a folder that it makes, and replaces none there', async () => {
      const folder = await openFolder();
      for (const content of ['first', 'second']) {
        write('a.csv', content);
        await folder.move('a.csv', 'done/2026', never());
      }
      const moved = readdirSync(join(path, 'done/2026'));
      assert.equal(moved.length, 2);
      assert.equal(readFileSync(join(path, 'done/2026/a.csv'), 'utf8'), 'first');
      assert.ok(
        moved.every((name) => /^a\.(?:[\dTZ.]+\.)?csv$/.test(name)),
        moved.join(),
      );
      await assertFails(folder.move('a.csv', 'done', never()), 'NOT_FOUND');
      write('a.csv');
      await assertFails(folder.move('a.csv', '../done', never()), 'NOT_ALLOWED');
    });

    it('neither moves nor removes a file that was replaced since it was read', async () => {
      write('a.csv', 'read');
      const folder = await openFolder();
      const [file] = (await folder.list(ALL, never())).files;
      if (file === undefined) assert.fail('it lists no file');
      await bytesOf(await folder.read(file, LIMITS, never()));
      write('a.csv', 'not read yet');
      await assertFails(folder.remove('a.csv', never()), 'CHANGED_WHILE_READ', /stays where it is/);
      await assertFails(folder.move('a.csv', 'done', never()), 'CHANGED_WHILE_READ');
      assert.equal(readFileSync(join(path, 'a.csv'), 'utf8'), 'not read yet');
    });

    it('removes a file, also when it is gone already', async () => {
      write('a.csv');
      const folder = await openFolder();
      await folder.remove('a.csv', never());
      await folder.remove('a.csv', never());
      assert.equal(existsSync(join(path, 'a.csv')), false);
    });

    it('writes a file at once, in place of a former one, and leaves nothing beside it', async () => {
      const folder = await openFolder();
      for (const bytes of [Buffer.alloc(1_000_001, 'a'), Buffer.from('new'), Buffer.alloc(0)]) {
        await folder.write('out.csv', Readable.from([bytes.subarray(0, 10), bytes.subarray(10)]), never());
        assert.ok(readFileSync(join(path, 'out.csv')).equals(bytes));
      }
      assert.deepEqual(readdirSync(path), ['out.csv']);
    });

    it('leaves the former file when the source of a write fails', async () => {
      write('out.csv', 'former');
      const folder = await openFolder();
      async function* failing() {
        yield Buffer.from('half');
        throw new Error('the source has failed');
      }
      await assert.rejects(folder.write('out.csv', Readable.from(failing()), never()), /the source has failed/);
      await folder.list(ALL, never());
      assert.equal(readFileSync(join(path, 'out.csv'), 'utf8'), 'former');
      assert.deepEqual(readdirSync(path), ['out.csv']);
    });
  });
});

/** SFTP servers that hang, cut, lie or have no end: each failure is said truly, and the next run is fine. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { Readable } from 'node:stream';
import type { RemoteFolder } from '../../../src/platform/remote/remote-folder.js';
import { openSftpFolder } from '../../../src/platform/remote/sftp-folder.js';
import { openCountedLine } from '../../support/faults/counted-line.js';
import {
  type HostileSftp,
  type Hostility,
  type SftpCall,
  startHostileSftp,
} from '../../support/faults/hostile-sftp.js';
import {
  assertFails,
  closedAfterEach,
  IMPATIENT_MS,
  LOOPBACK_GUARD,
  never,
  PATIENT_MS,
  takeFirst,
} from '../../support/http/remote-test.js';

const ALL = { pattern: '*', limit: 1_000 };
const CONTENT = Buffer.alloc(300_001, 'sku,title\n');

describe('a hostile SFTP server', function () {
  this.timeout(30_000);
  const closers = closedAfterEach();

  async function start(hostility: Hostility = {}): Promise<HostileSftp> {
    const server = await startHostileSftp(hostility);
    closers.push(server.close);
    server.files.set('a.csv', { bytes: CONTENT, mtime: 1_700_000_000 });
    return server;
  }

  async function open(server: HostileSftp, idleMs = PATIENT_MS, secret = 'secret', hostKey: string | null = null) {
    const connection = {
      kind: 'sftp',
      host: '127.0.0.1',
      port: server.port,
      user: server.user,
      path: '/in',
      hostKey,
    } as const;
    const { folder } = await openSftpFolder(connection, { secret }, { guard: LOOPBACK_GUARD, idleMs }, never());
    closers.push(() => folder.close());
    return folder;
  }

  it('with another host key learns nothing of the login', async () => {
    const server = await start();
    await assertFails(
      open(server, PATIENT_MS, 'secret', `SHA256:${'B'.repeat(43)}`),
      'WRONG_HOST_KEY',
      /No password or key was sent/,
    );
    assert.deepEqual(server.seen, []);
  });

  it('takes a password', async () => {
    const server = await start({
      login: (context) => {
        if (context.method === 'password' && context.password === 'secret') context.accept();
        else context.reject(['password']);
      },
    });
    assert.ok((await takeFirst(await open(server))).equals(CONTENT));
    await assertFails(open(server, PATIENT_MS, 'wrong'), 'REFUSED_LOGIN');
  });

  it('asks for a password by questions, and gets it for those alone whose answers are hidden', async () => {
    const answers: string[][] = [];
    const server = await start({
      login: (context) => {
        if (context.method !== 'keyboard-interactive') {
          context.reject(['keyboard-interactive']);
          return;
        }
        context.prompt(
          [
            { prompt: 'Name: ', echo: true },
            { prompt: 'Password: ', echo: false },
          ],
          (given) => {
            answers.push([...given]);
            context.accept();
          },
        );
      },
    });
    await open(server);
    assert.deepEqual(answers, [['', 'secret']]);
  });

  it('asks for ever, and is refused in the end', async () => {
    const server = await start({
      login: (context) => {
        if (context.method !== 'keyboard-interactive') {
          context.reject(['keyboard-interactive']);
          return;
        }
        const ask = (): void => context.prompt([{ prompt: 'Again: ', echo: false }], ask);
        ask();
      },
    });
    await assertFails(open(server, IMPATIENT_MS), 'TIMED_OUT');
  });

  it('does not answer a login', async () => {
    await assertFails(open(await start({ login: () => undefined }), IMPATIENT_MS), 'TIMED_OUT', /within 0.4 s/);
  });

  const silences: readonly (readonly [SftpCall, (folder: RemoteFolder) => Promise<unknown>])[] = [
    ['OPENDIR', (folder) => folder.list(ALL, never())],
    ['READDIR', (folder) => folder.list(ALL, never())],
    ['OPEN', takeFirst],
    ['FSTAT', takeFirst],
    ['STAT', takeFirst],
    ['READ', takeFirst],
    ['LSTAT', (folder) => folder.remove('a.csv', never())],
    ['REMOVE', (folder) => folder.remove('a.csv', never())],
    ['MKDIR', (folder) => folder.move('a.csv', 'done', never())],
    ['RENAME', (folder) => folder.write('out.csv', Readable.from([CONTENT]), never())],
    ['WRITE', (folder) => folder.write('out.csv', Readable.from([CONTENT]), never())],
  ];
  for (const [silentAt, call] of silences) {
    it(`is silent at ${silentAt}, and is not waited for longer than the limit`, async () => {
      const folder = await open(await start({ silentAt }), IMPATIENT_MS);
      await assertFails(call(folder), 'TIMED_OUT', /did not answer within 0.4 s/);
    });
  }

  it('lists without end, and is left after 100,000 names', async () => {
    const server = await start({
      pages: function* () {
        for (let page = 0; ; page++) yield Array.from({ length: 500 }, (_, index) => `f-${page}-${index}.csv`);
      },
    });
    await assertFails((await open(server)).list(ALL, never()), 'TOO_LARGE', /does not end/);
  });

  it('lists empty pages without end, and is left when the time of a call is over', async () => {
    const server = await start({
      pages: function* () {
        for (;;) yield [];
      },
    });
    await assertFails((await open(server, IMPATIENT_MS)).list(ALL, never()), 'TIMED_OUT', /end of listing|a listing/);
  });

  it('lists names that lead out of the folder, which are left out and counted', async () => {
    const server = await start({
      pages: () => [['..', '../../etc/passwd', '/etc/passwd', 'a/b.csv', 'good.csv', 'nul\u0000.csv', '']].values(),
    });
    const listing = await (await open(server)).list(ALL, never());
    assert.deepEqual(
      listing.files.map(({ name }) => name),
      ['good.csv'],
    );
    assert.equal('leftOut' in listing && listing.leftOut, 4);
  });

  it('answers with few bytes at a time', async () => {
    assert.ok((await takeFirst(await open(await start({ mostBytes: 1_000 })))).equals(CONTENT));
  });

  it('cuts the connection at every read, and is left after a few tries', async () => {
    const server = await start({ before: (call, _, connection) => void (call === 'READ' && connection.end()) });
    await assertFails(takeFirst(await open(server)), 'BROKEN_OFF');
    assert.equal(server.seen.filter((call) => call === 'OPEN').length, 4);
  });

  it('has another file of the same name when it is connected to again: none of it is mixed in', async () => {
    let reads = 0;
    const server = await start({
      before: (call, { files }, connection) => {
        if (call !== 'READ' || ++reads !== 3) return;
        files.set('a.csv', { bytes: Buffer.alloc(CONTENT.length, 'other'), mtime: 1_700_000_001 });
        connection.end();
      },
    });
    await assertFails(takeFirst(await open(server)), 'CHANGED_WHILE_READ');
  });

  it('has another host key when it is connected to again, and gets no login', async () => {
    const first = await start();
    const line = await openCountedLine(first.port, null);
    const folder = await open({ ...first, port: line.port });
    await folder.list(ALL, never());
    await line.close();
    const impostor = await startHostileSftp();
    const moved = createServer((socket) => {
      const onward = socket.pipe(connect(impostor.port, '127.0.0.1'));
      onward.pipe(socket);
      onward.on('error', () => socket.destroy());
      socket.on('error', () => onward.destroy());
    });
    moved.listen(line.port, '127.0.0.1');
    await once(moved, 'listening');
    closers.push(
      async () => void moved.close(),
      () => impostor.close(),
    );
    // The first call may find that the connection is lost.
    await assert.rejects(folder.list(ALL, never()));
    await assertFails(folder.list(ALL, never()), 'WRONG_HOST_KEY');
    assert.deepEqual(impostor.seen, []);
  });

  const { NO_SUCH_FILE, PERMISSION_DENIED, FAILURE, OP_UNSUPPORTED } = {
    NO_SUCH_FILE: 2,
    PERMISSION_DENIED: 3,
    FAILURE: 4,
    OP_UNSUPPORTED: 8,
  };
  for (const [status, code] of [
    [NO_SUCH_FILE, 'NOT_FOUND'],
    [PERMISSION_DENIED, 'NOT_ALLOWED'],
    [FAILURE, 'NOT_ALLOWED'],
    [OP_UNSUPPORTED, 'NOT_SUPPORTED'],
  ] as const) {
    it(`answers with the status ${status}, which is said as ${code}`, async () => {
      const folder = await open(await start({ fails: { OPEN: status } }));
      const failure = await assertFails(takeFirst(folder), code, /a\.csv/);
      assert.equal(failure.isTransient, false);
    });
  }

  it('renames without replacing, so that a former file is removed first', async () => {
    const server = await start();
    const folder = await open(server);
    await folder.write('a.csv', Readable.from([Buffer.from('new')]), never());
    assert.deepEqual([...server.files.keys()], ['a.csv']);
    assert.equal(server.files.get('a.csv')?.bytes.toString(), 'new');
  });

  it('is no SSH at all', async () => {
    const web = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
    });
    web.listen(0, '127.0.0.1');
    await once(web, 'listening');
    const { port } = web.address() as { port: number };
    await assertFails(open({ port, user: 'merchant' } as HostileSftp), 'BROKEN_OFF');
    web.close();
  });
});

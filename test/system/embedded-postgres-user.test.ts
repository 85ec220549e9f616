/** The embedded Postgres runs for root and for ordinary users, and names the folder that keeps it out. */
import assert from 'node:assert/strict';
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startEmbeddedPostgres } from '../../src/launcher/embedded-postgres.js';
import { firstClosedFolder } from '../../src/launcher/server-user.js';
import { makeClosedClone } from '../support/worlds/closed-clone.js';
import { type EmbeddedProcess, runEmbedded } from '../support/worlds/embedded-process.js';
import { makeOpenFolder, type OpenFolder } from '../support/worlds/open-folder.js';
import { queryOnce } from '../support/worlds/query-once.js';

const SOMEBODY = 65_534;
const HERE = fileURLToPath(new URL('.', import.meta.url));

describe('embedded Postgres and users', () => {
  let folder: OpenFolder;
  let dataDir: string;
  const launchers: EmbeddedProcess[] = [];
  const homes: string[] = [];

  beforeEach(() => {
    folder = makeOpenFolder();
    dataDir = join(folder.path, 'data');
  });

  afterEach(async () => {
    await Promise.all(launchers.splice(0).map((launcher) => launcher.stop('SIGTERM')));
    for (const home of homes.splice(0)) rmSync(home, { recursive: true, force: true });
    folder.remove();
  });

  function launch(options: Omit<Parameters<typeof runEmbedded>[0], 'dataDir'> = {}): EmbeddedProcess {
    const launcher = runEmbedded({ dataDir, ...options });
    launchers.push(launcher);
    return launcher;
  }

  async function urlOf(launcher: EmbeddedProcess): Promise<string> {
    const { url, refused } = await launcher.outcome;
    assert.ok(url !== undefined, `it runs, but: ${refused}`);
    return url;
  }

  /** DATA_DIR under a folder that nobody but its owner can enter. */
  function closeTheWay(): string {
    const closed = join(folder.path, 'closed');
    mkdirSync(closed);
    chmodSync(closed, 0o700);
    dataDir = join(closed, 'data');
    return closed;
  }

  function rememberHome(): string {
    const { home } = JSON.parse(readFileSync(join(dataDir, 'postgres.json'), 'utf8')) as { home?: string };
    assert.ok(home !== undefined, 'the data lies elsewhere');
    homes.push(home);
    return home;
  }

  const root = process.getuid?.() === 0;
  const inTheWay = root
    ? firstClosedFolder({ ids: { uid: SOMEBODY, gid: SOMEBODY }, label: 'somebody' }, HERE)
    : undefined;
  if (inTheWay === undefined) {
    it('runs as an ordinary user whose folders nobody else can enter', async () => {
      const closed = closeTheWay();
      if (root) chownSync(closed, SOMEBODY, SOMEBODY);
      await queryOnce(await urlOf(launch(root ? { uid: SOMEBODY } : {})), 'SELECT 1');
      assert.ok(existsSync(join(dataDir, 'postgres', 'PG_VERSION')));
    });
  } else {
    it(`is left out as an ordinary user: ${inTheWay} keeps that user from running the tests`);
  }

  if (!root) {
    it('is tested as root too, where the tests run as root');
    return;
  }

  if (inTheWay === undefined) {
    it('goes on with the data of an ordinary user when root starts it', async () => {
      mkdirSync(dataDir);
      chownSync(dataDir, SOMEBODY, SOMEBODY);
      const first = launch({ uid: SOMEBODY });
      await queryOnce(await urlOf(first), 'CREATE TABLE note AS SELECT 42 AS kept');
      await first.stop('SIGTERM');
      assert.deepEqual(await queryOnce(await urlOf(launch()), 'SELECT kept FROM note'), [{ kept: 42 }]);
    });

    it("names root's data to an ordinary user", async () => {
      const first = launch();
      await urlOf(first);
      await first.stop('SIGTERM');
      const { refused } = await launch({ uid: SOMEBODY }).outcome;
      assert.match(refused ?? '', new RegExp(`^DATA_DIR ${dataDir} cannot be written to by this user: `));
    });
  }

  it('runs for root as another user, in folders made under any umask', async () => {
    const before = process.umask(0o077);
    try {
      const server = await startEmbeddedPostgres({ dataDir: join(folder.path, 'a', 'b', 'c') });
      await server.stop();
    } finally {
      process.umask(before);
    }
  });

  it('names the folder in the way of a DATA_DIR that was chosen', async () => {
    const closed = closeTheWay();
    const { refused } = await launch().outcome;
    assert.match(refused ?? '', new RegExp(`who cannot enter ${closed}: allow it with "chmod o\\+x ${closed}"`));
  });

  it('keeps the data where it can be reached when nobody chose DATA_DIR, and finds it again', async () => {
    closeTheWay();
    const first = launch({ move: true });
    await queryOnce(await urlOf(first), 'CREATE TABLE note AS SELECT 42 AS kept');
    const home = rememberHome();
    assert.ok(existsSync(join(home, 'postgres', 'PG_VERSION')));
    await first.stop('SIGKILL');
    const url = await urlOf(launch({ move: true }));
    assert.deepEqual(await queryOnce(url, 'SELECT kept FROM note'), [{ kept: 42 }]);
    assert.equal(rememberHome(), home);
  });

  it('does not leave data behind when the way to them was closed later', async () => {
    const first = launch();
    await urlOf(first);
    await first.stop('SIGTERM');
    chmodSync(dataDir, 0o700);
    const { refused } = await launch({ move: true }).outcome;
    assert.match(refused ?? '', new RegExp(`who cannot enter ${dataDir}: `));
  });

  it('runs from a clone under a folder of mode 700', async () => {
    const clone = makeClosedClone();
    try {
      const url = await urlOf(launch({ program: clone.program }));
      await queryOnce(url, 'SELECT 1');
    } finally {
      clone.remove();
    }
  });
});

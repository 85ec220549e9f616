/** The first command in a fresh clone: it says that the installation goes on, can be stopped, and continues. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type RunningProgram, runProgram } from '../support/worlds/run-program.js';

const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url));

/** Makes the program that the tests run, wherever the release has it. */
const BUILD = `import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
export const buildIsDue = () => !existsSync('dist/src/admin/main.js');
export async function build() {
  for (const folder of ['dist/src/admin', 'dist/app/admin']) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(folder + '/main.js', "import 'thing/package.json' with { type: 'json' }; console.log('it runs');\\n");
  }
}
`;

describe('the first command in a fresh clone', function () {
  this.timeout(60_000);
  let clone: string;
  const started: RunningProgram[] = [];

  // npm installs a real package into it. The build is short, because these tests are about what comes before it.
  beforeEach(() => {
    clone = mkdtempSync(join(tmpdir(), 'longshore-clone-'));
    cpSync(join(REPOSITORY, 'scripts'), join(clone, 'scripts'), { recursive: true });
    writeFileSync(join(clone, 'scripts', 'build.mjs'), BUILD);
    mkdirSync(join(clone, 'thing'));
    write('thing/package.json', { name: 'thing', version: '1.0.0' });
    npm('pack', './thing');
    // The script holds up the installation until a test lets it end.
    const scripts = { preinstall: 'node wait.cjs' };
    write('package.json', { name: 'clone', type: 'module', scripts, dependencies: { thing: 'file:thing-1.0.0.tgz' } });
    writeFileSync(
      join(clone, 'wait.cjs'),
      "const { existsSync, writeFileSync } = require('node:fs');\n" +
        "writeFileSync('waiting', '');\n" +
        "const wait = () => existsSync('go') || setTimeout(wait, 50);\nwait();\n",
    );
    npm('install', '--package-lock-only', '--ignore-scripts', '--offline', '--no-audit');
  });

  function npm(...args: string[]): void {
    execFileSync('npm', args, { cwd: clone, stdio: 'pipe' });
  }

  afterEach(async () => {
    writeFileSync(join(clone, 'go'), '');
    await Promise.all(started.splice(0).map((one) => one.stop('SIGKILL')));
    rmSync(clone, { recursive: true, force: true });
  });

  function write(name: string, content: object): void {
    writeFileSync(join(clone, name), JSON.stringify(content));
  }

  function bootstrap(...args: string[]): RunningProgram {
    const { PATH = '', HOME = '' } = process.env;
    const one = runProgram(join(clone, 'scripts', 'bootstrap.mjs'), args, { PATH, HOME }, { cwd: clone });
    started.push(one);
    return one;
  }

  it('says what it does and how far it is, and then runs the program', async () => {
    const one = bootstrap('admin');
    await one.said(/installing packages \(npm ci\): .* Ctrl-C/);
    await one.said(/Installing packages: \d+ s, \d of about \d packages/);
    writeFileSync(join(clone, 'go'), '');
    const { code, stdout, stderr } = await one.end;
    assert.equal(code, 0, stderr);
    assert.equal(stdout, 'it runs\n');
  });

  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    it(`says on ${signal} that the command may be run again, and continues when it is`, async () => {
      const one = bootstrap('admin');
      await one.said(/Installing packages: \d+ s/);
      one.process.kill(signal);
      assert.equal(await one.exit, code);
      assert.match(one.stderr(), /\nInstalling packages was stopped\. That is safe: run the same command again/);
      assert.ok(!one.stderr().includes('    at '), 'a stack trace');
      writeFileSync(join(clone, 'go'), '');
      const again = await bootstrap('admin').end;
      assert.equal(again.stdout, 'it runs\n', again.stderr);
    });
  }

  it('shows what npm said when it fails', async () => {
    const lock = JSON.parse(readFileSync(join(clone, 'package-lock.json'), 'utf8'));
    write('package-lock.json', { ...lock, packages: { '': { name: 'clone' } } });
    const { code, stderr } = await bootstrap('admin').end;
    assert.equal(code, 1);
    assert.match(stderr, /npm error[\s\S]*Installing packages failed\.$/m);
  });

  it('helps with npm start without installing or starting anything', async () => {
    for (const args of [
      ['start', '--', '--help'],
      ['start', '--help'],
      ['start', '-h'],
    ]) {
      const { code, stdout, stderr } = await bootstrap(...args).end;
      assert.equal(code, 0);
      assert.equal(stderr, '');
      assert.match(stdout, /^npm start runs Longshore on this machine[\s\S]*PORT=4000/);
    }
    assert.ok(!existsSync(join(clone, 'waiting')) && !existsSync(join(clone, 'dist')));
  });

  it('refuses what npm start does not know, with what to write instead', async () => {
    for (const [args, instead] of [
      [['--port', '4000'], /^npm start has no argument "--port": use PORT=4000 npm start \(npm start -- --help /],
      [['--data-dir=/tmp/x'], /: use DATA_DIR=\/tmp\/x npm start /],
      [['production'], /^npm start has no argument "production": its settings are environment variables /],
    ] as const) {
      const { code, stderr } = await bootstrap('start', '--', ...args).end;
      assert.equal(code, 2);
      assert.match(stderr.trimEnd(), instead);
      assert.equal(stderr.trimEnd().split('\n').length, 1);
    }
    assert.ok(!existsSync(join(clone, 'dist')));
  });
});

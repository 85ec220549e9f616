/** The script that runs the whole suite in several processes, on planted tests. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';

const REPOSITORY = fileURLToPath(new URL('../../../../', import.meta.url));
const SCRIPT = join(REPOSITORY, 'scripts', 'run-suite.mjs');

describe('the suite in several processes', function () {
  this.timeout(30_000);
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'longshore-suite-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('prints each suite in one piece, and the sums of all', async () => {
    const parts = [
      [plant('one', "describe('one', () => { it('a', () => {}); it('b', (done) => setTimeout(done, 300)); });")],
      [plant('two', "describe('two', () => { it('c', () => {}); it('d', (done) => setTimeout(done, 300)); });")],
    ];
    const { code, lines } = await run(parts);
    assert.equal(code, 0);
    for (const [suite, ...tests] of [
      ['one', 'a', 'b'],
      ['two', 'c', 'd'],
    ]) {
      const at = lines.indexOf(`  ${suite}`);
      for (const [nth, test] of tests.entries()) assert.match(lines[at + 1 + nth] ?? '', new RegExp(`✔ ${test}`));
    }
    assert.ok(lines.includes('  4 passing (0m)'));
  });

  it('has every file of tests once, and knows how long it takes only of files that there are', async () => {
    const { parts, all, long } = JSON.parse(
      await evaluate(
        `const all = ['unit', 'integration', 'system'].flatMap(suite.testsOf);
         JSON.stringify({ parts: suite.partsOfSuite(), all, long: Object.keys(suite.SECONDS) })`,
      ),
    ) as { parts: string[][]; all: string[]; long: string[] };
    assert.deepEqual(parts.flat().sort(), all.sort());
    assert.deepEqual(
      long.filter((name) => !all.some((file) => file.endsWith(`/${name}.test.js`))),
      [],
    );
  });

  it('shows the failures of all at the end, and fails', async () => {
    const failing = (name: string) =>
      plant(
        name,
        `describe('${name}', () => { it('x', () => { throw new Error('no ${name}'); }); it('y', () => {}); });`,
      );
    const { code, lines } = await run([[failing('one')], [failing('two')]]);
    assert.equal(code, 1);
    const text = lines.join('\n');
    assert.match(text, /Error: no one[\s\S]*Error: no two[\s\S]* 2 passing[\s\S]* 2 failing/);
  });

  it('fails when a process ends without a report', async () => {
    const { code, lines } = await run([
      [plant('one', "it('a', () => {});")],
      [plant('two', "it('b', () => process.kill(process.pid, 'SIGKILL'));")],
    ]);
    assert.equal(code, 1);
    assert.match(lines.join('\n'), /two\.cjs, ended with code SIGKILL/);
  });

  it('ends although a test leaves behind a process that keeps its output open', async () => {
    const { code } = await run([
      [
        plant(
          'one',
          `it('a', () => {
             require('node:child_process').spawn('sleep', ['20'], { stdio: 'inherit', detached: true }).unref();
           });`,
        ),
      ],
    ]);
    assert.equal(code, 0);
  }).timeout(10_000);

  function plant(name: string, code: string): string {
    const path = join(folder, `${name}.cjs`);
    writeFileSync(path, code);
    return path;
  }

  async function run(parts: readonly (readonly string[])[]): Promise<{ code: number; lines: string[] }> {
    const output = await evaluate(
      `const lines = [];
       const code = await suite.runSuite((line) => lines.push(line), ${JSON.stringify(parts)});
       JSON.stringify({ code, lines })`,
    );
    const { code, lines } = JSON.parse(output);
    // Where colours are forced by the environment, the processes write them.
    return { code, lines: lines.map(stripVTControlCharacters) };
  }

  /** The value of the last expression. */
  function evaluate(code: string): Promise<string> {
    const statements = code.split('\n');
    const last = statements.pop();
    const program = `const suite = await import(${JSON.stringify(SCRIPT)});
      ${statements.join('\n')}
      process.stdout.write(${last}, () => process.exit());`;
    return new Promise((resolve, reject) => {
      // Outside of the repository, whose settings of mocha load what the planted tests do not need.
      execFile(process.execPath, ['--input-type=module', '-e', program], { cwd: folder }, (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else reject(new Error(stderr));
      });
    });
  }
});

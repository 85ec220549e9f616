/** The client in programs that are CommonJS: they compile, with both ways of finding packages, and run. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const REPOSITORY = fileURLToPath(new URL('../../../../', import.meta.url));
/** A version that knows both ways of finding packages. */
const TSC = join(REPOSITORY, 'packages', 'client', 'node_modules', 'typescript', 'bin', 'tsc');
const execute = promisify(execFile);

const PROGRAM = `import { createClient, LongshoreError, type Job, webhooks } from '@longshore/client';

export async function errorsOf(id: string): Promise<number> {
  const client = createClient({ baseUrl: 'http://127.0.0.1:1', token: 't', site: { account: 'a' }, retries: 0 });
  const job: Job = await client.getJob({ id });
  return job.progressTracker.errorCount;
}
errorsOf('1').catch((error: unknown) => {
  console.log(error instanceof LongshoreError && error.code, typeof webhooks.verify);
});
`;

describe('the client in a CommonJS program', function () {
  this.timeout(120_000);
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'longshore-commonjs-'));
    await mkdir(join(folder, 'node_modules', '@longshore'), { recursive: true });
    await symlink(join(REPOSITORY, 'packages', 'client'), join(folder, 'node_modules', '@longshore', 'client'));
    await writeFile(join(folder, 'package.json'), '{ "type": "commonjs" }');
    await writeFile(join(folder, 'program.ts'), PROGRAM);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  for (const [name, module, resolution] of [
    ['by "exports"', 'node16', 'node16'],
    ['by "main"', 'commonjs', 'node10'],
  ] as const) {
    it(`compiles and runs where packages are found ${name}`, async () => {
      const settings = ['--strict', '--target', 'es2022', '--lib', 'es2023,dom,dom.iterable,dom.asynciterable'];
      const how = ['--module', module, '--moduleResolution', resolution, '--outDir', join(folder, module)];
      const compiled = await execute(process.execPath, [TSC, ...settings, ...how, 'program.ts'], { cwd: folder }).catch(
        (error: { stdout: string }) => ({ stdout: error.stdout }),
      );
      assert.equal(compiled.stdout, '');
      const { stdout } = await execute(process.execPath, [join(folder, module, 'program.js')], { cwd: folder });
      assert.equal(stdout, 'NETWORK function\n');
    });
  }
});

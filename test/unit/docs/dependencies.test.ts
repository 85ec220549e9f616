/** Each package that Longshore depends on is named, with its reason, in docs/build/architecture.md, and no other is. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const REPOSITORY = fileURLToPath(new URL('../../../../', import.meta.url));
const textOf = (path: string) => readFileSync(`${REPOSITORY}${path}`, 'utf8');

interface Manifest {
  readonly name: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

const workspaces = readdirSync(`${REPOSITORY}packages`).map((folder) => `packages/${folder}/package.json`);
const manifests = ['package.json', ...workspaces].map((path) => JSON.parse(textOf(path)) as Manifest);

/** Whether the page names a package by its own name, or by that of its scope: `@types/*`. */
function isNamed(section: string, name: string): boolean {
  const words = new Set(section.replaceAll('\\*', '*').match(/[@\w][\w@/.*-]*[\w*]/g));
  return words.has(name) || words.has(name.replace(/\/.*/, '/*'));
}

describe('the dependencies', () => {
  const [, section = ''] = /\n## Dependencies\n([\s\S]*?)(?=\n## |$)/.exec(textOf('docs/build/architecture.md')) ?? [];
  const ours = new Set(manifests.map(({ name }) => name));
  const all = new Set(
    manifests
      .flatMap(({ dependencies, devDependencies }) => Object.keys({ ...dependencies, ...devDependencies }))
      .filter((name) => !ours.has(name)),
  );

  it('are all explained', () => {
    assert.deepEqual(
      [...all].filter((name) => !isNamed(section, name)),
      [],
    );
  });

  it('are the only packages of the table', () => {
    const [, , ...rows] = (/\n((?:\|.*\n)+)/.exec(section)?.[1] ?? '').trim().split('\n');
    const named = rows.flatMap((row) => (row.split(' | ')[0] ?? '').replace('| ', '').split(','));
    const names = named.map((name) => name.trim().replaceAll('\\', ''));
    assert.ok(names.length > 20);
    const scopes = new Set([...all].map((name) => name.replace(/\/.*/, '/*')));
    assert.deepEqual(
      names.filter((name) => !all.has(name) && !scopes.has(name)),
      [],
    );
  });

  it('are recognised by whole names only', () => {
    assert.ok(isNamed('koa, @koa/router', '@koa/router'));
    assert.ok(!isNamed('@koa/router', 'koa'));
    assert.ok(isNamed('traces (@opentelemetry/\\*)', '@opentelemetry/api'));
    assert.ok(!isNamed('env-paths', 'env-path'));
  });
});

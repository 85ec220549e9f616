/** Plants files in a folder of their own, and runs the linter on them with the configuration of the repository. */
import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url));
const BIOME = join(REPOSITORY, 'node_modules', '@biomejs', 'biome', 'bin', 'biome');

/** The rule that the walls between folders are made of. */
export const RESTRICTED = 'lint/style/noRestrictedImports';

interface Report {
  readonly diagnostics: readonly { readonly category: string; readonly location: { readonly path: string } }[];
}

/**
 * @param planted files by their path, each with the file that it imports a type from, or a package (`npm:koa`), or the
 *   file that it exports again (`again:src/here`); null: nothing
 * @returns the files that the rule complains of, sorted
 */
export async function complained(planted: ReadonlyMap<string, string | null>, rule: string): Promise<string[]> {
  const root = await mkdtemp(join(tmpdir(), 'longshore-lint-'));
  try {
    for (const name of ['biome.json', '.gitignore']) await copyFile(join(REPOSITORY, name), join(root, name));
    for (const [path, imported] of planted) {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), contentOf(path, imported));
    }
    const { diagnostics }: Report = JSON.parse(await runBiome(root));
    return diagnostics.flatMap(({ category, location }) => (category === rule ? [location.path] : [])).sort();
  } finally {
    await rm(root, { recursive: true });
  }
}

function contentOf(path: string, imported: string | null): string {
  if (imported === null) return 'export type Planted = string;\n';
  if (imported.startsWith('npm:')) return `export type { Planted } from '${imported.slice('npm:'.length)}';\n`;
  const isAgain = imported.startsWith('again:');
  const from = relative(dirname(path), imported.replace('again:', ''));
  const specifier = from.startsWith('.') ? from : `./${from}`;
  if (isAgain) return `export { planted } from '${specifier}.js';\n`;
  return `import type { Planted as Other } from '${specifier}.js';\n\nexport type Planted = Other | null;\n`;
}

function runBiome(cwd: string): Promise<string> {
  const options = ['lint', '--reporter=json', '--max-diagnostics=none'];
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [BIOME, ...options], { cwd, maxBuffer: 64 << 20 }, (error, stdout) => {
      // It exits with 1 where it found anything.
      if (error !== null && error.code !== 1) reject(error);
      else resolve(stdout);
    });
  });
}

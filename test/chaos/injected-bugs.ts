/** The bugs that can be injected, as hooks of Node's module loader: a text of a module is replaced by another one. */
import type { LoadHook } from 'node:module';

interface Replacement {
  /** The end of the module's address. */
  readonly module: string;
  readonly from: string;
  readonly to: string;
}

export const INJECTED_BUGS: Readonly<Record<string, readonly Replacement[]>> = {
  /** A step is executed whatever its fencing token is, and a chunk although it is done. */
  'ignore-fence': [
    { module: '/src/domain/kernel/invariant.js', from: 'return held === ofRow;', to: 'return true;' },
    {
      module: '/src/domain/jobs/apply-chunks.js',
      from: "return isCurrent && status === 'IN_PROGRESS' && step === 'apply' && chunk.status === 'dispatched';",
      to: 'return isCurrent;',
    },
  ],
};

const injected = INJECTED_BUGS[process.env.LONGSHORE_TEST_FAULT ?? ''] ?? [];

/** Hook of the module loader. @throws when the text that is to be replaced is not there (any more) */
export const load: LoadHook = async (url, context, nextLoad) => {
  const loaded = await nextLoad(url, context);
  const replacements = injected.filter(({ module }) => url.endsWith(module));
  if (replacements.length === 0) return loaded;
  let source = String(loaded.source);
  for (const { from, to } of replacements) {
    if (!source.includes(from)) throw new Error(`the bug cannot be injected: ${url} does not contain "${from}"`);
    source = source.replace(from, to);
  }
  return { ...loaded, source };
};

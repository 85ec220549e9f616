/** The bugs that can be injected, as hooks of Node's module loader: a text of a module is replaced by another one. */
import type { LoadHook } from 'node:module';

interface Replacement {
  /** The module of the build that has the text. The bundler writes its name above it. */
  readonly module: string;
  readonly from: string;
  readonly to: string;
}

export const INJECTED_BUGS: Readonly<Record<string, readonly Replacement[]>> = {
  /** A step is executed whatever its fencing token is, and a chunk although it is done. */
  'ignore-fence': [
    { module: 'dist/src/domain/kernel/invariant.js', from: ', heldToken === rowToken;', to: ', true;' },
    {
      module: 'dist/src/domain/jobs/chunks/due-chunks.js',
      from: ' && status === "IN_PROGRESS" && step === "apply" && chunk.status === "dispatched";',
      to: ';',
    },
  ],
};

/** Bugs for which the watchdog is there. A chaos run is too short for it. */
export const HANGS: typeof INJECTED_BUGS = {
  /** An export waits for something that never comes. */
  'hang-in-export': [
    {
      module: 'dist/src/workers/handlers/export-job.js',
      from: 'outcome = await (compares ? runCompare : runExportJob)(',
      to: 'outcome = await (() => new Promise(() => undefined))(',
    },
  ],
  /** Each check of readiness keeps a connection for ever: soon requests get none. */
  'leak-connections': [
    {
      module: 'dist/src/api/readiness.js',
      from: 'await tokens.authenticate(randomUUID())',
      to: 'await db.client.acquireConnection()',
    },
  ],
};

const injected = { ...INJECTED_BUGS, ...HANGS }[process.env.LONGSHORE_TEST_FAULT ?? ''] ?? [];

/** Hook of the module loader. @throws when the text that is to be replaced is not there (any more) */
export const load: LoadHook = async (url, context, nextLoad) => {
  const loaded = await nextLoad(url, context);
  if (injected.length === 0 || !url.includes('/dist/app/')) return loaded;
  let source = String(loaded.source);
  for (const { module, from, to } of injected.filter(({ module }) => source.includes(`\n// ${module}\n`))) {
    if (!source.includes(from)) throw new Error(`the bug cannot be injected: ${module} does not contain "${from}"`);
    source = source.replace(from, to);
  }
  return { ...loaded, source };
};

/**
 * Bundles the pages into dist/console: `index.html`, and beside it `assets` whose names say what is in them. Each is there a
 * second time, compressed. `node packages/console/build.mjs --watch` builds again with every change.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { compileMessage } from '@lingui/message-utils/compileMessage';
import { build, context } from 'esbuild';

const PACKAGE = dirname(fileURLToPath(import.meta.url));
const SOURCE = join(PACKAGE, 'src');
const TARGET = join(PACKAGE, '..', '..', 'dist', 'console');
const COMPRESSED = /\.(?:js|css|svg)$/;
/** React Aria has its own texts in 34 languages; all but these are left out. */
const LANGUAGES = ['de-DE', 'en-US'];

/** The texts of components in languages that the pages do not have become empty modules. */
const ownLanguages = {
  name: 'own-languages',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/](?:intl|i18n)[\\/].*[\\/]?[a-z]{2}-[A-Z]{2}\.m?js$/ }, ({ path }) => {
      const language = /([a-z]{2}-[A-Z]{2})\.m?js$/.exec(path)?.[1];
      return LANGUAGES.includes(language) ? undefined : { contents: 'export default {}', loader: 'js' };
    });
  },
};

/**
 * What is loaded later says that it needs what is there already. A bundler that divides a program by what needs which part
 * leaves that in few files then, which are compressed better than thirty.
 */
const WITH_FIRST = `import ${JSON.stringify(join(SOURCE, 'app.tsx'))};`;

/** The paths of what is imported when it is wanted, without their endings. */
function loadedLater() {
  const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file));
  const imported = (path) => [...readFileSync(path, 'utf8').matchAll(/\bimport\('(\.[^']+)\.js'\)/g)];
  return new Set(
    files.flatMap((file) => imported(join(SOURCE, file)).map(([, place]) => join(SOURCE, dirname(file), place))),
  );
}

const ownSource = {
  name: 'own-source',
  setup({ onStart, onLoad }) {
    let later;
    onStart(() => {
      later = loadedLater();
    });
    // Texts are compiled here instead of in the browser, which then needs no parser of ICU's language.
    onLoad({ filter: /[\\/]console[\\/]src[\\/].*\.tsx?$/ }, ({ path }) => ({
      contents:
        (later.has(path.replace(/\.tsx?$/, '')) ? WITH_FIRST : '') +
        withCompiledTexts(readFileSync(path, 'utf8'), path),
      loader: 'tsx',
    }));
  },
};

/** `textsOf('part', {…})`, in one line, or in several of which the last is that of the object. */
const TEXTS = /textsOf\('[\w-]+', (\{[^\n]+\}|\{\n[\s\S]*?\n\})\)/g;

/** @throws Error where texts are written in another form */
function withCompiledTexts(source, path) {
  let count = 0;
  const written = source.replace(TEXTS, (call, object) => {
    count++;
    const texts = new Function(`return (${object})`)();
    const compiled = JSON.stringify(texts, (_, value) => (typeof value === 'string' ? compiledText(value) : value));
    return call.replace(object, () => compiled);
  });
  if (count !== source.split(/\btextsOf\('/).length - 1)
    throw new Error(`${path} has texts in a form that is not known`);
  return written;
}

/** A text without values stays one. */
function compiledText(text) {
  const parts = compileMessage(text);
  return parts.length === 1 && typeof parts[0] === 'string' ? parts[0] : parts;
}

const writePages = {
  name: 'write-pages',
  setup({ onEnd }) {
    onEnd(({ errors, metafile, outputFiles }) => {
      if (errors.length === 0) write(outputFiles, metafile);
    });
  },
};

const OPTIONS = {
  absWorkingDir: PACKAGE,
  entryPoints: ['src/main.tsx'],
  bundle: true,
  splitting: true,
  format: 'esm',
  target: ['es2022', 'chrome111', 'firefox115', 'safari16.4'],
  jsx: 'automatic',
  minify: true,
  metafile: true,
  write: false,
  outdir: 'assets',
  entryNames: '[name]-[hash]',
  chunkNames: '[name]-[hash]',
  assetNames: '[name]-[hash]',
  loader: { '.woff2': 'file', '.svg': 'file' },
  define: { 'process.env.NODE_ENV': '"production"' },
  legalComments: 'none',
  logLevel: 'warning',
  plugins: [ownLanguages, ownSource, writePages],
};

/** The folder is replaced as a whole, so that a server that reads it meanwhile finds one build or the other. */
function write(files, { outputs }) {
  const next = `${TARGET}.next`;
  rmSync(next, { recursive: true, force: true });
  mkdirSync(join(next, 'assets'), { recursive: true });
  const icon = readFileSync(join(SOURCE, 'icon.svg'));
  const iconName = `icon-${createHash('sha256').update(icon).digest('hex').slice(0, 8)}.svg`;
  for (const { path, contents } of [...files, { path: iconName, contents: icon }]) {
    const name = basename(path);
    writeFileSync(join(next, 'assets', name), contents);
    if (COMPRESSED.test(name)) writeFileSync(join(next, 'assets', `${name}.gz`), gzipSync(contents, { level: 9 }));
  }
  const [entry, { cssBundle }] = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === 'src/main.tsx');
  const page = readFileSync(join(SOURCE, 'index.html'), 'utf8')
    .replaceAll('{script}', basename(entry))
    .replaceAll('{style}', basename(cssBundle))
    .replaceAll('{icon}', iconName);
  writeFileSync(join(next, 'index.html'), page);
  writeFileSync(join(next, 'outputs.json'), JSON.stringify(loadedBy(outputs)));
  rmSync(TARGET, { recursive: true, force: true });
  renameSync(next, TARGET);
}

/** Which scripts each page loads when it is opened: its own, and what these import. */
function loadedBy(outputs) {
  const closure = (path, found = new Set()) => {
    if (found.has(path)) return found;
    found.add(path);
    for (const { path: next, kind } of outputs[path].imports) if (kind === 'import-statement') closure(next, found);
    return found;
  };
  return Object.fromEntries(
    Object.entries(outputs)
      .filter(([, { entryPoint }]) => entryPoint !== undefined)
      .map(([path, { entryPoint }]) => [entryPoint, [...closure(path)].map((one) => basename(one))]),
  );
}

if (process.argv.includes('--watch')) await (await context(OPTIONS)).watch();
else await build(OPTIONS);

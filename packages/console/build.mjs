/**
 * Bundles the pages into dist/console: `index.html`, and beside it `assets` whose names say what is in them. Each is there a
 * second time, compressed. Each language is a program of its own, with the texts of the other in one file that is loaded when
 * it is chosen. `node packages/console/build.mjs --watch` builds again with every change.
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
const ENTRY = 'src/main.tsx';
const LANGUAGES = ['en', 'de'];
/** React Aria has its own texts in 34 languages; all but these are left out. */
const ARIA_LANGUAGES = ['de-DE', 'en-US'];

/** The texts of components in languages that the pages do not have become empty modules. */
const ownLanguages = {
  name: 'own-languages',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/](?:intl|i18n)[\\/].*[\\/]?[a-z]{2}-[A-Z]{2}\.m?js$/ }, ({ path }) => {
      const language = /([a-z]{2}-[A-Z]{2})\.m?js$/.exec(path)?.[1];
      return ARIA_LANGUAGES.includes(language) ? undefined : { contents: 'export default {}', loader: 'js' };
    });
  },
};

/** Texts are compiled here instead of in the browser, which then needs no parser of ICU's language. */
const compiledTexts = (language) => ({
  name: 'compiled-texts',
  setup({ onStart, onLoad }) {
    let later;
    onStart(() => {
      later = loadedLater();
    });
    onLoad({ filter: /[\\/]console[\\/]src[\\/].*\.tsx?$/ }, ({ path }) => {
      const source = readFileSync(path, 'utf8');
      const contents = (later.has(path) ? WITH_ALL : '') + withCompiledTexts(source, path, language);
      return { contents, loader: 'tsx' };
    });
    const other = LANGUAGES.find((one) => one !== language);
    onLoad({ filter: /[\\/]other-language\.ts$/ }, () => ({
      contents: `export const texts = ${JSON.stringify(allTexts(other))};`,
      loader: 'js',
    }));
  },
});

/**
 * What is loaded later says that it needs what is there already. A bundler that divides programs by what needs which part
 * leaves that in one file then, which is compressed better than twenty.
 */
const WITH_ALL = `import ${JSON.stringify(join(SOURCE, 'app.tsx'))};`;

function loadedLater() {
  const files = sources().flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(/\bimport\('(\.[^']+)\.js'\)/g)].map(([, place]) =>
      join(dirname(path), place),
    ),
  );
  return new Set(files.flatMap((file) => [`${file}.ts`, `${file}.tsx`]));
}

function sources() {
  const files = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file));
  return files.sort().map((file) => join(SOURCE, file));
}

/** `textsOf('part', {…})`, in one line, or in several of which the last is that of the object. */
const TEXTS = /textsOf\('([\w-]+)', (\{[^\n]+\}|\{\n[\s\S]*?\n\})\)/g;

/** @throws Error where texts are written in another form */
function withCompiledTexts(source, path, language) {
  let count = 0;
  const written = source.replace(TEXTS, (_, part, object) => {
    count++;
    return `textsOf('${part}', ${JSON.stringify(textsIn(object, language))})`;
  });
  if (count !== source.split(/\btextsOf\('/).length - 1)
    throw new Error(`${path} has texts in a form that is not known`);
  return written;
}

/** Key → compiled text. */
function textsIn(object, language) {
  const texts = Object.entries(new Function(`return (${object})`)());
  return Object.fromEntries(texts.map(([key, text]) => [key, compiledText(text[language])]));
}

/** The texts of all parts in a language, by their ids. */
function allTexts(language) {
  const entries = sources().flatMap((path) =>
    [...readFileSync(path, 'utf8').matchAll(TEXTS)].flatMap(([, part, object]) =>
      Object.entries(textsIn(object, language)).map(([key, text]) => [`${part}.${key}`, text]),
    ),
  );
  return Object.fromEntries(entries);
}

/** A text without values stays one. */
function compiledText(text) {
  const parts = compileMessage(text);
  return parts.length === 1 && typeof parts[0] === 'string' ? parts[0] : parts;
}

/** Language → what was built of it last. */
const built = new Map();

/** Writes when every language is there. */
const writePages = (language) => ({
  name: 'write-pages',
  setup({ onEnd }) {
    onEnd(({ errors, metafile, outputFiles }) => {
      if (errors.length > 0) return;
      built.set(language, { files: outputFiles, outputs: metafile.outputs });
      if (built.size === LANGUAGES.length) write();
    });
  },
});

const optionsOf = (language) => ({
  absWorkingDir: PACKAGE,
  entryPoints: [ENTRY],
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
  define: { 'process.env.NODE_ENV': '"production"', BUILT_LANGUAGE: JSON.stringify(language) },
  legalComments: 'none',
  logLevel: 'warning',
  plugins: [ownLanguages, compiledTexts(language), writePages(language)],
});

/** The folder is replaced as a whole, so that a server that reads it meanwhile finds one build or the other. */
function write() {
  const next = `${TARGET}.next`;
  rmSync(next, { recursive: true, force: true });
  mkdirSync(join(next, 'assets'), { recursive: true });
  const icon = readFileSync(join(SOURCE, 'icon.svg'));
  const iconName = `icon-${createHash('sha256').update(icon).digest('hex').slice(0, 8)}.svg`;
  const all = LANGUAGES.map((language) => built.get(language));
  const assets = new Map([[iconName, icon]]);
  // What has no texts is the same in each language, and has one name.
  for (const { path, contents } of all.flatMap(({ files }) => files)) assets.set(basename(path), contents);
  for (const [name, contents] of assets) {
    writeFileSync(join(next, 'assets', name), contents);
    if (COMPRESSED.test(name)) writeFileSync(join(next, 'assets', `${name}.gz`), gzipSync(contents, { level: 9 }));
  }
  const entries = all.map(({ outputs }) => Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === ENTRY));
  const scripts = LANGUAGES.map((language, index) => [language, basename(entries[index][0])]);
  const page = readFileSync(join(SOURCE, 'index.html'), 'utf8')
    .replaceAll('{scripts}', JSON.stringify(Object.fromEntries(scripts)))
    .replaceAll('{style}', basename(entries[0][1].cssBundle))
    .replaceAll('{icon}', iconName);
  writeFileSync(join(next, 'index.html'), page);
  const loaded = LANGUAGES.map((language, index) => [language, loadedBy(all[index].outputs)]);
  writeFileSync(join(next, 'outputs.json'), JSON.stringify(Object.fromEntries(loaded)));
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

for (const language of LANGUAGES) {
  if (process.argv.includes('--watch')) await (await context(optionsOf(language))).watch();
  else await build(optionsOf(language));
}

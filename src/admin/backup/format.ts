/** What a backup consists of: a folder with a file for each table, the files of the store, and a manifest, written last. */
import { createHash } from 'node:crypto';
import { createReadStream, type Stats } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { ConfigError } from '../../config/config.js';

const MANIFEST_FILE = 'manifest.json';
/** A line for each file of the store. */
const FILE_LIST = 'files.jsonl';
const FORMAT = 1;

const digest = z.object({ bytes: z.int(), sha256: z.string() });
const fileEntry = digest.extend({ key: z.string() });
export type FileEntry = z.infer<typeof fileEntry>;

const manifest = z.object({
  format: z.literal(FORMAT),
  /** The release that has written it. */
  release: z.string(),
  createdAt: z.string(),
  migrations: z.array(z.string()),
  tables: z.array(digest.extend({ name: z.string(), columns: z.array(z.string()), rows: z.int() })),
  sequences: z.array(z.object({ name: z.string(), lastValue: z.string(), isCalled: z.boolean() })),
  /** The first month of the change log. Absent: it had none yet. */
  changesSince: z.string().optional(),
  files: digest.extend({ count: z.int(), ofAll: z.int() }),
  /** Files that the database names and the store did not have. */
  missing: z.array(z.string()),
  /** A sealed text, by which a restore knows whether SECRETS_KEY is that of the backup. */
  sealed: z.string(),
});
export type Manifest = z.infer<typeof manifest>;

/** The place for which `sealed` is sealed. */
export const SEALED_PLACE = 'backup';

/** Paths in the folder of a backup. */
export function pathsOf(folder: string) {
  const files = join(folder, 'files');
  return {
    manifest: join(folder, MANIFEST_FILE),
    fileList: join(folder, FILE_LIST),
    tables: join(folder, 'tables'),
    table: (name: string) => join(folder, 'tables', `${name}.copy.gz`),
    file: (key: string) => {
      const path = resolve(files, key);
      if (!path.startsWith(resolve(files) + sep))
        throw new ConfigError(`the backup names a file outside of it: ${key}`);
      return path;
    },
  } as const;
}

/** Passes bytes on, counts them, and computes their digest. */
export class Digest extends Transform {
  readonly #hash = createHash('sha256');
  bytes = 0;

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: (error: null, chunk: Buffer) => void): void {
    this.#hash.update(chunk);
    this.bytes += chunk.length;
    done(null, chunk);
  }

  /** To be called once, at the end. */
  result(): { readonly bytes: number; readonly sha256: string } {
    return { bytes: this.bytes, sha256: this.#hash.digest('hex') };
  }
}

/**
 * Reads a backup and checks every file of it.
 * @throws ConfigError that names the first file that is missing or altered
 */
export async function readBackup(folder: string): Promise<{ manifest: Manifest; files: readonly FileEntry[] }> {
  const paths = pathsOf(folder);
  const read = await readManifest(paths.manifest, folder);
  await check(paths.fileList, read.files);
  const lines = (await readFile(paths.fileList, 'utf8')).split('\n').filter((line) => line !== '');
  const files = lines.map((line) => fileEntry.parse(JSON.parse(line)));
  for (const table of read.tables) await check(paths.table(table.name), table);
  for (const file of files) await check(paths.file(file.key), file);
  return { manifest: read, files };
}

async function readManifest(path: string, folder: string): Promise<Manifest> {
  const text = await readFile(path, 'utf8').catch(() => {
    throw new ConfigError(`${folder} contains no complete backup: there is no ${MANIFEST_FILE}, which is written last`);
  });
  const parsed = manifest.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw new ConfigError(`${path} is damaged, or was written by a release whose backups this one cannot read`);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function check(path: string, expected: z.infer<typeof digest>): Promise<void> {
  const found: Stats | undefined = await stat(path).catch(() => undefined);
  if (found === undefined) throw new ConfigError(`the backup is incomplete: ${path} is missing`);
  const digest = new Digest();
  await pipeline(createReadStream(path), digest.resume());
  const { bytes, sha256 } = digest.result();
  if (bytes === expected.bytes && sha256 === expected.sha256) return;
  throw new ConfigError(`the backup is damaged: ${path} has other bytes than its manifest says; use another backup`);
}

/** Opens the archive of a stage and checks what its manifest says of it: nothing of another archive is read further. */
import { createHash } from 'node:crypto';
import type { RandomAccess } from '../../formats/model/random-access.js';
import { RejectedInput } from '../../formats/model/rejected-input.js';
import {
  ARCHIVE_FILES,
  ARCHIVE_FORMAT,
  type ArchivedFile,
  type ArchiveKind,
  MANIFEST_NAME,
  type Manifest,
  manifestHead,
  manifestSchema,
} from '../../formats/site-archive.js';
import type { ArchiveWords } from '../../formats/xlsx/read/archive-words.js';
import { ZipArchive } from '../../formats/xlsx/read/zip-archive.js';
import { LF, storable } from '../../kernel/characters.js';

const MIB = 1024 * 1024;
const MAX_MANIFEST_BYTES = MIB;

/** What an archive may unpack to, so that none costs more than it should. */
const ARCHIVE_LIMITS = {
  maxEntries: 100,
  maxExpandedBytes: 4_096 * MIB,
  maxExpansionRatio: 200,
  ratioFromBytes: 8 * MIB,
  /** Of each file but that of the items, which is read in pieces. */
  maxFileBytes: 64 * MIB,
} as const;

const ADVICE = 'export the stage again (POST /jobs/site/actions/export), and upload that file as it is';

/** @param what a sentence without its full stop */
export function refused(what: string): RejectedInput {
  return new RejectedInput(
    'ARCHIVE_REFUSED',
    `the file is no archive of a stage that can be imported: ${what}; ${ADVICE}`,
  );
}

const WORDS: ArchiveWords = {
  damaged: (what) => refused(what.replace(/[.\s]+$/, '')),
  tooManyEntries: (count) => refused(`it has ${count} files`),
  encrypted: () => refused('it is encrypted'),
  expands: (ratio) =>
    new RejectedInput(
      'EXPANSION_RATIO',
      `a file of the archive expands to more than ${ratio} times its size, as a zip bomb does`,
    ),
  tooLarge: (bytes) => new RejectedInput('TOO_LARGE', `the archive unpacks to more than ${bytes} bytes`),
};

/** The archive of a stage, of which each file is checked as it is read. */
export class SiteArchive {
  readonly #zip: ZipArchive;

  private constructor(
    zip: ZipArchive,
    readonly manifest: Manifest,
  ) {
    this.#zip = zip;
  }

  /** @throws RejectedInput when it is no zip, has other files than its manifest says, or is of an unknown format */
  static async open(file: RandomAccess): Promise<SiteArchive> {
    const zip = await ZipArchive.open(file, ARCHIVE_LIMITS, WORDS);
    if (!zip.names.includes(MANIFEST_NAME)) throw refused(`it has no ${MANIFEST_NAME}`);
    const manifest = parseManifest(await whole(zip.read(MANIFEST_NAME), MANIFEST_NAME, MAX_MANIFEST_BYTES));
    const listed = new Set<string>([MANIFEST_NAME, ...ARCHIVE_FILES.map(({ name }) => name)]);
    const strange = zip.names.find((name) => !listed.has(name));
    if (strange !== undefined) throw refused(`it has a file "${storable(strange, 200)}" that does not belong to it`);
    const missing = ARCHIVE_FILES.find(({ name }) => !zip.names.includes(name));
    if (missing !== undefined) throw refused(`it has no ${missing.name}`);
    return new SiteArchive(zip, manifest);
  }

  file(kind: ArchiveKind): ArchivedFile {
    const found = this.manifest.files.find((file) => file.kind === kind);
    if (found === undefined) throw refused(`its manifest does not name the ${kind}`);
    return found;
  }

  /** The bytes of a file in blocks. @throws RejectedInput at its end when they are not what the manifest says */
  async *read(kind: ArchiveKind): AsyncGenerator<Buffer> {
    const { name, bytes, rows, sha256 } = this.file(kind);
    const hash = createHash('sha256');
    let length = 0;
    let lines = 0;
    for await (const block of this.#zip.read(name)) {
      hash.update(block);
      length += block.length;
      for (let at = block.indexOf(LF); at >= 0; at = block.indexOf(LF, at + 1)) lines += 1;
      if (length > bytes) break;
      yield block;
    }
    if (length !== bytes || hash.digest('hex') !== sha256) {
      throw refused(`${name} is not what the checksum in the manifest says, so that it was changed or damaged`);
    }
    if (lines !== rows) throw refused(`${name} has ${lines} rows, and the manifest says ${rows}`);
  }

  /** The text of a file other than that of the items. @throws RejectedInput */
  async text(kind: Exclude<ArchiveKind, 'items'>): Promise<string> {
    const { name } = this.file(kind);
    return (await whole(this.read(kind), name, ARCHIVE_LIMITS.maxFileBytes)).toString('utf8');
  }
}

function parseManifest(bytes: Buffer): Manifest {
  let given: unknown;
  try {
    given = JSON.parse(bytes.toString('utf8'));
  } catch {
    throw refused(`its ${MANIFEST_NAME} is not JSON`);
  }
  const head = manifestHead.safeParse(given);
  if (!head.success) throw refused(`its ${MANIFEST_NAME} names no format`);
  if (head.data.format > ARCHIVE_FORMAT) {
    const message = `the archive is of the format ${head.data.format}, and this release reads formats up to ${ARCHIVE_FORMAT}: import it where a newer release runs, or export it there once more from a release like this one`;
    throw new RejectedInput('ARCHIVE_REFUSED', message);
  }
  const { success, data, error } = manifestSchema.safeParse(given);
  if (!success) {
    const [issue] = error.issues;
    throw refused(`its ${MANIFEST_NAME} is not as expected (${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''})`);
  }
  for (const { kind, name } of ARCHIVE_FILES) {
    const named = data.files.filter((file) => file.kind === kind);
    if (named.length !== 1 || named[0]?.name !== name) throw refused(`its ${MANIFEST_NAME} does not name ${name} once`);
  }
  return data;
}

async function whole(blocks: AsyncIterable<Buffer>, name: string, most: number): Promise<Buffer> {
  const all: Buffer[] = [];
  let length = 0;
  for await (const block of blocks) {
    length += block.length;
    if (length > most) throw new RejectedInput('TOO_LARGE', `${name} in the archive has more than ${most} bytes`);
    all.push(block);
  }
  return Buffer.concat(all);
}

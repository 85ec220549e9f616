/** The archive of a whole stage: which files it has, and what its manifest says of them. Exports write it, imports read it. */
import { z } from 'zod';

/** A release reads archives of this format and of all before it. */
export const ARCHIVE_FORMAT = 1;

export const MANIFEST_NAME = 'manifest.json';

/** The files of an archive in their order: each refers only to those before it. */
export const ARCHIVE_FILES = [
  { kind: 'attributes', name: 'attributes.jsonl' },
  { kind: 'mappings', name: 'mappings.jsonl' },
  { kind: 'serials', name: 'serials.jsonl' },
  { kind: 'categories', name: 'categories.jsonl' },
  { kind: 'items', name: 'items.jsonl' },
  { kind: 'profiles', name: 'import-profiles.jsonl' },
  { kind: 'settings', name: 'settings.jsonl' },
  { kind: 'webhooks', name: 'webhooks.jsonl' },
] as const;
export type ArchiveKind = (typeof ARCHIVE_FILES)[number]['kind'];

/** Such as `attributes.jsonl row 3`. */
export function placeIn(kind: ArchiveKind, row: number): string {
  return `${ARCHIVE_FILES.find((file) => file.kind === kind)?.name ?? kind} row ${row}`;
}

const KINDS = ARCHIVE_FILES.map(({ kind }) => kind);

/** What the manifest says of a file. */
const archivedFile = z.strictObject({
  name: z.string(),
  kind: z.enum(KINDS),
  rows: z.int().min(0),
  bytes: z.int().min(0),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
});
export type ArchivedFile = z.output<typeof archivedFile>;

/** What every manifest has, whatever its format is. */
export const manifestHead = z.object({ format: z.int().min(1) });

export const manifestSchema = z.strictObject({
  format: z.literal(ARCHIVE_FORMAT),
  /** When the snapshot was taken. */
  createdAt: z.iso.datetime(),
  /** The cursor of GET /changes that belongs to the snapshot: what is changed after it is not in the archive. */
  cursor: z.string(),
  files: z.array(archivedFile).length(ARCHIVE_FILES.length),
});
export type Manifest = z.output<typeof manifestSchema>;

/** The role of an attribute, a line each. */
export const mappingLine = z.strictObject({ mapping: z.string(), name: z.string(), required: z.boolean() });
export type MappingLine = z.output<typeof mappingLine>;

/** The next number that an attribute of the type SERIAL gives. */
export const serialLine = z.strictObject({ name: z.string(), next: z.int() });
export type SerialLine = z.output<typeof serialLine>;

/** Asks for archives of whole stages as a client does, and for rewritten ones that no client should send. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';
import { zipEntries } from '../models/zip-entries.js';
import type { Answer } from './call-api.js';
import type { CallOptions, Shop } from './shop.js';

export interface StageArchive {
  readonly bytes: Buffer;
  readonly name: string;
  /** The files by name. */
  readonly files: ReadonlyMap<string, string>;
  readonly manifest: {
    readonly format: number;
    readonly createdAt: string;
    readonly cursor: string;
    readonly files: readonly { name: string; kind: string; rows: number; bytes: number; sha256: string }[];
  };
}

/** Exports a whole stage, and reads the archive. */
export async function exportStage(shop: Shop, context?: CallOptions['context']): Promise<StageArchive> {
  const { status, body } = await shop.post('/jobs/site/actions/export', {}, context ? { context } : {});
  assert.equal(status, 202, JSON.stringify(body));
  const job = await settled(shop, body.jobId, context);
  assert.equal(job.status, 'COMPLETED', JSON.stringify(job));
  const { name, bytes } = await shop.download(job.outputFiles[0], context);
  const files = await zipEntries(bytes);
  return { name, bytes, files, manifest: JSON.parse(files.get('manifest.json') ?? '') };
}

/** All of an archive but for its time and cursor. */
export function contentOf({ files, manifest }: StageArchive): object {
  const { createdAt: _, cursor: __, ...rest } = manifest;
  return { ...Object.fromEntries(files), 'manifest.json': rest };
}

/** A zip of these files, in this order. */
export async function zipOf(files: Iterable<readonly [string, string | Buffer]>): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [name, content] of files) zip.addBuffer(Buffer.from(content), name);
  zip.end();
  return buffer(zip.outputStream);
}

/** An archive with other files, whose manifest says what they are. @param changed name → other content */
export function archiveWith(
  { files, manifest }: StageArchive,
  changed: Readonly<Record<string, string>>,
  over: object = {},
): Promise<Buffer> {
  const all = new Map([...files, ...Object.entries(changed)]);
  const listed = manifest.files.map((file) => {
    const text = Buffer.from(all.get(file.name) ?? '');
    const rows = text.filter((byte) => byte === 0x0a).length;
    return { ...file, rows, bytes: text.length, sha256: createHash('sha256').update(text).digest('hex') };
  });
  all.set('manifest.json', JSON.stringify({ ...manifest, files: listed, ...over }));
  return zipOf(all);
}

/** Announces an archive, uploads it, and waits until its job has ended or waits for an approval. @returns the job */
export async function importStage(
  shop: Shop,
  bytes: Buffer,
  options: object = {},
  context?: CallOptions['context'],
): Promise<Answer['body']> {
  const jobId = await shop.upload('stage.zip', bytes, { ...options }, { type: 'SITE_IMPORT', context });
  return settled(shop, jobId, context);
}

/** The job when it has ended, or waits for an approval; it may take long as long as it goes on. */
export async function settled(shop: Shop, jobId: string, context?: CallOptions['context']): Promise<Answer['body']> {
  let seen = '';
  for (let tries = 0; tries < 6; tries++) {
    const options = { headers: { prefer: 'wait=25' }, ...(context ? { context } : {}) };
    const job = await shop.ask('GET', `/jobs/${jobId}`, options);
    if (job.completedAt !== null || job.status === 'AWAITING_APPROVAL') return job;
    const progress = JSON.stringify(job.progressTracker);
    if (progress !== seen) tries = 0;
    seen = progress;
  }
  return assert.fail(`job ${jobId} neither ends nor waits, and does not go on: ${seen}`);
}

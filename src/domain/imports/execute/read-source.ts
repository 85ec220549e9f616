/** Reads the uploaded file of a job that is to be planned: as it is, or as its profile says. */
import type { Db } from '../../../../db/connection.js';
import { File } from '../../../../db/models/file.js';
import type { PendingFile } from '../../../platform/file-store.js';
import { formatOf } from '../../formats/file-format.js';
import type { MappedInput } from '../../formats/mapped/plan-mapped.js';
import type { UploadInput } from '../../formats/model/source-input.js';
import { DEFAULT_LIMITS } from '../../formats/model/source-limits.js';
import { storedBytes } from '../../formats/model/stored-bytes.js';
import { planSource } from '../../formats/plan-source.js';
import type { ImportJob } from '../model/import-jobs.js';
import type { ImportOptions } from '../model/import-options.js';
import { spoolKey } from '../model/spool-key.js';
import { type RowApplier, workbookColumns } from '../rows/row-applier.js';
import type { FileJobServices, FilePlan } from './file-plan.js';
import { readMapped } from './read-mapped.js';
import { readHeaderOf } from './wrong-file-type.js';

/** The file of a job. */
export async function uploadOf(db: Db, job: ImportJob): Promise<File> {
  return File.query(db)
    .findById(job.input_file_id ?? '')
    .throwIfNotFound();
}

/** The bytes of an uploaded file, and how they are read. */
export function uploadInput(
  { fileStore }: Pick<FileJobServices, 'fileStore'>,
  file: File,
  signal: AbortSignal,
): Omit<UploadInput, 'limits'> & ReturnType<typeof formatOf> {
  const key = file.storage_key;
  if (key === null) throw new Error(`file ${file.id} was never uploaded`);
  return {
    ...storedBytes(fileStore, key),
    ...formatOf(file.name),
    options: {},
    signal,
  };
}

/** Finds the rows of a job's file. @throws RejectedInput; the signal's reason when it is aborted */
export async function readSource(
  services: FileJobServices,
  job: ImportJob,
  applier: RowApplier,
  signal: AbortSignal,
): Promise<FilePlan> {
  const { db, fileStore, chunkRows } = services;
  const { delimiter, encoding, sheet, profile }: Partial<ImportOptions> = job.options;
  const file = await uploadOf(db, job);
  let spool: PendingFile | undefined;
  const input = {
    ...uploadInput(services, file, signal),
    createSpool: async () => {
      spool = await fileStore.create(spoolKey(job.id));
      return spool.stream;
    },
    openSpool: async () => {
      await spool?.commit();
      spool = undefined;
      return fileStore.read(spoolKey(job.id));
    },
    options: { delimiter, encoding, sheet },
    limits: { ...DEFAULT_LIMITS, chunkRows, ...applier.limits },
    winner: applier.winner,
    normaliseKey: (text: string) => applier.normaliseKey(text),
  };
  try {
    const plan = profile ? await readMapped(input, job, applier, profile) : await readOurs(input, job, applier);
    await spool?.commit();
    return plan;
  } catch (error) {
    await spool?.discard();
    throw error;
  }
}

async function readOurs(input: MappedInput, job: ImportJob, applier: RowApplier): Promise<FilePlan> {
  let keyColumn = -1;
  const plan = await planSource({
    ...input,
    resolveHeader: (cells) => {
      keyColumn = readHeaderOf(job, cells, () => applier.readHeader(cells));
      return keyColumn;
    },
    workbookColumns: (cells) => readHeaderOf(job, cells, () => workbookColumns(applier, cells)),
    keyOf: (element) => applier.keyOf(element),
    keyField: applier.keyField ?? null,
  });
  return { ...plan, keyColumn };
}

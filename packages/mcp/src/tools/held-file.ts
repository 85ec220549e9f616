/** The files that tools inspect and propose: uploaded and held, so that nothing of them is imported yet. */
import type { LongshoreClient, schemas } from '@longshore/client';
import { z } from 'zod';
import { BY_APPROVAL } from '../approval.js';
import { known } from '../paging.js';
import { FailedWith, ToolProblem } from '../problem.js';
import { MOST_SECONDS } from '../settle.js';
import type { Call } from '../tool.js';

/** How a tool is told which file it is about, and which of its rows. */
export const fileInput = {
  path: z.string().min(1).max(4_000).optional().describe('A file on the machine of this server, to be uploaded'),
  fileId: z
    .string()
    .regex(/^[0-9a-f]{24}$/, 'an id has 24 hex characters')
    .optional()
    .describe('A file that inspect_file has uploaded already'),
  fileType: z
    .enum(['ITEM_IMPORT', 'BUNDLE_IMPORT', 'ATTRIBUTE_IMPORT', 'CATEGORY_IMPORT'])
    .optional()
    .describe('With "path": what the rows are. Default: ITEM_IMPORT'),
  sheet: z.string().min(1).max(100).optional().describe('Of a workbook. Default: the first that is not hidden'),
  rowPath: z.string().min(1).max(1_000).optional().describe('Of JSON and XML: where the rows are'),
  encoding: z.string().min(1).max(100).optional().describe('Of texts: windows-1252, say. Default: found out'),
  delimiter: z.string().length(1).optional().describe('Of CSV and TSV. Default: found out'),
  headerRow: z
    .int()
    .min(1)
    .max(10_000)
    .optional()
    .describe('Of tables: the row that names the columns. Default: found out'),
  headerRows: z
    .int()
    .min(1)
    .max(2)
    .optional()
    .describe('Of tables. 2: the row above "headerRow", which is needed then, names groups of columns'),
};

type Reading = z.output<
  z.ZodObject<Pick<typeof fileInput, 'sheet' | 'rowPath' | 'encoding' | 'delimiter' | 'headerRow' | 'headerRows'>>
>;

/** How the file is read, apart from what else a tool is told. */
export function readingOf({ sheet, rowPath, encoding, delimiter, headerRow, headerRows }: Reading): Reading {
  return { sheet, rowPath, encoding, delimiter, headerRow, headerRows };
}

interface Named {
  readonly path?: string | undefined;
  readonly fileId?: string | undefined;
  readonly fileType?: schemas.AnnouncedFile['type'] | undefined;
}

export interface Held {
  readonly id: string;
  readonly name: string;
  readonly jobId: string | null;
}

/** The file, which is uploaded if it is named by its path. @throws ToolProblem, LongshoreError */
export async function heldFile({ path, fileId, fileType }: Named, call: Call): Promise<Held> {
  const { api, files, signal, progress } = call;
  if ((path === undefined) === (fileId === undefined)) {
    throw new ToolProblem('name the file by "path" or by "fileId", not by both', { code: 'INPUT_INVALID' });
  }
  if (fileId !== undefined) {
    if (fileType !== undefined) {
      throw new ToolProblem('"fileType" goes with "path": the type of a file is said when it is uploaded', {
        code: 'INPUT_INVALID',
      });
    }
    const { id, name, jobId } = await api.getFile({ id: fileId }, { signal });
    return { id, name, jobId };
  }
  const source = files.open(path ?? '');
  const onProgress = ({ uploadedBytes, totalBytes }: { uploadedBytes: number; totalBytes: number }) =>
    progress(uploadedBytes, totalBytes);
  const { file } = await api.hold(source, { type: fileType, options: BY_APPROVAL, signal, onProgress });
  return { id: file.id, name: file.name, jobId: file.jobId };
}

/** Does something with a file that is uploaded: if it fails, the assistant is told the id, and need not upload it again. */
export async function withFile<T>({ id, name }: Held, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new FailedWith(error, { file: { id, name } });
  }
}

/** What is in the file; undefined: it is still being read. @throws LongshoreError */
export async function inspectionOf(
  { id }: Held,
  reading: Reading,
  { api, signal }: Call,
): Promise<schemas.FileInspection | undefined> {
  const answer = await api.inspectFile({ id, ...known(reading) }, { signal, wait: MOST_SECONDS });
  return 'inspection' in answer ? answer.inspection : undefined;
}

/** How the file would be imported. @throws LongshoreError, ToolProblem when it is still being read */
export async function proposalOf(
  { id }: Held,
  how: Reading & { readonly profile?: string | undefined },
  { api, signal }: { readonly api: LongshoreClient; readonly signal: AbortSignal },
): Promise<schemas.ImportProposal> {
  const answer = await api.proposeImport({ id, ...known(how) }, { signal, wait: MOST_SECONDS });
  if ('proposal' in answer) return answer.proposal;
  throw new ToolProblem('the file is still being read', {
    code: 'IN_PROGRESS',
    advice: 'Call again with "fileId" in some seconds',
  });
}

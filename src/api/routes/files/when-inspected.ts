/** Answers what is known of a file once it is inspected; until then, that it is being inspected. */
import { z } from 'zod';
import type { File } from '../../../../db/models/file.js';
import { requireBytes } from '../../../domain/files/download-file.js';
import { FILE_FORMATS, fileFormat } from '../../../domain/formats/file-format.js';
import type { Inspection } from '../../../domain/inspection/model/inspection.js';
import { DomainError } from '../../../domain/kernel/errors.js';
import { type InspectionState, inspectionOf, startInspection } from '../../../domain/proposals/file-inspection.js';
import { INSPECTED_ROWS, type InspectedRows } from '../../../domain/proposals/model/inspection-job.js';
import { enqueueEntries, type OutboxEntry } from '../../../queues/outbox.js';
import type { ApiRequest, ApiResponse } from '../../define-route.js';
import type { ApiServices } from '../../services.js';
import { waitingClient } from '../../waiting-client.js';

const RETRY_AFTER_SECONDS = 1;

export const INSPECTION_REFUSALS = {
  409: 'The file is not uploaded yet; or the inspection, for whose end the client has waited, has failed',
  410: 'The bytes of the file are no longer kept',
  422: 'The file cannot be inspected: it is empty, no table, or damaged',
};

export const INSPECTING = {
  description: 'The file is being inspected; Location is the address of the job',
  schema: z.object({ jobId: z.string(), status: z.literal('IN_PROGRESS') }),
};

/**
 * The first call starts the inspection.
 * @param asked which rows of the file, and how it is written
 * @param present answers what is asked, by the inspection
 */
export async function whenInspected(
  request: ApiRequest<unknown, unknown, unknown, true>,
  services: ApiServices,
  file: File,
  asked: InspectedRows,
  present: (inspection: Inspection) => Promise<ApiResponse>,
): Promise<ApiResponse> {
  const { site, requestId } = request;
  const { db, producer, logger, jobEnds } = services;
  requireBytes(file);
  requireParts(file, asked);
  const state = await inspectionOf(db, file.id, asked);
  const known = inspectionIn(state);
  if (known !== null) return present(known);
  let jobId = state.kind === 'running' ? state.jobId : '';
  if (state.kind === 'none' || state.kind === 'other') {
    let outboxEntries: OutboxEntry[] = [];
    ({ jobId, outboxEntries } = await db.transaction((trx) =>
      startInspection(trx, site, file, state.jobId, requestId, asked),
    ));
    await enqueueEntries(producer, outboxEntries, logger);
  }
  if (await jobEnds.wait(jobId, waitingClient(request, services))) {
    await request.takeTurn();
    const after = await inspectionOf(db, file.id, asked);
    const found = inspectionIn(after);
    if (found !== null) return present(found);
    // Another call may have started it anew by now.
    if (after.kind === 'none') throw new DomainError('conflict', 'INSPECTION_FAILED', after.message);
  }
  const headers = { Location: `/jobs/${jobId}`, 'Retry-After': String(RETRY_AFTER_SECONDS) };
  return { status: 202, body: { jobId, status: 'IN_PROGRESS' }, headers };
}

/** @throws DomainError invalid when such files have no sheets, paths, delimiters or headers, or when no row is above the header that has two */
function requireParts({ name }: File, asked: InspectedRows): void {
  const format = fileFormat(name)?.format;
  if (format === undefined) return;
  const { reads, rows } = FILE_FORMATS[format];
  const isTable = rows === 'table';
  const isWorkbook = reads === 'workbook';
  const isText = isTable && !isWorkbook;
  const unfit: Readonly<Record<keyof InspectedRows, string | false>> = {
    rowPath: isTable && `is of files of JSON and XML, and ${name} is a table`,
    sheet: !isWorkbook && `is of workbooks, and ${name} is none`,
    encoding: isWorkbook && `is of texts, and ${name} is a workbook, which has one encoding`,
    delimiter: !isText && `is of .csv and .tsv, and ${name} is neither`,
    headerRow: !isTable && `is of tables, and ${name} is none`,
    headerRows: !isTable && `is of tables, and ${name} is none`,
  };
  for (const path of INSPECTED_ROWS) {
    if (asked[path] === undefined || unfit[path] === false) continue;
    throw unfitting(path, `${unfit[path]}: leave it out`);
  }
  const { headerRow = 1, headerRows } = asked;
  if (headerRows === 2 && headerRow < 2) {
    throw unfitting('headerRows', 'needs "headerRow", the number of the lower of both rows: 2 or more');
  }
}

function unfitting(path: keyof InspectedRows, message: string): DomainError {
  const problems = [{ path, code: 'FIELD_INVALID', message }];
  return new DomainError('invalid', 'REQUEST_INVALID', `${path}: ${message}`, { problems });
}

/** @returns null when the file has still to be inspected @throws DomainError unprocessable when it cannot be */
function inspectionIn(state: InspectionState): Inspection | null {
  if (state.kind === 'refused') throw new DomainError('unprocessable', state.reason, state.message);
  return state.kind === 'ready' ? state.inspection : null;
}

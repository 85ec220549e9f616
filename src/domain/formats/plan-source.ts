/** Finds the rows of an upload: a streaming pass checks it as a whole and cuts it into chunks. */
import { EventLoopPacer } from '../../platform/event-loop-pacer.js';
import { CsvPlanReader } from './csv/plan-csv.js';
import { FILE_FORMATS } from './file-format.js';
import { JsonArrayPlanReader } from './json/plan-json-array.js';
import { JsonlPlanReader, jsonDuplicatesReader } from './json/plan-jsonl.js';
import { RejectedInput } from './model/rejected-input.js';
import type { SourceInput } from './model/source-input.js';
import type { ChunkPlan, SourcePlan } from './model/source-plan.js';
import { WORKBOOK_DELIMITER } from './model/workbook-column.js';
import { DuplicateKeys } from './plan/duplicate-keys.js';
import { type OpenText, openText } from './plan/open-text.js';
import { SpoolWriter } from './plan/spool-writer.js';
import { type RecordReader, readRecords } from './text/read-records.js';
import { ReadMeter, skipBytes, streamBlocks } from './text/upload-blocks.js';
import { workbookBlocks } from './xlsx/rows/workbook-blocks.js';

/** What both passes need. */
interface Planning {
  readonly input: SourceInput;
  readonly keys: DuplicateKeys;
  readonly meter: ReadMeter;
  readonly pacer: EventLoopPacer;
}

/** What the first pass found, and how the second reads the same body. */
interface FirstPass {
  readonly plan: SourcePlan;
  duplicatesReader(firstRow: number): RecordReader;
}

/**
 * Plans an upload at bounded memory, whatever it holds: about 16 bytes for each key, and a window that holds one row.
 * It yields to the event loop every few milliseconds.
 *
 * Bytes that are valid UTF-8 but that the database refuses (NUL, lone surrogates in JSON escapes) are row problems,
 * found when a chunk is validated.
 * @throws RejectedInput when the input cannot be used as a whole; the signal's reason when it is aborted.
 */
export async function planSource(input: SourceInput): Promise<SourcePlan> {
  const planning: Planning = {
    input,
    keys: new DuplicateKeys((key) => input.normaliseKey(key)),
    meter: new ReadMeter(input),
    pacer: new EventLoopPacer(input.signal),
  };
  if (FILE_FORMATS[input.format].needsProfile) throw profileRequired(input.format);
  try {
    const { plan, duplicatesReader } = await firstPass(planning);
    if (plan.totalRows === 0) {
      throw new RejectedInput('NO_ROWS', 'The file has no rows. Add at least one, and upload it again.');
    }
    if (planning.keys.hasCandidates) await findDuplicates(planning, plan, duplicatesReader);
    return plan;
  } catch (error) {
    input.signal.throwIfAborted();
    throw error;
  }
}

function profileRequired(format: string): RejectedInput {
  return new RejectedInput(
    'PROFILE_REQUIRED',
    `A file of the format ${format} can be imported only by a profile, which says where its rows are and what its values mean. Name one in options.profile, or announce the file with "hold": true and inspect it.`,
  );
}

async function firstPass(planning: Planning): Promise<FirstPass> {
  const { input } = planning;
  const { reads, rows } = FILE_FORMATS[input.format];
  const text =
    reads === 'workbook' ? openWorkbook(planning) : await openText(input, FILE_FORMATS[input.format], planning.meter);
  try {
    const mustCopy = input.gzip || rows === 'array' || reads === 'workbook' || text.encoding !== 'utf-8';
    if (!mustCopy) return await readBody(planning, text, text.blocks, 'upload');
    const spool = new SpoolWriter(await input.createSpool());
    try {
      const found =
        rows === 'array'
          ? await readJsonArray(planning, text, spool)
          : await readBody(planning, { ...text, base: 0 }, spool.copy(text.blocks), 'spool');
      await spool.finish();
      return found;
    } catch (error) {
      spool.abandon();
      throw error;
    }
  } finally {
    await text.blocks.return(undefined);
  }
}

/** The rows of a workbook are read as CSV. */
function openWorkbook({ input, meter, pacer }: Planning): OpenText {
  return { blocks: workbookBlocks(input, meter, pacer), encoding: 'utf-8', base: 0 };
}

/** Runs the first pass over a CSV, TSV or JSONL text. */
async function readBody(
  planning: Planning,
  text: OpenText,
  blocks: AsyncIterable<Buffer>,
  source: 'upload' | 'spool',
): Promise<FirstPass> {
  const { input, keys, pacer } = planning;
  const reading = FILE_FORMATS[input.format];
  if (reading.rows === 'lines') {
    const reader = new JsonlPlanReader(input, text.encoding, keys);
    await readRecords(blocks, reader, text.base, pacer);
    return jsonPass(planning, source, reader.cutter);
  }
  const options = reading.reads === 'workbook' ? { delimiter: WORKBOOK_DELIMITER } : input.options;
  const reader = new CsvPlanReader({ ...input, options }, reading, text.encoding, keys);
  await readRecords(blocks, reader, text.base, pacer);
  const { chunks, totalRows } = reader.cutter;
  const { header } = reader;
  if (header === null) throw new Error('a CSV text was read without a header');
  const { delimiter, cells } = header;
  return {
    plan: { source, bodyFormat: 'CSV', delimiter, headerCells: cells, totalRows, chunks },
    duplicatesReader: (firstRow) => reader.duplicatesReader(firstRow),
  };
}

async function readJsonArray(planning: Planning, text: OpenText, spool: SpoolWriter): Promise<FirstPass> {
  const { input, keys, pacer } = planning;
  const reader = new JsonArrayPlanReader(input, text.encoding, keys, spool);
  await readRecords(text.blocks, reader, 0, pacer);
  return jsonPass(planning, 'spool', reader.cutter);
}

function jsonPass(
  { input, keys }: Planning,
  source: 'upload' | 'spool',
  { chunks, totalRows }: { chunks: ChunkPlan[]; totalRows: number },
): FirstPass {
  return {
    plan: { source, bodyFormat: 'JSONL', delimiter: null, headerCells: null, totalRows, chunks },
    duplicatesReader: (firstRow) => jsonDuplicatesReader(input, keys, firstRow),
  };
}

/** The second pass reads the body's own bytes from the first chunk on. */
async function findDuplicates(
  { input, keys, meter, pacer }: Planning,
  plan: SourcePlan,
  duplicatesReader: FirstPass['duplicatesReader'],
): Promise<void> {
  const [first] = plan.chunks;
  if (first === undefined) return;
  const stream = plan.source === 'upload' ? await input.openUpload() : await input.openSpool();
  const blocks = skipBytes(streamBlocks(stream, meter, input.signal), first.byteStart);
  await readRecords(blocks, duplicatesReader(first.firstRow), first.byteStart, pacer);
  keys.assignTo(plan.chunks);
}
